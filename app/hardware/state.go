// Package hardware is the tab that shows the machine as Paddock sees it: its
// memory and who holds it, its processor and graphics cards, and what the engine
// builds make of them.
package hardware

import (
	"fyne.io/fyne/v2"

	"paddock/app/theme"
	"paddock/engine/build"
	"paddock/words"
)

// A State is everything the tab shows at one moment.
type State struct {
	Cards   []Card
	Devices Table
	Reading bool // nothing is known yet
	Sources bool // cards say where each of their numbers is from
}

// A Card is one graphics card, or RAM with the processor.
type Card struct {
	Icon   theme.IconName
	Title  string
	Badge  string // "Shares RAM"
	About  string
	Big    bool   // the number is the one that matters on this machine
	Number string // GiB, empty when not known
	Usable string // what the number is
	Of     string
	Bar    []Slice
	Total  uint64
	Margin uint64 // bytes kept free for the system
	Free   string // legend of what is left
	Sum    []Term // how the number comes about
	Users  []Term // who holds the memory
	Facts  []Fact
	Note   string
	Raise  Raise
	Source []Fact // where the numbers are from, when that is wanted
}

// A Slice is a part of a card's bar, with its line in the legend.
type Slice struct {
	Colour fyne.ThemeColorName
	Bytes  uint64
	Text   string
}

// A Term is a line of a sum: a name, a number of GiB, what is to be said of it.
type Term struct {
	Name, GiB, Note string
	Result          bool
}

// A Fact is a line of a card.
type Fact struct{ Name, Value string }

// A Raise is a kernel line that would let a card reach more memory.
type Raise struct{ Title, Text, Line string }

// Kept is the legend of what is kept free, empty when nothing is.
func (c Card) Kept() string {
	if c.Margin == 0 {
		return ""
	}
	return words.T("hardware.slice.kept", gib(c.Margin))
}

// A Table says what each engine build calls the machine's devices.
type Table struct {
	Heads   []string
	Rows    [][]string // as many cells as heads
	Asking  bool       // a build has not answered yet
	Problem string     // why there is no table
}

// Seen is what an engine build says the machine has.
type Seen struct {
	Build   build.Build
	Devices []build.Device
	Err     error // why it could not be asked
}

func gib(bytes uint64) map[string]any { return map[string]any{"GiB": words.GiB(bytes)} }

// join puts a dot between the parts there are.
func join(parts ...string) string {
	text := ""
	for _, part := range parts {
		if part == "" {
			continue
		}
		if text != "" {
			text += " · "
		}
		text += part
	}
	return text
}
