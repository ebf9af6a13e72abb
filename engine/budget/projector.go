package budget

import (
	"paddock/engine/gguf"
	"paddock/engine/plan"
)

// encoder counts the encoder of pictures or sounds: its weights, and what it
// computes with.
func (e *estimate) encoder() {
	if e.projector == nil {
		return
	}
	e.add(e.projectorAt(), Projector, e.projector.WeightsBytes+encoderBytes(*e.projector))
}

// projectorAt is the pool a projector is in: the first device's, or RAM.
func (e *estimate) projectorAt() int {
	if len(e.devices) > 0 && e.Plan.ProjectorDevice != plan.ProjectorCPU {
		return 0
	}
	return e.ram()
}

// dynamicTokens is the picture the engine prepares for where pictures keep their
// shape: 46 by 46 tokens (warmup_image_size in tools/mtmd/clip.cpp).
const dynamicTokens = 46 * 46

// encoderBytes is about what a vision encoder computes with: for every patch its
// feed-forward net and three times its width, in 32 bits. That was within a
// hundredth of what the engine says for SigLIP (Gemma 3) and for Qwen 3.6's
// encoder; others are not known to differ by more than a third. Larger pictures
// than the engine prepares for take more.
func encoderBytes(f gguf.Facts) uint64 {
	v := f.Encoder
	if v.PatchSize == 0 {
		return 0
	}
	side := v.ImageSize / v.PatchSize
	patches := side * side
	if v.Merge > 0 {
		patches = dynamicTokens * v.Merge * v.Merge
	}
	return uint64(patches) * uint64(v.FeedForward+3*f.EmbeddingLength) * 4
}
