package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

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

// Ctrl is the key of a shortcut that is one key with Ctrl, on macOS with Command; of any
// other it is empty.
func Ctrl(s fyne.Shortcut) fyne.KeyName {
	custom, ok := s.(*desktop.CustomShortcut)
	if !ok || custom.Modifier != fyne.KeyModifierShortcutDefault {
		return ""
	}
	return custom.KeyName
}
