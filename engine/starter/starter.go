// Package starter gives the engine the model that is compiled into the program:
// the Guide, which knows about running models and about Paddock, and nothing
// else. The engine reads files, so the Guide becomes one.
package starter

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"paddock/assets"
	"paddock/diskfile"
)

// The Guide's files in the folder Install fills.
const (
	File      = "guide.gguf"
	DraftFile = "guide-draft.gguf"
)

// SizeBytes is how large the Guide is.
var SizeBytes = uint64(len(assets.Guide))

// An Error says that the Guide's files could not be written, where and why.
type Error struct {
	Folder string
	Err    error
}

func (e *Error) Error() string { return fmt.Sprintf("write the Guide to %s: %v", e.Folder, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// Folder is where the Guide's files are, for a cache folder.
func Folder(cache string) string { return filepath.Join(cache, "starter") }

// Path is where Install puts the Guide.
func Path(cache string) string { return filepath.Join(Folder(cache), File) }

// Install writes the Guide and its draft into Folder(cache), unless they are
// there already, and returns the Guide's path. A file that differs, of another
// version or cut short, is replaced. An error is an *Error.
func Install(cache string) (string, error) {
	folder := Folder(cache)
	path := Path(cache)
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		err = install(path, assets.Guide)
	}
	if err == nil {
		err = install(filepath.Join(folder, DraftFile), assets.GuideDraft)
	}
	if err != nil {
		return "", &Error{Folder: folder, Err: err}
	}
	return path, nil
}

func install(path string, content []byte) error {
	if there, err := os.ReadFile(path); err == nil && bytes.Equal(there, content) {
		return nil
	}
	// Under another name first: an engine may be reading the old one.
	return diskfile.ReplaceBytes(path, 0o600, content)
}
