package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// A Progress is a line of 4 px that fills.
type Progress struct {
	widget.BaseWidget
	value float64
	width float32
}

// NewProgress makes a progress line at least width wide.
func NewProgress(width float32) *Progress {
	p := &Progress{width: width}
	p.ExtendBaseWidget(p)
	return p
}

// Set shows a value from 0 to 1.
func (p *Progress) Set(value float64) {
	value = max(0, min(1, value))
	if p.value != value {
		p.value = value
		p.Refresh()
	}
}

// CreateRenderer draws the line.
func (p *Progress) CreateRenderer() fyne.WidgetRenderer {
	track, done := box(2), box(2)
	layout := func(size fyne.Size) {
		y := (size.Height - theme.ProgressHeight) / 2
		putAt(track, 0, y, size.Width, theme.ProgressHeight)
		putAt(done, 0, y, round(size.Width*float32(p.value)), theme.ProgressHeight)
	}
	refresh := func() {
		paint(track, theme.Track, "")
		paint(done, theme.Accent, "")
		done.Hidden = p.value == 0
		layout(p.Size())
		canvas.Refresh(p)
	}
	refresh()
	return &renderer{
		objects: []fyne.CanvasObject{track, done},
		layout:  layout,
		min:     func() fyne.Size { return fyne.NewSize(p.width, theme.ProgressHeight) },
		refresh: refresh,
	}
}
