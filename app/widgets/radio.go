package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// A Radio is one choice of a list of which one is chosen, with a label. Whoever
// shows the list chooses: a tap only tells.
type Radio struct {
	widget.DisableableWidget
	label   string
	sub     string
	chosen  bool
	tapped  func()
	move    func(by int)
	hovered bool
	focused bool
}

// NewRadio makes a choice. tapped is called when the user chooses it, move when
// the arrow keys go to the choice above (-1) or below (1).
func NewRadio(label, sub string, tapped func(), move func(by int)) *Radio {
	r := &Radio{label: label, sub: sub, tapped: tapped, move: move}
	r.ExtendBaseWidget(r)
	return r
}

// SetChosen shows whether it is the chosen one.
func (r *Radio) SetChosen(on bool) {
	if r.chosen != on {
		r.chosen = on
		r.Refresh()
	}
}

// Chosen says whether it is shown as chosen.
func (r *Radio) Chosen() bool { return r.chosen }

// SetText changes the label and the quiet text behind it.
func (r *Radio) SetText(label, sub string) {
	if r.label != label || r.sub != sub {
		r.label, r.sub = label, sub
		r.Refresh()
	}
}

// SetEnabled lets it be chosen, or not.
func (r *Radio) SetEnabled(on bool) {
	switch {
	case on == !r.Disabled():
	case on:
		r.Enable()
	default:
		r.Disable()
	}
}

// AccessibilityLabel is the label.
func (r *Radio) AccessibilityLabel() string { return r.label }

// AccessibilityRole is that of a choice.
func (r *Radio) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleButton }

// Tapped tells that the user chooses it.
func (r *Radio) Tapped(*fyne.PointEvent) {
	if !r.Disabled() && r.tapped != nil {
		r.tapped()
	}
}

// TypedKey chooses with Space, and moves with the arrows.
func (r *Radio) TypedKey(ev *fyne.KeyEvent) {
	switch ev.Name {
	case fyne.KeySpace:
		r.Tapped(nil)
	case fyne.KeyUp:
		r.step(-1)
	case fyne.KeyDown:
		r.step(1)
	default:
		PassKey(r, ev)
	}
}

func (r *Radio) step(by int) {
	if r.move != nil {
		r.move(by)
	}
}

// TypedRune does nothing.
func (r *Radio) TypedRune(rune) {}

// FocusGained draws the focus ring and brings the control into view.
func (r *Radio) FocusGained() {
	r.focused = true
	r.Refresh()
	if !r.hovered { // else it is where the pointer is
		reveal(r)
	}
}

// FocusLost takes it away.
func (r *Radio) FocusLost() { r.focused = false; r.Refresh() }

// MouseIn marks the circle under the pointer.
func (r *Radio) MouseIn(*desktop.MouseEvent) { r.hovered = true; r.Refresh() }

// MouseMoved does nothing.
func (r *Radio) MouseMoved(*desktop.MouseEvent) {}

// MouseOut takes the mark away.
func (r *Radio) MouseOut() { r.hovered = false; r.Refresh() }

// NaturalWidth is the width in which label and quiet text are whole.
func (r *Radio) NaturalWidth() float32 {
	w := checkSide + checkGap + ceil(roleStyles[Body].measure(r.label).Width)
	if r.sub != "" {
		w += checkGap + ceil(roleStyles[Quiet].measure(r.sub).Width)
	}
	return w
}

// CreateRenderer draws the circle and its label.
func (r *Radio) CreateRenderer() fyne.WidgetRenderer {
	const side, gap, dot, height = checkSide, checkGap, 8, 20
	circle, inner := box(side/2), box(dot/2)
	focus := newRing(side / 2)
	label := roleStyles[Body].text("", theme.Text)
	sub := roleStyles[Quiet].text("", theme.TextQuiet)
	layout := func(size fyne.Size) {
		y := round((size.Height - side) / 2)
		putAt(circle, 0, y, side, side)
		putAt(inner, (side-dot)/2, y+(side-dot)/2, dot, dot)
		focus.Move(fyne.NewPos(-ringOutset, y-ringOutset))
		focus.Resize(fyne.NewSquareSize(side + 2*ringOutset))
		room := size.Width - side - gap
		label.Text = shorten(r.label, room, roleStyles[Body])
		lw := ceil(roleStyles[Body].measure(label.Text).Width)
		putText(label, side+gap, 0, lw, size.Height)
		sub.Text = ""
		if room -= lw + gap; r.sub != "" && room > 0 {
			sub.Text = shorten(r.sub, room, roleStyles[Quiet])
		}
		putText(sub, side+gap+lw+gap, 0, max(0, room), size.Height)
	}
	refresh := func() {
		text := theme.Text
		switch {
		case r.Disabled():
			text = theme.Disabled
			paint(circle, "", theme.Separator)
		case r.chosen:
			paint(circle, "", theme.Accent)
			circle.StrokeWidth = 1.5
		case r.hovered:
			paint(circle, theme.Hover, theme.InputEdge)
		default:
			paint(circle, theme.Raised, theme.InputEdge)
		}
		paint(inner, theme.Accent, "")
		inner.Hidden = !r.chosen
		focus.show(r.focused)
		label.Color = theme.Color(text)
		sub.Color = theme.Color(theme.TextQuiet)
		layout(r.Size())
		canvas.Refresh(r)
	}
	refresh()
	return &renderer{
		objects: []fyne.CanvasObject{circle, inner, focus.Rectangle, label, sub},
		layout:  layout,
		min: func() fyne.Size {
			w := side + gap + ceil(roleStyles[Body].measure(r.label).Width)
			return fyne.NewSize(w, height)
		},
		refresh: refresh,
	}
}

var (
	_ fyne.Focusable    = (*Radio)(nil)
	_ fyne.Tappable     = (*Radio)(nil)
	_ desktop.Hoverable = (*Radio)(nil)
)
