package cli

import (
	"strconv"

	"paddock/engine/budget"
	"paddock/engine/plan"
	"paddock/words"
)

// A remedy is a change after which a plan fits, in words and as flags.
type remedy struct {
	Message     string   `json:"message"`
	Flags       []string `json:"flags"`
	NeededBytes uint64   `json:"neededBytes"` // in all pools together
}

func remediesInWords(of plan.Plan, list []budget.Remedy) []remedy {
	out := []remedy{}
	for _, r := range list {
		var needed uint64
		for _, pool := range r.Memory.Pools {
			needed += pool.NeededBytes
		}
		out = append(out, remedy{
			Message: words.T("cli.remedy."+string(r.Kind), map[string]any{
				"Tokens": words.Count(r.Plan.ContextTokens), "Devices": r.Plan.Devices, "Layers": r.Plan.GPULayers,
				"Left": words.GiB(r.LeftBytes()),
			}),
			Flags:       flagsOf(of, r.Plan),
			NeededBytes: needed,
		})
	}
	return out
}

// flagsOf are the flags that make one plan of another.
func flagsOf(from, to plan.Plan) []string {
	flags := []string{}
	differ := func(flag, before, after string) {
		if before != after {
			flags = append(flags, flag, after)
		}
	}
	differ("--context", strconv.Itoa(from.ContextTokens), strconv.Itoa(to.ContextTokens))
	differ("--devices", from.Devices, to.Devices)
	differ("--gpu-layers", from.GPULayers, to.GPULayers)
	differ("--cache-k", from.CacheK, to.CacheK)
	differ("--cache-v", from.CacheV, to.CacheV)
	return flags
}
