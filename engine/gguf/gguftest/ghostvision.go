package gguftest

import (
	"fmt"

	"paddock/engine/gguf"
)

var (
	siglipGhost = Ghost{Spec{"ghost-gemma3-mmproj", gguf.Projector, func() []*File {
		return []*File{&visionGhost(vision{
			name: "Gemma 3 27B vision", kind: "gemma3", layers: 27, width: 1152, feed: 4304, heads: 16, image: 896, patch: 14, output: 5376,
		}).File}
	}}, "huggingface.co/google/gemma-3-27b-it config.json"}
	qwenVisionGhost = Ghost{Spec{"ghost-qwen3.6-mmproj", gguf.Projector, func() []*File {
		return []*File{&visionGhost(vision{
			name: "Qwen3.6 35B A3B vision", kind: "qwen3vl_merger", layers: 27, width: 1152, feed: 4304, heads: 16, image: 768, patch: 16, merge: 2, output: 2048,
		}).File}
	}}, "huggingface.co/Qwen/Qwen3.6-35B-A3B config.json"}
)

// A vision is the sizes of a vision encoder.
type vision struct {
	name, kind                  string
	layers, width, feed, heads  int
	image, patch, merge, output int
}

// visionGhost is a vision transformer in half precision, with what projects its
// output to the width of a model.
func visionGhost(v vision) *network {
	n := &network{width: v.width}
	n.general("clip", v.name)
	n.Set("general.type", "mmproj")
	n.Set("clip.has_vision_encoder", true)
	n.Set("clip.projector_type", v.kind)
	n.Set("clip.use_gelu", true)
	n.Set("clip.vision.image_size", uint32(v.image))
	n.Set("clip.vision.patch_size", uint32(v.patch))
	n.Set("clip.vision.embedding_length", uint32(v.width))
	n.Set("clip.vision.feed_forward_length", uint32(v.feed))
	n.Set("clip.vision.block_count", uint32(v.layers))
	n.Set("clip.vision.attention.head_count", uint32(v.heads))
	n.Set("clip.vision.attention.layer_norm_epsilon", float32(1e-6))
	n.Set("clip.vision.projection_dim", uint32(v.output))
	n.Set("clip.vision.image_mean", []float32{0.5, 0.5, 0.5})
	n.Set("clip.vision.image_std", []float32{0.5, 0.5, 0.5})
	linear := func(name string, in, out int) {
		n.ghost(name+".weight", F16, in, out)
		n.ghost(name+".bias", F32, out)
	}
	norm := func(name string, width int) {
		n.ghost(name+".weight", F32, width)
		n.ghost(name+".bias", F32, width)
	}
	n.ghost("v.patch_embd.weight", F16, v.patch, v.patch, 3, v.width)
	n.ghost("v.patch_embd.bias", F32, v.width)
	side := v.image / v.patch
	n.ghost("v.position_embd.weight", F32, v.width, side*side)
	for i := range v.layers {
		name := func(part string) string { return fmt.Sprintf("v.blk.%d.%s", i, part) }
		norm(name("ln1"), v.width)
		if v.merge > 0 {
			linear(name("attn_qkv"), v.width, 3*v.width)
		} else {
			for _, part := range []string{"attn_q", "attn_k", "attn_v"} {
				linear(name(part), v.width, v.width)
			}
		}
		linear(name("attn_out"), v.width, v.width)
		norm(name("ln2"), v.width)
		linear(name("ffn_up"), v.width, v.feed)
		linear(name("ffn_down"), v.feed, v.width)
	}
	norm("v.post_ln", v.width)
	if v.merge == 0 {
		n.ghost("mm.soft_emb_norm.weight", F32, v.width)
		n.ghost("mm.input_projection.weight", F16, v.output, v.width)
		return n
	}
	n.Set("clip.vision.spatial_merge_size", uint32(v.merge))
	n.ghost("v.patch_embd.weight.1", F16, v.patch, v.patch, 3, v.width)
	n.ghost("mm.0.weight", F16, v.width*v.merge*v.merge, v.width*v.merge*v.merge)
	n.ghost("mm.0.bias", F32, v.width*v.merge*v.merge)
	n.ghost("mm.2.weight", F16, v.width*v.merge*v.merge, v.output)
	n.ghost("mm.2.bias", F32, v.output)
	return n
}

// VisionGhosts are the ghosts of projectors.
func VisionGhosts() []Ghost { return []Ghost{siglipGhost, qwenVisionGhost} }
