// Package embeddings is the tab that turns files into vectors and searches them.
// The Presenter decides; the Tab draws its State.
package embeddings

import (
	"slices"
	"time"

	"paddock/engine"
	"paddock/engine/embed"
	"paddock/engine/embed/chunk"
	"paddock/engine/embed/document"
	"paddock/engine/library"
)

// A Preview is what the first chunks of a file will be.
type Preview struct {
	Path    string // empty for none
	Chunks  []embed.Chunk
	At      int  // the one on view
	More    bool // the file has more than these
	Making  bool
	Problem string // why there are none
	Info    document.Info
}

// A Row is a file of the list.
type Row struct {
	Path      string
	Name      string // below the folder it was found in, or its own
	SizeBytes uint64
	embed.FileState
}

// problems are all there is to say about the file.
func (r Row) problems() []error {
	if r.Err != nil {
		return append([]error{r.Err}, r.Problems...)
	}
	return r.Problems
}

// A Run is how far the vectors are.
type Run string

// What a run does.
const (
	Idle      Run = "idle"
	Preparing Run = "preparing" // the model's file is hashed
	Working   Run = "working"   // Job says more
	Paused    Run = "paused"
	Ended     Run = "ended" // Job says how
)

// An Offer is what can be done about what stopped a run.
type Offer string

// The offers.
const (
	NoOffer   Offer = ""
	GoOn      Offer = "goOn"      // from where it was
	StartOver Offer = "startOver" // the earlier run had other settings
	WriteOver Offer = "writeOver" // a file of that name is there
)

// Choices are what the user sets before a run.
type Choices struct {
	Strategy chunk.Strategy
	Reading  document.Options
	Patterns document.Patterns
	Settings embed.Settings
	Formats  []embed.Format
	Folder   string // outputs go there
	Name     string // without an ending
}

// A Note is a sentence, and whether it is about something that went wrong.
type Note struct {
	Text string
	Bad  bool
}

// A Hit is a passage that was found.
type Hit struct {
	embed.Hit
	Text string // in one line
}

// A State is what the tab shows. It is never changed: the next one is another.
type State struct {
	Engine  engine.State
	Ready   bool            // vectors can be made
	Models  []library.Model // that make vectors, to choose from
	Refused error           // why the loaded model makes none
	Width   int             // dimensions of its vectors, 0 when unknown
	Shorter []int           // what they may be cut to
	Limit   int             // most tokens of a chunk, 0 when unknown
	Choices Choices
	Own     bool // prefix and the like were changed by hand
	// What was typed as folder or name and is not taken, in a sentence.
	FolderProblem, NameProblem string
	Sources                    []string
	Rows                       []Row
	At                         int // the chosen row, -1 for none
	Listing                    bool
	Unlisted                   []error // what could not be listed
	LeftOut                    int     // files that Paddock wrote itself
	Unkept                     error   // why the list is not there after a restart
	Damaged                    error   // what became of the list of an earlier Paddock, until a run begins
	Preview                    Preview

	Run      Run
	Job      embed.State
	Problem  error
	Offer    Offer
	Loading  bool          // the run's model, to go on then
	Left     time.Duration // negative until it is known
	RunModel string        // name of the model of the run
	Stranger bool          // another one than the run's is loaded, or loaded in another way

	Index     string // the file that is searched, empty for none
	Meta      embed.Meta
	Vectors   int // in the index
	Files     []embed.IndexFile
	Only      string // search in this file only; empty for all
	Query     string
	Searching bool
	Took      time.Duration
	Hits      []Hit
	Note      Note // about the search

	Points     []embed.Point
	Mapping    bool
	Asked      embed.Point // the question on the map
	AskedThere bool
	Passage    embed.Row // of the point chosen on the map
	PassageOn  bool
	Region     int   // how many points were chosen together
	RegionHits []Hit // the first of them
}

// Runs says whether a run has begun and not ended.
func (s State) Runs() bool { return s.Run == Preparing || s.Run == Working || s.Run == Paused }

// Searchable says whether the run writes what can be searched.
func (c Choices) Searchable() bool { return c.has(embed.SQLite) }

func (c Choices) has(f embed.Format) bool {
	return slices.Contains(c.Formats, f)
}
