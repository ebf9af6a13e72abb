package models

import (
	"fmt"

	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/words"
)

// A PairFunc says which files work together: library.Pair, or a script in tests.
type PairFunc func([]library.Model) map[string]library.Companions

// A paired model is what its companions make of it.
type paired struct {
	works        []Work // in the order they are shown; they have no names yet
	capabilities []string
	mtp          library.MTPHead
	beside       []gguf.Facts
}

// pairUp finds out which files work together, by the path of the model, and puts
// it into words. It takes a moment where there are thousands of models.
func pairUp(pair PairFunc, models []library.Model) map[string]paired {
	found := pair(models)
	reasons := map[string]string{}
	all := map[string]paired{}
	for _, m := range models {
		if m.Facts.Kind != gguf.Model || m.Problem != nil {
			continue
		}
		c := found[m.Facts.Path]
		p := paired{capabilities: c.Capabilities(m), mtp: c.MTPHead(m), beside: library.Beside(c)}
		add := func(kind string, list []library.Companion) {
			for _, companion := range list {
				p.works = append(p.works, Work{Path: companion.Path, Kind: kind, Reason: reason(companion, reasons)})
			}
		}
		add(library.Projector, c.Projectors)
		add(library.MTP, c.MTP)
		add(library.Draft, c.Drafts)
		add(library.LoRA, c.LoRA)
		all[m.Facts.Path] = p
	}
	return all
}

// Beside are what is known of the files that work beside a model, by the path of
// its first file; none while that is being found out.
func (p *Presenter) Beside(path string) []gguf.Facts { return p.pairs[path].beside }

// reason says why a companion fits. There are few different sentences, and
// putting one together takes its time, so that known ones are kept.
func reason(c library.Companion, known map[string]string) string {
	if c.MadeFor == c.Model.Facts.Name {
		c.MadeFor = "" // its row says so
	}
	key := fmt.Sprint(c.Reason, c.Times, c.MadeFor)
	text, done := known[key]
	if !done {
		text = words.T("models.fits."+string(c.Reason), map[string]any{"Times": c.Times, "Model": gguf.Printable(clip(c.MadeFor, 60))})
		known[key] = text
	}
	return text
}
