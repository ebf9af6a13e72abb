// Package load is the screen that sets a model up and loads it: what can be
// chosen, what can't and why, and what it needs in every pool of memory.
package load

import (
	"time"

	"fyne.io/fyne/v2"

	"paddock/app/theme"
	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/library"
	"paddock/engine/plan"
)

// A State is everything the screen shows at one moment. It is a value: the
// presenter makes a new one for every change and never writes to an old one.
type State struct {
	Model     library.Model
	Title     string
	About     string // quantisation and size
	Kept      bool   // choices for this model are remembered
	Preparing bool   // the engine is being asked for its devices
	Finding   bool   // a preset is being looked for

	Plan    plan.Plan // complete: what Load would start
	Build   build.Build
	Builds  []Option
	Purpose []Option
	Devices []Device
	CPU     string // the processor's name
	Split   []Option
	Layers  Layers
	Context Context
	Cache   []Option // KV cache type, of K and V alike
	Flash   []Option
	Spec    Spec
	Compare Compare
	Vision  Vision
	Slots   []Option

	ModelNotes, PurposeNotes, DeviceNotes, SplitNotes, LayerNotes, ContextNotes []Note
	CacheNotes, SpecNotes, VisionNotes, BuildNotes                              []Note

	Memory   Memory
	Remedies []Remedy
	Searched bool   // for remedies: when it does not fit and there are none, none helps
	Applied  string // what a remedy or preset just changed and Undo takes back, empty when there is nothing
	Notice   Note   // what came of a preset, or went wrong with remembering
	Footer   Note   // why Load is off, or what to know before it
	Short    string // of Footer, where there is less room; empty for the same
	Off      bool   // Load can't be pressed
	Waiting  bool   // Load was pressed and waits for the measurement
}

// A Note is a line under a control.
type Note struct {
	Kind NoteKind
	Text string
	Undo bool   // a button beside it takes the last change back
	Rule string // a button beside it tries again what this rule remembers to have failed

	options, reason string // of choices that are off: their names, and why
}

// A NoteKind is the icon a note has.
type NoteKind int

// The kinds of note.
const (
	Off     NoteKind = iota // a choice that can't be made
	Caution                 // one that can, and may fail
	Good
	Info
	Failed
)

// An Option is one value of a setting. One that is off stays in its place; its
// reason is among the notes.
type Option struct {
	Value, Label string
	Short        string // of Label, where there is less room
	Chosen       bool
	Off          bool
	Caution      bool
}

// A Device is one the engine can use.
type Device struct {
	ID, Name    string
	About, Free string // id and free memory; free memory alone, where there is less room
	On          bool
}

// Layers is how many layers go to the graphics devices.
type Layers struct {
	Mode   string // LayersAuto, LayersAll or LayersNumber
	Number int    // in LayersNumber, and what the number box starts with
	Most   int    // layers the model has
	Off    bool   // there is no device to put them on
}

// The modes of Layers.
const (
	LayersAuto   = "auto"
	LayersAll    = "all"
	LayersNumber = "number"
)

// Spec is how tokens are guessed ahead.
type Spec struct {
	Rows    []SpecRow // of which one is chosen
	Ahead   []Option  // how many tokens at a time; beside the row that is chosen
	NGram   bool      // guesses from the text itself, too
	NoNGram bool      // that can't be chosen
}

// A SpecRow is a way of guessing. One that is off stays in its place.
type SpecRow struct {
	Kind   SpecKind
	Label  string
	About  string // what it guesses with: a file, or layers of the model
	Short  string // of About, where there is less room
	Chosen bool
	Off    bool
	Files  []Option // where there are several to choose from
	Drafts bool     // it guesses so many tokens ahead
	Notes  []Note
}

// A SpecKind is a way of guessing, with the place of its weights.
type SpecKind string

// The kinds, in their order on the screen.
const (
	SpecOff    SpecKind = "off"
	SpecMTP    SpecKind = "mtp"      // layers of the model
	SpecFile   SpecKind = "mtp-file" // the same in a file of their own
	SpecDraft  SpecKind = "draft"    // a smaller model
	SpecEAGLE3 SpecKind = "eagle3"
	SpecDFlash SpecKind = "dflash"
)

// Vision is what lets the model see, or hear, and where it runs.
type Vision struct {
	Modes []Option // VisionOff, plan.ProjectorGPU, plan.ProjectorCPU
	Name  string   // the projector and its size, empty when there is none
	Files []Option // where there are several to choose from
}

// VisionOff is the mode without a projector.
const VisionOff = "off"

// Context is the length of the context in tokens.
type Context struct {
	Tokens  int
	Least   int // at the left end of the slider
	Trained int // at its right end
	Fits    int // the longest one known to fit, 0 when not known
}

// Memory is what the plan needs in every pool.
type Memory struct {
	Measuring bool
	Known     bool      // Pools hold what the plan needs, not only what is taken already
	Actual    bool      // this very plan runs, and Pools have what it holds
	Problem   string    // why there is no measurement
	At        time.Time // of the measurement
	Age       string    // "measured by the engine 0.2 s ago", or that it is an estimate
	Pools     []Pool
	Sources   []string // sentences: where each number is from
}

// A Pool is memory that can run out, and what would be in it.
type Pool struct {
	ID, Name, About string
	Source          string // where its numbers are from
	TotalBytes      uint64
	OtherBytes      uint64 // held by other programs, or not to be had
	Slices          []Slice
	SharedBytes     uint64 // of RAM: what an integrated GPU holds of it
	Shared          string // name of that GPU's memory
	MarginBytes     uint64 // free, and better left so
	NeededBytes     uint64 // sum of the slices
	BufferBytes     uint64 // of NeededBytes, what the engine allocates as it loads: no overhead, no prompts kept
	ActualBytes     uint64 // what the engine says it holds, 0 when it does not run this plan
	Used            bool   // the plan needs something of it

	verdict Verdict
	bytes   uint64
	devices []string
}

// A Slice is one use of memory within a pool.
type Slice struct {
	Label  string
	Colour fyne.ThemeColorName
	Bytes  uint64
}

// A Verdict says whether a pool has room.
type Verdict int

// The verdicts.
const (
	Unused  Verdict = iota
	Unknown         // nothing says how large it is
	Fits
	Tight   // it has room, and goes into the safety margin
	TooMuch // it does not fit
)

// Verdict is the budget's. bytes is what is free (Unused), needed (Unknown), to
// spare (Fits), taken from the margin (Tight) or to be freed until it fits
// (TooMuch).
func (p Pool) Verdict() (v Verdict, bytes uint64) { return p.verdict, p.bytes }

// Worst is the verdict of the pool with the least room, and that pool.
func (m Memory) Worst() (Verdict, Pool) {
	var worst Pool
	verdict := Unused
	for _, p := range m.Pools {
		if v, _ := p.Verdict(); v > verdict {
			verdict, worst = v, p
		}
	}
	return verdict, worst
}

// hopeless says that the plan does not fit and no single change makes it fit.
func (s State) hopeless() bool {
	worst, _ := s.Memory.Worst()
	return worst == TooMuch && s.Searched && len(s.Remedies) == 0
}

// A Remedy is a change after which the plan fits.
type Remedy struct {
	Label string // what changes
	Cost  string // what it costs, or keeps
	Spare string // what is left
	Tight bool   // it goes into the safety margin
	Best  bool

	setting setting
	plan    plan.Plan
}

// sliceKinds are the slices in the order of the design, by the names the budget
// has for them.
var sliceKinds = []struct {
	names  []string
	label  string
	colour fyne.ThemeColorName
}{
	{[]string{budget.Weights}, "load.slice.weights", theme.SliceWeights},
	{[]string{budget.KV, budget.Recurrent}, "load.slice.kv", theme.SliceKV},
	{[]string{budget.Compute}, "load.slice.compute", theme.SliceCompute},
	{[]string{budget.Projector}, "load.slice.projector", theme.SliceProjector},
	{[]string{budget.Draft}, "load.slice.draft", theme.SliceDraft},
	{[]string{budget.Host}, "load.slice.host", theme.SliceHost},
	{[]string{budget.Overhead}, "load.slice.overhead", theme.SliceOverhead},
}
