package assets

import _ "embed"

// Guide is the starter model and GuideDraft the draft for it, each a GGUF file.
// assets/starter says what they are and how they were made.
var (
	//go:embed starter/guide.gguf
	Guide []byte
	//go:embed starter/guide-draft.gguf
	GuideDraft []byte
)
