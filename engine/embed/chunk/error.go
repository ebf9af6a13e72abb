package chunk

import (
	"fmt"

	"paddock/engine/embed/document"
)

// A Problem is why a text can't be cut.
type Problem string

// The problems.
const (
	BadStrategy Problem = "badStrategy" // Strategy is none
	BadOverlap  Problem = "badOverlap"  // of Strategy: more than half of a chunk
	NoRoom      Problem = "noRoom"      // prefix and special tokens alone fill the limit
	TooLong     Problem = "tooLong"     // partial: a single character has more tokens than the limit
)

// An Error is a text that can't be cut as it was asked for.
type Error struct {
	Problem  Problem
	Strategy string         // of BadStrategy and BadOverlap
	Place    document.Place // of TooLong
	Partial  bool           // the rest of the document can be cut
	// Of NoRoom and TooLong, in tokens: what it takes, and what there may be.
	Tokens, LimitTokens int
}

func (e *Error) Error() string {
	switch e.Problem {
	case BadStrategy, BadOverlap:
		return fmt.Sprintf("chunks %q: %s", e.Strategy, e.Problem)
	case TooLong:
		return fmt.Sprintf("chunk at byte %d: %s: %d of %d tokens", e.Place.Start, e.Problem, e.Tokens, e.LimitTokens)
	}
	return fmt.Sprintf("chunks: %s: %d of %d tokens", e.Problem, e.Tokens, e.LimitTokens)
}
