package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// A linkArea lies over text that can be tapped, with the keyboard too.
type linkArea struct {
	widget.BaseWidget
	label   string
	tapped  func()
	gained  func() // it has the focus
	focused bool
}

func newLinkArea() *linkArea {
	a := &linkArea{gained: func() {}}
	a.ExtendBaseWidget(a)
	return a
}

// CreateRenderer draws the focus ring only: the text is under it.
func (a *linkArea) CreateRenderer() fyne.WidgetRenderer {
	focus := newRing(theme.RadiusBadge)
	refresh := func() { focus.show(a.focused) }
	refresh()
	return &renderer{
		objects: []fyne.CanvasObject{focus.Rectangle},
		layout:  focus.around,
		min:     func() fyne.Size { return fyne.Size{} },
		refresh: refresh,
	}
}

// Tapped follows the link.
func (a *linkArea) Tapped(*fyne.PointEvent) { a.tapped() }

// TypedKey taps on Space and Enter; the window gets every other key.
func (a *linkArea) TypedKey(ev *fyne.KeyEvent) {
	switch ev.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		a.tapped()
	default:
		PassKey(a, ev)
	}
}

// TypedRune does nothing.
func (a *linkArea) TypedRune(rune) {}

// FocusGained draws the focus ring and brings the link into sight.
func (a *linkArea) FocusGained() {
	a.focused = true
	a.Refresh()
	a.gained()
}

// FocusLost takes the ring away.
func (a *linkArea) FocusLost() { a.focused = false; a.Refresh() }

// Cursor is a hand.
func (a *linkArea) Cursor() desktop.Cursor { return desktop.PointerCursor }

// AccessibilityLabel is what can be tapped.
func (a *linkArea) AccessibilityLabel() string { return a.label }

// AccessibilityRole is that of a button: Fyne knows no links.
func (a *linkArea) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleButton }

var _ fyne.Focusable = (*linkArea)(nil)
