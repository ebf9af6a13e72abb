package plan

import (
	"slices"

	"paddock/engine/build"
	"paddock/engine/gguf"
)

// Given is what a plan is made for: its files, and what will run it. Complete,
// Check and Offers look at nothing else.
type Given struct {
	Model gguf.Facts
	// Beside are the files that may work beside the model, the best of a kind
	// first: projectors, drafts, files for multi-token prediction, adapters. A
	// path in a plan means the file here that has it.
	Beside []gguf.Facts
	// Unpaired are paths of files in Beside that the user named and that were not
	// made for the model, as far as can be told.
	Unpaired   []string
	Devices    []build.Device // of the build that will run the plan
	Integrated []string       // ids of those devices that are part of the processor
	Build      int            // the build's number; 0 when it does not tell
	// Failed are cautions that came true here before, with this model, build and
	// machine: each entry the ids of the rules that foresaw it, sorted, with "+"
	// between them. What they speak of is refused where all of them hold again.
	Failed []string
}

// file is what is known of a file beside the model, nil when nothing is.
func (g Given) file(path string) *gguf.Facts {
	for i := range g.Beside {
		if path != "" && g.Beside[i].Path == path {
			return &g.Beside[i]
		}
	}
	return nil
}

// Draft is the plan's draft model, or its file for multi-token prediction; nil
// without one.
func (g Given) Draft(p Plan) *gguf.Facts { return g.file(p.DraftPath) }

// Projector is the plan's projector, nil without one.
func (g Given) Projector(p Plan) *gguf.Facts { return g.file(p.Projector()) }

// LoRA is the plan's adapter, nil without one.
func (g Given) LoRA(p Plan) *gguf.Facts { return g.file(p.LoRAPath) }

// first is the best file beside the model that is of use, nil when there is none.
func (g Given) first(use func(gguf.Facts) bool) *gguf.Facts {
	if i := slices.IndexFunc(g.Beside, use); i >= 0 {
		return &g.Beside[i]
	}
	return nil
}
