package gguftest

import "strings"

const bertContext = 512

// bertNetwork is a text encoder. With rank set it ends in a reranker's head.
func bertNetwork(name string, rank bool) *network {
	const layers, heads = 2, 4
	n := &network{seed: 3, width: width, vocab: wordPiece(), kind: F16}
	n.general("bert", name)
	n.Set("bert.context_length", uint32(bertContext))
	n.Set("bert.embedding_length", uint32(width))
	n.Set("bert.block_count", uint32(layers))
	n.Set("bert.feed_forward_length", uint32(feedForward))
	n.Set("bert.attention.head_count", uint32(heads))
	n.Set("bert.attention.layer_norm_epsilon", float32(1e-12))
	n.Set("bert.attention.causal", false)
	n.Set("tokenizer.ggml.token_type_count", uint32(2))
	n.vocab.write(&n.File)
	for i, key := range []string{"padding", "unknown", "cls", "seperator", "mask"} {
		n.Set("tokenizer.ggml."+key+"_token_id", uint32(i))
	}
	n.Set("tokenizer.ggml.add_eos_token", true)

	n.add("token_embd.weight", n.kind, n.tokenTable(), width, len(n.vocab.tokens))
	kind := n.kind
	n.kind = F32
	n.matrix("token_types.weight", push, width, 2)
	n.matrix("position_embd.weight", push, width, bertContext)
	n.kind = kind
	n.layerNorm("token_embd_norm")
	for i := range layers {
		n.linear(block(i, "attn_q"), width, width)
		n.linear(block(i, "attn_k"), width, width)
		n.linear(block(i, "attn_v"), width, width)
		n.linear(block(i, "attn_output"), width, width)
		n.layerNorm(block(i, "attn_output_norm"))
		n.linear(block(i, "ffn_up"), width, feedForward)
		n.linear(block(i, "ffn_down"), feedForward, width)
		n.layerNorm(block(i, "layer_output_norm"))
	}
	n.Set("bert.pooling_type", uint32(1)) // mean
	if rank {
		n.Set("bert.pooling_type", uint32(4))
		n.linear("cls", width, width)
		n.linear("cls.output", width, 1)
	}
	return n
}

func (n *network) linear(name string, in, out int) {
	n.matrix(name+".weight", 1, in, out)
	n.vector(name+".bias", 0, out)
}

func (n *network) layerNorm(name string) {
	n.vector(name+".weight", 1, n.width)
	n.vector(name+".bias", 0, n.width)
}

// wordPiece is a vocabulary of the kind BERT has: words, and single characters
// at the start of a word and inside one. The first five tokens are special.
func wordPiece() *vocabulary {
	v := &vocabulary{model: "bert", pre: "default"}
	for _, special := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"} {
		v.add(special, control)
	}
	v.unknown, v.begin, v.end = 1, 2, 3
	for c := '!'; c < 127; c++ {
		v.add("▁"+string(c), normal)
		v.add(string(c), normal)
	}
	for _, word := range strings.Fields(strings.ToLower(speech)) {
		v.add("▁"+strings.Trim(word, ".,:;!"), normal)
	}
	return v
}

// qwen3Network is a causal model whose last token's state is the text's vector.
func qwen3Network(name string) *network {
	const layers, heads, kvHeads, headSize = 2, 4, 2, 32
	n := &network{seed: 4, width: width, vocab: bytePair("qwen2"), kind: F16}
	n.general("qwen3", name)
	n.shape("qwen3", layers, heads, kvHeads, headSize)
	n.Set("qwen3.pooling_type", uint32(3)) // last
	n.vocab.write(&n.File)
	n.Set("tokenizer.ggml.add_eos_token", true)
	n.add("token_embd.weight", n.kind, n.tokenTable(), width, len(n.vocab.tokens))
	n.vector("output_norm.weight", 1, width)
	for i := range layers {
		n.vector(block(i, "attn_norm.weight"), 1, width)
		n.matrix(block(i, "attn_q.weight"), 1, width, heads*headSize)
		n.matrix(block(i, "attn_k.weight"), 1, width, kvHeads*headSize)
		n.matrix(block(i, "attn_v.weight"), 1, width, kvHeads*headSize)
		// The last token is the same in every text: here the layers must tell.
		n.matrix(block(i, "attn_output.weight"), 4, heads*headSize, width)
		n.vector(block(i, "attn_q_norm.weight"), 1, headSize)
		n.vector(block(i, "attn_k_norm.weight"), 1, headSize)
		n.vector(block(i, "ffn_norm.weight"), 1, width)
		n.feedForward(i)
	}
	return n
}
