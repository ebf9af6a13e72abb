package gguftest

// gemma3Network has a sliding window in all layers but the last.
func gemma3Network(name string) *network {
	const layers, heads, kvHeads, headSize, window = 6, 4, 1, 32, 64
	n := &network{seed: 5, width: width, vocab: sentencePiece(), kind: Q8_0}
	n.general("gemma3", name)
	n.shape("gemma3", layers, heads, kvHeads, headSize)
	n.Set("gemma3.attention.sliding_window", uint32(window))
	n.vocab.write(&n.File)
	n.Set("tokenizer.chat_template", chatTemplate)
	n.embeddings()
	n.scaleTokenTable()
	n.vector("output_norm.weight", 1, width)
	for i := range layers {
		n.vector(block(i, "attn_norm.weight"), 1, width)
		n.attention(i, heads*headSize, kvHeads*headSize)
		n.vector(block(i, "attn_q_norm.weight"), 1, headSize)
		n.vector(block(i, "attn_k_norm.weight"), 1, headSize)
		n.vector(block(i, "post_attention_norm.weight"), push, width)
		n.vector(block(i, "ffn_norm.weight"), 1, width)
		n.feedForward(i)
		n.vector(block(i, "post_ffw_norm.weight"), push, width)
	}
	return n
}
