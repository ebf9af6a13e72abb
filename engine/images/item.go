// Package images is the picture job: many pictures and one instruction, answered by
// the loaded model that sees. A Set keeps the pictures and what was said of each, also
// over restarts; a Job goes through them.
package images

import (
	"time"

	"paddock/engine/picture"
)

// An ID names a picture in its set, also after a restart.
type ID int

// A Phase is how far a picture is.
type Phase string

// The phases.
const (
	Waiting Phase = "waiting" // for a job, or in one for its turn
	Running Phase = "running"
	Done    Phase = "done"
	Edited  Phase = "edited" // its text is the user's
	Failed  Phase = "failed" // Err says why
)

// An Item is a picture of a set and what was said of it. It is a value: a change
// makes a new one.
type Item struct {
	ID     ID
	Path   string // from the root; of a pasted picture, the set's own copy
	Name   string // of the file, or what a pasted picture was called
	Pasted bool
	Phase  Phase

	Text   string        // what was said, or what the user made of it; empty before. A job keeps it until it has a new one
	Cut    bool          // Text ends at the most tokens a run allowed
	Prompt string        // what Text answers
	Took   time.Duration // from the question to the end of the answer
	Notes  []picture.Note
	Err    error // of Failed: a *picture.Error, *client.Error or *Error
	// Changed is that the file has become another picture since Text was made. Only
	// Refresh and Add find out.
	Changed bool

	Partial string // of Running, what has come so far
	Pieces  int    // of Running, how many pieces that came in, about one a token

	file   fileState
	edited bool // Text is the user's, also when a run after it failed
}

// A fileState is a file as it was when it was looked at.
type fileState struct {
	Bytes    uint64
	Modified time.Time
	SHA256   string // of what is in it, empty until it was read whole
}

// Own says whether Text is the user's, also where a run after it failed.
func (i *Item) Own() bool { return i.edited }

// settled is the phase of a picture no job has to do with.
func (i *Item) settled() Phase {
	switch {
	case i.Err != nil:
		return Failed
	case i.edited:
		return Edited
	case i.Prompt != "":
		return Done
	}
	return Waiting
}

// Counts are how many pictures are in each phase.
type Counts struct{ Waiting, Running, Done, Edited, Failed int }

func (c *Counts) add(p Phase) {
	switch p {
	case Waiting:
		c.Waiting++
	case Running:
		c.Running++
	case Done:
		c.Done++
	case Edited:
		c.Edited++
	case Failed:
		c.Failed++
	}
}

// A State is a set at one moment. It is a value, and what it points to is never
// changed: an item that is the same pointer as before is the same.
type State struct {
	Items  []*Item // in the order they were added
	Counts Counts
	Job    *Progress // of the job that runs, or of the latest; nil before the first
	Run    Run       // of the latest job, also after a restart; empty before the first
	// Next is what the user is about to ask, as SetNext was told, also after a restart; nil
	// when it was told nothing.
	Next *Run
	// Interrupted is how many pictures that job was not through with when the program
	// ended; Resume goes on with them. 0 when it came to its end or was cancelled.
	Interrupted int
	// Unsaved is why the set is not written, a *Error; nil when it is, or is not to be
	// kept. With Unkept that holds until the set is opened anew, else it is tried again.
	Unsaved error
}
