package plan

import (
	"slices"
	"testing"

	"paddock/engine/build"
	"paddock/engine/gguf"
)

// threeCards is a model with MTP layers on three cards that share its tensors.
func threeCards() (Plan, Given) {
	g := Given{
		Model: gguf.Facts{Path: "/m/a.gguf", Kind: gguf.Model, Architecture: "qwen35", ContextTokens: 8192, NextNLayers: 1},
		Build: NewestKnownBuild,
	}
	for _, id := range []string{"CUDA0", "CUDA1", "CUDA2"} {
		g.Devices = append(g.Devices, build.Device{ID: id, FreeBytes: 1 << 34})
	}
	p, _ := Complete(Plan{SplitMode: "tensor", SpecTypes: SpecMTP}, g)
	return p, g
}

func TestWhatFailedIsRefusedOnlyWhereAllThatForesawItHoldsAgain(t *testing.T) {
	p, g := threeCards()
	instead, foreseen, ok := Fallback(p, g)
	if !ok || instead.SplitMode != "layer" || foreseen.Trial != "mtp-tensor+tensor-three" {
		t.Fatalf("falls back to %s, remembered as %q", instead.SplitMode, foreseen.Trial)
	}
	g.Failed = []string{foreseen.Trial}
	for _, f := range Check(p, g).Refusals {
		if !f.Failed || f.Trial != foreseen.Trial {
			t.Errorf("refused by %+v", f)
		}
	}
	if Check(p, g).Valid() {
		t.Error("the same is offered again")
	}
	withoutMTP, twoCards := p.WithoutSpec(), p
	twoCards.Devices, twoCards.TensorSplit = "CUDA0,CUDA1", ""
	for name, other := range map[string]Plan{"without MTP": withoutMTP, "on two cards": twoCards} {
		if v := Check(other, g); !v.Valid() || len(v.Cautions) == 0 {
			t.Errorf("tensor split %s was never tried, and is refused by %+v", name, v.Refusals)
		}
	}
}

func TestEveryCautionHasItsOwnWayOut(t *testing.T) {
	g := Given{
		Model: gguf.Facts{
			Path: "/m/a.gguf", Kind: gguf.Model, Architecture: "odd", ContextTokens: 8192, EmbeddingLength: 64, Layers: 4,
		},
		Beside:     []gguf.Facts{{Path: "/m/d.gguf", Kind: gguf.Draft, Architecture: "eagle3"}},
		Devices:    []build.Device{{ID: "Vulkan0", FreeBytes: 1 << 34}, {ID: "Vulkan1", FreeBytes: 1 << 34}},
		Integrated: []string{"Vulkan1"}, Build: NewestKnownBuild,
	}
	p, _ := Complete(Plan{Devices: "Vulkan0,Vulkan1", SpecTypes: SpecEAGLE3}, g)
	var rules []string
	for _, a := range Alternatives(p, g) {
		rules = append(rules, a.Foreseen.Rule)
	}
	if !slices.Equal(rules, []string{"integrated-beside", "draft-states-unknown"}) {
		t.Errorf("the ways out are those of %v", rules)
	}
}

func TestRulesOfBuildsThatExcludeEachOtherNeverHoldTogether(t *testing.T) {
	p, g := threeCards()
	g.Build = 0
	v := Check(p, g)
	if !v.Valid() {
		t.Errorf("a build without a number is taken for an old one: %s", v.Refusals[0].Rule)
	}
	var cautions []string
	for _, f := range v.Cautions {
		cautions = append(cautions, f.Rule)
	}
	for _, rule := range []string{"build-unknown", "mtp-tensor"} {
		if !slices.Contains(cautions, rule) {
			t.Errorf("%s is missing from %v", rule, cautions)
		}
	}
}
