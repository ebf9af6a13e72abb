package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// A Fill is a rectangle of one of the design's colours that follows the theme.
type Fill struct {
	widget.BaseWidget
	fill, edge fyne.ThemeColorName
	radius     float32
}

// NewFill makes a rectangle; no edge when its name is empty.
func NewFill(fill, edge fyne.ThemeColorName, radius float32) *Fill {
	f := &Fill{fill: fill, edge: edge, radius: radius}
	f.ExtendBaseWidget(f)
	return f
}

// SetColours changes fill and edge.
func (f *Fill) SetColours(fill, edge fyne.ThemeColorName) {
	if f.fill != fill || f.edge != edge {
		f.fill, f.edge = fill, edge
		f.Refresh()
	}
}

// CreateRenderer draws the rectangle.
func (f *Fill) CreateRenderer() fyne.WidgetRenderer {
	rect := box(f.radius)
	paint(rect, f.fill, f.edge)
	return &renderer{
		objects: []fyne.CanvasObject{rect},
		layout:  rect.Resize,
		min:     func() fyne.Size { return fyne.Size{} },
		refresh: func() { paint(rect, f.fill, f.edge) },
	}
}

// Background paints a colour behind an object.
func Background(colour fyne.ThemeColorName, obj fyne.CanvasObject) *fyne.Container {
	return Stack(NewFill(colour, "", 0), obj)
}

// Card puts an edged surface with 16 px of room around an object.
func Card(obj fyne.CanvasObject) *fyne.Container {
	return Stack(NewFill(theme.Surface, theme.Separator, theme.RadiusCard), Inset(16, 16, 16, 16, obj))
}

// Line is a separator of 1 px: a horizontal one in a column, an upright one in a
// row.
func Line() fyne.CanvasObject {
	return newLine()
}

type line struct{ Fill }

func newLine() *line {
	l := &line{Fill{fill: theme.Separator}}
	l.ExtendBaseWidget(l)
	return l
}

func (l *line) MinSize() fyne.Size { return fyne.NewSize(1, 1) }
func (l *line) fillsHeight() bool  { return true }
