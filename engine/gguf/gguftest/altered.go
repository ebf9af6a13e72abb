package gguftest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// Altered is Llama with the first of one text in its file replaced by another.
func Altered(tb testing.TB, from, to string) string {
	tb.Helper()
	data, err := os.ReadFile(Llama(tb))
	if err != nil {
		tb.Fatal(err)
	}
	changed := bytes.Replace(data, []byte(from), []byte(to), 1)
	if bytes.Equal(changed, data) {
		tb.Fatalf("%q is not in the file", from)
	}
	path := filepath.Join(tb.TempDir(), "altered.gguf")
	if err := os.WriteFile(path, changed, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}
