package documenttest

import (
	"os"
	"path/filepath"
)

// Translations is a folder for document.CacheIn that all tests share. With Go's race
// detector translating pdfium takes the better part of a minute, and every test
// program would do it anew. It is "" outside the module's folder.
func Translations() string {
	folder, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return filepath.Join(folder, "build", "pdfium")
		}
		above := filepath.Dir(folder)
		if above == folder {
			break
		}
		folder = above
	}
	return ""
}
