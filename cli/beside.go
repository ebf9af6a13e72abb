package cli

import (
	"slices"

	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
)

// beside reads the files a plan can use beside its model: those the library finds
// for it where it lies, and those the plan names, whose paths become those of
// their facts. The error is that of a file that was named and can't be read, or
// of an interruption.
func (s *session) beside(m library.Model, p *plan.Plan) (library.Companions, []gguf.Facts, error) {
	near, err := s.scanner().Neighbours(s.ctx, m)
	if err != nil {
		return library.Companions{}, nil, err
	}
	pairs := library.Pair(near)[m.Files[0]]
	facts := library.Beside(pairs)
	if p.SpecTypes == plan.NoSpec {
		p.DraftPath = "" // what it would be for was switched off
	}
	for _, path := range []*string{&p.DraftPath, &p.ProjectorPath, &p.LoRAPath} {
		if *path == "" || path == &p.ProjectorPath && *path == plan.NoProjector {
			continue
		}
		named := library.One(onDisk(*path))
		if named.Problem != nil {
			return pairs, facts, named.Problem
		}
		*path = named.Facts.Path
		if !slices.ContainsFunc(facts, func(f gguf.Facts) bool { return f.Path == *path }) {
			facts = append(facts, named.Facts)
		}
	}
	return pairs, facts, nil
}
