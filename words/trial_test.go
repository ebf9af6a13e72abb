package words

import (
	"errors"
	"strings"
	"testing"

	"paddock/engine"
	"paddock/engine/plan"
	"paddock/engine/server"
)

func TestWhatRunsInPlaceOfWhatFailedIsOneSentence(t *testing.T) {
	tests := []struct {
		name string
		from plan.Plan
		edit func(*plan.Plan)
		want string
	}{
		{
			"tensor with MTP to layer", plan.Plan{SplitMode: "tensor", SpecTypes: plan.SpecMTP},
			func(p *plan.Plan) { p.SplitMode = "layer" }, "Tensor split with MTP failed here; loaded by layer instead.",
		},
		{
			"tensor to one device", plan.Plan{SplitMode: "tensor", Devices: "Vulkan0,Vulkan1"},
			func(p *plan.Plan) { p.SplitMode, p.Devices = "none", "Vulkan0" }, "Tensor split failed here; loaded on one device instead.",
		},
		{
			"row to layer", plan.Plan{SplitMode: "row"},
			func(p *plan.Plan) { p.SplitMode = "layer" }, "Split by row failed here; loaded by layer instead.",
		},
		{
			"MTP off", plan.Plan{SpecTypes: plan.SpecMTP, DraftMax: 3},
			func(p *plan.Plan) { p.SpecTypes, p.DraftMax = plan.NoSpec, 0 }, "Loading with MTP failed here; loaded without it instead.",
		},
		{
			"a draft off", plan.Plan{SpecTypes: plan.SpecDraft, DraftPath: "/m/d.gguf"},
			func(p *plan.Plan) { p.SpecTypes, p.DraftPath = plan.NoSpec, "" }, "Loading with a draft model failed here; loaded without it instead.",
		},
		{
			"vision on the processor", plan.Plan{ProjectorPath: "/m/eyes.gguf"},
			func(p *plan.Plan) { p.ProjectorDevice = plan.ProjectorCPU }, "Vision on the graphics card failed here; loaded with vision on the CPU instead.",
		},
		{
			"vision off", plan.Plan{ProjectorPath: "/m/eyes.gguf", ProjectorDevice: plan.ProjectorCPU},
			func(p *plan.Plan) { p.ProjectorPath, p.ProjectorDevice = plan.NoProjector, "" }, "Loading with vision failed here; loaded without it instead.",
		},
		{
			"flash attention", plan.Plan{FlashAttn: "on"},
			func(p *plan.Plan) { p.FlashAttn = "off" }, "Flash attention on failed here; loaded with it off instead.",
		},
		{
			"devices left out", plan.Plan{Devices: "Vulkan0,Vulkan1", TensorSplit: "3,1"},
			func(p *plan.Plan) { p.Devices, p.TensorSplit = "Vulkan0", "" }, "The devices chosen failed here; loaded on Vulkan0 instead.",
		},
		{
			"slots", plan.Plan{Slots: 4}, func(p *plan.Plan) { p.Slots = 1 }, "4 slots failed here; loaded with 1 instead.",
		},
		{
			"another setting", plan.Plan{CacheK: "q8_0"},
			func(p *plan.Plan) { p.CacheK = "f16" }, "The settings chosen failed here; loaded with safer ones instead.",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := &engine.FellBack{From: test.from, To: test.from, Err: &server.Failure{Kind: server.Crashed, ModelPath: "/m/a.gguf"}}
			test.edit(&f.To)
			if got := FellBack(f); got.Message != test.want || !strings.Contains(got.Remedy, "a.gguf") || strings.Contains(got.Remedy, "remembered") {
				t.Errorf("got %q, %q", got.Message, got.Remedy)
			}
		})
	}
}

func TestTheReasonOfAFallbackIsTheCautionAndWhatTheEngineSaid(t *testing.T) {
	f := &engine.FellBack{
		From: plan.Plan{SplitMode: "tensor"}, To: plan.Plan{SplitMode: "layer"},
		Foreseen: plan.Finding{Rule: "gpu-layers-on-cpu", Message: "rule.gpu-layers-on-cpu"},
		Err:      &server.Failure{Kind: server.Crashed, ModelPath: "/m/a.gguf", Reason: "GGML_ASSERT(buffer) failed"},
	}
	got := FellBack(f).Remedy
	for _, part := range []string{Finding(f.Foreseen).Message, "GGML_ASSERT(buffer)", "remembered"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is not in %q", part, got)
		}
	}
	f.Err = &server.Failure{Kind: server.OutOfDeviceMemory, ModelPath: "/m/a.gguf"}
	if got := FellBack(f).Remedy; strings.Contains(got, "remembered") {
		t.Errorf("a lack of memory: %q", got)
	}
	if got := TriedBefore(f); !strings.HasPrefix(got, "The settings chosen had failed before: ") {
		t.Errorf("got %q", got)
	}
}

func TestAFallbackAfterARequestSaysSo(t *testing.T) {
	f := &engine.FellBack{From: plan.Plan{SpecTypes: "ngram-mod"}, To: plan.Plan{SpecTypes: plan.NoSpec}, OnRequest: true, Err: errors.New("odd")}
	if got := FellBack(f).Message; got != "A request failed with ngram-mod; the model was loaded again without it, and the request repeated." {
		t.Errorf("got %q", got)
	}
}
