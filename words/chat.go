package words

import (
	"path/filepath"

	"paddock/engine/chat"
	"paddock/engine/gguf"
)

// chatError is the sentence for conversations that can't be read or kept, or a file
// to import.
func chatError(e *chat.Error) Sentence {
	return Of("chats."+string(e.Problem), map[string]any{
		"File": base(e.Path), "Folder": gguf.Printable(filepath.Dir(e.Path)), "Detail": clause(e.Detail), "Reason": Reason(e.Err),
	})
}
