package picture

import (
	"io"
	"os"
)

// Likely reports whether a file begins as a picture does, of a kind that is read
// or of one that is known and isn't. A file that can't be read is none.
func Likely(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	start := make([]byte, sniffBytes)
	n, err := io.ReadFull(file, start)
	if err != nil && err != io.ErrUnexpectedEOF {
		return false
	}
	kind, _ := sniff(start[:n])
	return kind != ""
}
