// Package get is the page that finds models at the Hugging Face hub, or a mirror
// of it, and downloads them. Nothing is asked of the network before the user
// asks.
package get

import (
	"paddock/engine/hub"
)

// A State is everything the page shows at one moment. It is a value: the
// presenter makes a new one for every change and never writes to an old one.
type State struct {
	Host string // of the hub, empty until it is known

	Query     string // what was searched for last
	Searching bool
	Rows      []Row
	At        int  // the row the keyboard is on, -1 for none
	More      bool // there are more than Rows
	Note      Note // about the search

	Repo      string // the repository whose files are shown, empty for none
	About     string
	Listing   bool // its files are being asked for
	Files     []FileRow
	FileAt    int // the chosen one, -1 for none
	FilesNote Note

	Folder string // for downloads, as people write it
	Offer  Offer
	Jobs   []Job // the one that runs first, then those that wait, then the latest
}

// A Row is a repository that was found.
type Row struct {
	ID, Name, Owner string
	About           string // downloads, likes, when it was updated
	Gated           bool
	Opened          bool // its files are shown
}

// A FileRow is a file of the repository, or a set of them.
type FileRow struct {
	Label   string // quantisation, or what it is
	Name    string
	Size    string
	Parts   int
	Verdict Verdict
	Here    string // what of it is on this computer, empty for nothing
	Whole   bool   // all of it is
	Off     string // why it can't be downloaded, empty when it can

	item hub.Item
	at   int // in the presenter's list
}

// A Verdict says whether a file would fit into this machine's memory, going by
// its size alone.
type Verdict struct {
	Fit  Fit
	Text string
}

// A Fit is the kind of a verdict.
type Fit int

// The verdicts.
const (
	Unknown  Fit = iota
	Fits         // into the memory of a graphics card
	Slow         // into the computer's memory only
	TooLarge     // into none
)

// A Note is a line that says something, with what there is to do about it.
type Note struct {
	Kind NoteKind
	Text string
}

// A NoteKind is the icon a note has.
type NoteKind int

// The kinds of note.
const (
	Info NoteKind = iota
	Good
	Caution
	Off
	Failed
)

// An Offer is what the button under the files would do.
type Offer struct {
	Label string // empty for no button
	Off   bool
	SetUp bool // it sets up and loads what is there already
	Note  Note
}

// A Job is a download, under way or not.
type Job struct {
	ID    int
	Title string // the file and its repository
	Kind  NoteKind
	Line  string  // how far it is, or what went wrong
	Done  float64 // 0 to 1
	Runs  bool
	Does  []Action // what can be done with it, the first most wanted
}

// An Action is something to do with a download.
type Action string

// The actions. Their values are the keys of their words.
const (
	Cancel  Action = "get.cancel"
	Resume  Action = "get.resume"
	Again   Action = "get.again" // what failed
	Discard Action = "get.discard"
	Sure    Action = "get.discard.sure" // what Discard asks
	Keep    Action = "get.discard.keep"
	SetUp   Action = "get.setUp"
	Dismiss Action = "get.dismiss"
)
