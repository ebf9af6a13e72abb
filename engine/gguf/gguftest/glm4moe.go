package gguftest

// glm4MoENetwork is a GLM-4 of dense layers, with one of experts at the end for
// multi-token prediction. The GLM-4 that sees turns positions in sections.
func glm4MoENetwork(name string, sections bool) *network {
	const trunk, heads, kvHeads, headSize, experts = 2, 4, 2, 32, 4
	n := &network{seed: 11, width: width, vocab: bytePair("glm4"), kind: F16}
	n.general("glm4moe", name)
	n.shape("glm4moe", trunk+1, heads, kvHeads, headSize)
	n.Set("glm4moe.nextn_predict_layers", uint32(1))
	n.Set("glm4moe.rope.dimension_count", uint32(headSize/2))
	if sections {
		n.Set("glm4moe.rope.dimension_sections", []int32{4, 2, 2, 0})
	}
	n.Set("glm4moe.expert_count", uint32(experts))
	n.Set("glm4moe.expert_used_count", uint32(2))
	n.Set("glm4moe.expert_shared_count", uint32(1))
	n.Set("glm4moe.expert_feed_forward_length", uint32(feedForward/4))
	n.Set("glm4moe.leading_dense_block_count", uint32(trunk))
	n.vocab.write(&n.File)
	n.Set("tokenizer.chat_template", chatTemplate)
	n.embeddings()
	n.vector("output_norm.weight", 1, width)
	for i := range trunk + 1 {
		n.vector(block(i, "attn_norm.weight"), 1, width)
		n.attention(i, heads*headSize, kvHeads*headSize)
		n.vector(block(i, "post_attention_norm.weight"), 1, width)
		if i < trunk {
			n.feedForward(i)
		}
	}
	const inner = feedForward / 4
	n.matrix(block(trunk, "ffn_gate_inp.weight"), 1, width, experts)
	n.vector(block(trunk, "exp_probs_b.bias"), 0, experts)
	n.matrix(block(trunk, "ffn_gate_exps.weight"), 1, width, inner, experts)
	n.matrix(block(trunk, "ffn_up_exps.weight"), 1, width, inner, experts)
	n.matrix(block(trunk, "ffn_down_exps.weight"), push, inner, width, experts)
	n.matrix(block(trunk, "ffn_gate_shexp.weight"), 1, width, inner)
	n.matrix(block(trunk, "ffn_up_shexp.weight"), 1, width, inner)
	n.matrix(block(trunk, "ffn_down_shexp.weight"), push, inner, width)
	n.nextN(trunk)
	return n
}
