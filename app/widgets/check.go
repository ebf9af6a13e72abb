package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// A Check is a box that is ticked or not, with a label.
type Check struct {
	widget.DisableableWidget
	label   string
	sub     string
	checked bool
	changed func(bool)
	hovered bool
	focused bool
}

// NewCheck makes a checkbox; sub is quiet text behind its label. changed is
// called for what the user does, not for SetChecked.
func NewCheck(label, sub string, changed func(bool)) *Check {
	c := &Check{label: label, sub: sub, changed: changed}
	c.ExtendBaseWidget(c)
	return c
}

// SetChecked ticks the box or not.
func (c *Check) SetChecked(on bool) {
	if c.checked != on {
		c.checked = on
		c.Refresh()
	}
}

// Checked says whether the box is ticked.
func (c *Check) Checked() bool { return c.checked }

// SetText changes the label and the quiet text behind it.
func (c *Check) SetText(label, sub string) {
	if c.label != label || c.sub != sub {
		c.label, c.sub = label, sub
		c.Refresh()
	}
}

// Tapped changes the tick.
func (c *Check) Tapped(*fyne.PointEvent) {
	if c.Disabled() {
		return
	}
	c.SetChecked(!c.checked)
	if c.changed != nil {
		c.changed(c.checked)
	}
}

// TypedKey changes the tick with Space.
func (c *Check) TypedKey(ev *fyne.KeyEvent) {
	if ev.Name == fyne.KeySpace {
		c.Tapped(nil)
		return
	}
	PassKey(c, ev)
}

// TypedRune does nothing.
func (c *Check) TypedRune(rune) {}

// FocusGained draws the focus ring and brings the control into view.
func (c *Check) FocusGained() {
	c.focused = true
	c.Refresh()
	if !c.hovered { // else it is where the pointer is
		reveal(c)
	}
}

// FocusLost takes it away.
func (c *Check) FocusLost() { c.focused = false; c.Refresh() }

// MouseIn marks the box under the pointer.
func (c *Check) MouseIn(*desktop.MouseEvent) { c.hovered = true; c.Refresh() }

// MouseMoved does nothing.
func (c *Check) MouseMoved(*desktop.MouseEvent) {}

// MouseOut takes the mark away.
func (c *Check) MouseOut() { c.hovered = false; c.Refresh() }

const checkSide, checkGap = 16, 8

// The least room for a label, and for the quiet text behind it: where there is no
// more, they are shortened.
const checkLabelLeast, checkSubLeast = 120, 80

// NaturalWidth is the width in which label and quiet text are whole.
func (c *Check) NaturalWidth() float32 {
	w := checkSide + checkGap + ceil(roleStyles[Body].measure(c.label).Width)
	if c.sub != "" {
		w += checkGap + ceil(roleStyles[Quiet].measure(c.sub).Width)
	}
	return w
}

// CreateRenderer draws the box and its label.
func (c *Check) CreateRenderer() fyne.WidgetRenderer {
	const side, gap, height = checkSide, checkGap, 20
	square := box(theme.RadiusBadge)
	focus := newRing(theme.RadiusBadge)
	tick := iconImage(theme.IconCheck, theme.OnAccent)
	label := roleStyles[Body].text("", theme.Text)
	sub := roleStyles[Quiet].text("", theme.TextQuiet)
	widths := func() (float32, float32) {
		return ceil(roleStyles[Body].measure(c.label).Width), ceil(roleStyles[Quiet].measure(c.sub).Width)
	}
	layout := func(size fyne.Size) {
		y := round((size.Height - side) / 2)
		putAt(square, 0, y, side, side)
		focus.Move(fyne.NewPos(-ringOutset, y-ringOutset))
		focus.Resize(fyne.NewSquareSize(side + 2*ringOutset))
		putAt(tick, 2, y+2, side-4, side-4)
		lw, sw := widths()
		label.Text = c.label
		if c.sub != "" {
			lw = min(lw, max(size.Width-side-2*gap-sw, checkLabelLeast)) // the label gives way first
			label.Text = shorten(c.label, lw, roleStyles[Body])
		}
		putText(label, side+gap, 0, lw, size.Height)
		putText(sub, side+gap+lw+gap, 0, max(0, size.Width-side-2*gap-lw), size.Height)
		sub.Text = c.sub
		if c.sub != "" {
			sub.Text = shorten(c.sub, size.Width-side-2*gap-lw, roleStyles[Quiet])
		}
	}
	refresh := func() {
		text := theme.Text
		switch {
		case c.Disabled():
			text = theme.Disabled
			paint(square, "", theme.Separator)
		case c.checked:
			paint(square, theme.Accent, "")
		case c.hovered:
			paint(square, theme.Hover, theme.InputEdge)
		default:
			paint(square, theme.Raised, theme.InputEdge)
		}
		tick.Hidden = !c.checked
		mark := theme.OnAccent
		if c.Disabled() { // there is no accent behind it
			mark = text
		}
		tick.Resource = theme.Icon(theme.IconCheck, mark)
		tick.Refresh()
		focus.show(c.focused)
		label.Color = theme.Color(text)
		sub.Color = theme.Color(theme.TextQuiet)
		layout(c.Size())
		canvas.Refresh(c)
	}
	refresh()
	return &renderer{
		objects: []fyne.CanvasObject{square, focus.Rectangle, tick, label, sub},
		layout:  layout,
		min: func() fyne.Size {
			lw, sw := widths()
			w := side + gap + lw
			if c.sub != "" {
				w = side + gap + min(lw, checkLabelLeast) + gap + min(sw, checkSubLeast)
			}
			return fyne.NewSize(w, height)
		},
		refresh: refresh,
	}
}

var (
	_ fyne.Focusable    = (*Check)(nil)
	_ fyne.Tappable     = (*Check)(nil)
	_ desktop.Hoverable = (*Check)(nil)
)
