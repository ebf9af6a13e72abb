package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// A Meter is a line that fills with two things, one behind the other: what is
// there, and what would be added. What is past the end is in the overflow's
// colour.
type Meter struct {
	widget.BaseWidget
	used, added float64
	width       float32
}

// NewMeter makes a meter of a width.
func NewMeter(width float32) *Meter {
	m := &Meter{width: width}
	m.ExtendBaseWidget(m)
	return m
}

// Set shows two shares of the whole, from 0 on.
func (m *Meter) Set(used, added float64) {
	used, added = max(0, used), max(0, added)
	if m.used != used || m.added != added {
		m.used, m.added = used, added
		m.Refresh()
	}
}

// SetWidth changes the least width.
func (m *Meter) SetWidth(width float32) {
	if m.width != width {
		m.width = width
		m.Refresh()
	}
}

// CreateRenderer draws the line.
func (m *Meter) CreateRenderer() fyne.WidgetRenderer {
	track, used, added := box(2), box(2), box(1)
	layout := func(size fyne.Size) {
		y := (size.Height - meterHeight) / 2
		end := min(1, m.used)
		from := round(size.Width * float32(end))
		to := round(size.Width * float32(min(1, m.used+m.added)))
		if m.added > 0 {
			to = max(to, min(from+3, size.Width)) // a little is seen too
		}
		putAt(track, 0, y, size.Width, meterHeight)
		putAt(used, 0, y, from, meterHeight)
		gap := float32(0)
		if from > 0 {
			gap = 1
		}
		putAt(added, from+gap, y, max(0, to-from-gap), meterHeight)
	}
	refresh := func() {
		paint(track, theme.Track, "")
		there, more := theme.Accent, theme.SliceProjector
		if m.used+m.added > 1 {
			more = theme.Overflow
		}
		if m.used > 1 {
			there = theme.Overflow
		}
		paint(used, there, "")
		paint(added, more, "")
		used.Hidden, added.Hidden = m.used == 0, m.added == 0
		layout(m.Size())
		canvas.Refresh(m)
	}
	refresh()
	return &renderer{
		objects: []fyne.CanvasObject{track, used, added},
		layout:  layout,
		min:     func() fyne.Size { return fyne.NewSize(m.width, meterHeight) },
		refresh: refresh,
	}
}

const meterHeight = 6
