// Package library finds models: it walks folders, reads the headers of GGUF
// files, and makes one row of every model, however many files it has.
package library

import (
	"context"
	"path/filepath"

	"paddock/engine/gguf"
)

// Sources are where to look. Nothing is ever written there.
type Sources struct {
	Folders []string // searched to the bottom for *.gguf
	Files   []string // read whatever they are called
	Apps    []App    // folders of other programs, which need not be there
}

// A Model is one row: a file, or the parts of a split set. A file that can't be
// used is a row too, with its Problem.
type Model struct {
	Facts        gguf.Facts
	Files        []string // that are there, in order
	Missing      []string // names of the parts of its set that are not
	SizeBytes    uint64   // of Files
	Capabilities []string
	Folder       string
	Source       string // the id of an app, or the folder of Sources.Folders; empty for one of Sources.Files
	Alias        string // what another app calls it, as Ollama's "llama3.2:1b"; empty when none does
	Problem      error  // a *gguf.Error or a *FileError, or nil
}

// Scan is what a Scanner without a cache does.
func Scan(ctx context.Context, sources Sources, found func(Model)) error {
	return new(Scanner).Scan(ctx, sources, found)
}

// One is the row of a single file, with the rest of its set.
func One(path string) Model {
	var model Model
	// Without folders, and never cancelled, it can't fail.
	_ = Scan(context.Background(), Sources{Files: []string{path}}, func(m Model) { model = m })
	return model
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}
