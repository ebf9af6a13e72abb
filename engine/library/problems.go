package library

import (
	"errors"
	"fmt"
	"io/fs"
)

// A FolderKind is why a folder could not be read.
type FolderKind string

// The kinds.
const (
	FolderMissing    FolderKind = "missing"    // nothing at that path
	FolderPermission FolderKind = "permission" // we may not read it
	FolderNotFolder  FolderKind = "not-folder" // a file
	FolderNoAnswer   FolderKind = "no-answer"  // a network mount, or a disk, that hangs
	FolderUnreadable FolderKind = "unreadable" // the system says no for another reason
)

// A FolderError says which folder could not be read.
type FolderError struct {
	Path string
	Kind FolderKind
	Err  error
}

func (e *FolderError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("folder %s: %s", e.Path, e.Kind)
	}
	return fmt.Sprintf("folder %s: %s: %v", e.Path, e.Kind, e.Err)
}

func (e *FolderError) Unwrap() error { return e.Err }

var errNotFolder = errors.New("not a folder")

func newFolderError(path string, err error) *FolderError {
	e := &FolderError{Path: path, Kind: FolderUnreadable, Err: err}
	switch {
	case errors.Is(err, errNoAnswer):
		e.Kind = FolderNoAnswer
	case errors.Is(err, errNotFolder):
		e.Kind = FolderNotFolder
	case errors.Is(err, fs.ErrNotExist):
		e.Kind = FolderMissing
	case errors.Is(err, fs.ErrPermission):
		e.Kind = FolderPermission
	}
	return e
}

// A FileProblem is what is wrong with a file that its header can't say; the
// others are those of gguf.
type FileProblem string

// The problems.
const (
	FileNoAnswer   FileProblem = "no-answer"    // a network mount, or a disk, that hangs
	ManifestBroken FileProblem = "manifest"     // Ollama's note of what a model is made of can't be read
	BlobMissing    FileProblem = "blob-missing" // what Ollama's note names is not there
)

// A FileError says what is wrong with a file.
type FileError struct {
	Path    string
	Problem FileProblem
	Name    string // of Ollama's model
	Err     error
}

func (e *FileError) Error() string {
	text := fmt.Sprintf("%s: %s", e.Path, e.Problem)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *FileError) Unwrap() error { return e.Err }
