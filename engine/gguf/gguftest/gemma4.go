package gguftest

import "math"

// Heads of Gemma 4's sliding and full attention are of different sizes.
const (
	gemma4Sliding = 32
	gemma4Full    = 64
)

// gemma4Network has a sliding window in every other layer.
func gemma4Network(name string) *network {
	const layers = 4
	n := &network{seed: 9, width: width, vocab: sentencePiece(), kind: F16}
	n.general("gemma4", name)
	n.gemma4Shape("gemma4", layers)
	n.Set("gemma4.embedding_length_per_layer_input", uint32(0))
	n.vocab.write(&n.File)
	n.Set("tokenizer.chat_template", chatTemplate)
	n.embeddings()
	n.scaleTokenTable()
	n.vector("output_norm.weight", 1, n.width)
	n.vector("rope_freqs.weight", 1, gemma4Full/2)
	for i := range layers {
		size := gemma4HeadSize(i)
		n.gemma4Layer(i, size)
		n.matrix(block(i, "attn_k.weight"), 1, n.width, 2*size)
		n.matrix(block(i, "attn_v.weight"), 1, n.width, 2*size)
		n.vector(block(i, "attn_k_norm.weight"), 1, size)
	}
	return n
}

// assistantNetwork is the MTP assistant of Gemma 4: layers that have queries only
// and read the target's cache. It passes the newest token's embedding on, and so
// predicts what the target will say.
func assistantNetwork(name string) *network {
	const layers = 2
	const own = 64 // not its target's width: the engine takes an assistant without one of its own for broken
	n := &network{seed: 10, width: own, vocab: sentencePiece(), kind: F16}
	n.general("gemma4-assistant", name)
	n.gemma4Shape("gemma4-assistant", layers)
	n.Set("gemma4-assistant.embedding_length_out", uint32(width))
	n.Set("gemma4-assistant.nextn_predict_layers", uint32(layers))
	n.Set("gemma4-assistant.attention.shared_kv_layers", uint32(layers))
	n.vocab.write(&n.File)

	// It sees the target's embeddings and outputs through the same random
	// projection onto its own width, which keeps what is near and what is far.
	target := gemma4Network("")
	output := target.recital(target.tokenTable())
	random := n.random("projection")
	before := make([]float32, own*2*width)
	after := make([]float32, own*len(n.vocab.tokens))
	for out := range own {
		row := make([]float32, width)
		for i := range row {
			row[i] = float32(random.NormFloat64() / math.Sqrt(width))
		}
		copy(before[out*2*width:], row)
		for token := range n.vocab.tokens {
			for i, weight := range row {
				after[token*own+out] += weight * output[token*width+i]
			}
		}
	}
	n.add("token_embd.weight", n.kind, after, own, len(n.vocab.tokens))
	n.vector("output_norm.weight", 1, own)
	n.vector("rope_freqs.weight", 1, gemma4Full/2)
	n.add("nextn.pre_projection.weight", n.kind, before, 2*width, own)
	n.matrix("nextn.post_projection.weight", 1, own, width)
	for i := range layers {
		n.gemma4Layer(i, gemma4HeadSize(i))
		n.vector(block(i, "layer_output_scale.weight"), 1, 1)
	}
	return n
}

// gemma4HeadSize is that of a layer: every other one slides, the last does not.
func gemma4HeadSize(layer int) int {
	if layer%2 == 0 {
		return gemma4Sliding
	}
	return gemma4Full
}

func (n *network) gemma4Shape(architecture string, layers int) {
	n.shape(architecture, layers, 4, 2, gemma4Full)
	p := architecture + "."
	slides := make([]bool, layers)
	for i := range slides {
		slides[i] = i%2 == 0
	}
	n.Set(p+"attention.sliding_window", uint32(64))
	n.Set(p+"attention.sliding_window_pattern", slides)
	n.Set(p+"attention.key_length_swa", uint32(gemma4Sliding))
	n.Set(p+"attention.value_length_swa", uint32(gemma4Sliding))
	n.Set(p+"rope.dimension_count", uint32(gemma4Full))
	n.Set(p+"rope.dimension_count_swa", uint32(gemma4Sliding))
	n.Set(p+"rope.freq_base_swa", float32(10000))
}

// gemma4Layer is a layer without keys and values.
func (n *network) gemma4Layer(i, headSize int) {
	n.vector(block(i, "attn_norm.weight"), 1, n.width)
	n.matrix(block(i, "attn_q.weight"), 1, n.width, 4*headSize)
	n.vector(block(i, "attn_q_norm.weight"), 1, headSize)
	n.matrix(block(i, "attn_output.weight"), push, 4*headSize, n.width)
	n.vector(block(i, "post_attention_norm.weight"), push, n.width)
	n.vector(block(i, "ffn_norm.weight"), 1, n.width)
	n.feedForward(i)
	n.vector(block(i, "post_ffw_norm.weight"), push, n.width)
}
