package load

import (
	"slices"

	"paddock/engine/budget"
	"paddock/engine/plan"
	"paddock/words"
)

// remedySettings are the rows of controls that remedies change.
var remedySettings = map[budget.RemedyKind]setting{
	budget.ProjectorOnCPU: visionSetting, budget.DraftOff: specSetting, budget.SmallerCache: cacheSetting,
	budget.ShorterContext: contextSetting, budget.OtherDevices: devicesSetting, budget.FewerLayers: layersSetting,
	budget.CacheAndContext: cacheSetting, budget.NoPromptCache: contextSetting,
}

// inWords are the budget's remedies as the screen offers them: a shorter context
// before the others, the first of all the best.
func (m *measurement) inWords(found []budget.Remedy) []Remedy {
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b budget.Remedy) int {
		rank := func(r budget.Remedy) int {
			if r.Kind == budget.ShorterContext {
				return 0
			}
			return 1
		}
		return rank(a) - rank(b)
	})
	var list []Remedy
	for i, r := range found {
		data := map[string]any{
			"Tokens": words.Count(r.Plan.ContextTokens), "Type": r.Plan.CacheK, "Layers": r.Plan.GPULayers,
			"Devices": deviceNames(r.Plan, m.request.Devices),
		}
		list = append(list, Remedy{
			Label: words.T("load.remedy."+string(r.Kind), data), Cost: words.T("load.remedy."+string(r.Kind)+".cost", data),
			Spare: spareInWords(r), Tight: r.Verdict.Fit == budget.Tight,
			Best: i == 0, setting: remedySettings[r.Kind], plan: m.chosen(r),
		})
	}
	return list
}

// spareInWords is what a remedy leaves.
func spareInWords(r budget.Remedy) string {
	if r.Verdict.Fit == budget.Tight {
		return words.T("load.remedy.tight")
	}
	return words.T("load.remedy.spare", map[string]any{"GiB": words.GiB(r.LeftBytes())})
}

// chosen is a remedy's plan as it would have been chosen on the screen: GPU
// layers are all again where they follow from the devices.
func (m *measurement) chosen(r budget.Remedy) plan.Plan {
	p := r.Plan
	if r.Kind == budget.OtherDevices || p.GPULayers == m.request.Plan.GPULayers && m.asked.GPULayers == LayersAuto {
		p.GPULayers = LayersAuto
	}
	return p
}

// Apply makes the change a remedy stands for, and says so until the next change.
func (p *Presenter) Apply(r Remedy) {
	if p.takeWhole(r.plan) {
		p.state.Applied = words.T("load.applied", map[string]any{"Change": r.Label})
		p.show(p.state)
	}
}
