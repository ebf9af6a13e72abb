package widgets

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// tipDelay is how long the pointer rests before a tip is shown.
const tipDelay = 500 * time.Millisecond

// A TipLayer shows the names of icons the pointer rests on. It is one of the last
// objects of a window's content, over everything else to be seen, and takes no
// clicks.
type TipLayer struct {
	widget.BaseWidget
	tip  *fyne.Container
	text *TextLabel
	over fyne.CanvasObject // what the tip is about, nil when none is wanted
}

// NewTipLayer makes a layer without a tip.
func NewTipLayer() *TipLayer {
	l := &TipLayer{text: Text(Quiet, "").Colour(theme.Text)}
	l.tip = Stack(NewFill(theme.Raised, theme.ButtonEdge, theme.RadiusBadge), Inset(8, 4, 8, 4, l.text))
	l.tip.Hide()
	l.ExtendBaseWidget(l)
	return l
}

// CreateRenderer draws the tip.
func (l *TipLayer) CreateRenderer() fyne.WidgetRenderer {
	return &renderer{
		objects: []fyne.CanvasObject{l.tip},
		layout:  func(fyne.Size) {},
		min:     func() fyne.Size { return fyne.Size{} },
		refresh: func() { l.tip.Refresh() },
	}
}

// tipLayer is the layer of the window an object is in, nil when it has none.
func tipLayer(o fyne.CanvasObject) *TipLayer {
	return layerOf(fyne.CurrentApp().Driver().CanvasForObject(o))
}

func layerOf(c fyne.Canvas) *TipLayer {
	if c == nil {
		return nil
	}
	content, ok := c.Content().(*fyne.Container)
	if !ok {
		return nil
	}
	for _, o := range content.Objects {
		if layer, ok := o.(*TipLayer); ok {
			return layer
		}
	}
	return nil
}

// offerTip shows a tip at an object once the pointer has rested on it.
func offerTip(o fyne.CanvasObject, text string) {
	layer := tipLayer(o)
	if layer == nil || text == "" {
		return
	}
	layer.over = o
	time.AfterFunc(tipDelay, func() {
		fyne.Do(func() {
			if layer.over == o {
				layer.show(o, text)
			}
		})
	})
}

// dropTip takes an object's tip away.
func dropTip(o fyne.CanvasObject) {
	if layer := tipLayer(o); layer != nil && layer.over == o {
		layer.over = nil
		layer.tip.Hide()
	}
}

// HideTip takes away the tip a window shows: what it is about goes out of view
// without the pointer leaving it.
func HideTip(c fyne.Canvas) {
	if layer := layerOf(c); layer != nil {
		layer.over = nil
		layer.tip.Hide()
	}
}

// show puts the tip below the object, or above it where there is no room, and
// inside the window.
func (l *TipLayer) show(o fyne.CanvasObject, text string) {
	l.text.SetText(text)
	size := l.tip.MinSize()
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(o)
	x := min(at.X+(o.Size().Width-size.Width)/2, l.Size().Width-size.Width-theme.Gap)
	y := at.Y + o.Size().Height + theme.Gap
	if y+size.Height > l.Size().Height {
		y = at.Y - size.Height - theme.Gap
	}
	l.tip.Resize(size)
	l.tip.Move(fyne.NewPos(round(max(theme.Gap, x)), round(y)))
	l.tip.Show()
}
