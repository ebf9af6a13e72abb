package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

const (
	barWidth  = 10 // of the area that can be dragged
	thumbSize = 6
	minThumb  = 32
)

// A scrollBar shows where in the text the view is, and can be dragged.
type scrollBar struct {
	widget.BaseWidget
	list  *BlockList
	thumb *canvas.Rectangle
	scale float64 // pixels of text per pixel of the bar
}

func newScrollBar(l *BlockList) *scrollBar {
	b := &scrollBar{list: l, thumb: canvas.NewRectangle(nil)}
	b.thumb.CornerRadius = thumbSize / 2
	b.ExtendBaseWidget(b)
	return b
}

// lay puts the thumb where the view is in a text that is total pixels high.
func (b *scrollBar) lay(view fyne.Size, offset, total float64) {
	height := float64(view.Height)
	if total <= height {
		b.Hide()
		return
	}
	b.Show()
	length := max(minThumb, height*height/total)
	b.scale = (total - height) / max(height-length, 1)
	setAt(b.thumb, (barWidth-thumbSize)/2, 0, thumbSize, float32(length))
	setAt(b, view.Width-barWidth, float32(offset/b.scale), barWidth, float32(length))
}

// Dragged scrolls.
func (b *scrollBar) Dragged(ev *fyne.DragEvent) {
	b.list.scrollTo(b.list.offset + float64(ev.Dragged.DY)*b.scale)
}

// DragEnd does nothing.
func (b *scrollBar) DragEnd() {}

// CreateRenderer draws the thumb.
func (b *scrollBar) CreateRenderer() fyne.WidgetRenderer {
	r := &renderer{
		objects: []fyne.CanvasObject{b.thumb},
		layout:  func(fyne.Size) {},
		min:     func() fyne.Size { return fyne.NewSize(barWidth, minThumb) },
		refresh: func() {
			b.thumb.FillColor = theme.Color(theme.ButtonEdge)
			b.thumb.Refresh()
		},
	}
	r.refresh()
	return r
}
