package gguftest

import "slices"

var (
	qwen36Ghost = oneGhost("ghost-qwen3.6-35b-a3b", "llama.cpp's log of Qwen3.6-35B-A3B with MTP in ggml-org/llama.cpp#23269", func() *ghost {
		return qwen35Ghost("Qwen3.6 35B A3B", ghostShape{layers: 40, nextN: 1, width: 2048, feed: 512, heads: 16, kvHeads: 2, headSize: 256,
			tokens: 248320, context: 262144}, 32, Q4_K)
	})
	qwen122BGhost = oneGhost("ghost-qwen3.5-122b-a10b", "huggingface.co/Qwen/Qwen3.5-122B-A10B config.json", func() *ghost { return qwen122B(Q4_K) })

	graniteGhost = oneGhost("ghost-granite-4.0-h-small", "llama.cpp's log of granite-4.0-h-small in ollama/ollama#12982; huggingface.co/ibm-granite/granite-4.0-h-small config.json", granite4HSmall)
	lfm2Ghost    = oneGhost("ghost-lfm2-1.2b", "huggingface.co/LiquidAI/LFM2-1.2B config.json", lfm2)
)

func qwen122B(most uint32) *ghost {
	return qwen35Ghost("Qwen3.5 122B A10B", ghostShape{layers: 48, nextN: 1, width: 3072, feed: 1024, heads: 32, kvHeads: 2, headSize: 256,
		tokens: 248320, context: 262144}, 64, most)
}

// qwen35Ghost has gated delta nets in three of four layers, 256 experts of which
// 8 are used, a shared one, and a layer for multi-token prediction.
func qwen35Ghost(name string, s ghostShape, valueHeads int, most uint32) *ghost {
	const interval, experts, used, state, keyHeads, kernel = 4, 256, 8, 128, 16, 4
	inner, mixed := valueHeads*state, valueHeads*state+2*keyHeads*state
	g := newGhost("qwen35moe", name, s)
	g.most = most
	g.key("full_attention_interval", uint32(interval))
	g.key("rope.dimension_count", uint32(64))
	g.key("rope.dimension_sections", []int32{11, 11, 10, 0})
	g.key("ssm.conv_kernel", uint32(kernel))
	g.key("ssm.state_size", uint32(state))
	g.key("ssm.group_count", uint32(keyHeads))
	g.key("ssm.time_step_rank", uint32(valueHeads))
	g.key("ssm.inner_size", uint32(inner))
	g.key("expert_count", uint32(experts))
	g.key("expert_used_count", uint32(used))
	g.key("expert_feed_forward_length", uint32(s.feed))
	g.key("expert_shared_feed_forward_length", uint32(s.feed))
	g.ends(s.tokens, true)
	for i := range s.layers + s.nextN {
		g.plain(i, "attn_norm", s.width)
		g.plain(i, "post_attention_norm", s.width)
		if i < s.layers && (i+1)%interval != 0 {
			g.fine(i, "attn_qkv", s.width, mixed)
			g.matrix(i, "attn_gate", s.width, inner)
			g.plain(i, "ssm_conv1d", kernel, mixed)
			g.plain(i, "ssm_dt.bias", valueHeads)
			g.plain(i, "ssm_a", valueHeads)
			g.matrix(i, "ssm_beta", s.width, valueHeads)
			g.matrix(i, "ssm_alpha", s.width, valueHeads)
			g.plain(i, "ssm_norm", state)
			g.matrix(i, "ssm_out", inner, s.width)
		} else {
			g.matrix(i, "attn_q", s.width, 2*s.heads*s.headSize) // also makes a gate
			g.matrix(i, "attn_k", s.width, s.kvHeads*s.headSize)
			g.mixed(i, "attn_v", s.width, s.kvHeads*s.headSize)
			g.matrix(i, "attn_output", s.heads*s.headSize, s.width)
			g.headNorms(i, s.headSize)
		}
		g.experts(i, experts, s.feed)
		g.plain(i, "ffn_gate_inp_shexp", s.width)
		g.sharedExpert(i, s.feed)
		if i >= s.layers {
			g.nextN(i)
		}
	}
	return g
}

// granite4HSmall has Mamba 2 in all layers but four, and a mixture of experts in
// all.
func granite4HSmall() *ghost {
	const layers, width, feed, sharedFeed, heads, kvHeads, headSize, tokens = 40, 4096, 768, 1536, 32, 8, 128, 100352
	const experts, used, kernel, state, groups, stateHeads, inner = 72, 10, 4, 128, 1, 128, 8192
	g := newGhost("granitehybrid", "Granite 4.0 H Small", ghostShape{layers: layers, width: width, feed: feed, heads: heads, tokens: tokens, context: 131072})
	attention := []int{5, 15, 25, 35}
	g.key("attention.head_count_kv", perLayer(layers, attention, kvHeads))
	g.key("ssm.conv_kernel", uint32(kernel))
	g.key("ssm.state_size", uint32(state))
	g.key("ssm.group_count", uint32(groups))
	g.key("ssm.inner_size", uint32(inner))
	g.key("ssm.time_step_rank", uint32(stateHeads))
	g.key("expert_count", uint32(experts))
	g.key("expert_used_count", uint32(used))
	g.key("expert_shared_feed_forward_length", uint32(sharedFeed))
	for _, scale := range []string{"embedding_scale", "residual_scale", "attention.scale", "logit_scale"} {
		g.key(scale, float32(1))
	}
	g.key("rope.dimension_count", uint32(headSize))
	g.ends(tokens, false)
	for i := range layers {
		g.plain(i, "attn_norm", width)
		if slices.Contains(attention, i) {
			g.attention(i, heads, kvHeads, headSize)
		} else {
			const mixed = inner + 2*groups*state
			g.matrix(i, "ssm_in", width, inner+mixed+stateHeads)
			g.plain(i, "ssm_conv1d", kernel, mixed)
			g.plain(i, "ssm_conv1d.bias", mixed)
			g.plain(i, "ssm_dt.bias", stateHeads)
			g.plain(i, "ssm_a", 1, stateHeads)
			g.plain(i, "ssm_d", 1, stateHeads)
			g.plain(i, "ssm_norm", inner/groups, groups)
			g.matrix(i, "ssm_out", inner, width)
		}
		g.plain(i, "ffn_norm", width)
		g.experts(i, experts, feed)
		g.sharedExpert(i, sharedFeed)
	}
	return g
}

// lfm2 has short convolutions in ten of sixteen layers, the first two among them:
// the array of key heads starts with zeroes.
func lfm2() *ghost {
	const layers, width, feed, heads, kvHeads, headSize, tokens, kernel = 16, 2048, 8192, 32, 8, 64, 65536, 3
	g := newGhost("lfm2", "LFM2 1.2B", ghostShape{layers: layers, width: width, feed: feed, heads: heads, tokens: tokens, context: 128000})
	attention := []int{2, 5, 8, 10, 12, 14}
	g.key("attention.head_count_kv", perLayer(layers, attention, kvHeads))
	g.key("shortconv.l_cache", uint32(kernel))
	g.ghost("token_embd.weight", Q6_K, width, tokens)
	g.ghost("token_embd_norm.weight", F32, width)
	for i := range layers {
		g.plain(i, "attn_norm", width)
		if slices.Contains(attention, i) {
			g.attention(i, heads, kvHeads, headSize)
			g.headNorms(i, headSize)
		} else {
			g.matrix(i, "shortconv.in_proj", width, 3*width)
			g.plain(i, "shortconv.conv.weight", kernel, width)
			g.matrix(i, "shortconv.out_proj", width, width)
		}
		g.plain(i, "ffn_norm", width)
		g.feedForward(i, feed)
	}
	return g
}

// perLayer is an array of a value where a layer is in the list, and of zeroes.
func perLayer(layers int, list []int, value int32) []int32 {
	all := make([]int32, layers)
	for _, i := range list {
		all[i] = value
	}
	return all
}
