package widgets

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/words"
)

// A BarKind is the size of a memory bar.
type BarKind int

// The kinds of memory bar.
const (
	Panel  BarKind = iota // 22 px, with labels in its slices
	Unused                // 8 px: a pool this set-up doesn't use
	Small                 // 6 px: in the engine bar
)

// A Slice is one part of what is taken from a pool of memory.
type Slice struct {
	Color fyne.ThemeColorName
	Bytes uint64
	Label string // drawn where it fits
}

// A MemoryBar shows what is taken from one pool of memory. What doesn't fit
// sticks out at its end.
type MemoryBar struct {
	widget.BaseWidget
	kind     BarKind
	total    uint64
	slices   []Slice
	margin   uint64
	estimate uint64
}

// NewMemoryBar makes an empty bar.
func NewMemoryBar(kind BarKind) *MemoryBar {
	b := &MemoryBar{kind: kind}
	b.ExtendBaseWidget(b)
	return b
}

// Set shows slices of a pool of total bytes in the order given, then the safety
// margin, both in bytes. An estimate other than 0 is a thin line below, to be
// compared with what was measured.
func (b *MemoryBar) Set(total uint64, slices []Slice, margin, estimate uint64) {
	b.total, b.slices, b.margin, b.estimate = total, slices, margin, estimate
	b.Refresh()
}

const (
	overflowWidth = 0.93 // of the bar is the pool's while something sticks out
	overflowRoom  = 16   // that and the gap before its number, at least
	estimateRoom  = 4
)

func (b *MemoryBar) height() float32 {
	switch b.kind {
	case Unused:
		return theme.BarUnusedHeight
	case Small:
		return theme.BarSmallHeight
	}
	if b.estimate > 0 {
		return theme.BarPanelHeight + estimateRoom
	}
	return theme.BarPanelHeight
}

// CreateRenderer draws the bar.
func (b *MemoryBar) CreateRenderer() fyne.WidgetRenderer {
	r := &renderer{}
	build := func() {
		r.objects = b.draw(b.Size().Width)
		canvas.Refresh(b)
	}
	r.layout = atNewSize(build)
	r.refresh = build
	r.min = func() fyne.Size { return fyne.NewSize(40, b.height()) }
	return r
}

func (b *MemoryBar) draw(width float32) []fyne.CanvasObject {
	height, radius := b.height(), theme.RadiusBadge
	if b.kind != Panel {
		radius = 2
	} else {
		height = theme.BarPanelHeight
	}
	needed := uint64(0)
	for _, s := range b.slices {
		needed += s.Bytes
	}
	pool := width
	over := b.total > 0 && needed > b.total
	if over && b.kind == Panel {
		excess := overflowText(needed + b.margin - b.total)
		pool = min(round(width*overflowWidth), width-ceil(excess.MinSize().Width)-overflowRoom)
	}
	track := box(radius)
	paint(track, theme.Track, "")
	putAt(track, 0, 0, pool, height)
	objs := []fyne.CanvasObject{track}
	if b.total == 0 {
		return objs
	}

	px := func(bytes uint64) float32 { return float32(float64(bytes) / float64(b.total) * float64(pool)) }
	x := float32(0)
	for i, s := range b.slices {
		if s.Bytes == 0 {
			continue
		}
		from := round(x)
		x += px(s.Bytes)
		to := min(pool, max(from+1, round(x)-1)) // a gap of 1 px divides neighbours
		if from >= pool {
			break
		}
		objs = append(objs, b.slice(s, from, to-from, height, radius, i == 0)...)
	}
	switch {
	case over:
		objs = append(objs, b.overflow(pool, width, needed+b.margin-b.total, px, height)...)
	case b.margin > 0:
		m := &canvas.Rectangle{FillColor: theme.Color(theme.SliceMargin), StrokeColor: theme.Color(theme.SliceMarginEdge), StrokeWidth: 1}
		from := round(x)
		w := min(pool, round(x+px(b.margin))) - from
		if w >= 2 {
			putAt(m, from, 0, w, height)
			objs = append(objs, m)
			objs = append(objs, b.label(words.T("memory.margin"), theme.TextQuiet, Hint, from, w, height)...)
		}
	}
	if b.estimate > 0 && b.kind == Panel {
		e := &canvas.Rectangle{FillColor: theme.Color(theme.TextQuiet)}
		putAt(e, 0, theme.BarPanelHeight+1, min(pool, px(b.estimate)), estimateRoom-1)
		objs = append(objs, e)
	}
	return objs
}

func (b *MemoryBar) slice(s Slice, from, w, height, radius float32, first bool) []fyne.CanvasObject {
	rect := &canvas.Rectangle{FillColor: theme.Color(s.Color)}
	if first && w > radius {
		rect.TopLeftCornerRadius, rect.BottomLeftCornerRadius = radius, radius
	}
	putAt(rect, from, 0, w, height)
	text := theme.OnSlice
	if s.Color == theme.SliceShared {
		text = theme.Text
	}
	return append([]fyne.CanvasObject{rect}, b.label(s.Label, text, Hint, from, w, height)...)
}

// label writes a label into a part of the bar, if it fits with 6 px each side.
func (b *MemoryBar) label(s string, colour fyne.ThemeColorName, role Role, from, w, height float32) []fyne.CanvasObject {
	st := roleStyles[role]
	st.style.Bold = colour == theme.OnSlice
	if s == "" || b.kind != Panel || st.measure(s).Width+12 > w {
		return nil
	}
	t := st.text(s, colour)
	putText(t, from+6, 0, w, height)
	return []fyne.CanvasObject{t}
}

// overflow draws what sticks out of the pool, and says how much it is in GiB.
func (b *MemoryBar) overflow(pool, width float32, excess uint64, px func(uint64) float32, height float32) []fyne.CanvasObject {
	rect := &canvas.Rectangle{FillColor: theme.Color(theme.Overflow), CornerRadius: 2}
	if b.kind != Panel {
		w := min(width/4, max(4, px(excess)))
		putAt(rect, width-w, 0, w, height)
		return []fyne.CanvasObject{rect}
	}
	t := overflowText(excess)
	room := width - pool - ceil(t.MinSize().Width) - 6
	w := max(4, min(px(excess), room))
	putAt(rect, pool+1-w/2, -1, w, height+2)
	putText(t, width-ceil(t.MinSize().Width), 0, 60, height)
	return []fyne.CanvasObject{rect, t}
}

// overflowText is how much sticks out, in GiB.
func overflowText(bytes uint64) *canvas.Text {
	st := roleStyles[Hint]
	st.style.Bold = true
	return st.text(fmt.Sprintf("+%.1f", float64(bytes)/(1<<30)), theme.Refuse)
}
