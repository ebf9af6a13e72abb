package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// Borders lays out regions without any padding: top and bottom as high, left and
// right as wide as they need, the centre takes the rest. Any of them may be nil.
func Borders(top, bottom, left, right, centre fyne.CanvasObject) *fyne.Container {
	l := borders{top, bottom, left, right, centre}
	c := container.New(l)
	for _, o := range []fyne.CanvasObject{centre, left, right, top, bottom} {
		if o != nil {
			c.Objects = append(c.Objects, o)
		}
	}
	return c
}

type borders struct{ top, bottom, left, right, centre fyne.CanvasObject }

func shown(o fyne.CanvasObject) bool { return o != nil && o.Visible() }

func (l borders) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	x, y, w, h := float32(0), float32(0), size.Width, size.Height
	if shown(l.top) {
		th := HeightAt(l.top, w)
		l.top.Move(fyne.NewPos(0, 0))
		l.top.Resize(fyne.NewSize(w, th))
		y, h = th, h-th
	}
	if shown(l.bottom) {
		bh := HeightAt(l.bottom, w)
		l.bottom.Move(fyne.NewPos(0, size.Height-bh))
		l.bottom.Resize(fyne.NewSize(w, bh))
		h -= bh
	}
	h = max(0, h)
	if shown(l.left) {
		lw := l.left.MinSize().Width
		l.left.Move(fyne.NewPos(0, y))
		l.left.Resize(fyne.NewSize(lw, h))
		x, w = lw, w-lw
	}
	if shown(l.right) {
		rw := l.right.MinSize().Width
		l.right.Move(fyne.NewPos(size.Width-rw, y))
		l.right.Resize(fyne.NewSize(rw, h))
		w -= rw
	}
	if shown(l.centre) {
		l.centre.Move(fyne.NewPos(x, y))
		l.centre.Resize(fyne.NewSize(max(0, w), h))
	}
}

func (l borders) MinSize([]fyne.CanvasObject) fyne.Size {
	m := fyne.Size{}
	for _, o := range []fyne.CanvasObject{l.left, l.centre, l.right} {
		if shown(o) {
			s := o.MinSize()
			m.Width += s.Width
			m.Height = max(m.Height, s.Height)
		}
	}
	for _, o := range []fyne.CanvasObject{l.top, l.bottom} {
		if shown(o) {
			s := o.MinSize()
			m.Width = max(m.Width, s.Width)
			m.Height += s.Height
		}
	}
	return m
}
