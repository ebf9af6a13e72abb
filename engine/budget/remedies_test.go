package budget

import (
	"slices"
	"testing"

	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
	"paddock/hardware"
)

// A user's report: with 262,144 tokens the contexts of model, layers for
// prediction and draft overran 64 GB of GTT, and the engine dumped core. The rules
// refuse the two ways of guessing together, so what helps is to leave them out.
func TestThreeContextsThatOverrunTheGTTDoNotFit(t *testing.T) {
	path, f := ghostNamed(t, "ghost-qwen3.6-35b-a3b")
	_, draft := ghostNamed(t, "ghost-llama-8b")
	s := strixHalo()
	s.Machine.Pools[0].UsableBytes = 62 * gib // the desktop has the rest
	r := Request{Given: plan.Given{Model: f, Beside: []gguf.Facts{draft}, Devices: s.Devices}, Plan: plan.Plan{
		ModelPath: path, ContextTokens: 262144, Devices: "Vulkan0", SpecTypes: "draft-mtp,draft-simple", DraftPath: draft.Path,
	}}
	r.Plan, _ = plan.Complete(r.Plan, plan.Given{Model: f, Devices: s.Devices})
	v := Judge(Estimate(r), s)
	if v.Fit != DoesNotFit || v.Pools[0].ID != "apu" || v.Pools[0].NeededBytes < 62*gib {
		t.Fatalf("%+v", v)
	}
	longest := LongestContext(r, s)
	if longest < 65536 || longest >= 262144 || longest%contextStep != 0 {
		t.Fatalf("%d tokens are said to fit", longest)
	}
	fit := func(tokens int) bool {
		r := r
		r.Plan.ContextTokens = tokens
		return Judge(Estimate(r), s).Fit == Fits
	}
	if !fit(longest) || fit(longest+contextStep) {
		t.Errorf("%d tokens fit: %v; one step more: %v", longest, fit(longest), fit(longest+contextStep))
	}
	remedies := Remedies(r, s)
	kinds := map[RemedyKind]Remedy{}
	for _, remedy := range remedies {
		if remedy.Verdict.Fit != Fits || Judge(Estimate(Request{Plan: remedy.Plan, Given: r.Given}), s).Fit != Fits {
			t.Errorf("%s does not help", remedy.Kind)
		}
		kinds[remedy.Kind] = remedy
	}
	if len(kinds) != 1 || kinds[DraftOff].Plan.SpecTypes != plan.NoSpec || kinds[DraftOff].LeftBytes() < 30*gib {
		t.Errorf("%+v", kinds)
	}
}

func TestEveryRemedyFitsAndObeysTheRules(t *testing.T) {
	path, f := ghostNamed(t, "ghost-llama-8b")
	_, vision := summon(t, gguftest.VisionGhosts()[0])
	vision.Projection.Width = f.EmbeddingLength // it was made for another model
	cards := func(giB ...uint64) Situation {
		s := Situation{Machine: hardware.Snapshot{Pools: []hardware.Pool{{ID: "ram", Kind: hardware.RAM, TotalBytes: 64 * gib, UsableBytes: 56 * gib}}}}
		for i, size := range giB {
			id := []string{"CUDA0", "CUDA1"}[i]
			s.Devices = append(s.Devices, build.Device{ID: id, TotalBytes: size * gib, FreeBytes: size * gib})
		}
		return s
	}
	tests := []struct {
		name   string
		s      Situation
		p      plan.Plan
		vision bool
		want   []RemedyKind
	}{
		{"it fits", cards(24), plan.Plan{ContextTokens: 8192, Devices: "CUDA0"}, false, nil},
		{"the context is too long", cards(16), plan.Plan{ContextTokens: 131072, Devices: "CUDA0"}, false,
			[]RemedyKind{SmallerCache, ShorterContext, OtherDevices, FewerLayers}},
		{"the projector is too much", cards(8), plan.Plan{ContextTokens: 16384, Devices: "CUDA0"}, true,
			[]RemedyKind{ProjectorOnCPU, SmallerCache, ShorterContext, OtherDevices, FewerLayers}},
		{"two cards where one is too small", cards(6, 12), plan.Plan{ContextTokens: 16384, Devices: "CUDA0"}, false,
			[]RemedyKind{ShorterContext, OtherDevices, FewerLayers}},
		{"a little memory everywhere", func() Situation {
			s := cards(6)
			s.Machine.Pools[0].TotalBytes, s.Machine.Pools[0].UsableBytes = 3*gib, 3*gib
			return s
		}(), plan.Plan{ContextTokens: 131072, Devices: "CUDA0"}, false, []RemedyKind{ShorterContext}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := Request{Given: plan.Given{Model: f, Devices: test.s.Devices}, Plan: test.p}
			r.Plan.ModelPath = path
			if test.vision {
				r.Beside, r.Plan.ProjectorPath = []gguf.Facts{vision}, vision.Path
			}
			r.Plan, _ = plan.Complete(r.Plan, plan.Given{Model: f, Devices: test.s.Devices})
			var kinds []RemedyKind
			for _, remedy := range Remedies(r, test.s) {
				kinds = append(kinds, remedy.Kind)
				changed := r
				changed.Plan = remedy.Plan
				if v := Judge(Estimate(changed), test.s); v.Fit != Fits {
					t.Errorf("%s does not fit: %+v", remedy.Kind, v)
				}
				if !plan.Check(remedy.Plan, r.Given).Valid() {
					t.Errorf("%s is refused", remedy.Kind)
				}
			}
			if !slices.Equal(kinds, test.want) {
				t.Errorf("got %v, want %v", kinds, test.want)
			}
		})
	}
}

func TestNoContextFitsWhereTheWeightsDoNot(t *testing.T) {
	path, f := ghostNamed(t, "ghost-llama-70b")
	s := Situation{Devices: []build.Device{{ID: "CUDA0", TotalBytes: 8 * gib, FreeBytes: 8 * gib}}}
	r := Request{Given: plan.Given{Model: f, Devices: s.Devices}, Plan: plan.Plan{ModelPath: path, Devices: "CUDA0", ContextTokens: 4096}}
	r.Plan, _ = plan.Complete(r.Plan, plan.Given{Model: f, Devices: s.Devices})
	if n := LongestContext(r, s); n != 0 {
		t.Errorf("%d tokens", n)
	}
}

func TestAMachineWithLittleMemoryGetsAWayOut(t *testing.T) {
	path, f := ghostNamed(t, "ghost-llama-8b")
	small := func(free, usable float64) Situation {
		return Situation{Machine: hardware.Snapshot{Pools: []hardware.Pool{{
			ID: "ram", Kind: hardware.RAM, TotalBytes: 16 * gib, UsedBytes: 16*gib - uint64(free*gib), UsableBytes: uint64(usable * gib),
		}}}}
	}
	g := plan.Given{Model: f}
	p, _ := plan.Complete(plan.Plan{ModelPath: path, ContextTokens: 4096}, g)
	r := Request{Given: g, Plan: p}
	needed := float64(Estimate(r).Pools[0].NeededBytes) / gib
	tests := []struct {
		name         string
		free, usable float64 // GiB
		want         RemedyKind
		fit          Fit
	}{
		{"without the prompt cache it fits", needed - 0.5, needed - 0.5, NoPromptCache, Fits},
		{"without the prompt cache it is tight", needed - 0.5, 0, NoPromptCache, Tight},
		{"it is tight as it is", needed + 0.5, 0, "", ""},
		{"nothing helps", 1, 0, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list := Remedies(r, small(test.free, test.usable))
			if test.want == "" {
				if len(list) != 0 {
					t.Errorf("%+v", list)
				}
				return
			}
			if len(list) == 0 || list[0].Kind != test.want {
				t.Fatalf("%+v", list)
			}
			for _, remedy := range list {
				if remedy.Verdict.Fit != test.fit {
					t.Errorf("%s ends %s", remedy.Kind, remedy.Verdict.Fit)
				}
			}
			if list[0].Plan.PromptCacheBytes() != 0 {
				t.Errorf("%d bytes are kept", list[0].Plan.PromptCacheBytes())
			}
		})
	}
}
