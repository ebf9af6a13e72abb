package chat

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"paddock/app/widgets"
	"paddock/words"
)

// An entry is the composer's text. It has no edge of its own.
type entry struct {
	widget.Entry
	hooks        composerHooks
	focusChanged func(bool)
	shift        bool
	recalled     string // what was last put here from earlier messages
}

func newEntry(h composerHooks) *entry {
	e := &entry{hooks: h}
	e.MultiLine = true
	e.Wrapping = fyne.TextWrapWord
	e.Scroll = container.ScrollVerticalOnly
	e.PlaceHolder = words.T("chat.placeholder")
	e.SetMinRowsVisible(1)
	e.ExtendBaseWidget(e)
	return e
}

// setText shows a text with the cursor behind it.
func (e *entry) setText(text string) {
	e.SetText(text)
	e.Entry.TypedShortcut(&fyne.ShortcutSelectAll{})
	e.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight})
}

// AcceptsTab is no: Tab moves the focus on, as it does everywhere else.
func (e *entry) AcceptsTab() bool { return false }

// TypedKey sends on Enter, breaks the line on Shift and Enter, and gives keys
// that don't edit to the tab.
func (e *entry) TypedKey(ev *fyne.KeyEvent) {
	switch ev.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		if !e.shift {
			e.hooks.send()
			return
		}
	case fyne.KeyUp:
		if e.recall(-1) {
			return
		}
	case fyne.KeyDown:
		if e.recall(1) {
			return
		}
	default:
		if e.hooks.keys(ev) {
			return
		}
	}
	e.Entry.TypedKey(ev)
}

// recall puts an earlier message, or a later one, where nothing is written or only
// what came from there.
func (e *entry) recall(places int) bool {
	if e.shift || e.Text != "" && e.Text != e.recalled || e.Text == "" && places > 0 {
		return false
	}
	if !e.hooks.recall(places) {
		return e.Text != "" // at the end: the text stays, and the cursor
	}
	e.recalled = e.Text
	return true
}

// TypedRune writes. A message doesn't begin with a space, but the one that presses
// a button arrives here when the button gives the composer the focus.
func (e *entry) TypedRune(r rune) {
	if r != ' ' || e.Text != "" {
		e.Entry.TypedRune(r)
	}
}

// KeyDown notices Shift.
func (e *entry) KeyDown(ev *fyne.KeyEvent) {
	if ev.Name == desktop.KeyShiftLeft || ev.Name == desktop.KeyShiftRight {
		e.shift = true
	}
	e.Entry.KeyDown(ev)
}

// KeyUp notices the end of Shift.
func (e *entry) KeyUp(ev *fyne.KeyEvent) {
	if ev.Name == desktop.KeyShiftLeft || ev.Name == desktop.KeyShiftRight {
		e.shift = false
	}
	e.Entry.KeyUp(ev)
}

// TypedShortcut keeps long pasted text out of the entry, looks for a picture where
// the clipboard has no text, and gives the window the shortcuts that don't edit.
func (e *entry) TypedShortcut(s fyne.Shortcut) {
	if paste, ok := s.(*fyne.ShortcutPaste); ok {
		text := paste.Clipboard.Content()
		if text == "" {
			e.hooks.picture()
			return
		}
		if e.hooks.paste(text) {
			return
		}
	}
	if widgets.EntryKeeps(s) {
		e.Entry.TypedShortcut(s)
		return
	}
	if c, ok := fyne.CurrentApp().Driver().CanvasForObject(e).(fyne.Shortcutable); ok {
		c.TypedShortcut(s)
	}
}

// FocusGained marks the composer.
func (e *entry) FocusGained() {
	e.Entry.FocusGained()
	e.focusChanged(true)
}

// FocusLost takes the mark away.
func (e *entry) FocusLost() {
	e.shift = false
	e.Entry.FocusLost()
	e.focusChanged(false)
}

// CreateRenderer is Fyne's, without the edge.
func (e *entry) CreateRenderer() fyne.WidgetRenderer {
	r := &entryRenderer{e.Entry.CreateRenderer()}
	r.bare()
	return r
}

type entryRenderer struct{ fyne.WidgetRenderer }

func (r *entryRenderer) Refresh() {
	r.WidgetRenderer.Refresh()
	r.bare()
}

func (r *entryRenderer) bare() {
	for _, o := range r.Objects() {
		if edge, ok := o.(*canvas.Rectangle); ok {
			edge.Hide()
		}
	}
}
