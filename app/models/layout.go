package models

import (
	"fyne.io/fyne/v2"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// toolbar lays out the filter box, the counts and the buttons. Where there is
// little room the buttons with an icon lose their text first, then the box gives
// way, then the counts.
type toolbar struct{ named []namedButton }

// A namedButton is a button that can do without its text.
type namedButton struct {
	button *widgets.Button
	text   string
}

const (
	filterWidth   = 248
	filterLeast   = 150
	toolbarWide   = 760 // from here on there is room for texts
	toolbarHeight = theme.ControlHeight
)

func (toolbar) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(0, toolbarHeight) }

func (l toolbar) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for _, n := range l.named {
		text := n.text
		if size.Width < toolbarWide {
			text = ""
		}
		n.button.SetText(text)
	}
	filter, counts, buttons := objects[0].(*widgets.Entry), objects[1].(*widgets.TextLabel), objects[2]
	right := size.Width - buttons.MinSize().Width
	width := max(filterLeast, min(filterWidth, right-2*theme.GapControl-counts.NaturalWidth()))
	hint := "models.filter.hint"
	if width < filterWidth {
		hint = "models.filter.short" // an entry scrolls a hint that is too long
	}
	if text := words.T(hint); filter.PlaceHolder != text {
		filter.SetPlaceHolder(text)
	}
	filter.Resize(fyne.NewSize(width, size.Height))
	counts.Move(fyne.NewPos(width+theme.GapControl, (size.Height-theme.LineLabel)/2))
	counts.Resize(fyne.NewSize(max(0, right-width-2*theme.GapControl), theme.LineLabel))
	buttons.Move(fyne.NewPos(right, 0))
	buttons.Resize(fyne.NewSize(size.Width-right, size.Height))
}

// panes lays out the list and the detail pane.
type panes struct{}

// detailNarrow is the pane's width in a narrow window.
const detailNarrow = 300

func (panes) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(600, 300) }

func (panes) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	width := theme.DetailWidth
	if size.Width < theme.NarrowBelow-theme.RailWidth {
		width = detailNarrow
	}
	objects[0].Resize(fyne.NewSize(size.Width-width, size.Height))
	objects[1].Move(fyne.NewPos(size.Width-width, 0))
	objects[1].Resize(fyne.NewSize(width, size.Height))
}

// A flow lays objects out like words, in lines.
type flow struct {
	gap, start float32
	width      float32 // of the last layout
}

func (l *flow) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	l.run(objects, func(o fyne.CanvasObject, x, y float32) {
		o.Resize(o.MinSize())
		o.Move(fyne.NewPos(x, y))
	})
}

func (l *flow) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(0, l.run(objects, func(fyne.CanvasObject, float32, float32) {}))
}

// run places every object and says how high all are.
func (l *flow) run(objects []fyne.CanvasObject, place func(o fyne.CanvasObject, x, y float32)) float32 {
	x, y, line := l.start, float32(0), float32(0)
	for _, o := range objects {
		size := o.MinSize()
		if l.width > 0 && x > l.start && x+size.Width > l.width {
			x, y = l.start, y+line+l.gap
			line = 0
		}
		place(o, x, y)
		x += size.Width + l.gap
		line = max(line, size.Height)
	}
	return y + line
}

// centred puts one object in the upper middle, at most width wide.
type centred struct{ width float32 }

func (l centred) MinSize(objects []fyne.CanvasObject) fyne.Size {
	size := fyne.Size{}
	for _, o := range objects {
		size.Height = max(size.Height, widgets.HeightAt(o, l.width)+2*theme.PaneMargin)
	}
	return size
}

func (l centred) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	width := min(l.width, size.Width-2*theme.PaneMargin)
	for _, o := range objects {
		o.Resize(fyne.NewSize(width, size.Height))
		height := o.MinSize().Height // now that wrapped text knows its width
		o.Resize(fyne.NewSize(width, height))
		o.Move(fyne.NewPos(float32(int((size.Width-width)/2)), max(theme.PaneMargin, float32(int((size.Height-height)*2/5)))))
	}
}

// twoColumns lays objects out in two columns, the first half in the left one.
type twoColumns struct{ gap float32 }

const placeHeight = 22

func (l twoColumns) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(0, placeHeight*float32((len(objects)+1)/2))
}

func (l twoColumns) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	width, half := (size.Width-l.gap)/2, (len(objects)+1)/2
	for i, o := range objects {
		o.Resize(fyne.NewSize(width, placeHeight))
		o.Move(fyne.NewPos(float32(i/half)*(width+l.gap), placeHeight*float32(i%half)))
	}
}
