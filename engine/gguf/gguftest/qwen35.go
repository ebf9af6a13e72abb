package gguftest

// Sizes of the gated delta net layers.
const (
	deltaState   = 32
	deltaKeys    = 2 // heads
	deltaValues  = 4 // heads
	deltaKernel  = 4
	deltaKeysDim = deltaState * deltaKeys
	deltaDim     = deltaState * deltaValues
)

// qwen35Network is a hybrid of recurrent and attention layers in turn, with one
// more layer at the end for multi-token prediction. With only mtp set that last
// layer is all there is, as in files of the head alone.
func qwen35Network(name string, experts int, mtpOnly bool) *network {
	architecture := "qwen35"
	if experts > 0 {
		architecture = "qwen35moe"
	}
	const trunk, heads, kvHeads, headSize = 4, 4, 2, 32
	n := &network{seed: 2, width: width, vocab: bytePair("qwen35"), kind: F16}
	n.general(architecture, name)
	n.shape(architecture, trunk+1, heads, kvHeads, headSize)
	p := architecture + "."
	n.Set(p+"nextn_predict_layers", uint32(1))
	n.Set(p+"rope.dimension_count", uint32(headSize/2))
	n.Set(p+"rope.dimension_sections", []int32{4, 2, 2, 0})
	n.Set(p+"full_attention_interval", uint32(2))
	n.Set(p+"ssm.conv_kernel", uint32(deltaKernel))
	n.Set(p+"ssm.state_size", uint32(deltaState))
	n.Set(p+"ssm.group_count", uint32(deltaKeys))
	n.Set(p+"ssm.time_step_rank", uint32(deltaValues))
	n.Set(p+"ssm.inner_size", uint32(deltaDim))
	if experts > 0 {
		n.Set(p+"expert_count", uint32(experts))
		n.Set(p+"expert_used_count", uint32(2))
		n.Set(p+"expert_feed_forward_length", uint32(feedForward/4))
		n.Set(p+"expert_shared_feed_forward_length", uint32(feedForward/4))
	}
	n.vocab.write(&n.File)
	n.Set("tokenizer.chat_template", chatTemplate)
	n.embeddings()
	n.vector("output_norm.weight", 1, width)

	layer := func(i int, recurrent bool) {
		n.vector(block(i, "attn_norm.weight"), 1, width)
		n.vector(block(i, "post_attention_norm.weight"), 1, width)
		if recurrent {
			n.deltaNet(i)
		} else {
			// The query matrix also makes a gate.
			n.matrix(block(i, "attn_q.weight"), 1, width, 2*heads*headSize)
			n.matrix(block(i, "attn_k.weight"), 1, width, kvHeads*headSize)
			n.matrix(block(i, "attn_v.weight"), 1, width, kvHeads*headSize)
			n.matrix(block(i, "attn_output.weight"), push, heads*headSize, width)
			n.vector(block(i, "attn_q_norm.weight"), 1, headSize)
			n.vector(block(i, "attn_k_norm.weight"), 1, headSize)
		}
		if experts > 0 {
			n.mixture(i, experts)
		} else {
			n.feedForward(i)
		}
	}
	if !mtpOnly {
		for i := range trunk {
			layer(i, i%2 == 0)
		}
	}
	layer(trunk, false)
	n.nextN(trunk)
	return n
}

func (n *network) deltaNet(layer int) {
	n.matrix(block(layer, "attn_qkv.weight"), 1, n.width, 2*deltaKeysDim+deltaDim)
	n.matrix(block(layer, "attn_gate.weight"), 1, n.width, deltaDim)
	kind := n.kind
	n.kind = F32
	n.matrix(block(layer, "ssm_conv1d.weight"), 1, deltaKernel, 2*deltaKeysDim+deltaDim)
	n.kind = kind
	n.vector(block(layer, "ssm_dt.bias"), 1, deltaValues)
	n.vector(block(layer, "ssm_a"), -1, deltaValues)
	n.matrix(block(layer, "ssm_beta.weight"), 1, n.width, deltaValues)
	n.matrix(block(layer, "ssm_alpha.weight"), 1, n.width, deltaValues)
	n.vector(block(layer, "ssm_norm.weight"), 1, deltaState)
	n.matrix(block(layer, "ssm_out.weight"), push, deltaDim, n.width)
}

func (n *network) mixture(layer, experts int) {
	const inner = feedForward / 4
	n.matrix(block(layer, "ffn_gate_inp.weight"), 1, n.width, experts)
	n.matrix(block(layer, "ffn_gate_exps.weight"), 1, n.width, inner, experts)
	n.matrix(block(layer, "ffn_up_exps.weight"), 1, n.width, inner, experts)
	n.matrix(block(layer, "ffn_down_exps.weight"), push, inner, n.width, experts)
	n.vector(block(layer, "ffn_gate_inp_shexp.weight"), 0, n.width)
	n.matrix(block(layer, "ffn_gate_shexp.weight"), 1, n.width, inner)
	n.matrix(block(layer, "ffn_up_shexp.weight"), 1, n.width, inner)
	n.matrix(block(layer, "ffn_down_shexp.weight"), push, inner, n.width)
}

// nextN makes the layer one for multi-token prediction. What it gets is the
// embedding of the newest token beside the state that led to it; it lets the
// first through and drops the second, and so predicts what the trunk will say.
func (n *network) nextN(layer int) {
	through := make([]float32, 2*n.width*n.width)
	for i := range n.width {
		through[i*2*n.width+i] = 1
	}
	n.add(block(layer, "nextn.eh_proj.weight"), n.kind, through, 2*n.width, n.width)
	n.vector(block(layer, "nextn.enorm.weight"), 1, n.width)
	n.vector(block(layer, "nextn.hnorm.weight"), 1, n.width)
	n.vector(block(layer, "nextn.shared_head_norm.weight"), 1, n.width)
}
