package gguftest

import "fmt"

// projectorNetwork is a vision encoder whose output fits the models of the
// common width. It cuts a picture of 64 by 64 into 16 patches and makes 4
// tokens of them.
func projectorNetwork(name string) *network {
	const encoder, layers, heads, feed, image, patch, merge = 64, 2, 2, 128, 64, 16, 2
	n := &network{seed: 6, width: encoder, kind: F16}
	n.general("clip", name)
	n.Set("general.type", "mmproj")
	n.Set("clip.has_vision_encoder", true)
	n.Set("clip.projector_type", "gemma3")
	n.Set("clip.use_gelu", true)
	n.Set("clip.vision.image_size", uint32(image))
	n.Set("clip.vision.patch_size", uint32(patch))
	n.Set("clip.vision.embedding_length", uint32(encoder))
	n.Set("clip.vision.feed_forward_length", uint32(feed))
	n.Set("clip.vision.block_count", uint32(layers))
	n.Set("clip.vision.attention.head_count", uint32(heads))
	n.Set("clip.vision.attention.layer_norm_epsilon", float32(1e-6))
	n.Set("clip.vision.projection_dim", uint32(width))
	n.Set("clip.vision.projector.scale_factor", uint32(merge))
	n.Set("clip.vision.image_mean", []float32{0.5, 0.5, 0.5})
	n.Set("clip.vision.image_std", []float32{0.5, 0.5, 0.5})

	n.matrix("v.patch_embd.weight", 1, patch, patch, 3, encoder)
	n.vector("v.patch_embd.bias", 0, encoder)
	n.kind = F32
	n.matrix("v.position_embd.weight", push, encoder, image/patch*image/patch)
	n.kind = F16
	for i := range layers {
		name := func(part string) string { return fmt.Sprintf("v.blk.%d.%s", i, part) }
		n.layerNorm(name("ln1"))
		for _, part := range []string{"attn_q", "attn_k", "attn_v", "attn_out"} {
			n.linear(name(part), encoder, encoder)
		}
		n.layerNorm(name("ln2"))
		n.linear(name("ffn_up"), encoder, feed)
		n.linear(name("ffn_down"), feed, encoder)
	}
	n.layerNorm("v.post_ln")
	n.vector("mm.soft_emb_norm.weight", 1, encoder)
	n.matrix("mm.input_projection.weight", 1, width, encoder)
	return n
}
