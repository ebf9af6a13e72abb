package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// Flow puts objects side by side, and on another line where there is no room left.
// One that is wider than a line gets the line to itself.
func Flow(gap float32, objs ...fyne.CanvasObject) *fyne.Container {
	return container.New(&flow{gap: gap}, objs...)
}

type flow struct {
	gap   float32
	width float32 // last laid out in
}

func (l *flow) each(objs []fyne.CanvasObject, width float32, place func(o fyne.CanvasObject, x, y, w, h float32)) float32 {
	x, y, line := float32(0), float32(0), float32(0)
	for _, o := range objs {
		if !o.Visible() {
			continue
		}
		need := o.MinSize()
		w := min(max(need.Width, naturalWidth(o)), width)
		if x > 0 && x+w > width {
			x, y, line = 0, y+line+l.gap, 0
		}
		place(o, x, y, w, need.Height)
		x += w + l.gap
		line = max(line, need.Height)
	}
	return y + line
}

func (l *flow) Layout(objs []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	l.each(objs, size.Width, func(o fyne.CanvasObject, x, y, w, h float32) { putAt(o, x, y, w, h) })
}

func (l *flow) MinSize(objs []fyne.CanvasObject) fyne.Size {
	m := fyne.Size{}
	for _, o := range objs {
		if o.Visible() {
			m = m.Max(o.MinSize())
		}
	}
	if l.width > 0 {
		m.Height = max(m.Height, l.heightAt(objs, l.width))
	}
	return m
}

func (l *flow) heightAt(objs []fyne.CanvasObject, width float32) float32 {
	return l.each(objs, width, func(fyne.CanvasObject, float32, float32, float32, float32) {})
}
