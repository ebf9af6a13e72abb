// Package widgets is what the tabs are built from: the design's controls where
// Fyne's own can't look like them, and the layouts between them.
package widgets

import (
	"image/color"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"paddock/app/theme"
)

// A renderer draws a widget of this package from plain canvas objects.
type renderer struct {
	objects []fyne.CanvasObject
	layout  func(fyne.Size)
	min     func() fyne.Size
	refresh func()
}

func (r *renderer) Destroy()                     {}
func (r *renderer) Layout(size fyne.Size)        { r.layout(size) }
func (r *renderer) MinSize() fyne.Size           { return r.min() }
func (r *renderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *renderer) Refresh()                     { r.refresh() }

// atNewSize is the layout of a widget that makes its objects anew for a size. It
// does so only when the size has changed: Fyne lays a widget out again whenever
// it finds an object in it that it has not seen, so making new ones each time
// would repaint the window for ever.
func atNewSize(build func()) func(fyne.Size) {
	last := fyne.NewSize(-1, -1)
	return func(size fyne.Size) {
		if size != last {
			last = size
			build()
		}
	}
}

// box is a rounded rectangle with an edge inside its bounds.
func box(radius float32) *canvas.Rectangle {
	return &canvas.Rectangle{CornerRadius: radius}
}

func paint(r *canvas.Rectangle, fill, edge fyne.ThemeColorName) {
	r.FillColor, r.StrokeColor, r.StrokeWidth = color.Transparent, color.Transparent, 0
	if edge != "" {
		r.StrokeColor, r.StrokeWidth = theme.Color(edge), 1
		r.FillColor = theme.Unfilled(edge)
	}
	if fill != "" {
		r.FillColor = theme.Color(fill)
	}
	r.Refresh()
}

// ring is the focus ring: 2 px wide, 1 px outside of what it surrounds.
type ring struct{ *canvas.Rectangle }

func newRing(radius float32) ring {
	r := ring{&canvas.Rectangle{CornerRadius: radius + ringOutset, StrokeWidth: theme.FocusRingWidth}}
	r.Hide()
	return r
}

const ringOutset = theme.FocusRingWidth + theme.FocusRingDistance

func (r ring) around(size fyne.Size) {
	r.Move(fyne.NewPos(-ringOutset, -ringOutset))
	r.Resize(size.AddWidthHeight(2*ringOutset, 2*ringOutset))
}

func (r ring) show(on bool) {
	r.StrokeColor, r.FillColor = theme.Color(theme.Focus), theme.Unfilled(theme.Focus)
	if on {
		r.Show()
	} else {
		r.Hide()
	}
	r.Refresh()
}

// iconImage is an image of one of the design's icons.
func iconImage(name theme.IconName, colour fyne.ThemeColorName) *canvas.Image {
	img := canvas.NewImageFromResource(theme.Icon(name, colour))
	img.FillMode = canvas.ImageFillContain
	return img
}

// putAt puts an object on whole pixels.
func putAt(o fyne.CanvasObject, x, y, w, h float32) {
	o.Move(fyne.NewPos(round(x), round(y)))
	o.Resize(fyne.NewSize(w, h))
}

func round(v float32) float32 { return float32(math.Round(float64(v))) }
func floor(v float32) float32 { return float32(math.Floor(float64(v))) }
func ceil(v float32) float32  { return float32(math.Ceil(float64(v))) }

// Focus gives the keyboard to an object, when it is in a window.
func Focus(o interface {
	fyne.CanvasObject
	fyne.Focusable
}) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(o); c != nil {
		c.Focus(o)
	}
}

// FocusBeside gives the keyboard to an object that may not have been drawn yet,
// when one that has been is in a window: Fyne knows the window of those only.
func FocusBeside(drawn fyne.CanvasObject, o fyne.Focusable) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(drawn); c != nil {
		c.Focus(o)
	}
}

// PassKey gives a key that a focused widget has no use for to the window, which
// doesn't see keys while anything has the focus.
func PassKey(w fyne.CanvasObject, ev *fyne.KeyEvent) {
	c := fyne.CurrentApp().Driver().CanvasForObject(w)
	if c == nil {
		return
	}
	if typed := c.OnTypedKey(); typed != nil {
		typed(ev)
	}
}

// PassShortcut gives a shortcut to the window in the same way.
func PassShortcut(w fyne.CanvasObject, s fyne.Shortcut) {
	if c, ok := fyne.CurrentApp().Driver().CanvasForObject(w).(fyne.Shortcutable); ok {
		c.TypedShortcut(s)
	}
}
