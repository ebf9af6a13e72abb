package words

import (
	"os"
	"path/filepath"
	"strings"

	"paddock/engine/gguf"
)

// Path is a path as people write it, with ~ for their own folder, safe to show.
func Path(path string) string {
	home, err := os.UserHomeDir()
	if err == nil && home != string(filepath.Separator) {
		if rest, ok := strings.CutPrefix(path, home); ok && (rest == "" || rest[0] == filepath.Separator) {
			path = "~" + rest
		}
	}
	return gguf.Printable(path)
}
