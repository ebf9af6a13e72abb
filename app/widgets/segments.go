package widgets

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// A Segment is one choice of a row of choices.
type Segment struct {
	ID, Label string
	Disabled  bool // shown and not clickable; say why in a reason line
	Caution   bool // marked with a triangle, and still offered
}

// Segments is a row of choices of which one is chosen.
type Segments struct {
	widget.BaseWidget
	options  []Segment
	selected string
	changed  func(id string)
	hovered  int
	focused  bool
}

// NewSegments makes a row of choices. changed is called with the id the user
// chose, not for SetSelected.
func NewSegments(options []Segment, changed func(id string)) *Segments {
	s := &Segments{options: slices.Clone(options), changed: changed, hovered: -1}
	s.ExtendBaseWidget(s)
	return s
}

// SetSelected shows which choice is chosen.
func (s *Segments) SetSelected(id string) {
	if s.selected != id {
		s.selected = id
		s.Refresh()
	}
}

// Selected is the chosen choice's id.
func (s *Segments) Selected() string { return s.selected }

// SetOptions changes the choices.
func (s *Segments) SetOptions(options []Segment) {
	if !slices.Equal(s.options, options) {
		s.options = slices.Clone(options)
		s.hovered = -1
		s.Refresh()
	}
}

func (s *Segments) choose(i int) {
	if i < 0 || i >= len(s.options) || s.options[i].Disabled || s.options[i].ID == s.selected {
		return
	}
	s.selected = s.options[i].ID
	s.Refresh()
	if s.changed != nil {
		s.changed(s.selected)
	}
}

const segmentPad, segmentIconGap = 12, 6

func (s *Segments) widths() []float32 {
	ws := make([]float32, len(s.options))
	for i, o := range s.options {
		// Bold whether chosen or not, so that choosing doesn't move anything.
		ws[i] = ceil(roleStyles[Bold].measure(o.Label).Width) + 2*segmentPad
		if o.Caution {
			ws[i] += theme.IconSizeButton + segmentIconGap
		}
	}
	return ws
}

func (s *Segments) at(x float32) int {
	for i, w := range s.widths() {
		if x < w {
			return i
		}
		x -= w
	}
	return -1
}

// Tapped chooses what is under the pointer.
func (s *Segments) Tapped(ev *fyne.PointEvent) { s.choose(s.at(ev.Position.X)) }

// TypedKey moves the choice with the left and right arrows.
func (s *Segments) TypedKey(ev *fyne.KeyEvent) {
	step := 0
	switch ev.Name {
	case fyne.KeyLeft:
		step = -1
	case fyne.KeyRight:
		step = 1
	default:
		PassKey(s, ev)
		return
	}
	i := slices.IndexFunc(s.options, func(o Segment) bool { return o.ID == s.selected })
	for i += step; i >= 0 && i < len(s.options); i += step {
		if !s.options[i].Disabled {
			s.choose(i)
			return
		}
	}
}

// TypedRune does nothing.
func (s *Segments) TypedRune(rune) {}

// FocusGained draws the focus ring and brings the control into view.
func (s *Segments) FocusGained() {
	s.focused = true
	s.Refresh()
	if s.hovered < 0 { // else it is where the pointer is
		reveal(s)
	}
}

// FocusLost takes it away.
func (s *Segments) FocusLost() { s.focused = false; s.Refresh() }

// MouseIn marks what is under the pointer.
func (s *Segments) MouseIn(ev *desktop.MouseEvent) { s.MouseMoved(ev) }

// MouseMoved marks what is under the pointer.
func (s *Segments) MouseMoved(ev *desktop.MouseEvent) {
	if i := s.at(ev.Position.X); i != s.hovered {
		s.hovered = i
		s.Refresh()
	}
}

// MouseOut takes the mark away.
func (s *Segments) MouseOut() { s.hovered = -1; s.Refresh() }

// CreateRenderer draws the row.
func (s *Segments) CreateRenderer() fyne.WidgetRenderer {
	r := &renderer{}
	build := func() {
		bg := box(theme.RadiusControl)
		paint(bg, theme.Raised, "")
		r.objects = []fyne.CanvasObject{bg}
		x, height, total := float32(0), theme.ControlHeight, s.MinSize().Width
		putAt(bg, 0, 0, total, height)
		for i, w := range s.widths() {
			r.objects = append(r.objects, s.segment(i, x, w)...)
			x += w
		}
		edge := box(theme.RadiusControl)
		paint(edge, "", theme.ButtonEdge)
		putAt(edge, 0, 0, total, height)
		focus := newRing(theme.RadiusControl)
		focus.around(fyne.NewSize(total, height))
		focus.show(s.focused)
		r.objects = append(r.objects, edge, focus.Rectangle)
		canvas.Refresh(s)
	}
	r.layout = atNewSize(build)
	r.refresh = build
	r.min = func() fyne.Size {
		w := float32(0)
		for _, sw := range s.widths() {
			w += sw
		}
		return fyne.NewSize(w, theme.ControlHeight)
	}
	return r
}

// segment draws one choice at x.
func (s *Segments) segment(i int, x, w float32) []fyne.CanvasObject {
	o, height := s.options[i], theme.ControlHeight
	role, text, fill := Body, theme.Text, fyne.ThemeColorName("")
	switch {
	case o.Disabled:
		text, fill = theme.Disabled, theme.Surface
	case o.ID == s.selected:
		role, text, fill = Bold, theme.Accent, theme.Selected
	case i == s.hovered:
		fill = theme.Hover
	}
	var objs []fyne.CanvasObject
	if fill != "" {
		f := &canvas.Rectangle{FillColor: theme.Color(fill)}
		if i == 0 {
			f.TopLeftCornerRadius, f.BottomLeftCornerRadius = theme.RadiusControl, theme.RadiusControl
		}
		if i == len(s.options)-1 {
			f.TopRightCornerRadius, f.BottomRightCornerRadius = theme.RadiusControl, theme.RadiusControl
		}
		putAt(f, x, 0, w, height)
		objs = append(objs, f)
	}
	if i > 0 {
		l := &canvas.Rectangle{FillColor: theme.Color(theme.ButtonEdge)}
		putAt(l, x, 0, 1, height)
		objs = append(objs, l)
	}
	tx := x
	if o.Caution {
		img := iconImage(theme.IconTriangle, theme.Caution)
		putAt(img, x+segmentPad, (height-theme.IconSizeButton)/2, theme.IconSizeButton, theme.IconSizeButton)
		objs = append(objs, img)
		tx += (theme.IconSizeButton + segmentIconGap) / 2
	}
	t := roleStyles[role].text(o.Label, text)
	t.Alignment = fyne.TextAlignCenter
	putText(t, tx, 0, w, height)
	return append(objs, t)
}

var (
	_ fyne.Focusable    = (*Segments)(nil)
	_ fyne.Tappable     = (*Segments)(nil)
	_ desktop.Hoverable = (*Segments)(nil)
)
