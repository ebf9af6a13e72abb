package words

import (
	"errors"

	"paddock/engine/gguf"
	"paddock/engine/images"
)

// imagesErrors are why a picture job does not start, with their keys.
var imagesErrors = map[error]string{
	images.ErrBusy: "images.busy", images.ErrNothing: "images.nothing", images.ErrNoPrompt: "images.noPrompt",
}

// imagesError is the sentence for what the picture job has errors of its own for.
func imagesError(err error) (Sentence, bool) {
	for known, key := range imagesErrors {
		if errors.Is(err, known) {
			return Of(key, nil), true
		}
	}
	var failed *images.Error
	if !errors.As(err, &failed) {
		return Sentence{}, false
	}
	return Of("images."+string(failed.Problem), map[string]any{
		"File": base(failed.Path), "Path": gguf.Printable(failed.Path), "Reason": Reason(failed.Err), "SetAside": base(failed.SetAside),
	}), true
}
