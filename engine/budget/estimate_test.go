package budget

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

// ghostNamed is a ghost's path and facts.
func ghostNamed(t *testing.T, name string) (string, gguf.Facts) {
	t.Helper()
	for _, g := range gguftest.Ghosts() {
		if g.Name == name {
			return summon(t, g)
		}
	}
	t.Fatalf("no ghost %s", name)
	return "", gguf.Facts{}
}

func TestAnEstimateOfAThousandTensorsTakesLessThanFiveMilliseconds(t *testing.T) {
	path, f := ghostNamed(t, "ghost-deepseek-v3")
	if f.TensorCount < 1000 {
		t.Fatalf("%d tensors", f.TensorCount)
	}
	for _, devices := range []string{plan.CPU, "CUDA0,CUDA1"} {
		r := ghostRequest(path, f, devices, 131072)
		for i := range r.Devices {
			r.Devices[i].Software = false
		}
		fastest := time.Hour
		for range 20 { // other programs may be busy
			start := time.Now()
			Estimate(r)
			fastest = min(fastest, time.Since(start))
		}
		if fastest > 5*time.Millisecond*slowdown {
			t.Errorf("on %s it takes %v", devices, fastest)
		}
	}
}

// layers are blocks of one kind, with attention over 2 heads of 64.
func layers(count int, change func(i int, b *gguf.Block)) gguf.Facts {
	f := gguf.Facts{Architecture: "llama", EmbeddingLength: 256, ContextTokens: 1 << 20}
	f.Network = gguf.Network{Causal: true, Shapes: []gguf.BlockShape{{
		{Name: "attn_k.weight", Dimensions: [3]int{256, 128, 1}, Bytes: 1000},
	}}}
	for i := range count {
		b := gguf.Block{Attention: true, Heads: 4, KVHeads: 2, HeadSizeK: 64, HeadSizeV: 64, WeightsBytes: 1000}
		if change != nil {
			change(i, &b)
		}
		f.Network.Blocks = append(f.Network.Blocks, b)
	}
	return f
}

func TestTheCacheIsCountedLayerByLayer(t *testing.T) {
	const cell = 2 * 64 * 2 * 2 // heads, numbers, keys and values, bytes each: one token of one layer
	plans := map[string]plan.Plan{
		"one":     {ContextTokens: 4096, Slots: 1},
		"odd":     {ContextTokens: 5000, Slots: 3},
		"sharing": {ContextTokens: 5000, Slots: 3, KVUnified: true},
		"q8_0":    {ContextTokens: 4096, Slots: 1, CacheK: "q8_0", CacheV: "q4_0"},
		"MTP":     {ContextTokens: 4096, Slots: 1, SpecTypes: "draft-mtp", DraftMax: 5},
	}
	window := func(f gguf.Facts) gguf.Facts { f.Network.Window = 1024; return f }
	recurrent := layers(4, func(i int, b *gguf.Block) { b.Attention, b.Recurrent = i == 3, i != 3 })
	recurrent.Network.ConvKernel, recurrent.Network.InnerSize, recurrent.Network.StateGroups, recurrent.Network.StateSize = 4, 512, 2, 64
	state := uint64(4 * (3*(512+2*2*64) + 64*512))
	nextN := layers(3, nil)
	nextN.Network.NextN = 1
	latent := layers(2, func(_ int, b *gguf.Block) { b.KVHeads, b.HeadSizeK, b.HeadSizeV = 1, 576, 512 })
	latent.Network.LatentKeys = 192
	tests := []struct {
		name, plan    string
		facts         gguf.Facts
		kv, recurrent uint64
	}{
		{"every layer alike", "one", layers(4, nil), 4 * 4096 * cell, 0},
		{"three slots, each rounded up", "odd", layers(4, nil), 4 * 3 * 1792 * cell, 0},
		{"three slots sharing, rounded up once", "sharing", layers(4, nil), 4 * 5120 * cell, 0},
		{"quantised", "q8_0", layers(4, nil), 4 * 4096 * (128/32*34 + 128/32*18), 0},
		{"a window is its size and a batch", "one", window(layers(4, func(i int, b *gguf.Block) { b.Windowed = i < 3 })), (3*1536 + 4096) * cell, 0},
		{"a shared window is one for every slot", "sharing", window(layers(2, func(i int, b *gguf.Block) { b.Windowed = true })), 2 * 3584 * cell, 0},
		{"a window wider than the context", "one", window(layers(1, func(i int, b *gguf.Block) { b.Windowed = true })), 1536 * cell, 0},
		{"layers that use another's keys", "one", layers(4, func(i int, b *gguf.Block) { b.Attention = i < 2; b.SharesKV = i >= 2 }), 2 * 4096 * cell, 0},
		{"no key heads in the first layer", "one", layers(4, func(i int, b *gguf.Block) { b.Attention = i > 0 }), 3 * 4096 * cell, 0},
		{"wider heads in some", "one", layers(2, func(i int, b *gguf.Block) { b.HeadSizeK, b.HeadSizeV = 64*(i+1), 64*(i+1) }), 3 * 4096 * cell, 0},
		{"states of recurrent layers", "one", recurrent, 4096 * cell, 3 * state},
		{"states are kept for every guess", "MTP", recurrent, 4096 * cell, 3 * 6 * state},
		{"layers for prediction keep nothing when nobody guesses", "one", nextN, 2 * 4096 * cell, 0},
		{"compressed keys have no values", "one", latent, 2 * 4096 * 576 * 2, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, _ := plan.Complete(plans[test.plan], plan.Given{Model: test.facts})
			s := Estimate(Request{Plan: p, Given: plan.Given{Model: test.facts}}).Pools[0].Slices
			if s[KV] != test.kv || s[Recurrent] != test.recurrent {
				t.Errorf("kv %d, want %d; recurrent %d, want %d", s[KV], test.kv, s[Recurrent], test.recurrent)
			}
		})
	}
}

func TestLayersForPredictionAreLoadedOnlyToGuess(t *testing.T) {
	f := layers(3, nil)
	f.Network.NextN = 1
	for spec, want := range map[string]uint64{"": 2000, "ngram-mod": 2000, "draft-mtp": 3000} {
		p, _ := plan.Complete(plan.Plan{ContextTokens: 256, SpecTypes: spec}, plan.Given{Model: f})
		s := Estimate(Request{Plan: p, Given: plan.Given{Model: f}}).Pools[0].Slices
		if s[Weights] != want || (s[Draft] > 0) != (spec == "draft-mtp") {
			t.Errorf("with %q weights of %d bytes, draft %d", spec, s[Weights], s[Draft])
		}
	}
}

func TestLayersGoToDevicesByTheirShares(t *testing.T) {
	tests := []struct {
		name, devices, shares, layers string
		want                          []uint64 // weights on each device and in RAM, in layers
	}{
		{"all on one", "CUDA0", "", "all", []uint64{4, 0}},
		{"the last ones first", "CUDA0", "", "3", []uint64{2, 2}}, // what comes after the layers counts as one
		{"evenly on two", "CUDA0,CUDA1", "1,1", "all", []uint64{3, 1, 0}},
		{"unevenly", "CUDA0,CUDA1", "1,4", "all", []uint64{1, 3, 0}},
		{"none", "CUDA0", "", "0", []uint64{0, 4}},
		{"none chosen", "CPU", "", "0", []uint64{4}},
	}
	f := layers(4, nil)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, _ := plan.Complete(plan.Plan{ContextTokens: 256, Devices: test.devices, TensorSplit: test.shares, GPULayers: test.layers}, plan.Given{Model: f})
			m := Estimate(Request{Plan: p, Given: plan.Given{Model: f}})
			if len(m.Pools) != len(test.want) {
				t.Fatalf("%+v", m.Pools)
			}
			for i, pool := range m.Pools {
				if pool.Slices[Weights] != test.want[i]*1000 {
					t.Errorf("%s has %d bytes of weights, want %d", pool.ID, pool.Slices[Weights], test.want[i]*1000)
				}
				if pool.NeededBytes != pool.Slices.Total() {
					t.Errorf("%s needs %d bytes, its slices %d", pool.ID, pool.NeededBytes, pool.Slices.Total())
				}
			}
		})
	}
}

func TestNothingIsEverEstimatedAsLessThanNothing(t *testing.T) {
	strange := []gguf.Facts{
		{},
		{Architecture: "unknown", EmbeddingLength: 1},
		layers(1, func(_ int, b *gguf.Block) { *b = gguf.Block{Attention: true} }),
		layers(3, func(_ int, b *gguf.Block) { b.Recurrent, b.Attention = true, false }),
	}
	for _, f := range strange {
		for _, p := range []plan.Plan{{}, {ContextTokens: 1}, {ContextTokens: 1 << 30, Slots: 64, SpecTypes: "draft-mtp"}, {Devices: "X0,X1", TensorSplit: "a,b,c"}} {
			p, _ = plan.Complete(p, plan.Given{Model: f})
			for _, pool := range Estimate(Request{Plan: p, Given: plan.Given{Model: f}}).Pools {
				if pool.NeededBytes > 1<<60 {
					t.Errorf("%+v needs %d", p, pool.NeededBytes)
				}
			}
		}
	}
}

// A file can say anything of its sizes: the estimate may be nonsense then, but it
// is a number.
func TestStrangeSizesNeverEndTheProgram(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	odd := func(n *int) {
		if random.IntN(3) == 0 {
			*n = []int{0, 1, 3, 31, 1 << 20, 1<<31 - 1}[random.IntN(6)]
		}
	}
	for _, g := range gguftest.Ghosts() {
		_, f := summon(t, g)
		for range 2 {
			x := f
			x.Network.Blocks = slices.Clone(f.Network.Blocks)
			n := &x.Network
			for _, size := range []*int{&x.EmbeddingLength, &x.Experts, &x.ExpertsUsed, &n.NextN, &n.Window, &n.LatentRank, &n.LatentKeys,
				&n.RopeDimension, &n.PerLayer, &n.ConvKernel, &n.StateSize, &n.StateGroups, &n.InnerSize, &n.StateHeads, &n.ShortConv, &n.HeadKDA, &n.WKVHead} {
				odd(size)
			}
			n.NextN = min(n.NextN, len(n.Blocks)) // as the reader sees to
			for i := range n.Blocks {
				for _, size := range []*int{&n.Blocks[i].Heads, &n.Blocks[i].KVHeads, &n.Blocks[i].HeadSizeK, &n.Blocks[i].HeadSizeV} {
					odd(size)
				}
			}
			for _, devices := range []string{plan.CPU, "Vulkan0,Vulkan1"} {
				r := ghostRequest("m.gguf", x, devices, 8192)
				r.Plan.SpecTypes = "draft-mtp"
				r.Plan.FlashAttn = []string{"auto", "off"}[random.IntN(2)]
				Estimate(r)
			}
		}
	}
}
