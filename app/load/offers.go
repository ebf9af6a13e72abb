package load

import (
	"slices"

	"paddock/engine/plan"
	"paddock/words"
)

// offers are what plan.Offers says of a plan, kept while it stays the same.
type offers struct {
	of    plan.Plan // complete
	found *plan.Offered
}

// offered are the values of the settings beside the present plan.
func (p *Presenter) offered() *plan.Offered {
	complete := p.complete(p.asked)
	if p.offers.found == nil || p.offers.of != complete {
		found := plan.Offers(complete, p.given())
		p.offers = offers{complete, &found}
	}
	return p.offers.found
}

// find is the offer of a value, an empty one when there is none.
func find(list []plan.Offer, value string) plan.Offer {
	if i := slices.IndexFunc(list, func(o plan.Offer) bool { return o.Value == value }); i >= 0 {
		return list[i]
	}
	return plan.Offer{Value: value}
}

// option is an offer as the screen shows it. What is refused by a rule that
// refuses the present plan too is not off: nothing is lost with it. The reasons of
// what is off are notes; name is what they call it.
func (p *Presenter) option(o plan.Offer, name string, shown Option, notes *[]Note) Option {
	switch {
	case shown.Chosen:
		shown.Caution = o.Caution != nil
	case o.Refusal != nil && !p.isRefused(o.Refusal.Rule):
		shown.Off = true
		*notes = addOff(*notes, offNote(name, shown.Value, *o.Refusal))
	case o.Refusal == nil:
		shown.Caution = o.Caution != nil
	}
	return shown
}

// isRefused says whether a rule refuses the present plan.
func (p *Presenter) isRefused(rule string) bool {
	return slices.ContainsFunc(p.findingsNow.Refusals, func(f plan.Finding) bool { return f.Rule == rule })
}

// addOff adds why a choice is off; several with one reason share a note.
func addOff(notes []Note, off Note) []Note {
	for i, n := range notes {
		if n.options != "" && off.options != "" && n.reason == off.reason && n.Rule == off.Rule {
			names := n.options + ", " + off.options
			notes[i].options = names
			notes[i].Text = words.T("load.option.off.several", map[string]any{"Options": names, "Reason": n.reason})
			return notes
		}
	}
	return append(notes, off)
}

// offNote says why a choice is off. Of one that is called so, that would sound odd.
func offNote(name, value string, refusal plan.Finding) Note {
	note := refusalNote(refusal)
	key := "load.option.off"
	if value == "off" {
		key = "load.option.refused"
	} else {
		note.options, note.reason = name, note.Text
	}
	note.Text = words.T(key, map[string]any{"Option": name, "Reason": note.Text})
	return note
}

// refusalNote is the reason alone. What is only remembered to have failed can be
// tried again.
func refusalNote(refusal plan.Finding) Note {
	note := Note{Kind: Off, Text: words.Finding(refusal).Message}
	if refusal.Failed {
		note.Rule = refusal.Trial
	}
	return note
}

// cautionNote says what may fail, and what then happens.
func (p *Presenter) cautionNote(caution plan.Finding) Note {
	text := words.Finding(caution).Message
	if fallback := fallbackInWords(caution.Fallback, p.devices); fallback != "" {
		text += " " + words.T("load.caution.tried", map[string]any{"Fallback": fallback})
	}
	return Note{Kind: Caution, Text: text}
}

// findings are the notes the rules have about some settings of the plan.
func (p *Presenter) findings(verdict plan.Verdict, settings ...string) []Note {
	var notes []Note
	add := func(n Note) {
		if !slices.Contains(notes, n) {
			notes = append(notes, n)
		}
	}
	for _, f := range verdict.Refusals {
		if slices.Contains(settings, f.Setting) {
			note := refusalNote(f)
			note.Kind = Failed
			add(note)
		}
	}
	for _, f := range verdict.Cautions {
		if slices.Contains(settings, f.Setting) {
			add(p.cautionNote(f))
		}
	}
	return notes
}
