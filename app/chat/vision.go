package chat

import (
	"strings"

	"paddock/engine"
)

// maxPictureTokens bounds what one picture is taken to be.
const maxPictureTokens = 16384

// pictureTokens is about how many tokens pictures take with the loaded model, by
// what its projector's header says. It is 0 when no model is loaded that sees.
func (p *Presenter) pictureTokens(pictures ...sizeOf) int {
	if p.loaded.Phase != engine.Ready || !p.sees {
		return 0
	}
	encoder := p.loaded.Given.Projector(p.loaded.Plan)
	tokens := 0
	for _, picture := range pictures {
		if encoder == nil {
			tokens += 576 // of the most common kind
			continue
		}
		e := encoder.Encoder
		tokens += tokensOf(e.Type, e.ImageSize, e.PatchSize, e.Merge, picture)
	}
	return tokens
}

// tokensOf is how many tokens an encoder makes of a picture. Sizes are in pixels,
// merge is how many patches a side become one token.
func tokensOf(kind string, imageSize, patch, merge int, p sizeOf) int {
	if patch <= 0 {
		return 576
	}
	if merge <= 0 {
		merge = mergeOf(kind)
	}
	across, down := imageSize/patch/merge, imageSize/patch/merge
	if p.Width > 0 && keepsSize(kind) {
		step := patch * merge
		across, down = (p.Width+step-1)/step, (p.Height+step-1)/step
	}
	return min(max(across*down, 1), maxPictureTokens)
}

// keepsSize tells whether an encoder cuts a picture as large as it is; others scale
// all to one size.
func keepsSize(kind string) bool {
	for _, family := range []string{"qwen", "pixtral", "lfm2", "kimi", "glm4v", "youtu", "paddleocr", "dots"} {
		if strings.Contains(kind, family) {
			return true
		}
	}
	return false
}

// mergeOf is what is known of families whose header doesn't say.
func mergeOf(kind string) int {
	switch {
	case kind == "gemma3", kind == "idefics3":
		return 4
	case strings.Contains(kind, "qwen"), kind == "internvl", kind == "llama4", kind == "lfm2", kind == "kimivl", kind == "glm4v":
		return 2
	}
	return 1
}
