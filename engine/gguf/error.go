package gguf

import "fmt"

// A Problem is one way a file fails to be a GGUF file we can read.
type Problem string

// The problems.
const (
	Missing     Problem = "missing"      // nothing at that path
	Directory   Problem = "directory"    // a folder
	Permission  Problem = "permission"   // we may not read it
	Unreadable  Problem = "unreadable"   // not a regular file, or the disk says no
	Empty       Problem = "empty"        // zero bytes
	NotGGUF     Problem = "not-gguf"     // some other kind of file
	WrongEndian Problem = "wrong-endian" // a big-endian file
	OldVersion  Problem = "old-version"  // GGUF 1, or a format from before GGUF
	NewVersion  Problem = "new-version"  // a GGUF version newer than we know
	Truncated   Problem = "truncated"    // shorter than its header says
	Absurd      Problem = "absurd"       // the header contradicts itself, or claims what no file can hold
	OldType     Problem = "old-type"     // a tensor type ggml has removed
	NewType     Problem = "new-type"     // a tensor type newer than we know, or a fork's own
	MissingPart Problem = "missing-part" // a split set is not complete
)

// What a file that is NotGGUF is, as Detail says it: the things people take for a
// model, or get instead of one.
const (
	LFSPointer = "a Git LFS pointer"
	ZipArchive = "a zip archive"
	WebPage    = "a web page"
)

// NotRegular is the Detail of what is Unreadable because it is a pipe, a device
// or a socket.
const NotRegular = "not a regular file"

// An Error says what is wrong with a file, and where in it.
type Error struct {
	Path         string
	Problem      Problem
	Detail       string // what was found, safe to show
	Offset       int64  // of the byte in question; 0 when there is none
	MissingBytes uint64 // how much a truncated file lacks; 0 when its header does not get far enough to say
	Err          error  // the system's own error, if any
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %s", e.Path, e.Problem)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if e.Offset > 0 {
		text += fmt.Sprintf(" (byte %d)", e.Offset)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }
