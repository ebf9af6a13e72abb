package gguftest

var (
	glmAirGhost = oneGhost("ghost-glm-4.5-air", "huggingface.co/zai-org/GLM-4.5-Air config.json", func() *ghost {
		return glmGhost("GLM 4.5 Air", ghostShape{layers: 46, nextN: 1, width: 4096, feed: 10944, heads: 96, kvHeads: 8, headSize: 128,
			tokens: 151552, context: 131072}, mixture{dense: 1, experts: 128, used: 8, feed: 1408}, false)
	})
	glm46Ghost = oneGhost("ghost-glm-4.6", "huggingface.co/zai-org/GLM-4.6 config.json", func() *ghost {
		return glmGhost("GLM 4.6", ghostShape{layers: 92, nextN: 1, width: 5120, feed: 12288, heads: 96, kvHeads: 8, headSize: 128,
			tokens: 151552, context: 202752}, mixture{dense: 3, experts: 160, used: 8, feed: 1536}, true)
	})
	gptOSS20BGhost = oneGhost("ghost-gpt-oss-20b", "huggingface.co/openai/gpt-oss-20b config.json", func() *ghost {
		return gptOSSGhost("gpt-oss 20B", 24, 32)
	})
	gptOSS120BGhost = oneGhost("ghost-gpt-oss-120b", "huggingface.co/openai/gpt-oss-120b config.json", func() *ghost {
		return gptOSSGhost("gpt-oss 120B", 36, 128)
	})
	deepSeekGhost = oneGhost("ghost-deepseek-v3", "huggingface.co/deepseek-ai/DeepSeek-V3 config.json", deepSeekV3)
)

// A mixture is what a mixture of experts has.
type mixture struct {
	dense         int // layers at the start without experts
	experts, used int
	feed          int // of one expert
}

func (g *ghost) mixture(m mixture) {
	g.key("leading_dense_block_count", uint32(m.dense))
	g.key("expert_count", uint32(m.experts))
	g.key("expert_used_count", uint32(m.used))
	g.key("expert_shared_count", uint32(1))
	g.key("expert_feed_forward_length", uint32(m.feed))
	g.key("expert_weights_norm", true)
	g.key("expert_gating_func", uint32(2)) // sigmoid
}

func glmGhost(name string, s ghostShape, m mixture, headNorms bool) *ghost {
	g := newGhost("glm4moe", name, s)
	g.mixture(m)
	g.key("rope.dimension_count", uint32(s.headSize/2))
	g.ends(s.tokens, true)
	for i := range s.layers + s.nextN {
		g.plain(i, "attn_norm", s.width)
		g.attention(i, s.heads, s.kvHeads, s.headSize)
		g.plain(i, "attn_q.bias", s.heads*s.headSize)
		g.plain(i, "attn_k.bias", s.kvHeads*s.headSize)
		g.plain(i, "attn_v.bias", s.kvHeads*s.headSize)
		if headNorms {
			g.headNorms(i, s.headSize)
		}
		g.plain(i, "post_attention_norm", s.width)
		if i < m.dense {
			g.feedForward(i, s.feed)
		} else {
			g.experts(i, m.experts, m.feed)
			g.plain(i, "exp_probs_b.bias", m.experts)
			g.sharedExpert(i, m.feed)
		}
		if i >= s.layers {
			g.nextN(i)
		}
	}
	return g
}

// gptOSSGhost has a window of 128 tokens in every other layer, and experts in
// MXFP4.
func gptOSSGhost(name string, layers, experts int) *ghost {
	const width, heads, kvHeads, headSize, window, used, tokens = 2880, 64, 8, 64, 128, 4, 201088
	g := newGhost("gpt-oss", name, ghostShape{layers: layers, width: width, feed: width, heads: heads, kvHeads: kvHeads, headSize: headSize,
		tokens: tokens, context: 131072})
	g.key("attention.sliding_window", uint32(window))
	g.key("expert_count", uint32(experts))
	g.key("expert_used_count", uint32(used))
	g.key("expert_feed_forward_length", uint32(width))
	g.most, g.better = Q8_0, Q8_0
	g.ends(tokens, true)
	linear := func(layer int, name string, in, out int) {
		g.matrix(layer, name, in, out)
		g.plain(layer, name+".bias", out)
	}
	for i := range layers {
		g.plain(i, "attn_norm", width)
		linear(i, "attn_q", width, heads*headSize)
		linear(i, "attn_k", width, kvHeads*headSize)
		linear(i, "attn_v", width, kvHeads*headSize)
		linear(i, "attn_output", heads*headSize, width)
		g.plain(i, "attn_sinks", heads)
		g.plain(i, "post_attention_norm", width)
		g.plain(i, "ffn_gate_inp", width, experts)
		g.plain(i, "ffn_gate_inp.bias", experts)
		for _, name := range []string{"ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"} {
			g.ghost(block(i, name+".weight"), MXFP4, width, width, experts)
			g.plain(i, name+".bias", width, experts)
		}
	}
	return g
}

// deepSeekV3 has latent attention: one compressed key of 512 and a rotated part
// of 64 a token, and no values.
func deepSeekV3() *ghost {
	const layers, width, feed, heads, tokens = 61, 7168, 18432, 128, 129280
	const queryRank, rank, rotated, key, value = 1536, 512, 64, 128, 128
	m := mixture{dense: 3, experts: 256, used: 8, feed: 2048}
	g := newGhost("deepseek2", "DeepSeek V3", ghostShape{layers: layers, width: width, feed: feed, heads: heads, kvHeads: 1,
		tokens: tokens, context: 163840})
	g.mixture(m)
	g.key("attention.q_lora_rank", uint32(queryRank))
	g.key("attention.kv_lora_rank", uint32(rank))
	g.key("attention.key_length", uint32(rank+rotated))
	g.key("attention.value_length", uint32(rank))
	g.key("attention.key_length_mla", uint32(key+rotated))
	g.key("attention.value_length_mla", uint32(value))
	g.key("rope.dimension_count", uint32(rotated))
	g.key("expert_weights_scale", float32(2.5))
	g.ends(tokens, true)
	for i := range layers {
		g.plain(i, "attn_norm", width)
		g.matrix(i, "attn_q_a", width, queryRank)
		g.plain(i, "attn_q_a_norm", queryRank)
		g.matrix(i, "attn_q_b", queryRank, heads*(key+rotated))
		g.matrix(i, "attn_kv_a_mqa", width, rank+rotated)
		g.plain(i, "attn_kv_a_norm", rank)
		g.matrix(i, "attn_k_b", key, rank, heads)
		g.matrix(i, "attn_v_b", rank, value, heads)
		g.matrix(i, "attn_output", heads*value, width)
		g.plain(i, "ffn_norm", width)
		if i < m.dense {
			g.feedForward(i, feed)
			continue
		}
		g.experts(i, m.experts, m.feed)
		g.plain(i, "exp_probs_b.bias", m.experts)
		g.sharedExpert(i, m.feed)
	}
	return g
}
