package plan

import (
	"slices"
	"testing"

	"paddock/engine/build"
	"paddock/engine/gguf"
)

func TestCompleteChoosesWhatIsUnset(t *testing.T) {
	vulkan := build.Device{ID: "Vulkan0"}
	second := build.Device{ID: "Vulkan1"}
	rocm, cuda, rpc := build.Device{ID: "ROCm0"}, build.Device{ID: "CUDA0"}, build.Device{ID: "RPC0"}
	software := build.Device{ID: "Vulkan0", Software: true}
	tests := []struct {
		name    string
		plan    Plan
		trained int
		devices []build.Device
		want    Plan
	}{
		{
			name: "the CPU when the build has no device", trained: 2048,
			want: Plan{ContextTokens: 2048, Devices: "CPU", GPULayers: "0"},
		},
		{
			name: "the CPU when the only device is software", trained: 2048, devices: []build.Device{software},
			want: Plan{ContextTokens: 2048, Devices: "CPU", GPULayers: "0"},
		},
		{
			name: "every hardware device, with all layers", trained: 2048, devices: []build.Device{vulkan, second},
			want: Plan{ContextTokens: 2048, Devices: "Vulkan0,Vulkan1", GPULayers: "all"},
		},
		{
			name: "one device of a card that two backends see, the first", trained: 2048, devices: []build.Device{vulkan, rocm},
			want: Plan{ContextTokens: 2048, Devices: "Vulkan0", GPULayers: "all"},
		},
		{
			name: "the backend that sees more cards", trained: 2048, devices: []build.Device{rocm, vulkan, second},
			want: Plan{ContextTokens: 2048, Devices: "Vulkan0,Vulkan1", GPULayers: "all"},
		},
		{
			name: "cards of two makers, each with the backend of its own", trained: 2048, devices: []build.Device{cuda, rocm},
			want: Plan{ContextTokens: 2048, Devices: "CUDA0,ROCm0", GPULayers: "all"},
		},
		{
			name: "a card beside software that another backend lists first", trained: 2048, devices: []build.Device{software, rocm},
			want: Plan{ContextTokens: 2048, Devices: "ROCm0", GPULayers: "all"},
		},
		{
			name: "cards of other computers beside the own", trained: 2048, devices: []build.Device{rpc, vulkan, rocm},
			want: Plan{ContextTokens: 2048, Devices: "RPC0,Vulkan0", GPULayers: "all"},
		},
		{
			name: "a moderate context for a model trained on a long one", trained: 131072,
			want: Plan{ContextTokens: 8192, Devices: "CPU", GPULayers: "0"},
		},
		{
			name: "a small context when the file does not say",
			want: Plan{ContextTokens: 4096, Devices: "CPU", GPULayers: "0"},
		},
		{
			name: "layers for the devices that were asked for", trained: 2048, devices: []build.Device{vulkan},
			plan: Plan{Devices: "CPU"},
			want: Plan{ContextTokens: 2048, Devices: "CPU", GPULayers: "0"},
		},
		{
			name: "a software device only when it is asked for", trained: 2048, devices: []build.Device{software},
			plan: Plan{Devices: "Vulkan0", GPULayers: "auto"},
			want: Plan{ContextTokens: 2048, Devices: "Vulkan0", GPULayers: "all"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.want.ModelPath, test.want.CacheK, test.want.CacheV = "m.gguf", "f16", "f16"
			test.want.FlashAttn, test.want.Slots = "auto", 1
			test.want.Purpose, test.want.SpecTypes, test.want.ProjectorPath = Chat, NoSpec, NoProjector
			got, choices := Complete(test.plan, Given{Model: gguf.Facts{Path: "m.gguf", ContextTokens: test.trained}, Devices: test.devices})
			if got != test.want {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
			for _, setting := range []string{"contextTokens", "gpuLayers", "cacheK", "cacheV", "flashAttn", "slots"} {
				if !slices.ContainsFunc(choices, func(c Choice) bool { return c.Setting == setting && c.Reason != "" && c.Value != "" }) {
					t.Errorf("no reason is given for %s", setting)
				}
			}
		})
	}
}

func TestCompleteKeepsEverythingExplicit(t *testing.T) {
	explicit := Plan{
		ModelPath: "m.gguf", Purpose: Chat, SpecTypes: NoSpec, ProjectorPath: NoProjector, ContextTokens: 9999, Devices: "Vulkan0", GPULayers: "3",
		CacheK: "q8_0", CacheV: "q4_0", FlashAttn: "off", Slots: 2,
	}
	got, choices := Complete(explicit, Given{Model: gguf.Facts{Path: "other.gguf", ContextTokens: 64}})
	if got != explicit {
		t.Errorf("changed to %+v", got)
	}
	if len(choices) != 0 {
		t.Errorf("claims to have chosen %v", choices)
	}
}

func TestOnlyAChatKeepsEarlierPrompts(t *testing.T) {
	for purpose, want := range map[string]int{Chat: 0, Embeddings: NoPromptCache, Rerank: NoPromptCache} {
		p, choices := Complete(Plan{Purpose: purpose}, Given{})
		said := slices.ContainsFunc(choices, func(c Choice) bool { return c.Setting == "promptCacheMiB" && c.Reason == "choice.prompt-cache-none" })
		if p.PromptCacheMiB != want || said != (want != 0) {
			t.Errorf("%s: %d MiB, said %v", purpose, p.PromptCacheMiB, said)
		}
		if back := WithPurpose(p, Chat); back.PromptCacheMiB != 0 {
			t.Errorf("from %s to chat: %d MiB", purpose, back.PromptCacheMiB)
		}
	}
	if p, _ := Complete(Plan{Purpose: Embeddings, PromptCacheMiB: 64}, Given{}); p.PromptCacheMiB != 64 {
		t.Errorf("what was asked for became %d MiB", p.PromptCacheMiB)
	}
}
