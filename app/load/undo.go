package load

import (
	"time"

	"paddock/engine/plan"
	"paddock/words"
)

// A step is what Undo goes back to.
type step struct {
	asked  plan.Plan
	build  string // id of the one in use
	chosen string // as Presenter.chosen
}

// maxSteps is how many changes can be taken back, one after the other.
const maxSteps = 20

// dragTime is how soon a change of the same free value counts as one with the
// change before: a slider that is dragged goes back as a whole.
const dragTime = time.Second

// A history is the changes that can be taken back.
type history struct {
	steps []step
	of    setting // of the last change
	at    time.Time
}

// remember keeps the settings as they are, before a change of a setting; "" for one
// of several.
func (p *Presenter) remember(of setting) {
	h := &p.history
	dragged := (of == contextSetting || of == layersSetting) && of == h.of && len(h.steps) > 0 && p.now().Sub(h.at) < dragTime
	h.of, h.at = of, p.now()
	if dragged {
		return
	}
	h.steps = append(h.steps, step{p.asked, p.state.Build.ID, p.chosen})
	h.steps = h.steps[max(0, len(h.steps)-maxSteps):]
}

// Undo takes back the last change of a setting, then the one before.
func (p *Presenter) Undo() {
	if p.state.Preparing {
		return
	}
	last := len(p.history.steps) - 1
	if last < 0 {
		p.notice(Note{Kind: Info, Text: words.T("load.undo.none")})
		return
	}
	s := p.history.steps[last]
	p.history = history{steps: p.history.steps[:last]}
	p.quiet()
	if s.build != p.state.Build.ID {
		p.asked = s.asked
		p.useBuild(s.build, s.chosen)
		return
	}
	p.take(s.asked)
}
