package library

import (
	"context"
	"path/filepath"
	"slices"

	"paddock/engine/gguf"
)

// Beside are the facts of the files that work beside a model, in the order in
// which a plan takes them: projectors, files for multi-token prediction, drafts,
// adapters, each kind the best first.
func Beside(pairs Companions) []gguf.Facts {
	var facts []gguf.Facts
	for _, list := range [][]Companion{pairs.Projectors, pairs.MTP, pairs.Drafts, pairs.LoRA} {
		for _, c := range list {
			facts = append(facts, c.Model.Facts)
		}
	}
	return facts
}

// maxNeighbours bounds how many files are read for one model. The nearest come
// first.
const maxNeighbours = 256

// Neighbours are a model and the files that lie near it, for Pair: those of its
// folder, of the folders in that, and of the one above, where people keep what
// belongs to several sizes of a model. Of a store of Ollama's it is all there is.
// Folders that can't be read have none. The error is that of ctx.
func (sc *Scanner) Neighbours(ctx context.Context, m Model) ([]Model, error) {
	sources := sc.near(ctx, m)
	var found []Model
	err := sc.Scan(ctx, sources, func(n Model) { found = append(found, n) })
	if ctx.Err() != nil {
		return nil, err
	}
	if !slices.ContainsFunc(found, func(n Model) bool { return n.Facts.Path == m.Facts.Path }) {
		found = append(found, m)
	}
	return found, nil
}

// near are where the neighbours of a model are.
func (sc *Scanner) near(ctx context.Context, m Model) Sources {
	own := filepath.Dir(absolute(m.Facts.Path))
	above := filepath.Dir(own)
	p := &place{scan: &scan{Scanner: sc, ctx: ctx}, disk: newDisk(ctx, own, sc.Patience)}
	list := func(folder string) (folders, files []string) {
		entries, _ := p.disk.entries(folder)
		return p.sort(folder, entries)
	}
	beside, aboveFiles := list(above)
	if filepath.Base(own) == blobs && isStore(beside) {
		return Sources{Folders: []string{above}}
	}
	below, files := list(own)
	for _, folder := range below {
		if len(files) >= maxNeighbours {
			break
		}
		_, inside := list(folder)
		files = append(files, inside...)
	}
	sources := Sources{Files: []string{m.Facts.Path}}
	for _, set := range sets(append(files, aboveFiles...)) {
		if len(sources.Files) < maxNeighbours && len(set.paths) > 0 {
			sources.Files = append(sources.Files, set.paths[0])
		}
	}
	return sources
}
