package load

import (
	"slices"

	"paddock/engine/plan"
)

// change makes a change to the plan. Where a rule refuses the plan it would make,
// what stands in its way is changed too and said, for settings whose values are not
// offered one by one; else nothing changes and the reason is said.
func (p *Presenter) change(of setting, edit func(*plan.Plan)) {
	if p.state.Preparing {
		return
	}
	tried := p.asked
	edit(&tried)
	p.quiet()
	refusal := p.newRefusal(tried)
	if refusal != nil {
		adjusted, ok := plan.Plan{}, false
		if of.adjusts() {
			adjusted, ok = plan.Adjust(tried, p.given(), string(of))
		}
		if !ok {
			p.refused = aside{of, refusalNote(*refusal)}
			p.publish()
			return
		}
		tried = p.asAsked(adjusted, p.asked.GPULayers)
	}
	if tried == p.asked {
		p.publish()
		return
	}
	before := p.asked
	if text := p.alsoChanged(of, before, tried, refusal); text != "" {
		p.said = aside{of, Note{Kind: Info, Text: text, Undo: true}}
	}
	p.remember(of)
	p.take(tried)
}

// quiet takes away what was said of the change before.
func (p *Presenter) quiet() {
	p.refused, p.said, p.state.Applied, p.state.Notice = aside{}, aside{}, "", Note{}
}

// adjusts says whether a setting's values are chosen freely: then what stands in
// the way of one gives way. The others' are offered only where nothing does.
func (s setting) adjusts() bool {
	return s == devicesSetting || s == contextSetting || s == slotsSetting || s == layersSetting
}

// take makes another plan the one that is asked for.
func (p *Presenter) take(next plan.Plan) {
	onlyContext := p.asked
	onlyContext.ContextTokens = next.ContextTokens
	if next != onlyContext {
		p.state.Context.Fits = 0 // what fits depends on everything but the context
	}
	p.seekNoMore()
	p.asked = next
	p.keep()
	p.changed()
}

// takeWhole makes a plan the one that is asked for, unless a rule refuses it that
// does not refuse the present one.
func (p *Presenter) takeWhole(next plan.Plan) bool {
	if p.state.Preparing || next == p.asked || p.newRefusal(next) != nil {
		return false
	}
	p.quiet()
	p.remember("")
	p.take(next)
	return true
}

// newRefusal is a rule that refuses a changed plan and does not refuse the
// present one already.
func (p *Presenter) newRefusal(tried plan.Plan) *plan.Finding {
	before := p.check(p.asked).Refusals
	for _, refusal := range p.check(tried).Refusals {
		if !slices.ContainsFunc(before, func(b plan.Finding) bool { return b.Rule == refusal.Rule }) {
			return &refusal
		}
	}
	return nil
}

func (p *Presenter) check(asked plan.Plan) plan.Verdict {
	return plan.Check(p.complete(asked), p.given())
}

func (p *Presenter) complete(asked plan.Plan) plan.Plan {
	complete, _ := plan.Complete(asked, p.given())
	return complete
}

// asAsked is a complete plan as it would have been chosen on the screen: batches and
// prompt cache left open, and the GPU layers too, where they follow from the rest and layers is
// LayersAuto.
func (p *Presenter) asAsked(q plan.Plan, layers string) plan.Plan {
	open := q
	open.GPULayers = LayersAuto
	if layers == LayersAuto && p.complete(open).GPULayers == q.GPULayers {
		q.GPULayers = LayersAuto
	}
	if q.Purpose != plan.Chat {
		q.BatchTokens, q.PhysicalBatchTokens, q.PromptCacheMiB = 0, 0, 0
	}
	return q
}

// TryAgain forgets that cautions came true here, an entry of plan.Given.Failed,
// which offers again what they are about.
func (p *Presenter) TryAgain(rule string) {
	if p.state.Preparing || !slices.Contains(p.failed, rule) {
		return
	}
	p.seekNoMore()
	p.failed = slices.DeleteFunc(slices.Clone(p.failed), func(id string) bool { return id == rule })
	p.offers = offers{}
	if forget := p.seams.Forget; forget != nil {
		facts, b := p.state.Model.Facts, p.state.Build
		p.writes.Add("forget "+rule+" "+facts.Path, func() { forget(facts, b, rule) })
	}
	p.refused = aside{}
	p.changed()
}
