package plan

import (
	"cmp"
	"slices"
	"testing"

	"paddock/engine/build"
	"paddock/engine/gguf"
)

// gpus are hardware devices of one backend, with GiB free on each.
func gpus(backend string, free ...uint64) []build.Device {
	var list []build.Device
	for i, gib := range free {
		list = append(list, build.Device{ID: backend + string(rune('0'+i)), TotalBytes: 64 << 30, FreeBytes: gib << 30})
	}
	return list
}

// network is the layers of a model with so many KV heads.
func network(kvHeads int, change func(*gguf.Network)) gguf.Network {
	n := gguf.Network{Causal: true, Blocks: []gguf.Block{{Attention: true, Heads: 8, KVHeads: kvHeads}}}
	if change != nil {
		change(&n)
	}
	return n
}

func TestCheckOfDevicesAndCaches(t *testing.T) {
	two, three := gpus("CUDA", 24, 24), gpus("CUDA", 24, 24, 24)
	tests := []struct {
		name     string
		plan     Plan
		facts    func(*gguf.Facts)
		devices  []build.Device
		own      []string // integrated
		build    int
		refusals []string
		cautions []string
	}{
		{name: "tensor split on two cards is allowed", plan: Plan{SplitMode: "tensor"}, devices: two},
		{name: "and on the bundled build", plan: Plan{SplitMode: "tensor"}, devices: two, build: 11669},
		{name: "and on build 9219", plan: Plan{SplitMode: "tensor"}, devices: two, build: 9219},
		{name: "on one card it is refused", plan: Plan{SplitMode: "tensor"}, devices: gpus("CUDA", 24), refusals: []string{"tensor-one-device"}},
		{name: "without a card too", plan: Plan{SplitMode: "tensor"}, refusals: []string{"tensor-no-device"}},
		{name: "three cards are marked on build 9219", plan: Plan{SplitMode: "tensor"}, devices: three, build: 9219, cautions: []string{"tensor-three"}},
		{name: "and on 9862", plan: Plan{SplitMode: "tensor"}, devices: three, build: 9862, cautions: []string{"tensor-three"}},
		{name: "and on 11669", plan: Plan{SplitMode: "tensor"}, devices: three, build: 11669, cautions: []string{"tensor-three"}},
		{
			name: "tensor split without flash attention is refused on 9219", plan: Plan{SplitMode: "tensor", FlashAttn: "off"}, devices: two, build: 9219,
			refusals: []string{"tensor-flash-off"},
		},
		{
			name: "and on 11669", plan: Plan{SplitMode: "tensor", FlashAttn: "off"}, devices: two, build: 11669,
			refusals: []string{"tensor-flash-off"},
		},
		{
			name: "a Mamba can't be shared so", plan: Plan{SplitMode: "tensor"}, devices: two,
			facts: func(f *gguf.Facts) { f.Architecture = "mamba" }, refusals: []string{"tensor-architecture"},
		},
		{
			name: "DeepSeek 4 is marked", plan: Plan{SplitMode: "tensor"}, devices: two,
			facts: func(f *gguf.Facts) { f.Architecture = "deepseek4" }, cautions: []string{"tensor-architecture-unsure"},
		},
		{
			name: "a Gemma 3 with one KV head is refused", plan: Plan{SplitMode: "tensor"}, devices: two,
			facts:    func(f *gguf.Facts) { f.Architecture, f.Network = "gemma3", network(1, nil) },
			refusals: []string{"tensor-one-head"},
		},
		{
			name: "with two it is not", plan: Plan{SplitMode: "tensor"}, devices: two,
			facts: func(f *gguf.Facts) { f.Architecture = "gemma3" },
		},
		{
			name: "a cache of iq4_nl is marked under tensor split", plan: Plan{SplitMode: "tensor", CacheK: "iq4_nl", CacheV: "q8_0"}, devices: two,
			cautions: []string{"tensor-cache-k"},
		},
		{name: "and not under layer split", plan: Plan{SplitMode: "layer", CacheK: "iq4_nl"}, devices: two},
		{
			name: "slots of a recurrent model are refused under tensor split", plan: Plan{SplitMode: "tensor", Slots: 2}, devices: two,
			facts:    func(f *gguf.Facts) { f.Network.Blocks = append(f.Network.Blocks, gguf.Block{Recurrent: true}) },
			refusals: []string{"tensor-recurrent-slots"},
		},
		{name: "rows on Vulkan are refused", plan: Plan{SplitMode: "row"}, devices: gpus("Vulkan", 8, 8), refusals: []string{"row-backend"}},
		{name: "rows on CUDA are marked", plan: Plan{SplitMode: "row"}, devices: two, cautions: []string{"row-deprecated"}},
		{
			name: "rows on CUDA and the network are refused", plan: Plan{SplitMode: "row", Devices: "CUDA0,RPC0", RPCServers: "a:1"},
			refusals: []string{"row-backend"}, cautions: []string{"row-deprecated"},
		},
		{name: "layers need a second device", plan: Plan{SplitMode: "layer"}, devices: gpus("CUDA", 24), refusals: []string{"split-one-device"}},
		{name: "several devices need a split", plan: Plan{SplitMode: "none"}, devices: two, refusals: []string{"split-none-several"}},
		{name: "several devices are split by themselves", devices: three},
		{name: "a share for each device is fine", plan: Plan{TensorSplit: "3, 1.5"}, devices: two},
		{name: "one share too many", plan: Plan{TensorSplit: "3,1,1"}, devices: two, refusals: []string{"shares-count"}},
		{name: "a share too few", plan: Plan{TensorSplit: "3"}, devices: two, refusals: []string{"shares-count"}},
		{name: "a share of nothing", plan: Plan{TensorSplit: "3,0"}, devices: two, refusals: []string{"shares-zero"}},
		{name: "a share that is no number", plan: Plan{TensorSplit: "3,x"}, devices: two, refusals: []string{"shares-garbage"}},
		{name: "a negative share", plan: Plan{TensorSplit: "3,-1"}, devices: two, refusals: []string{"shares-garbage"}},
		{name: "a share that is infinite", plan: Plan{TensorSplit: "inf,1"}, devices: two, refusals: []string{"shares-garbage"}},
		{name: "an RPC device needs a server", plan: Plan{Devices: "RPC0"}, refusals: []string{"rpc-no-server"}},
		{name: "with one it is fine", plan: Plan{Devices: "RPC0", RPCServers: "a:1"}},
		{name: "a server without its device is marked", plan: Plan{RPCServers: "a:1"}, devices: gpus("CUDA", 24), cautions: []string{"rpc-no-device"}},
		{name: "the processor's own graphics are left out by themselves", devices: two, own: []string{"CUDA1"}},
		{
			name: "chosen beside a card they are marked", plan: Plan{Devices: "CUDA0,CUDA1"}, devices: two, own: []string{"CUDA1"},
			cautions: []string{"integrated-beside"},
		},
		{name: "alone they are not", devices: gpus("Vulkan", 16), own: []string{"Vulkan0"}},
		{
			name: "latent attention has one type for both caches", plan: Plan{CacheK: "q8_0"},
			facts:    func(f *gguf.Facts) { f.Network = network(1, func(n *gguf.Network) { n.LatentRank = 512 }) },
			refusals: []string{"cache-latent"},
		},
		{
			name: "and so has DeepSeek 4", plan: Plan{CacheK: "q8_0"}, facts: func(f *gguf.Facts) { f.Architecture = "deepseek4" },
			refusals: []string{"cache-deepseek4"},
		},
		{
			name: "Grok has no flash attention", plan: Plan{FlashAttn: "on"}, facts: func(f *gguf.Facts) { f.Architecture = "grok" },
			refusals: []string{"flash-grok"},
		},
		{
			name: "nor a quantised cache for values", plan: Plan{CacheV: "q8_0"}, facts: func(f *gguf.Facts) { f.Architecture = "grok" },
			refusals: []string{"cache-v-grok"},
		},
		{name: "a shift with f16 is allowed", plan: Plan{ContextShift: true}},
		{name: "with quantised values too", plan: Plan{ContextShift: true, CacheV: "q8_0"}},
		{name: "with quantised keys it is refused", plan: Plan{ContextShift: true, CacheK: "q8_0"}, refusals: []string{"shift-cache-k"}},
		{name: "and with bf16", plan: Plan{ContextShift: true, CacheK: "bf16"}, refusals: []string{"shift-cache-k"}},
		{
			name: "recurrent layers are not shifted", plan: Plan{ContextShift: true, CacheK: "q8_0"},
			facts: func(f *gguf.Facts) {
				f.Network = network(2, func(n *gguf.Network) { n.Blocks = append(n.Blocks, gguf.Block{Recurrent: true}) })
			},
			refusals: []string{"shift-recurrent"},
		},
		{
			name: "positions of several parts are not shifted or reused", plan: Plan{ContextShift: true, CacheReuseTokens: 64},
			facts:    func(f *gguf.Facts) { f.Metadata = []gguf.Entry{{Key: "llama.rope.dimension_sections"}} },
			refusals: []string{"shift-sections", "reuse-sections"}, cautions: []string{"reuse-changes"},
		},
		{
			name: "a sliding window is shifted and not reused", plan: Plan{ContextShift: true, CacheReuseTokens: 64},
			facts:    func(f *gguf.Facts) { f.Network = network(2, func(n *gguf.Network) { n.Blocks[0].Windowed = true }) },
			refusals: []string{"reuse-window"}, cautions: []string{"reuse-changes"},
		},
		{
			name: "reuse is marked", plan: Plan{CacheReuseTokens: 64},
			cautions: []string{"reuse-changes"},
		},
		{
			name: "with quantised keys it is refused", plan: Plan{CacheReuseTokens: 64, CacheK: "q4_0"},
			refusals: []string{"reuse-cache-k"}, cautions: []string{"reuse-changes"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := llama
			f.Network = network(2, nil)
			if test.facts != nil {
				test.facts(&f)
			}
			g := Given{Model: f, Devices: test.devices, Integrated: test.own, Build: cmp.Or(test.build, NewestKnownBuild)}
			p, _ := Complete(test.plan, g)
			v := Check(p, g)
			if got := rulesOf(v.Refusals); !slices.Equal(got, test.refusals) {
				t.Errorf("refusals %v, want %v", got, test.refusals)
			}
			if got := rulesOf(v.Cautions); !slices.Equal(got, test.cautions) {
				t.Errorf("cautions %v, want %v", got, test.cautions)
			}
		})
	}
}

func TestTensorSplitIsByWhatIsFree(t *testing.T) {
	tests := []struct {
		name string
		free []uint64 // GiB
		plan Plan
		want string
	}{
		{"cards just alike get the same", []uint64{24, 24}, Plan{SplitMode: "tensor"}, "10,10"},
		{"and nearly alike", []uint64{24, 23}, Plan{SplitMode: "tensor"}, "10,10"},
		{"a larger one gets more", []uint64{24, 8}, Plan{SplitMode: "tensor"}, "15,5"},
		{"the smallest gets something", []uint64{64, 64, 1}, Plan{SplitMode: "tensor"}, "10,10,1"},
		{"what is chosen stays", []uint64{24, 8}, Plan{SplitMode: "tensor", TensorSplit: "1,1"}, "1,1"},
		{"what is unknown is the engine's", []uint64{24, 0}, Plan{SplitMode: "tensor"}, ""},
		{"layers go by memory themselves", []uint64{24, 8}, Plan{SplitMode: "layer"}, ""},
		{"one card needs no share", []uint64{24}, Plan{SplitMode: "tensor"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, choices := Complete(test.plan, Given{Model: llama, Devices: gpus("CUDA", test.free...)})
			if p.TensorSplit != test.want {
				t.Errorf("shares %q, want %q", p.TensorSplit, test.want)
			}
			chosen := slices.ContainsFunc(choices, func(c Choice) bool { return c.Reason == "choice.split-by-memory" })
			if chosen != (test.plan.TensorSplit == "" && test.want != "") {
				t.Errorf("choices %v", choices)
			}
		})
	}
}

func TestServersComeBeforeTheirDevicesInTheArguments(t *testing.T) {
	p, _ := Complete(Plan{Devices: "RPC0", RPCServers: "a:1"}, Given{Model: llama})
	args := Arguments(p)
	if rpc, dev := slices.Index(args, "--rpc"), slices.Index(args, "-dev"); rpc < 0 || dev < rpc {
		t.Errorf("%v", args)
	}
}

func TestTheProcessorsOwnGraphicsAreLeftOutBesideACard(t *testing.T) {
	g := Given{Model: llama, Devices: gpus("Vulkan", 16, 24), Integrated: []string{"Vulkan0"}}
	p, choices := Complete(Plan{}, g)
	reason := func(c Choice) bool { return c == Choice{"devices", "Vulkan1", "choice.devices-discrete"} }
	if p.Devices != "Vulkan1" || !slices.ContainsFunc(choices, reason) {
		t.Errorf("%s, %v", p.Devices, choices)
	}
}
