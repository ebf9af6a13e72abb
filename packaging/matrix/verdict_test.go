package main

import (
	"testing"

	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/plan"
)

func TestACautionExplainsOnlyWhatItSpeaksOf(t *testing.T) {
	model := gguf.Facts{Path: "/m/a.gguf", Kind: gguf.Model, Architecture: "llama", ContextTokens: 8192, HeadSizeK: 80, HeadSizeV: 80}
	three := plan.Given{Model: model}
	for _, id := range []string{"RPC0", "RPC1", "RPC2"} {
		three.Devices = append(three.Devices, build.Device{ID: id})
	}
	tests := []struct {
		name    string
		plan    plan.Plan
		outcome string
		kind    string
		other   bool
	}{
		{"what works", plan.Plan{}, works, offeredWorks, false},
		{"what fails unforeseen", plan.Plan{}, failsAtStart, unexplained, false},
		{"layers that are left out", plan.Plan{Devices: plan.CPU, GPULayers: "2"}, ignored, marked, false},
		{"a crash beside that caution", plan.Plan{Devices: plan.CPU, GPULayers: "2"}, failsAtStart, unexplained, false},
		{"a crash where a caution says that it works", plan.Plan{CacheReuseTokens: 16}, failsOnRequest, unexplained, false},
		{"a crash with a fallback", plan.Plan{Devices: "RPC0,RPC1,RPC2", RPCServers: "a:1", SplitMode: "tensor"}, failsAtStart, marked, false},
		{"a refusal that fails as it says", plan.Plan{CacheK: "q8_0"}, failsAtStart, refusedFails, false},
		{"a refusal that fails in another way", plan.Plan{CacheK: "q8_0"}, wrong, refusedFails, true},
		{"a refusal of what works", plan.Plan{CacheK: "q8_0"}, works, unexplained, false},
		{"a refusal of what is ignored, and works", plan.Plan{ContextTokens: 16384}, works, explained, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, _ := plan.Complete(test.plan, three)
			if test.plan.Devices == "" {
				p.Devices, p.GPULayers, p.RPCServers = plan.CPU, "0", ""
			}
			v := judge(cell{plan: p, given: three}, result{Outcome: test.outcome}, "", plan.NewestKnownBuild)
			if v.kind != test.kind || v.otherwise() != test.other {
				t.Errorf("%s, otherwise %t; %+v", v.kind, v.otherwise(), v.check)
			}
		})
	}
}
