package chat

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"paddock/app/widgets"
)

// A textArea takes several lines of text in a dialog. Tab leaves it, and the
// window gets the keys it has no use for.
type textArea struct {
	widget.Entry
}

func newTextArea(placeholder string, rows int, changed func(string)) *textArea {
	a := &textArea{}
	a.MultiLine, a.Wrapping, a.Scroll = true, fyne.TextWrapWord, container.ScrollVerticalOnly
	a.PlaceHolder = placeholder
	a.OnChanged = changed
	a.ExtendBaseWidget(a)
	a.SetMinRowsVisible(rows)
	return a
}

// AcceptsTab is no: Tab moves the focus on.
func (a *textArea) AcceptsTab() bool { return false }

// TypedKey edits; Escape goes to the window.
func (a *textArea) TypedKey(ev *fyne.KeyEvent) {
	if ev.Name == fyne.KeyEscape {
		widgets.PassKey(a, ev)
		return
	}
	a.Entry.TypedKey(ev)
}

// TypedShortcut edits, or gives the shortcut to the window.
func (a *textArea) TypedShortcut(s fyne.Shortcut) {
	if widgets.EntryKeeps(s) {
		a.Entry.TypedShortcut(s)
		return
	}
	widgets.PassShortcut(a, s)
}
