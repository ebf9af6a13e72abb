package words

import (
	"slices"
	"strings"

	"paddock/engine"
	"paddock/engine/gguf"
	"paddock/engine/plan"
)

// fallbackKeys are the sentences for what was loaded instead, by the setting that
// was changed, the telling one first.
var fallbackKeys = []struct{ setting, key string }{
	{"splitMode", "trial.split"},
	{"specTypes", "trial.spec"},
	{"projectorPath", "trial.projector"},
	{"projectorDevice", "trial.projectorDevice"},
	{"flashAttn", "trial.flash"},
	{"slots", "trial.slots"},
	{"devices", "trial.devices"},
}

// FellBack is the sentence for a plan that failed and what runs in its place. Its
// remedy is the reason: the caution that came true, and what the engine said.
func FellBack(f *engine.FellBack) Sentence {
	key, data := "trial.other", map[string]any{"Guess": guessing(f.From)}
	changes := plan.Changes(f.From, f.To)
	for _, telling := range fallbackKeys {
		i := slices.IndexFunc(changes, func(c plan.Change) bool { return c.Setting == telling.setting })
		if i >= 0 {
			key, data["From"], data["To"] = telling.key, changes[i].From, changes[i].To
			break
		}
	}
	if f.OnRequest {
		key = "trial.request"
	}
	s := Sentence{Key: key, Message: T(key, data), Remedy: reason(f)}
	s.TerminalRemedy = s.Remedy
	return s
}

// reason is why a plan failed, and whether that is remembered.
func reason(f *engine.FellBack) string {
	why := Error(f.Err).Message
	if f.Foreseen.Rule != "" {
		why = Finding(f.Foreseen).Message + " " + why
	}
	if f.Lasting() {
		why += " " + T("trial.remembered")
	}
	return strings.TrimSpace(why)
}

// TriedBefore says of a failure that it was the second, with the reason of the first.
func TriedBefore(f *engine.FellBack) string {
	return T("trial.before", map[string]any{"Why": Error(f.Err).Message})
}

// guessing names how a plan guesses ahead, empty for not at all.
func guessing(p plan.Plan) string {
	switch methods := p.SpecMethods(); {
	case len(methods) == 0:
		return ""
	case p.Speculates(plan.SpecMTP):
		return T("trial.guess.mtp")
	case p.Drafts():
		return T("trial.guess.draft")
	default:
		return gguf.Printable(strings.Join(methods, ", "))
	}
}
