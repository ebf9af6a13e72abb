package widgets

import "fyne.io/fyne/v2"

// A Key is a key that does something in a tab, for the status line.
type Key struct{ Cap, Text string }

// A Tab is what the window's shell shows between its bars.
type Tab interface {
	Content() fyne.CanvasObject
	Show()       // it is the tab on view now
	Hide()       // another one is
	Keys() []Key // the four or five keys that matter in it
	Fact() string
	Shortcut(fyne.Shortcut) bool // false when it has no use for it
}
