package library

import (
	"errors"
	"path/filepath"
	"strings"

	"paddock/engine/gguf"
)

// model reads what there is to know of a set of files.
func (p *place) model(set set) Model {
	m := Model{
		Files: set.paths, Missing: set.missing, Folder: filepath.Dir(set.paths[0]),
		Source: p.source, Alias: set.alias,
	}
	for _, info := range set.infos {
		if info != nil && info.Mode().IsRegular() {
			m.SizeBytes += uint64(info.Size())
		}
	}
	m.Facts, m.Problem = p.facts(set)
	if m.Facts.Path == "" { // nothing was read at all
		m.Facts.Path = set.paths[0]
		m.Facts.Name = strings.TrimSuffix(filepath.Base(set.paths[0]), ".gguf")
	}
	if set.alias != "" && m.Facts.Name == filepath.Base(m.Facts.Path) {
		m.Facts.Name = set.alias // the file itself has no name but its checksum
	}
	m.Capabilities = capabilities(m.Facts, m.Problem)
	return m
}

// facts are those remembered, or those read now.
func (p *place) facts(set set) (gguf.Facts, error) {
	if set.problem != nil {
		return p.Cache.last(set.paths[0]), set.problem
	}
	if facts, problem, ok := p.Cache.get(set); ok {
		return facts, problem
	}
	select {
	case p.readers <- struct{}{}:
		defer func() { <-p.readers }()
	case <-p.ctx.Done():
		return gguf.Facts{}, p.ctx.Err()
	}
	facts, problem := p.disk.facts(set, func(facts gguf.Facts, problem error) (gguf.Facts, error) {
		problem = complete(set, facts, problem)
		p.Cache.put(set, facts, problem)
		return facts, problem
	})
	if errors.Is(problem, errNoAnswer) {
		return p.Cache.last(set.paths[0]), &FileError{Path: set.paths[0], Problem: FileNoAnswer, Err: problem}
	}
	return facts, problem
}

// complete is what is wrong with a set: what its header says, or that a part of
// it is missing.
func complete(set set, facts gguf.Facts, problem error) error {
	switch {
	case problem != nil:
		return problem
	case len(set.missing) > 0:
		return &gguf.Error{Path: set.paths[0], Problem: gguf.MissingPart, Detail: strings.Join(set.missing, ", ")}
	case set.count <= 1 && facts.Kind == gguf.Model && facts.Split.Count > 1:
		// The engine finds the other parts by their names only.
		return &gguf.Error{Path: set.paths[0], Problem: gguf.MissingPart}
	}
	return nil
}
