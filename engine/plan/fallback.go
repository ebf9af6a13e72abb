package plan

import (
	"maps"
	"slices"
	"strings"
)

// An Alternative is a plan to load in the place of one that is marked with a
// caution, when that fails.
type Alternative struct {
	Plan     Plan
	Foreseen Finding // the caution that foresaw it
}

// Alternatives are what a plan's cautions fall back to, in the order of the rules.
// Cautions that fall back to the same are one: which of them came true can't be
// told.
func Alternatives(p Plan, g Given) []Alternative {
	var list []Alternative
	cautions := Check(p, g).Cautions
	for _, foreseen := range cautions {
		if len(foreseen.Fallback) == 0 {
			continue
		}
		instead := fallenBack(p, g, foreseen.Fallback)
		known := slices.ContainsFunc(list, func(a Alternative) bool { return a.Plan == instead })
		if known || instead == p || !Check(instead, g).Valid() {
			continue
		}
		var together []string
		for _, c := range cautions {
			if maps.Equal(c.Fallback, foreseen.Fallback) {
				together = append(together, c.Rule)
			}
		}
		slices.Sort(together)
		foreseen.Trial = strings.Join(together, trialSeparator)
		list = append(list, Alternative{instead, foreseen})
	}
	return list
}

func fallenBack(p Plan, g Given, fallback map[string]string) Plan {
	for name, value := range fallback {
		s, _ := settingCalled(name)
		unset(&p, name)
		s.set(&p, value)
	}
	p, _ = Complete(p, g)
	return p
}

// Fallback is the first of a plan's Alternatives. ok is false when there is none.
func Fallback(p Plan, g Given) (instead Plan, foreseen Finding, ok bool) {
	list := Alternatives(p, g)
	if len(list) == 0 {
		return p, Finding{}, false
	}
	return list[0].Plan, list[0].Foreseen, true
}
