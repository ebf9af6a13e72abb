package hardware

import (
	"fyne.io/fyne/v2"

	"paddock/app/widgets"
)

// columns lays cards out in two columns, each card in the shorter one so far; a
// single card takes the whole width. Where the window is wide and a big card comes
// first, its column is the wider one.
type columns struct {
	cards func() []*cardView
	width float32
}

const (
	columnGap  = 12
	uneven     = 1000 // from this width on
	firstShare = 0.565
)

func (l *columns) Layout(objs []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	l.place(objs, size.Width, func(o fyne.CanvasObject, pos fyne.Position, s fyne.Size) {
		o.Move(pos)
		o.Resize(s)
	})
}

func (l *columns) MinSize(objs []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(400, l.place(objs, l.width, func(fyne.CanvasObject, fyne.Position, fyne.Size) {}))
}

// widths are those of the two columns.
func (l *columns) widths(width float32) [2]float32 {
	left := (width - columnGap) / 2
	if cards := l.cards(); width >= uneven && len(cards) > 0 && cards[0].shown.Big {
		left = (width - columnGap) * firstShare
	}
	return [2]float32{left, width - columnGap - left}
}

// place puts the cards into the columns and is the height they need.
func (l *columns) place(objs []fyne.CanvasObject, width float32, put func(fyne.CanvasObject, fyne.Position, fyne.Size)) (height float32) {
	cards := l.cards()
	heightAt := func(i int, width float32) float32 {
		cards[i].fit(width)
		return widgets.HeightAt(objs[i], width)
	}
	if len(objs) == 1 {
		h := heightAt(0, width)
		put(objs[0], fyne.Position{}, fyne.NewSize(width, h))
		return h
	}
	wide := l.widths(width)
	lefts := [2]float32{0, wide[0] + columnGap}
	var heights, tops [2]float32
	var lasts [2]fyne.CanvasObject
	for i, o := range objs {
		at := 0
		if heights[1] < heights[0] {
			at = 1
		}
		if heights[at] > 0 {
			heights[at] += columnGap
		}
		h := heightAt(i, wide[at])
		put(o, fyne.NewPos(lefts[at], heights[at]), fyne.NewSize(wide[at], h))
		lasts[at], tops[at] = o, heights[at]
		heights[at] += h
	}
	height = max(heights[0], heights[1])
	for at, o := range lasts { // columns end together
		if o != nil {
			put(o, fyne.NewPos(lefts[at], tops[at]), fyne.NewSize(wide[at], height-tops[at]))
		}
	}
	return height
}
