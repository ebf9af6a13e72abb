package load

import "fyne.io/fyne/v2"

// besideOrBelow puts a second control beside the first, or below it where there
// is no room. The second may be hidden.
type besideOrBelow struct{ width float32 }

const controlGap, rowGap = 16, 8

func (l *besideOrBelow) beside(objects []fyne.CanvasObject) bool {
	return l.width == 0 || !objects[1].Visible() || objects[0].MinSize().Width+controlGap+objects[1].MinSize().Width <= l.width
}

func (l *besideOrBelow) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	first, second := objects[0].MinSize(), objects[1].MinSize()
	objects[0].Resize(first)
	objects[1].Resize(second)
	objects[0].Move(fyne.NewPos(0, 0))
	if l.beside(objects) {
		objects[1].Move(fyne.NewPos(first.Width+controlGap, (first.Height-second.Height)/2))
	} else {
		objects[1].Move(fyne.NewPos(0, first.Height+rowGap))
	}
}

func (l *besideOrBelow) MinSize(objects []fyne.CanvasObject) fyne.Size {
	first, second := objects[0].MinSize(), objects[1].MinSize()
	if !objects[1].Visible() {
		return first
	}
	if l.beside(objects) {
		return fyne.NewSize(first.Width, max(first.Height, second.Height))
	}
	return fyne.NewSize(max(first.Width, second.Width), first.Height+rowGap+second.Height)
}
