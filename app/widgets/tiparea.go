package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// A TipArea shows a tip while the pointer rests on what it lies over. It draws
// nothing and takes no clicks.
type TipArea struct {
	widget.BaseWidget
	text string
}

// NewTipArea makes an area without a tip.
func NewTipArea() *TipArea {
	a := &TipArea{}
	a.ExtendBaseWidget(a)
	return a
}

// SetText changes the tip, empty for none.
func (a *TipArea) SetText(text string) { a.text = text }

// String is the tip.
func (a *TipArea) String() string { return a.text }

// MouseIn is called when the pointer comes.
func (a *TipArea) MouseIn(*desktop.MouseEvent) { offerTip(a, a.text) }

// MouseMoved is called while it is there.
func (a *TipArea) MouseMoved(*desktop.MouseEvent) {}

// MouseOut is called when it goes.
func (a *TipArea) MouseOut() { dropTip(a) }

// CreateRenderer draws nothing.
func (a *TipArea) CreateRenderer() fyne.WidgetRenderer {
	return &renderer{
		layout:  func(fyne.Size) {},
		min:     func() fyne.Size { return fyne.Size{} },
		refresh: func() {},
	}
}
