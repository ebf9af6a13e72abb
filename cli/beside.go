package cli

import (
	"path/filepath"
	"slices"

	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
)

// beside reads the files a plan can use beside its model: those the library finds
// for it where it lies, and those the plan names, whose paths become those of
// their facts. unpaired are those that were not made for the model. The error is that of a file that was named and can't be read, or
// of an interruption.
func (s *session) beside(m library.Model, p *plan.Plan) (pairs library.Companions, facts []gguf.Facts, unpaired []string, err error) {
	near, err := s.scanner().Neighbours(s.ctx, m)
	if err != nil {
		return library.Companions{}, nil, nil, err
	}
	pairs = library.Pair(near)[m.Files[0]]
	facts = library.Beside(pairs)
	if p.SpecTypes == plan.NoSpec {
		p.DraftPath = "" // what it would be for was switched off
	}
	for _, path := range []*string{&p.DraftPath, &p.ProjectorPath, &p.LoRAPath} {
		if *path == "" || path == &p.ProjectorPath && *path == plan.NoProjector {
			continue
		}
		named := library.One(onDisk(*path))
		if named.Problem != nil {
			return pairs, facts, nil, named.Problem
		}
		*path = named.Facts.Path
		if !slices.ContainsFunc(facts, func(f gguf.Facts) bool { return f.Path == *path }) {
			facts = append(facts, named.Facts)
			if !pairedWith(m, near, named) {
				unpaired = append(unpaired, *path)
			}
		}
	}
	return pairs, facts, unpaired, nil
}

// pairedWith says whether a file would be one of a model's if it lay beside it:
// folders tell apart what is found, and say nothing of what is named.
func pairedWith(m library.Model, near []library.Model, named library.Model) bool {
	path := filepath.Join(filepath.Dir(m.Files[0]), filepath.Base(named.Facts.Path))
	named.Facts.Path, named.Files = path, []string{path}
	others := slices.DeleteFunc(slices.Clone(near), func(n library.Model) bool { return n.Files[0] == path }) // another file of this name
	all := append(others, named)
	return slices.ContainsFunc(library.Beside(library.Pair(all)[m.Files[0]]), func(f gguf.Facts) bool { return f.Path == path })
}
