package gguftest

import "fmt"

// Sizes of the small transformers.
const (
	width       = 128
	feedForward = 256
	context     = 8192
)

// A llamaSpec is what differs between the llamas.
type llamaSpec struct {
	name     string
	vocab    *vocabulary
	layers   int
	width    int
	heads    int
	kvHeads  int
	headSize int
	kind     uint32
	template bool
}

func llamaNetwork(s llamaSpec) *network {
	n := &network{seed: 1, width: s.width, vocab: s.vocab, kind: s.kind}
	n.general("llama", s.name)
	n.shape("llama", s.layers, s.heads, s.kvHeads, s.headSize)
	n.Set("llama.rope.dimension_count", uint32(s.headSize))
	n.Set("llama.vocab_size", uint32(len(s.vocab.tokens)))
	s.vocab.write(&n.File)
	if s.template {
		n.Set("tokenizer.chat_template", chatTemplate)
	}
	n.embeddings()
	n.vector("output_norm.weight", 1, s.width)
	for i := range s.layers {
		n.vector(block(i, "attn_norm.weight"), 1, s.width)
		n.attention(i, s.heads*s.headSize, s.kvHeads*s.headSize)
		n.vector(block(i, "ffn_norm.weight"), 1, s.width)
		n.feedForward(i)
	}
	return n
}

func (n *network) general(architecture, name string) {
	n.Set("general.architecture", architecture)
	n.Set("general.type", "model")
	n.Set("general.name", name)
	n.Set("general.license", "mit")
	n.Set("general.quantization_version", uint32(2))
	n.Set("general.file_type", uint32(1))
}

func (n *network) shape(architecture string, layers, heads, kvHeads, headSize int) {
	p := architecture + "."
	n.Set(p+"context_length", uint32(context))
	n.Set(p+"embedding_length", uint32(n.width))
	n.Set(p+"block_count", uint32(layers))
	n.Set(p+"feed_forward_length", uint32(feedForward))
	n.Set(p+"attention.head_count", uint32(heads))
	n.Set(p+"attention.head_count_kv", uint32(kvHeads))
	n.Set(p+"attention.key_length", uint32(headSize))
	n.Set(p+"attention.value_length", uint32(headSize))
	n.Set(p+"attention.layer_norm_rms_epsilon", float32(1e-6))
	n.Set(p+"rope.freq_base", float32(10000))
}

func (n *network) attention(layer, queries, keys int) {
	n.matrix(block(layer, "attn_q.weight"), 1, n.width, queries)
	n.matrix(block(layer, "attn_k.weight"), 1, n.width, keys)
	n.matrix(block(layer, "attn_v.weight"), 1, n.width, keys)
	n.matrix(block(layer, "attn_output.weight"), push, queries, n.width)
}

func (n *network) feedForward(layer int) {
	n.matrix(block(layer, "ffn_gate.weight"), 1, n.width, feedForward)
	n.matrix(block(layer, "ffn_up.weight"), 1, n.width, feedForward)
	n.matrix(block(layer, "ffn_down.weight"), push, feedForward, n.width)
}

func block(layer int, name string) string { return fmt.Sprintf("blk.%d.%s", layer, name) }
