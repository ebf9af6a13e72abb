package widgets

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// A Busy is a line on which something moves while it isn't known how far a work
// is. Words beside it say what is being done.
type Busy struct {
	widget.BaseWidget
	width float32
	move  *fyne.Animation
}

// NewBusy makes a line of a width. It moves until Stop: each frame draws the
// window.
func NewBusy(width float32) *Busy {
	b := &Busy{width: width}
	b.ExtendBaseWidget(b)
	return b
}

const busyTime = 1200 * time.Millisecond // from one end to the other and back

// Stop ends the movement.
func (b *Busy) Stop() {
	if b.move != nil {
		b.move.Stop()
	}
}

// CreateRenderer draws the line.
func (b *Busy) CreateRenderer() fyne.WidgetRenderer {
	track, part := box(2), box(2)
	at := float32(0)
	layout := func(size fyne.Size) {
		y := (size.Height - theme.ProgressHeight) / 2
		putAt(track, 0, y, size.Width, theme.ProgressHeight)
		length := round(size.Width / 3)
		putAt(part, (size.Width-length)*at, y, length, theme.ProgressHeight)
	}
	paint(track, theme.Track, "")
	paint(part, theme.Accent, "")
	b.Stop()
	b.move = fyne.NewAnimation(busyTime/2, func(share float32) {
		at = share
		layout(b.Size())
		canvas.Refresh(part)
	})
	b.move.AutoReverse, b.move.RepeatCount = true, fyne.AnimationRepeatForever
	b.move.Start()
	return &renderer{
		objects: []fyne.CanvasObject{track, part},
		layout:  layout,
		min:     func() fyne.Size { return fyne.NewSize(b.width, theme.ProgressHeight) },
		refresh: func() {
			paint(track, theme.Track, "")
			paint(part, theme.Accent, "")
		},
	}
}
