package plan

import (
	"path/filepath"
	"slices"
	"strings"
)

// The verdicts a rule can have. What no rule speaks of is allowed.
const (
	refuse  = "refuse"  // never offered
	caution = "caution" // offered, marked
)

// NewestKnownBuild is the newest engine build the rules were proven on.
const NewestKnownBuild = 11669

// A Finding is a rule that holds for a plan. Message and Remedy are keys of
// sentences, Data what they may mention: the rule's subjects, and "file", "draft"
// and "projector", base names. Findings of one verdict share it.
type Finding struct {
	Rule    string
	Setting string
	Message string
	Remedy  string
	Source  string
	Data    map[string]any
	// Fallback are the settings to load with instead when a caution comes true.
	Fallback map[string]string
	// Failed says that the caution came true here before, which makes it a refusal.
	Failed bool
	// Trial is the entry of Given.Failed that says so; of what an Alternative was
	// foreseen by, the entry to remember.
	Trial string

	rule *Rule
}

// A Verdict is what the rules say about a plan.
type Verdict struct {
	Refusals []Finding
	Cautions []Finding
}

// Valid reports whether the plan may be started.
func (v Verdict) Valid() bool {
	return len(v.Refusals) == 0
}

// Check holds every rule against a plan. Only what is chosen is judged: complete
// the plan first.
func Check(p Plan, g Given) Verdict { return evidenceOf(g).check(p) }

func (e *evidence) check(p Plan) Verdict {
	s := e.subjects(p)
	var found []Finding
	for i := range rules {
		r := &rules[i]
		if r.holds(s) {
			found = append(found, Finding{
				Rule: r.ID, Setting: r.Setting, Message: r.Message, Remedy: r.Remedy, Source: r.Source, Fallback: r.Fallback, rule: r,
			})
		}
	}
	if len(found) == 0 {
		return Verdict{}
	}
	data := s.data()
	data["file"], data["draft"] = filepath.Base(e.given.Model.Path), filepath.Base(p.DraftPath)
	data["projector"], data["lora"] = filepath.Base(p.Projector()), filepath.Base(p.LoRAPath)
	cameTrue(found, e.given.Failed)
	var v Verdict
	for _, f := range found {
		f.Data = data
		if f.rule.Verdict == refuse || f.Failed {
			v.Refusals = append(v.Refusals, f)
		} else {
			v.Cautions = append(v.Cautions, f)
		}
	}
	return v
}

// cameTrue marks the cautions that came true here before: where all of those hold
// again that held then. Which of them was at fault is not known.
func cameTrue(found []Finding, failed []string) {
	for _, trial := range failed {
		together := strings.Split(trial, trialSeparator)
		holds := func(id string) bool {
			return slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == id && f.rule.Verdict == caution })
		}
		if slices.ContainsFunc(together, func(id string) bool { return !holds(id) }) {
			continue
		}
		for i := range found {
			if slices.Contains(together, found[i].Rule) {
				found[i].Failed, found[i].Trial = true, trial
			}
		}
	}
}

// trialSeparator is between the rules of an entry of Given.Failed.
const trialSeparator = "+"

// looksAt are the settings a finding's rule looks at.
func (f Finding) looksAt() []string {
	if f.rule == nil {
		return nil
	}
	var names []string
	for _, c := range f.rule.Conditions {
		names = append(names, settingsOf(c.Subject)...)
	}
	return names
}

// settingsOf are the settings a subject follows from.
func settingsOf(subject string) []string {
	switch subject {
	case "slotTokens":
		return []string{"contextTokens", "slots"}
	case "textTokens":
		return []string{"contextTokens", "slots", "kvUnified"}
	case "computedTokens":
		return []string{"physicalBatchTokens", "batchTokens"}
	case "batchRemainder", "sharedTokens":
		return []string{"kvUnified", "physicalBatchTokens", "batchTokens", "slots"}
	case "deviceCount", "backends", "softwareDevices", "integratedDevices":
		return []string{"devices"}
	case "split", "splitShares":
		return []string{"splitMode", "tensorSplit"}
	case "spec", "drafts", "draftTokens":
		return []string{"specTypes"}
	case "buildKnown":
		return []string{"build"}
	case "draftMethods", "specKnown":
		return []string{"specTypes"}
	case "guessTokens":
		return []string{"draftMax", "slots", "specTypes"}
	case "guessRows":
		return []string{"draftMax", "specTypes"}
	case "batchUsed", "physicalBatchUsed":
		return []string{"batchTokens", "physicalBatchTokens"}
	case "draftKind", "draftNextN", "draftVocabulary", "draftArchitecture", "draftTarget", "draftWidth", "draftHeadSizeK", "draftHeadSizeV",
		"draftAssistant", "draftRecurrent", "draftRopeSections", "draftOwnWidth", "draftLeastLayers":
		return []string{"draftPath", "specTypes"}
	case "projectorDeviceUsed":
		return []string{"projectorDevice", "projectorPath", "devices"}
	case "loraKind", "loraArchitecture", "loraShapes":
		return []string{"loraPath"}
	case "projectorOn", "projectorKind", "projectorVision", "projectorAudio", "projectorWidth", "projectorParts":
		return []string{"projectorPath"}
	case "poolingUsed":
		return []string{"pooling"}
	case "shares":
		return []string{"tensorSplit"}
	case "rpc":
		return []string{"rpcServers"}
	}
	return []string{subject}
}
