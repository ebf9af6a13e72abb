package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// A TextArea takes several lines of text. Tab leaves it, and the window gets the
// keys it has no use for.
type TextArea struct {
	widget.Entry
	OnEscape func() // nil: the window gets the key
}

// NewTextArea makes one of so many rows. changed is called with every edit.
func NewTextArea(placeholder string, rows int, changed func(string)) *TextArea {
	a := &TextArea{}
	a.MultiLine, a.Wrapping, a.Scroll = true, fyne.TextWrapWord, container.ScrollVerticalOnly
	a.PlaceHolder = placeholder
	a.OnChanged = changed
	a.ExtendBaseWidget(a)
	a.SetMinRowsVisible(rows)
	return a
}

// AcceptsTab is no: Tab moves the focus on.
func (a *TextArea) AcceptsTab() bool { return false }

// TypedKey edits, or leaves on Escape.
func (a *TextArea) TypedKey(ev *fyne.KeyEvent) {
	switch {
	case ev.Name != fyne.KeyEscape:
		a.Entry.TypedKey(ev)
	case a.OnEscape != nil:
		a.OnEscape()
	default:
		PassKey(a, ev)
	}
}

// TypedShortcut edits, or gives the shortcut to the window.
func (a *TextArea) TypedShortcut(s fyne.Shortcut) {
	if EntryKeeps(s) {
		a.Entry.TypedShortcut(s)
		return
	}
	PassShortcut(a, s)
}
