package widgets

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// A SliderState is what a slider shows.
type SliderState struct {
	Values []int // the stops, ascending
	Value  int   // the chosen one; it may lie between two stops
	Fits   int   // the largest value that fits; 0 when it isn't known, NothingFits

	Low, Fit, High string // the words under the left end, the mark and the right end
}

// NothingFits says of a slider that no value of it does.
const NothingFits = -1

// A Slider chooses one of some values. It is in the accent's colour up to the
// largest value that fits, where it has a mark, and in the overflow's past it.
type Slider struct {
	widget.BaseWidget
	state   SliderState
	changed func(int)
	focused bool
}

// NewSlider makes a slider. changed is called for what the user does, not for
// Set.
func NewSlider(changed func(int)) *Slider {
	s := &Slider{changed: changed}
	s.ExtendBaseWidget(s)
	return s
}

// Set shows a state.
func (s *Slider) Set(state SliderState) {
	s.state = state
	s.Refresh()
}

const (
	thumb       = 16
	sliderInset = thumb / 2
)

// share is where a value lies between the ends, from 0 to 1. Stops are equally
// far apart.
func (s *Slider) share(value int) float32 {
	v := s.state.Values
	if len(v) < 2 {
		return 0
	}
	i, _ := slices.BinarySearch(v, value)
	switch {
	case i == 0:
		return 0
	case i == len(v):
		return 1
	}
	part := float32(value-v[i-1]) / float32(v[i]-v[i-1])
	return (float32(i-1) + part) / float32(len(v)-1)
}

func (s *Slider) x(value int) float32 {
	return sliderInset + s.share(value)*(s.Size().Width-2*sliderInset)
}

// choose takes the stop nearest to x.
func (s *Slider) choose(x float32) {
	v := s.state.Values
	if len(v) == 0 {
		return
	}
	best := v[0]
	for _, value := range v {
		if abs(s.x(value)-x) < abs(s.x(best)-x) {
			best = value
		}
	}
	s.set(best)
}

func (s *Slider) set(value int) {
	if value == s.state.Value {
		return
	}
	s.state.Value = value
	s.Refresh()
	if s.changed != nil {
		s.changed(value)
	}
}

func abs(v float32) float32 { return max(v, -v) }

// Tapped moves the slider to the pointer.
func (s *Slider) Tapped(ev *fyne.PointEvent) { s.choose(ev.Position.X) }

// Dragged moves the slider with the pointer.
func (s *Slider) Dragged(ev *fyne.DragEvent) { s.choose(ev.Position.X) }

// DragEnd does nothing.
func (s *Slider) DragEnd() {}

// TypedKey moves by one stop with the arrows, to the ends with Home and End.
func (s *Slider) TypedKey(ev *fyne.KeyEvent) {
	v := s.state.Values
	if len(v) == 0 {
		return
	}
	i, exact := slices.BinarySearch(v, s.state.Value)
	switch ev.Name {
	case fyne.KeyLeft, fyne.KeyDown:
		s.set(v[max(0, i-1)])
	case fyne.KeyRight, fyne.KeyUp:
		if exact {
			i++
		}
		s.set(v[min(len(v)-1, i)])
	case fyne.KeyHome:
		s.set(v[0])
	case fyne.KeyEnd:
		s.set(v[len(v)-1])
	default:
		PassKey(s, ev)
	}
}

// TypedRune does nothing.
func (s *Slider) TypedRune(rune) {}

// FocusGained draws the focus ring and brings the control into view.
func (s *Slider) FocusGained() {
	s.focused = true
	s.Refresh()
	reveal(s)
}

// FocusLost takes it away.
func (s *Slider) FocusLost() { s.focused = false; s.Refresh() }

// Cursor is a hand.
func (s *Slider) Cursor() desktop.Cursor { return desktop.PointerCursor }

// CreateRenderer draws the slider.
func (s *Slider) CreateRenderer() fyne.WidgetRenderer {
	r := &renderer{}
	build := func() {
		r.objects = s.draw()
		canvas.Refresh(s)
	}
	r.layout = atNewSize(build)
	r.refresh = build
	r.min = func() fyne.Size { return fyne.NewSize(120, theme.ControlHeight+2+theme.LineHint) }
	return r
}

func (s *Slider) draw() []fyne.CanvasObject {
	const middle, half = theme.ControlHeight / 2, theme.ProgressHeight / 2
	width, at := s.Size().Width, s.x(s.state.Value)
	var objs []fyne.CanvasObject
	bar := func(from, to float32, colour fyne.ThemeColorName) {
		if to > from {
			b := box(2)
			paint(b, colour, "")
			putAt(b, from, middle-half, to-from, theme.ProgressHeight)
			objs = append(objs, b)
		}
	}
	bar(0, width, theme.Track)
	switch fits := s.state.Fits; {
	case fits == NothingFits:
		bar(0, at, theme.Overflow)
	case fits > 0 && fits < s.state.Value:
		bar(0, at, theme.Overflow)
		bar(0, s.x(fits), theme.Accent)
	default:
		bar(0, at, theme.Accent)
	}
	if s.state.Fits > 0 && len(s.state.Values) > 1 && s.state.Fits < s.state.Values[len(s.state.Values)-1] {
		m := &canvas.Rectangle{FillColor: theme.Color(theme.Accent)}
		putAt(m, s.x(s.state.Fits)-1, middle-6, 2, 12)
		objs = append(objs, m)
	}
	outer, inner := box(thumb/2), box(5)
	paint(outer, theme.Surface, theme.Accent)
	paint(inner, theme.Accent, "")
	putAt(outer, at-thumb/2, middle-thumb/2, thumb, thumb)
	putAt(inner, at-5, middle-5, 10, 10)
	focus := newRing(thumb / 2)
	focus.Move(outer.Position().SubtractXY(ringOutset, ringOutset))
	focus.Resize(fyne.NewSquareSize(thumb + 2*ringOutset))
	focus.show(s.focused)
	return append(append(objs, outer, inner, focus.Rectangle), s.words(width)...)
}

// words are the labels under the slider. The one under the mark keeps clear of
// the others and is left out where there is no room.
func (s *Slider) words(width float32) []fyne.CanvasObject {
	const top, gap = theme.ControlHeight + 2, 8
	measure := func(t string) float32 { return ceil(roleStyles[Hint].measure(t).Width) }
	word := func(t string, x float32, colour fyne.ThemeColorName) fyne.CanvasObject {
		o := roleStyles[Hint].text(t, colour)
		putText(o, x, top, measure(t), theme.LineHint)
		return o
	}
	left, right := measure(s.state.Low)+gap, width-measure(s.state.High)-gap
	if s.state.Low == "" {
		left = 0
	}
	objs := []fyne.CanvasObject{
		word(s.state.Low, 0, theme.TextQuiet),
		word(s.state.High, right+gap, theme.TextQuiet),
	}
	if w := measure(s.state.Fit); s.state.Fit != "" && right-left > w {
		x := max(left, min(right-w, s.x(s.state.Fits)-w/2))
		objs = append(objs, word(s.state.Fit, x, theme.OK))
	}
	return objs
}

var (
	_ fyne.Focusable = (*Slider)(nil)
	_ fyne.Draggable = (*Slider)(nil)
	_ fyne.Tappable  = (*Slider)(nil)
)
