// Package models is the tab that lists the GGUF files Paddock knows, says what
// each one is, and hands the chosen one to Set up and load.
package models

// A State is everything the tab shows at one moment. It is a value: the
// presenter makes a new one for every change and never writes to an old one.
type State struct {
	Rows     []*Row   // what passes the filter, in order; never written to
	Sources  []Source // the chips, All first
	Source   string   // id of the chosen chip
	Filter   string
	Sort     Sort
	Selected Row  // the zero Row when nothing is selected
	At       int  // index of Selected in Rows, -1 when it is not among them
	Card     Card // whether the selected model fits
	Room     Room // of this machine, for who has no models yet
	First    bool // the user has no models yet, but for the built-in one
	Blank    bool // it is not known yet whether there are any
	Scanning bool // models may still be added to Rows
	Scan     Progress
	Total    Totals
	Apps     []AppPlace   // where other apps keep models, nil until that is known
	Usual    []UsualPlace // folders to offer who has no models yet
	Notice   string       // a sentence about the last thing that went wrong
	Undo     Undo         // what was just taken out of the list
	Hashes   map[string]Hash
}

// A Progress is how far a scan has come.
type Progress struct {
	Folder string // where the last file was found, as the user reads it
	Files  int
}

// Totals count every model known, whatever the filter hides.
type Totals struct {
	Models     int
	Companions int
	Troubles   int    // folders that can't be read
	SizeBytes  uint64 // of models and companions
}

// Rows is how many rows there would be without a filter and without what is
// shown twice.
func (t Totals) Rows() int { return t.Models + t.Companions + t.Troubles }

// A Source is one chip: all models, those of one folder or app, or those opened
// one by one.
type Source struct {
	ID    string // sourceAll, sourceOpened, sourceBuiltIn, a folder's path or an app's id
	Label string
	Count int
}

// The sources that are neither a folder nor an app.
const (
	sourceAll     = ""
	sourceOpened  = "opened"
	sourceBuiltIn = "built in"
)

// An AppPlace is an app whose models are listed, and where it keeps them.
type AppPlace struct {
	Name   string
	Folder string // as people write it; of several one that exists
	There  bool   // it exists
}

// An Undo is a row that was taken out of the list and can come back.
type Undo struct {
	Path string // of the row, empty when there is nothing to undo
	Name string
}

// Empty says why there are no rows to show.
type Empty int

// The reasons.
const (
	NotEmpty     Empty = iota
	FirstStart         // nothing was ever added, and other apps have nothing either
	NothingFound       // the folders hold no GGUF file
	NoMatch            // the filter hides everything
)

// Empty is why there are no rows, NotEmpty while there are some or while a scan
// may still bring them.
func (s State) Empty() Empty {
	switch {
	case s.First:
		return FirstStart
	case len(s.Rows) > 0:
		return NotEmpty
	case s.Total.Rows() > 0:
		return NoMatch
	case s.Scanning:
		return NotEmpty
	default:
		return NothingFound
	}
}
