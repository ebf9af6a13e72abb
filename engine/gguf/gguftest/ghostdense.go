package gguftest

import "paddock/engine/gguf"

var (
	// 32 layers of 4096, 32 heads and 8 of keys, feed-forward of 14336.
	llama8BGhost = oneGhost("ghost-llama-8b", "huggingface.co/meta-llama/Llama-3.1-8B config.json", func() *ghost {
		return llamaGhost("Llama 3.1 8B", ghostShape{layers: 32, width: 4096, feed: 14336, heads: 32, kvHeads: 8, tokens: 128256, context: 131072})
	})
	// 80 layers of 8192, 64 heads and 8 of keys, feed-forward of 28672.
	llama70BGhost = oneGhost("ghost-llama-70b", "huggingface.co/meta-llama/Llama-3.3-70B-Instruct config.json", llama70B)
	// The same, in three files.
	llama70BSplitGhost = Ghost{Spec{"ghost-llama-70b-split", gguf.Model, func() []*File {
		return split(&llama70B().File, 3, false)
	}}, llama70BGhost.Source}

	gemma431BGhost = oneGhost("ghost-gemma4-31b", "llama.cpp's log of Gemma 4 31B in ggml-org/llama.cpp#21760 and kyuz0/amd-strix-halo-toolboxes#89; huggingface.co/google/gemma-4-31B-it config.json", func() *ghost {
		return gemma4Ghost("Gemma 4 31B", ghostShape{layers: 60, width: 5376, feed: 21504, heads: 32, tokens: 262144, context: 262144},
			gemma4Sizes{window: 1024, kvHeads: 16, globalKVHeads: 4})
	})
	// The last 18 of 42 layers use the keys and values of earlier ones.
	gemma4E4BGhost = oneGhost("ghost-gemma4-e4b", "llama.cpp's log of Gemma 4 E4B in ollama/ollama#18123; huggingface.co/google/gemma-4-E4B-it config.json", func() *ghost {
		return gemma4Ghost("Gemma 4 E4B", ghostShape{layers: 42, width: 2560, feed: 10240, heads: 8, tokens: 262144, context: 131072},
			gemma4Sizes{window: 512, kvHeads: 2, globalKVHeads: 2, shared: 18, perLayer: 256})
	})
	gemma4A4BGhost = oneGhost("ghost-gemma4-26b-a4b", "huggingface.co/google/gemma-4-26B-A4B-it config.json", func() *ghost {
		return gemma4Ghost("Gemma 4 26B A4B", ghostShape{layers: 30, width: 2816, feed: 2112, heads: 16, tokens: 262144, context: 262144},
			gemma4Sizes{window: 1024, kvHeads: 8, globalKVHeads: 2, experts: 128, used: 8, expertFeed: 704})
	})

	// XLM-RoBERTa large, for texts of 8192 tokens.
	bgeM3Ghost = oneGhost("ghost-bge-m3", "huggingface.co/BAAI/bge-m3 config.json", func() *ghost {
		const layers, width, feed, heads, tokens, context = 24, 1024, 4096, 16, 250002, 8192
		g := newGhost("bert", "BGE M3", ghostShape{layers: layers, width: width, feed: feed, heads: heads, kvHeads: heads, tokens: tokens, context: context})
		g.most, g.better = F16, F16
		g.key("attention.layer_norm_epsilon", float32(1e-5))
		g.key("attention.causal", false)
		g.key("pooling_type", uint32(2)) // cls
		g.Set("tokenizer.ggml.token_type_count", uint32(1))
		g.ghost("token_embd.weight", F16, width, tokens)
		g.ghost("token_types.weight", F32, width, 1)
		g.ghost("position_embd.weight", F32, width, context)
		norm := func(name string) {
			g.ghost(name+".weight", F32, width)
			g.ghost(name+".bias", F32, width)
		}
		linear := func(layer int, name string, in, out int) {
			g.matrix(layer, name, in, out)
			g.plain(layer, name+".bias", out)
		}
		norm("token_embd_norm")
		for i := range layers {
			for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
				linear(i, name, width, width)
			}
			norm(block(i, "attn_output_norm"))
			linear(i, "ffn_up", width, feed)
			linear(i, "ffn_down", feed, width)
			norm(block(i, "layer_output_norm"))
		}
		return g
	})
)

func llama70B() *ghost {
	return llamaGhost("Llama 3.3 70B", ghostShape{layers: 80, width: 8192, feed: 28672, heads: 64, kvHeads: 8, tokens: 128256, context: 131072})
}

func llamaGhost(name string, s ghostShape) *ghost {
	g := newGhost("llama", name, s)
	headSize := s.width / s.heads
	g.key("rope.dimension_count", uint32(headSize))
	g.ends(s.tokens, true)
	g.ghost("rope_freqs.weight", F32, headSize/2)
	for i := range s.layers {
		g.plain(i, "attn_norm", s.width)
		g.attention(i, s.heads, s.kvHeads, headSize)
		g.plain(i, "ffn_norm", s.width)
		g.feedForward(i, s.feed)
	}
	return g
}

// A gemma4Sizes is what Gemma 4 has beside the common shape: heads of 256 in layers
// with a window, of 512 in every sixth, which sees everything.
type gemma4Sizes struct {
	window, kvHeads, globalKVHeads int
	shared                         int // layers at the end without keys and values of their own
	perLayer                       int // width of the embeddings each layer has
	experts, used, expertFeed      int
}

func gemma4Ghost(name string, s ghostShape, x gemma4Sizes) *ghost {
	const local, global = 256, 512 // head sizes
	s.headSize = global
	g := newGhost("gemma4", name, s)
	g.key("attention.key_length_swa", uint32(local))
	g.key("attention.value_length_swa", uint32(local))
	g.key("attention.sliding_window", uint32(x.window))
	g.key("attention.shared_kv_layers", uint32(x.shared))
	g.key("embedding_length_per_layer_input", uint32(x.perLayer))
	g.key("rope.dimension_count", uint32(global))
	g.key("rope.dimension_count_swa", uint32(local))
	var windows []bool
	var kvHeads []int32
	for i := range s.layers {
		windows = append(windows, i%6 != 5)
		kvHeads = append(kvHeads, int32(x.kvHeads))
		if !windows[i] {
			kvHeads[i] = int32(x.globalKVHeads)
		}
	}
	g.key("attention.sliding_window_pattern", windows)
	g.key("attention.head_count_kv", kvHeads)
	if x.experts > 0 {
		g.key("expert_count", uint32(x.experts))
		g.key("expert_used_count", uint32(x.used))
		g.key("expert_feed_forward_length", uint32(x.expertFeed))
	}
	g.ends(s.tokens, false)
	g.ghost("rope_freqs.weight", F32, global/2)
	if x.perLayer > 0 {
		g.ghost("per_layer_token_embd.weight", Q6_K, x.perLayer*s.layers, s.tokens)
		g.ghost("per_layer_model_proj.weight", F16, s.width, x.perLayer*s.layers)
		g.ghost("per_layer_proj_norm.weight", F32, x.perLayer)
	}
	for i := range s.layers {
		headSize, keys := local, x.kvHeads
		if !windows[i] {
			headSize, keys = global, x.globalKVHeads
		}
		g.plain(i, "attn_norm", s.width)
		g.matrix(i, "attn_q", s.width, s.heads*headSize)
		g.matrix(i, "attn_k", s.width, keys*headSize)
		if windows[i] || x.perLayer > 0 { // else the keys serve as values
			g.mixed(i, "attn_v", s.width, keys*headSize)
		}
		g.matrix(i, "attn_output", s.heads*headSize, s.width)
		g.headNorms(i, headSize)
		g.plain(i, "post_attention_norm", s.width)
		g.plain(i, "layer_output_scale", 1)
		g.plain(i, "ffn_norm", s.width)
		g.feedForward(i, s.feed)
		g.plain(i, "post_ffw_norm", s.width)
		if x.experts > 0 {
			g.experts(i, x.experts, x.expertFeed)
			g.plain(i, "ffn_gate_inp.scale", s.width)
			g.plain(i, "pre_ffw_norm_2", s.width)
			g.plain(i, "post_ffw_norm_1", s.width)
			g.plain(i, "post_ffw_norm_2", s.width)
		}
		if x.perLayer > 0 {
			g.matrix(i, "inp_gate", s.width, x.perLayer)
			g.matrix(i, "proj", x.perLayer, s.width)
			g.plain(i, "post_norm", s.width)
		}
	}
	return g
}
