package gguftest

// dflashBlock is how many tokens a DFlash draft was made to guess at a time.
const dflashBlock = 4

// dflashNetwork is a DFlash draft for the dense llama: it reads a mix of the
// target's states into a cache of its own, and guesses a block of tokens at once.
// It has no embeddings and uses its target's. Its weights are random, and so all
// its guesses are wrong.
func dflashNetwork() *network {
	const heads, headSize = 4, 32
	n := &network{seed: 1, width: width, vocab: sentencePiece(), kind: F16}
	n.general("dflash", "Test DFlash")
	n.shape("dflash", 1, heads, heads, headSize)
	n.Set("dflash.rope.dimension_count", uint32(headSize))
	n.Set("dflash.target_layers", []int32{1, 2, 3})
	n.Set("dflash.block_size", uint32(dflashBlock))
	n.vocab.write(&n.File)
	n.Set("tokenizer.ggml.mask_token_id", uint32(n.vocab.unknown))
	n.vector("output_norm.weight", 1, width)
	n.vector("enc.output_norm.weight", 1, width)
	n.matrix("fc.weight", 1, 3*width, width)
	n.vector(block(0, "attn_norm.weight"), 1, width)
	n.attention(0, heads*headSize, heads*headSize)
	n.vector(block(0, "attn_q_norm.weight"), 1, headSize)
	n.vector(block(0, "attn_k_norm.weight"), 1, headSize)
	n.vector(block(0, "ffn_norm.weight"), 1, width)
	n.feedForward(0)
	return n
}
