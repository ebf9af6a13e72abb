package gguftest

import "math"

// eagle3Network is an EAGLE-3 draft for the dense llama: one layer that sees the
// newest token's embedding beside a mix of the target's states. Its attention is
// made to look at the token itself and to pass its embedding on, so it predicts
// what the target will say.
func eagle3Network() *network {
	const heads, headSize = 4, 32
	n := &network{seed: 1, width: width, vocab: sentencePiece(), kind: F16}
	n.general("eagle3", "Test EAGLE-3")
	n.shape("eagle3", 1, heads, heads, headSize)
	n.Set("eagle3.rope.dimension_count", uint32(headSize))
	n.Set("eagle3.target_layers", []int32{1, 2, 3})
	n.Set("eagle3.target_hidden_size", uint32(width))
	n.vocab.write(&n.File)
	n.embeddings()
	n.vector("output_norm.weight", 1, width)
	n.matrix("fc.weight", push, 3*width, width)
	n.vector(block(0, "attn_norm.weight"), 1, width)
	n.vector(block(0, "attn_norm_2.weight"), 1, width)

	// Rows of the attention's input: the token's embedding, then the mix.
	random := n.random("look")
	look, pass := make([]float32, 2*width*width), make([]float32, 2*width*width)
	for out := range width {
		for in := range width {
			look[out*2*width+in] = float32(2 * random.NormFloat64() / math.Sqrt(width))
		}
		pass[out*2*width+out] = 1
	}
	n.add(block(0, "attn_q.weight"), n.kind, look, 2*width, heads*headSize)
	n.add(block(0, "attn_k.weight"), n.kind, look, 2*width, heads*headSize)
	n.add(block(0, "attn_v.weight"), n.kind, pass, 2*width, heads*headSize)
	n.add(block(0, "attn_output.weight"), n.kind, identity(width), width, width)
	n.vector(block(0, "ffn_norm.weight"), 1, width)
	n.feedForward(0)
	return n
}

func identity(size int) []float32 {
	m := make([]float32, size*size)
	for i := range size {
		m[i*size+i] = 1
	}
	return m
}
