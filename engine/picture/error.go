package picture

import "fmt"

// A Problem is why a picture can't be used.
type Problem string

// The problems.
const (
	Missing     Problem = "missing"     // there is no such file
	Unreadable  Problem = "unreadable"  // the system does not let us, or it is a folder or a pipe
	Empty       Problem = "empty"       // no byte
	NotAPicture Problem = "notAPicture" // Looks says what it is
	Unsupported Problem = "unsupported" // a picture, of a Kind or a feature nobody here reads
	Broken      Problem = "broken"      // a picture that ends too early, or is damaged
	TooLarge    Problem = "tooLarge"    // its file, its pixels, or the memory they would take
	TooSmall    Problem = "tooSmall"    // a side has fewer than MinSide pixels
)

// A Likeness is what a file that is no picture looks like.
type Likeness string

// The likenesses. The empty one is of a file nothing is known of.
const (
	LooksText    Likeness = "text"
	LooksWebPage Likeness = "webPage"
	LooksPDF     Likeness = "pdf"
	LooksArchive Likeness = "archive" // or a document, which is one
	LooksVideo   Likeness = "video"
	LooksAudio   Likeness = "audio"
	LooksModel   Likeness = "model"
	LooksProgram Likeness = "program"
)

// An Error is a picture that can't be used.
type Error struct {
	Problem Problem
	Path    string // as the source had it, may be empty
	Kind    Kind   // "" when it is not known
	Looks   Likeness
	// Of the picture as far as they were read, in pixels.
	Width, Height int
	// Of TooLarge, what is too much and what may be: pixels, or when they are 0
	// bytes of the file, or of memory when Memory is set.
	Pixels, LimitPixels uint64
	Bytes, LimitBytes   uint64
	Memory              bool

	Err error
}

func (e *Error) Error() string {
	text := fmt.Sprintf("picture %q: %s", e.Path, e.Problem)
	for _, detail := range []string{string(e.Kind), string(e.Looks)} {
		if detail != "" {
			text += ", " + detail
		}
	}
	if e.Width > 0 {
		text += fmt.Sprintf(", %d x %d", e.Width, e.Height)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }
