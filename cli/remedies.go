package cli

import (
	"maps"
	"slices"
	"strings"

	"paddock/engine/budget"
	"paddock/engine/plan"
	"paddock/words"
)

// A remedy is a change after which a plan fits, in words and as flags.
type remedy struct {
	Message     string     `json:"message"`
	Fit         budget.Fit `json:"fit"` // what is said of the plan then
	Flags       []string   `json:"flags"`
	NeededBytes uint64     `json:"neededBytes"` // in all pools together
}

func remediesInWords(of plan.Plan, list []budget.Remedy) []remedy {
	out := []remedy{}
	for _, r := range list {
		var needed uint64
		for _, pool := range r.Memory.Pools {
			needed += pool.NeededBytes
		}
		message := words.T("cli.remedy."+string(r.Kind), map[string]any{
			"Tokens": words.Count(r.Plan.ContextTokens), "Devices": r.Plan.Devices, "Layers": r.Plan.GPULayers,
			"Left": words.GiB(r.LeftBytes()),
		})
		if r.Verdict.Fit == budget.Tight {
			message += " " + words.T("cli.remedy.tight")
		}
		out = append(out, remedy{
			Message:     message,
			Fit:         r.Verdict.Fit,
			Flags:       flagsOf(of, r.Plan),
			NeededBytes: needed,
		})
	}
	return out
}

// text is a line of a remedy: what fits, and its flags.
func (r remedy) text() string {
	return words.T("cli.check.remedy", map[string]any{"Message": r.Message, "Flags": words.Shell(r.Flags)})
}

// remediesText are remedies as one next step.
func remediesText(list []remedy) string {
	var lines []string
	for _, r := range list {
		lines = append(lines, r.text())
	}
	return strings.Join(lines, "; ") // a full stop after flags would be copied with them
}

// settingFlags are the flags of settings.
var settingFlags = map[string]string{
	"purpose": "--purpose", "contextTokens": "--context", "devices": "--devices", "gpuLayers": "--gpu-layers",
	"splitMode": "--split", "tensorSplit": "--tensor-split", "cacheK": "--cache-k", "cacheV": "--cache-v",
	"flashAttn": "--flash-attn", "slots": "--slots", "specTypes": "--spec", "draftPath": "--draft",
	"draftMax": "--draft-max", "draftCacheK": "--draft-cache-k", "draftCacheV": "--draft-cache-v",
	"projectorPath": "--projector", "projectorDevice": "--projector-device", "pooling": "--pooling",
	"contextShift": "--context-shift", "cacheReuse": "--cache-reuse", "loraPath": "--lora", "rpcServers": "--rpc",
	"promptCacheMiB": "--prompt-cache",
}

// flagsOf are the flags that make one plan of another when they follow those of
// the first: an empty value leaves a setting open again.
func flagsOf(from, to plan.Plan) []string {
	flags := []string{}
	for _, change := range plan.Changes(from, to) {
		drafts := []string{"draftPath", "draftMax", "draftCacheK", "draftCacheV"}
		if to.SpecTypes == plan.NoSpec && slices.Contains(drafts, change.Setting) {
			continue // --spec none does it
		}
		flags = append(flags, flagOf(change.Setting, change.To)...)
	}
	return flags
}

// flagOf is a setting as a flag and its value, nothing for a setting that has
// none.
func flagOf(setting, value string) []string {
	flag, known := settingFlags[setting]
	switch {
	case !known:
		return nil
	case setting == "contextShift" && value == "":
		return []string{"--no-context-shift"}
	case setting == "contextShift":
		return []string{flag}
	case setting == "cacheReuse" && value == "":
		value = "0"
	case setting == "promptCacheMiB" && strings.HasPrefix(value, "-"):
		value = noPromptCache
	case setting == "specTypes":
		value = specNames(value)
	}
	return []string{flag, value}
}

// fallbackFlags are the flags a caution falls back to.
func fallbackFlags(fallback map[string]string) []string {
	var flags []string
	for _, setting := range slices.Sorted(maps.Keys(fallback)) {
		flags = append(flags, flagOf(setting, fallback[setting])...)
	}
	return flags
}
