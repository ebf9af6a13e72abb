package document

import (
	"fmt"
)

// A Problem is why a file, or a part of it, can't be read.
type Problem string

// The problems.
const (
	Missing     Problem = "missing"     // there is no such file
	Unreadable  Problem = "unreadable"  // the system does not let us
	NotAFile    Problem = "notAFile"    // a folder, a pipe, a device
	Empty       Problem = "empty"       // no byte
	NoText      Problem = "noText"      // only pictures, or only blanks; of a page when Page is set
	Binary      Problem = "binary"      // no document: Looks says what it is
	Unsupported Problem = "unsupported" // a document of a kind nobody here reads: Looks says which
	Encrypted   Problem = "encrypted"   // a password, or a shop's lock
	Mixed       Problem = "mixed"       // more than one encoding in one file, or a byte none has
	BadEncoding Problem = "badEncoding" // Options.Encoding is none there is
	Broken      Problem = "broken"      // damaged, or it ends too early
	Bomb        Problem = "bomb"        // an archive that grows beyond LimitBytes, or to more than Limit times its size
	TooMany     Problem = "tooMany"     // an archive of more than Limit files
	TooDeep     Problem = "tooDeep"     // elements inside of more than Limit others
	TooLarge    Problem = "tooLarge"    // a row or a value beyond LimitBytes
	BrokenRow   Problem = "brokenRow"   // partial: Row and Line say which
	NoField     Problem = "noField"     // partial: a row without the text field
	NoColumn    Problem = "noColumn"    // the chosen column isn't there; Columns are
	PageFailed  Problem = "pageFailed"  // partial: a page that took too long, or failed
	NoReader    Problem = "noReader"    // what reads PDFs can't be started: the file may be whole
	Changed     Problem = "changed"     // the file is another than when it was opened
	LinkLoop    Problem = "linkLoop"    // a folder that contains itself by a link
	BadPattern  Problem = "badPattern"  // Path is the pattern
)

// An Error is a file, or a part of a file, that can't be read.
type Error struct {
	Problem Problem
	Path    string
	Kind    Kind   // "" when it is not known
	Looks   string // what it looks like instead: "pdf", "picture", "archive", "doc"…
	Partial bool   // the rest of the document can be read

	Line, Row, Page int    // from 1, 0 when they are not known
	Offset          int64  // bytes into the file, of Mixed, Binary and Broken, -1 or 0 when it is not known
	Column          string // of NoColumn
	Columns         []string
	LimitBytes      uint64 // of TooLarge and Bomb
	Limit           int    // of TooMany and TooDeep, and of Bomb where LimitBytes is 0

	Err error
}

func (e *Error) Error() string {
	text := fmt.Sprintf("document %q: %s", e.Path, e.Problem)
	for _, detail := range []string{string(e.Kind), e.Looks} {
		if detail != "" {
			text += ", " + detail
		}
	}
	for _, at := range []struct {
		what  string
		where int64
	}{{"page", int64(e.Page)}, {"row", int64(e.Row)}, {"line", int64(e.Line)}, {"byte", e.Offset}} {
		if at.where > 0 {
			text += fmt.Sprintf(", %s %d", at.what, at.where)
		}
	}
	if e.Column != "" {
		text += fmt.Sprintf(", no column %q", e.Column)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// recovered turns a panic of a library into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = &Error{Problem: Broken, Err: fmt.Errorf("panic: %v", p)}
	}
}
