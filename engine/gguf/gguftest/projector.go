package gguftest

import "fmt"

// Sizes of the vision encoders. A picture of 64 by 64 is cut into 16 patches,
// and they become 4 tokens.
const (
	eyesWidth   = 64
	eyesLayers  = 2
	eyesHeads   = 2
	eyesForward = 128
	eyesImage   = 64
	eyesPatch   = 16
	eyesMerge   = 2
)

// encoder is a vision encoder without what projects its output.
func encoder(kind, name string) *network {
	n := &network{seed: 6, width: eyesWidth, kind: F16}
	n.general("clip", name)
	n.Set("general.type", "mmproj")
	n.Set("clip.has_vision_encoder", true)
	n.Set("clip.projector_type", kind)
	n.Set("clip.use_gelu", true)
	n.Set("clip.vision.image_size", uint32(eyesImage))
	n.Set("clip.vision.patch_size", uint32(eyesPatch))
	n.Set("clip.vision.embedding_length", uint32(eyesWidth))
	n.Set("clip.vision.feed_forward_length", uint32(eyesForward))
	n.Set("clip.vision.block_count", uint32(eyesLayers))
	n.Set("clip.vision.attention.head_count", uint32(eyesHeads))
	n.Set("clip.vision.attention.layer_norm_epsilon", float32(1e-6))
	n.Set("clip.vision.projection_dim", uint32(width))
	n.Set("clip.vision.image_mean", []float32{0.5, 0.5, 0.5})
	n.Set("clip.vision.image_std", []float32{0.5, 0.5, 0.5})

	n.matrix("v.patch_embd.weight", 1, eyesPatch, eyesPatch, 3, eyesWidth)
	n.vector("v.patch_embd.bias", 0, eyesWidth)
	n.kind = F32
	n.matrix("v.position_embd.weight", push, eyesWidth, eyesImage/eyesPatch*eyesImage/eyesPatch)
	n.kind = F16
	n.layerNorm("v.post_ln")
	return n
}

// eyesLayer is a layer of the encoder, without what makes its queries, keys and
// values.
func (n *network) eyesLayer(i int) {
	n.layerNorm(eyesBlock(i, "ln1"))
	n.linear(eyesBlock(i, "attn_out"), eyesWidth, eyesWidth)
	n.layerNorm(eyesBlock(i, "ln2"))
	n.linear(eyesBlock(i, "ffn_up"), eyesWidth, eyesForward)
	n.linear(eyesBlock(i, "ffn_down"), eyesForward, eyesWidth)
}

func eyesBlock(layer int, part string) string { return fmt.Sprintf("v.blk.%d.%s", layer, part) }

// siglip is an encoder with queries, keys and values apart, as Gemma 3 has it.
func siglip(kind, name string) *network {
	n := encoder(kind, name)
	n.Set("clip.vision.projector.scale_factor", uint32(eyesMerge))
	for i := range eyesLayers {
		n.eyesLayer(i)
		for _, part := range []string{"attn_q", "attn_k", "attn_v"} {
			n.linear(eyesBlock(i, part), eyesWidth, eyesWidth)
		}
	}
	return n
}

// gemma3Projector gives vectors of any width.
func gemma3Projector(name string, width int) *network {
	n := siglip("gemma3", name)
	n.Set("clip.vision.projection_dim", uint32(width))
	n.vector("mm.soft_emb_norm.weight", 1, eyesWidth)
	n.matrix("mm.input_projection.weight", 1, width, eyesWidth)
	return n
}

// llavaProjector gives a vector for each of the 16 patches.
func llavaProjector(name string) *network {
	n := siglip("mlp", name)
	n.linear("mm.0", eyesWidth, width)
	n.linear("mm.2", width, width)
	return n
}

func qwen3VLProjector(name string) *network {
	n := encoder("qwen3vl_merger", name)
	n.Set("clip.vision.spatial_merge_size", uint32(eyesMerge))
	n.Set("clip.vision.is_deepstack_layers", make([]bool, eyesLayers))
	n.matrix("v.patch_embd.weight.1", 1, eyesPatch, eyesPatch, 3, eyesWidth)
	for i := range eyesLayers {
		n.eyesLayer(i)
		n.linear(eyesBlock(i, "attn_qkv"), eyesWidth, 3*eyesWidth)
	}
	n.linear("mm.0", eyesMerge*eyesMerge*eyesWidth, eyesMerge*eyesMerge*eyesWidth)
	n.linear("mm.2", eyesMerge*eyesMerge*eyesWidth, width)
	return n
}
