package plan

import (
	"maps"
	"path/filepath"

	"paddock/engine/gguf"
)

// The verdicts a rule can have. What no rule speaks of is allowed.
const (
	refuse  = "refuse"  // never offered
	caution = "caution" // offered, marked
)

// NewestKnownBuild is the newest engine build the rules were proven on.
const NewestKnownBuild = 11669

// subjects are what rules look at, by name. Values are strings and ints; what is
// not known is absent.
type subjects map[string]any

var subjectNames = []string{
	"kind", "architecture", "pooling", "trainedContextTokens", "headSizeK", "headSizeV",
	"contextTokens", "slots", "slotTokens", "devices", "gpuLayers", "cacheK", "cacheV", "flashAttn",
	"build", "newestKnownBuild",
}

func subjectsOf(p Plan, f gguf.Facts, buildNumber int) subjects {
	s := subjects{"newestKnownBuild": NewestKnownBuild}
	texts := map[string]string{
		"kind": string(f.Kind), "architecture": f.Architecture, "pooling": f.Pooling,
		"devices": p.Devices, "gpuLayers": p.GPULayers,
		"cacheK": p.CacheK, "cacheV": p.CacheV, "flashAttn": p.FlashAttn,
	}
	for name, value := range texts {
		if value != "" {
			s[name] = value
		}
	}
	numbers := map[string]int{
		"trainedContextTokens": f.ContextTokens, "headSizeK": f.HeadSizeK, "headSizeV": f.HeadSizeV,
		"contextTokens": p.ContextTokens, "slots": p.Slots, "slotTokens": p.ContextTokens / max(p.Slots, 1), "build": buildNumber,
	}
	for name, value := range numbers {
		if value > 0 {
			s[name] = value
		}
	}
	return s
}

// A Finding is a rule that holds for a plan. Message and Remedy are keys of
// sentences, Data what they may mention: the rule's subjects, and "file", its base name.
type Finding struct {
	Rule    string
	Setting string
	Message string
	Remedy  string
	Source  string
	Data    map[string]any
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

// Check holds every rule against a plan, for an engine build. Only what is
// chosen is judged: complete the plan first. buildNumber is 0 when the build
// does not tell.
func Check(p Plan, f gguf.Facts, buildNumber int) Verdict {
	s := subjectsOf(p, f, buildNumber)
	var v Verdict
	for _, r := range rules {
		if !r.holds(s) {
			continue
		}
		data := map[string]any{"file": filepath.Base(f.Path)}
		maps.Copy(data, s)
		finding := Finding{Rule: r.ID, Setting: r.Setting, Message: r.Message, Remedy: r.Remedy, Source: r.Source, Data: data}
		if r.Verdict == refuse {
			v.Refusals = append(v.Refusals, finding)
		} else {
			v.Cautions = append(v.Cautions, finding)
		}
	}
	return v
}
