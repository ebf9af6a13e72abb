package load

import (
	"strings"

	"paddock/engine/budget"
	"paddock/engine/plan"
	"paddock/words"
)

// Best chooses the fastest settings that fit.
func (p *Presenter) Best() { p.preset(budget.Fastest, words.T("load.best")) }

// Preset chooses the settings of a preset.
func (p *Presenter) Preset(kind budget.PresetKind) { p.preset(kind, presetLabel(kind)) }

func presetLabel(kind budget.PresetKind) string { return words.T("load.preset." + string(kind)) }

// seeking is the preset that is looked for, or was last.
type seeking struct {
	kind  budget.PresetKind
	label string
}

// preset looks for a preset, which takes a moment, and makes it the plan.
func (p *Presenter) preset(kind budget.PresetKind, label string) {
	if p.state.Preparing || p.state.Build.ID == "" || p.state.Build.Problem != "" {
		return
	}
	p.sought++
	p.seeking = seeking{kind, label}
	sought := p.sought
	request, situation := p.request(p.asked), p.situation()
	p.state.Finding = true
	p.publish()
	go func() {
		found, ok := budget.PresetOf(kind, request, situation)
		p.do(func() {
			if sought != p.sought {
				return
			}
			p.state.Finding = false
			if !ok {
				p.notice(Note{Kind: Caution, Text: words.T("load.preset.none", map[string]any{"Preset": label})})
				return
			}
			p.applyPreset(found, label)
		})
	}()
}

// seekNoMore gives up the search for a preset: what it looks for is not what is
// wanted any more, or was found for other files or another build.
func (p *Presenter) seekNoMore() {
	p.sought++
	p.state.Finding = false
}

// notice says something in the place of what was said before.
func (p *Presenter) notice(n Note) {
	p.quiet()
	p.state.Notice = n
	p.publish()
}

func (p *Presenter) applyPreset(preset budget.Preset, label string) {
	before := p.asked
	next := p.asAsked(preset.Plan, LayersAuto) // all of them are what follows from the devices
	if p.complete(before) == p.complete(next) {
		p.notice(Note{Kind: Good, Text: words.T("load.preset.same", map[string]any{"Preset": label})})
		return
	}
	if refusal := p.newRefusal(next); refusal != nil {
		p.notice(Note{Kind: Caution, Text: words.T("load.preset.refused", map[string]any{
			"Preset": label, "Reason": words.Finding(*refusal).Message,
		})})
		return
	}
	p.takeWhole(next)
	changes := changesInWords(plan.Changes(before, next), p.devices)
	p.state.Applied = words.T("load.preset.applied", map[string]any{"Preset": label, "Changes": strings.Join(changes, " ")})
	p.show(p.state)
}
