package budget

import (
	"slices"
	"testing"

	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/plan"
	"paddock/hardware"
)

const presetGiB = 1 << 30

// presetModel has 32 layers of 320 MiB, 10 GiB in all, with keys and values of 8
// KiB a token in each: 256 KiB a token.
func presetModel() gguf.Facts {
	n := gguf.Network{Causal: true, Shapes: []gguf.BlockShape{{
		{Name: "attn_k.weight", Dimensions: [3]int{2048, 2048, 1}, Bytes: 320 << 20},
	}}}
	for range 32 {
		n.Blocks = append(n.Blocks, gguf.Block{Attention: true, Heads: 16, KVHeads: 16, HeadSizeK: 128, HeadSizeV: 128, WeightsBytes: 320 << 20})
	}
	return gguf.Facts{
		Path: "/m/model.gguf", Kind: gguf.Model, Architecture: "llama", ContextTokens: 131072, Layers: 32,
		HeadSizeK: 128, HeadSizeV: 128, EmbeddingLength: 2048, Network: n,
	}
}

func presetDraft() gguf.Facts {
	f := presetModel()
	f.Path, f.Layers, f.Network.Blocks = "/m/draft.gguf", 2, f.Network.Blocks[:2]
	return f
}

func presetDevice(id string, free uint64) build.Device {
	return build.Device{ID: id, Name: id, TotalBytes: free, FreeBytes: free}
}

// presetsOf are the presets by kind on a machine with these devices and RAM.
func presetsOf(t *testing.T, g plan.Given, purpose string, ramBytes uint64) map[PresetKind]Preset {
	t.Helper()
	s := Situation{Devices: g.Devices, Machine: hardware.Snapshot{Pools: []hardware.Pool{
		{ID: RAM, Name: "RAM", Kind: hardware.RAM, TotalBytes: ramBytes, UsableBytes: ramBytes},
	}}}
	found := map[PresetKind]Preset{}
	for _, p := range Presets(Request{Plan: plan.Plan{ModelPath: g.Model.Path, Purpose: purpose}, Given: g}, s) {
		if !plan.Check(p.Plan, g).Valid() || p.Verdict.Fit != Fits {
			t.Errorf("%s is offered: %+v, %s", p.Kind, p.Plan, p.Verdict.Fit)
		}
		if complete, _ := plan.Complete(p.Plan, g); complete != p.Plan {
			t.Errorf("%s is not complete: %+v", p.Kind, p.Plan)
		}
		found[p.Kind] = p
	}
	return found
}

func TestEveryPresetIsOfItsKind(t *testing.T) {
	g := plan.Given{Model: presetModel(), Devices: []build.Device{presetDevice("Vulkan0", 24*presetGiB)}}
	found := presetsOf(t, g, plan.Chat, 64*presetGiB)
	if len(found) != len(PresetKinds()) {
		t.Fatalf("found %v", found)
	}
	if p := found[Recommended].Plan; p.ContextTokens != 32768 || p.CacheK != "f16" {
		t.Errorf("recommended is %+v", p)
	}
	if p := found[LongContext].Plan; p.ContextTokens <= 65536 || p.CacheK != "q8_0" {
		t.Errorf("long context is %+v", p)
	}
	if p := found[Fastest].Plan; p.ContextTokens != 8192 || p.SpecTypes != plan.NoSpec || p.GPULayers != "all" {
		t.Errorf("fastest is %+v", p)
	}
	if p := found[Smallest].Plan; p.ContextTokens != 4096 || p.CacheK != "q8_0" || p.CacheV != "q8_0" {
		t.Errorf("smallest is %+v", p)
	}
	for kind, p := range found {
		if kind != Smallest && p.Memory.Pools[0].NeededBytes < found[Smallest].Memory.Pools[0].NeededBytes {
			t.Errorf("%s needs less than the smallest", kind)
		}
		if kind != LongContext && p.Plan.ContextTokens > found[LongContext].Plan.ContextTokens {
			t.Errorf("%s is longer than the longest", kind)
		}
	}
}

func TestRecommendedTakesAShorterContextWhereALongOneIsTight(t *testing.T) {
	g := plan.Given{Model: presetModel(), Devices: []build.Device{presetDevice("Vulkan0", 16*presetGiB)}}
	if p := presetsOf(t, g, plan.Chat, 64*presetGiB)[Recommended].Plan; p.ContextTokens != 16384 {
		t.Errorf("of 16 GiB it takes %d tokens", p.ContextTokens)
	}
	g.Model.ContextTokens = 2048
	found := presetsOf(t, g, plan.Chat, 64*presetGiB)
	for kind, p := range found {
		if p.Plan.ContextTokens != 2048 {
			t.Errorf("%s asks for %d tokens of a model trained on 2,048", kind, p.Plan.ContextTokens)
		}
	}
}

func TestASmallerCacheIsNotTakenForLittle(t *testing.T) {
	g := plan.Given{Model: presetModel(), Devices: []build.Device{presetDevice("Vulkan0", 96*presetGiB)}}
	if p := presetsOf(t, g, plan.Chat, 64*presetGiB)[LongContext].Plan; p.ContextTokens != 131072 || p.CacheK != "f16" {
		t.Errorf("where all of it fits: %+v", p)
	}
	g.Model.HeadSizeK, g.Model.HeadSizeV = 80, 80 // whose rule forbids q8_0
	g.Devices = []build.Device{presetDevice("Vulkan0", 24*presetGiB)}
	found := presetsOf(t, g, plan.Chat, 64*presetGiB)
	for _, kind := range []PresetKind{LongContext, Smallest} {
		if p, ok := found[kind]; !ok || p.Plan.CacheK != "f16" {
			t.Errorf("%s where q8_0 is not valid: %v, %+v", kind, ok, p.Plan)
		}
	}
}

func TestFastestTakesTheDevicesThatHoldItWithoutWaiting(t *testing.T) {
	for name, c := range map[string]struct {
		devices    []build.Device
		integrated []string
		want       string
		layers     string // "all", or "some" for a number
	}{
		"a card beside a graphics part": {[]build.Device{presetDevice("Vulkan0", 96*presetGiB), presetDevice("Vulkan1", 16*presetGiB)}, []string{"Vulkan0"}, "Vulkan1", "all"},
		"one of two cards":              {[]build.Device{presetDevice("CUDA0", 24*presetGiB), presetDevice("CUDA1", 24*presetGiB)}, nil, "CUDA0", "all"},
		"two cards together":            {[]build.Device{presetDevice("CUDA0", 8*presetGiB), presetDevice("CUDA1", 10*presetGiB)}, nil, "CUDA0,CUDA1", "all"},
		"the graphics part alone":       {[]build.Device{presetDevice("Vulkan0", 96*presetGiB), presetDevice("Vulkan1", 4*presetGiB)}, []string{"Vulkan0"}, "Vulkan0", "all"},
		"a part of it on a small card":  {[]build.Device{presetDevice("CUDA0", 6*presetGiB)}, nil, "CUDA0", "some"},
		"no device":                     {nil, nil, plan.CPU, "0"},
	} {
		g := plan.Given{Model: presetModel(), Devices: c.devices, Integrated: c.integrated}
		p := presetsOf(t, g, plan.Chat, 64*presetGiB)[Fastest].Plan
		some := !slices.Contains([]string{"all", "auto", "0"}, p.GPULayers)
		if p.Devices != c.want || c.layers == "some" && !some || c.layers != "some" && p.GPULayers != c.layers {
			t.Errorf("%s: %s with %s layers", name, p.Devices, p.GPULayers)
		}
	}
}

func TestFastestGuessesWhereItCan(t *testing.T) {
	g := plan.Given{Model: presetModel(), Devices: []build.Device{presetDevice("Vulkan0", 24*presetGiB)}, Beside: []gguf.Facts{presetDraft()}}
	tried := plan.Try(plan.Plan{SpecTypes: plan.SpecDraft, ContextTokens: fastestTokens}, g, "specTypes", plan.SpecDraft)
	found := presetsOf(t, g, plan.Chat, 64*presetGiB)
	valid := tried.Refusal == nil && (tried.Caution == nil || len(tried.Caution.Fallback) == 0)
	if p := found[Fastest].Plan; p.Speculates(plan.SpecDraft) != valid {
		t.Errorf("valid %v, and it is %+v", valid, p)
	}
	if p := found[Smallest].Plan; p.SpecTypes != plan.NoSpec || p.DraftPath != "" {
		t.Errorf("smallest is %+v", p)
	}
	g.Devices = nil
	if p := presetsOf(t, g, plan.Chat, 64*presetGiB)[Fastest].Plan; p.Drafts() {
		t.Errorf("on the processor it is %+v", p)
	}
}

func TestPresetsForVectorsKeepTheirContextInOneBatch(t *testing.T) {
	model := presetModel()
	model.Pooling = "mean"
	g := plan.Given{Model: model, Devices: []build.Device{presetDevice("Vulkan0", 24*presetGiB)}}
	for kind, p := range presetsOf(t, g, plan.Embeddings, 64*presetGiB) {
		if p.Plan.Purpose != plan.Embeddings || p.Plan.PhysicalBatchTokens != p.Plan.ContextTokens {
			t.Errorf("%s is %+v", kind, p.Plan)
		}
	}
}

func TestWhereNothingFitsThereAreNoPresets(t *testing.T) {
	g := plan.Given{Model: presetModel()}
	if found := presetsOf(t, g, plan.Chat, 4*presetGiB); len(found) > 0 {
		t.Errorf("found %+v", found)
	}
}

func TestPresetsStayOnIntegratedGraphicsWithVisionOnTheProcessor(t *testing.T) {
	eyes := gguf.Facts{Path: "/m/eyes.gguf", Kind: gguf.Projector, Projection: gguf.Projection{Vision: "clip", Width: 2048, Parts: 1}}
	g := plan.Given{
		Model: presetModel(), Beside: []gguf.Facts{eyes}, Build: plan.NewestKnownBuild,
		Devices: []build.Device{presetDevice("Vulkan0", 48*presetGiB)}, Integrated: []string{"Vulkan0"},
	}
	found := presetsOf(t, g, plan.Chat, 64*presetGiB)
	for _, kind := range []PresetKind{Recommended, LongContext, Fastest} {
		if p := found[kind].Plan; p.Devices != "Vulkan0" || p.Projector() != eyes.Path || p.ProjectorDevice != plan.ProjectorCPU {
			t.Errorf("%s computes on %s, sees with %q on %s", kind, p.Devices, p.Projector(), p.ProjectorDevice)
		}
	}
}

func TestPresetsOfAModelThatDoesNotSayItsContextHaveTheUsualOne(t *testing.T) {
	g := plan.Given{Model: presetModel(), Devices: []build.Device{presetDevice("Vulkan0", 24*presetGiB)}, Build: plan.NewestKnownBuild}
	g.Model.ContextTokens = 0
	usual, _ := plan.Complete(plan.Plan{}, g)
	found := presetsOf(t, g, plan.Chat, 64*presetGiB)
	for _, kind := range PresetKinds() {
		if p := found[kind].Plan; p.ContextTokens != usual.ContextTokens {
			t.Errorf("%s takes %d tokens, want %d", kind, p.ContextTokens, usual.ContextTokens)
		}
	}
}
