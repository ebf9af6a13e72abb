package gguftest

import (
	"fmt"
	"strings"

	"paddock/engine/gguf"
)

// A Ghost is a model with the published sizes of a real one and no weights: its
// tensors are holes in a sparse file. The engine's measuring tool, which reads
// headers only, measures it like the real one.
type Ghost struct {
	Spec
	Source string // where the sizes were published
}

// A ghost is a Ghost being built.
type ghost struct {
	network
	architecture string
	layers       int    // without those for multi-token prediction
	most, better uint32 // tensor types: of most matrices, and of the sensitive ones
}

// A ghostShape is what every language model says of itself.
type ghostShape struct {
	layers, nextN   int
	width, feed     int
	heads, kvHeads  int
	headSize        int // 0: the width cut evenly among the heads
	tokens, context int
}

// newGhost starts a model whose tokens have no text: the engine then takes their
// number from a key, and a header has kilobytes instead of megabytes.
func newGhost(architecture, name string, s ghostShape) *ghost {
	g := &ghost{network: network{width: s.width}, architecture: architecture, layers: s.layers, most: Q4_K, better: Q6_K}
	g.general(architecture, name)
	g.key("vocab_size", uint32(s.tokens))
	g.key("context_length", uint32(s.context))
	g.key("embedding_length", uint32(s.width))
	g.key("block_count", uint32(s.layers+s.nextN))
	g.key("feed_forward_length", uint32(s.feed))
	g.key("attention.head_count", uint32(s.heads))
	g.key("attention.head_count_kv", uint32(s.kvHeads))
	if s.headSize > 0 {
		g.key("attention.key_length", uint32(s.headSize))
		g.key("attention.value_length", uint32(s.headSize))
	}
	if s.nextN > 0 {
		g.key("nextn_predict_layers", uint32(s.nextN))
	}
	g.key("attention.layer_norm_rms_epsilon", float32(1e-6))
	g.key("rope.freq_base", float32(1e6))
	g.Set("tokenizer.ggml.model", "none")
	return g
}

func (g *ghost) key(name string, value any) { g.Set(g.architecture+"."+name, value) }

// matrix, fine and plain add tensors of a layer: of the common type, of the type
// for sensitive ones, and unquantised.
func (g *ghost) matrix(layer int, name string, dimensions ...int) {
	g.ghost(block(layer, name+".weight"), fitting(g.most, dimensions[0]), dimensions...)
}

func (g *ghost) fine(layer int, name string, dimensions ...int) {
	g.ghost(block(layer, name+".weight"), fitting(g.better, dimensions[0]), dimensions...)
}

func (g *ghost) plain(layer int, name string, dimensions ...int) {
	if !strings.Contains(name, ".") && name != "ssm_a" && name != "ssm_d" {
		name += ".weight"
	}
	g.ghost(block(layer, name), F32, dimensions...)
}

// mixed is what llama-quantize makes of a sensitive matrix in its M mixes: better
// in the first and last eighth of the layers and in every third between.
func (g *ghost) mixed(layer int, name string, dimensions ...int) {
	eighth := g.layers / 8
	if layer < eighth || layer >= 7*g.layers/8 || (layer-eighth)%3 == 2 {
		g.fine(layer, name, dimensions...)
	} else {
		g.matrix(layer, name, dimensions...)
	}
}

// ends adds what comes before and after the layers. Without an output matrix the
// embeddings serve for it.
func (g *ghost) ends(tokens int, output bool) {
	g.ghost("token_embd.weight", fitting(g.better, g.width), g.width, tokens)
	g.ghost("output_norm.weight", F32, g.width)
	if output {
		g.ghost("output.weight", fitting(g.better, g.width), g.width, tokens)
	}
}

// attention is grouped-query attention with separate matrices.
func (g *ghost) attention(layer, heads, kvHeads, headSize int) {
	g.matrix(layer, "attn_q", g.width, heads*headSize)
	g.matrix(layer, "attn_k", g.width, kvHeads*headSize)
	g.mixed(layer, "attn_v", g.width, kvHeads*headSize)
	g.matrix(layer, "attn_output", heads*headSize, g.width)
}

func (g *ghost) headNorms(layer, headSize int) {
	g.plain(layer, "attn_q_norm", headSize)
	g.plain(layer, "attn_k_norm", headSize)
}

func (g *ghost) feedForward(layer, feed int) {
	g.matrix(layer, "ffn_gate", g.width, feed)
	g.matrix(layer, "ffn_up", g.width, feed)
	g.mixed(layer, "ffn_down", feed, g.width)
}

func (g *ghost) experts(layer, experts, feed int) {
	g.plain(layer, "ffn_gate_inp", g.width, experts)
	g.matrix(layer, "ffn_gate_exps", g.width, feed, experts)
	g.matrix(layer, "ffn_up_exps", g.width, feed, experts)
	g.mixed(layer, "ffn_down_exps", feed, g.width, experts)
}

func (g *ghost) sharedExpert(layer, feed int) {
	g.matrix(layer, "ffn_gate_shexp", g.width, feed)
	g.matrix(layer, "ffn_up_shexp", g.width, feed)
	g.mixed(layer, "ffn_down_shexp", feed, g.width)
}

// nextN adds to a layer what makes it one for multi-token prediction.
func (g *ghost) nextN(layer int) {
	g.matrix(layer, "nextn.eh_proj", 2*g.width, g.width)
	for _, norm := range []string{"nextn.enorm.weight", "nextn.hnorm.weight", "nextn.shared_head_norm.weight"} {
		g.plain(layer, norm, g.width)
	}
}

// fitting is the type for rows of a length: the K types want multiples of 256.
func fitting(kind uint32, row int) uint32 {
	if (kind == Q4_K || kind == Q6_K || kind == Q3_K) && row%256 != 0 {
		return Q8_0
	}
	return kind
}

// layout is how many bytes a block of so many elements takes.
var ghostLayouts = map[uint32]struct{ elements, bytes uint64 }{
	F32: {1, 4}, F16: {1, 2}, Q8_0: {32, 34}, Q3_K: {256, 110}, Q4_K: {256, 144}, Q6_K: {256, 210}, MXFP4: {32, 17},
}

// ghost adds a tensor whose data is a hole.
func (n *network) ghost(name string, kind uint32, dimensions ...int) {
	layout, known := ghostLayouts[kind]
	if !known || uint64(dimensions[0])%layout.elements != 0 {
		panic(fmt.Sprintf("gguftest: a ghost %s of type %d, rows of %d", name, kind, dimensions[0]))
	}
	t := Tensor{Name: name, Type: kind, GhostBytes: uint64(count(dimensions)) / layout.elements * layout.bytes}
	for _, d := range dimensions {
		t.Dimensions = append(t.Dimensions, uint64(d))
	}
	n.Tensors = append(n.Tensors, t)
}

func oneGhost(name, source string, build func() *ghost) Ghost {
	return Ghost{Spec{name, gguf.Model, func() []*File { return []*File{&build().File} }}, source}
}

// Ghosts are all ghosts, the smaller ones first.
func Ghosts() []Ghost {
	return []Ghost{
		lfm2Ghost, bgeM3Ghost, gemma4E4BGhost, llama8BGhost, gptOSS20BGhost, gemma4A4BGhost, gemma431BGhost, qwen36Ghost,
		graniteGhost, llama70BGhost, llama70BSplitGhost, gptOSS120BGhost, glmAirGhost, qwen122BGhost, glm46Ghost,
		deepSeekGhost,
	}
}
