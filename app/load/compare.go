package load

import (
	"context"
	"errors"
	"strings"

	"paddock/engine"
	"paddock/engine/plan"
	"paddock/words"
)

// Compare is the row that tries ways of guessing on the loaded model.
type Compare struct {
	Shown   bool // the model has a way of guessing with weights
	Off     bool // it can't be done now; About says why
	Running bool // and can be stopped
	About   string
}

// Compare tries the loaded model without guessing and with 1, 2 and 3 tokens
// ahead, and keeps the fastest; while it does, it stops it.
func (p *Presenter) Compare() {
	switch {
	case p.comparing != nil:
		p.comparing()
	case p.seams.Compare != nil && !p.state.Compare.Off:
		p.startComparing()
	}
}

func (p *Presenter) startComparing() {
	ctx, cancel := context.WithCancel(context.Background())
	opened := p.opened
	p.comparing, p.compared = cancel, nil
	p.comparison = Note{}
	p.publish()
	here := func(f func()) {
		p.do(func() {
			if opened == p.opened {
				f()
			}
			p.publish()
		})
	}
	go func() {
		defer cancel()
		found, err := p.seams.Compare(ctx, func(r engine.Row) {
			here(func() { p.compared = append(p.compared, r) })
		})
		p.do(func() { p.comparing = nil })
		here(func() { p.tookComparison(found, err) })
	}()
}

// tookComparison says what came out and keeps the fastest way.
func (p *Presenter) tookComparison(found engine.Comparison, err error) {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, engine.ErrNotReady): // stopped, or something else was loaded
		p.compared = nil
		return
	case err != nil:
		p.comparison = Note{Kind: Failed, Text: words.Error(err).Text()}
		return
	case found.Fastest < 0:
		p.comparison = Note{Kind: Failed, Text: words.T("load.compare.none")}
		return
	}
	fastest := found.Rows[found.Fastest]
	text := words.T("load.compare.fastest", map[string]any{"Way": aheadOf(fastest)})
	if !found.Same {
		text += " " + words.T("load.compare.differs")
	}
	p.comparison = Note{Kind: Good, Text: text}
	kept := p.asked
	kept.SpecTypes, kept.DraftPath, kept.DraftMax = fastest.Plan.SpecTypes, fastest.Plan.DraftPath, fastest.Plan.DraftMax
	p.takeWhole(kept)
}

// publishCompare says whether ways can be compared, and what came of it.
func (p *Presenter) publishCompare() {
	c := Compare{Shown: p.seams.Compare != nil && p.state.Plan.Purpose == plan.Chat && p.guesses(), Running: p.comparing != nil}
	loaded := p.running.Plan.ModelPath == p.state.Model.Facts.Path && p.running.Plan.ModelPath != ""
	switch {
	case c.Running && len(p.compared) == 0:
		c.About = words.T("load.compare.running")
	case len(p.compared) > 0:
		c.About = rowsInWords(p.compared)
	case !loaded:
		c.Off, c.About = true, words.T("load.compare.notLoaded")
	default:
		c.About = words.T("load.compare.about")
	}
	p.state.Compare = c
	if p.comparison.Text != "" && c.Shown {
		p.state.SpecNotes = append(p.state.SpecNotes, p.comparison)
	}
}

// guesses says whether a way of guessing with weights can be chosen.
func (p *Presenter) guesses() bool {
	for _, row := range p.state.Spec.Rows {
		if row.Drafts && !row.Off {
			return true
		}
	}
	return false
}

func rowsInWords(rows []engine.Row) string {
	var list []string
	for _, r := range rows {
		data := map[string]any{"Way": aheadOf(r), "Speed": words.Speed(r.TokensPerSecond), "Accepted": int(100*r.Accepted() + 0.5)}
		switch {
		case r.Err != nil:
			list = append(list, words.T("load.compare.row.failed", data))
		case r.DraftMax == 0:
			list = append(list, words.T("load.compare.row.off", data))
		default:
			list = append(list, words.T("load.compare.row", data))
		}
	}
	return strings.Join(list, " · ")
}

func aheadOf(r engine.Row) string {
	if r.DraftMax == 0 {
		return words.T("load.compare.off")
	}
	return words.T("load.compare.ahead", map[string]any{"Tokens": r.DraftMax})
}
