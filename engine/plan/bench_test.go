package plan

import (
	"fmt"
	"testing"

	"paddock/engine/build"
	"paddock/engine/gguf"
)

// benchGiven is a model of 48 layers with what may work beside it: a projector, a
// draft, and an adapter of 448 matrices.
func benchGiven() Given {
	n := gguf.Network{Causal: true}
	model := gguf.Facts{
		Path: "/m/model.gguf", Kind: gguf.Model, Architecture: "qwen35", ContextTokens: 131072, Layers: 48,
		HeadSizeK: 128, HeadSizeV: 128, EmbeddingLength: 4096, NextNLayers: 1,
	}
	for i := range 48 {
		n.Blocks = append(n.Blocks, gguf.Block{Attention: i%4 == 3, Recurrent: i%4 != 3, Heads: 32, KVHeads: 8})
	}
	for i := range 60 {
		model.Metadata = append(model.Metadata, gguf.Entry{Key: fmt.Sprintf("qwen35.key%d", i)})
	}
	model.Network = n
	lora := gguf.Facts{Path: "/m/lora.gguf", Kind: gguf.LoRA, Architecture: "qwen35", Layers: 48}
	for i := range 448 {
		model.Matrices = append(model.Matrices, gguf.Matrix{Name: fmt.Sprintf("blk.%d.attn_q", i), In: 4096, Out: 4096})
	}
	lora.Matrices = model.Matrices
	draft := model
	draft.Path, draft.Matrices, draft.NextNLayers = "/m/draft.gguf", nil, 0
	return Given{
		Model: model, Build: NewestKnownBuild,
		Beside:  []gguf.Facts{{Path: "/m/eyes.gguf", Kind: gguf.Projector}, draft, lora},
		Devices: []build.Device{{ID: "Vulkan0", FreeBytes: 1 << 34}, {ID: "Vulkan1", FreeBytes: 1 << 34}},
	}
}

// BenchmarkOffers is what a screen asks after every change of a setting.
func BenchmarkOffers(b *testing.B) {
	g := benchGiven()
	for name, p := range map[string]Plan{"plain": {}, "with an adapter": {LoRAPath: "/m/lora.gguf"}} {
		p, _ = Complete(p, g)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Offers(p, g)
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	g := benchGiven()
	for name, p := range map[string]Plan{"plain": {}, "with an adapter": {LoRAPath: "/m/lora.gguf"}} {
		p, _ = Complete(p, g)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Check(p, g)
			}
		})
	}
}
