// Package images is the Images tab: many pictures, one instruction, and what the
// loaded model says of each.
package images

import (
	"path/filepath"

	"paddock/app/widgets"
	job "paddock/engine/images"
)

// A State is what the tab shows at one moment. It is never changed: a change makes
// a new one.
type State struct {
	Opening bool        // the kept pictures are being read
	Items   []*job.Item // never changed: the same pointer is the same picture and text
	Counts  job.Counts
	At      int // the chosen picture, -1 for none

	Instruction Instruction
	Saved       []Saved // instructions of the user's own
	Run         Running
	Vision      Vision
	Standing    []Note // what holds on: why the run stands still, why nothing is saved
	Note        Note   // what became of what was done last
	Undo        bool   // Note is about something that can be taken back
	Busy        string // what is under way beside the run, empty for nothing
	Question    *Question

	twins map[job.ID]string // names of pictures whose file has the name of another's
}

// Item is the chosen picture, nil for none.
func (s State) Item() *job.Item {
	if s.At < 0 || s.At >= len(s.Items) {
		return nil
	}
	return s.Items[s.At]
}

// Name is what a picture is called in the list.
func (s State) Name(i *job.Item) string { return nameOf(i, s.twins) }

// Folder is the chosen picture's, empty for none and for a pasted one.
func (s State) Folder() string {
	if i := s.Item(); i != nil && !i.Pasted {
		return filepath.Dir(i.Path)
	}
	return ""
}

// An Instruction is what the next run asks.
type Instruction struct {
	Preset    string // id of the preset it began with, empty for one's own
	Prompt    string
	Edited    bool // it isn't the preset's own text
	MaxTokens int  // of an answer
	// Temperature is 0 where the same picture is to get the same text again.
	Temperature float64
	MaxSide     int // longest side of the pictures in pixels, 0 for the usual one
}

// Running is how far a run is, and what can be done about it.
type Running struct {
	On     bool // a job is there that has not ended
	Paused bool
	Asking int     // pictures the model is asked about
	Left   int     // pictures the run is not through with
	Done   float64 // of 1
	Count  string  // of a run that goes on
	Line   string
	Off    string // why no run can begin, empty when one can
	Bad    bool   // the engine is why it doesn't go on; a standing note says more
	// Interrupted is how many pictures a run of last time is not through with, which
	// can be resumed; 0 for none. Other is the same of one that had another instruction.
	Interrupted, Other int
}

// Vision says whether the loaded model sees, and what to do when not.
type Vision struct {
	Sees bool
	Text string   // empty while it sees
	Set  []string // names of models to set up, the first ones only
}

// A Note says what became of something.
type Note struct {
	Kind widgets.ReasonKind
	Text string
}

// A Question is asked before something is overwritten or goes.
type Question struct {
	Title, Text string
	Choices     []Choice // the last one is the usual one
}

// A Choice is an answer to a question beside "Cancel".
type Choice struct {
	Label    string
	Danger   bool // what the user wrote goes
	Replaces bool // what the model said goes
	do       func()
}

// A Saved is an instruction of the user's own that was kept for later.
type Saved struct {
	Name      string
	Prompt    string
	MaxTokens int // of an answer, 0 for as many as fit
}
