package gguftest

import (
	"fmt"
	"path/filepath"
	"testing"

	"paddock/engine/gguf"
)

// A Spec is a GGUF model the package can make.
type Spec struct {
	Name  string // file name without .gguf
	Kind  gguf.Kind
	files func() []*File // more than one for a split set
}

// Write writes the model's file, or files, into the folder and returns the path
// of the first.
func (s Spec) Write(dir string) (string, error) {
	files := s.files()
	path := func(i int) string {
		name := s.Name
		if len(files) > 1 {
			name = fmt.Sprintf("%s-%05d-of-%05d", s.Name, i+1, len(files))
		}
		return filepath.Join(dir, name+".gguf")
	}
	for i, f := range files {
		if err := f.Write(path(i)); err != nil {
			return "", err
		}
	}
	return path(0), nil
}

// File is the model as a file in memory, to be changed by a test. It is the
// first part of a split set.
func (s Spec) File() *File { return s.files()[0] }

func (s Spec) temporary(tb testing.TB) string {
	tb.Helper()
	path, err := s.Write(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	return path
}
