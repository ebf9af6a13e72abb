package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// MenuUnder shows a menu under an object of the window, ending where it does.
func MenuUnder(object fyne.CanvasObject, menu *fyne.Menu) {
	c := fyne.CurrentApp().Driver().CanvasForObject(object)
	if c == nil {
		return
	}
	popup := widget.NewPopUpMenu(menu, c)
	x := object.Size().Width - popup.MinSize().Width
	popup.ShowAtRelativePosition(fyne.NewPos(x, object.Size().Height+theme.Gap), object)
}

// MenuAt shows a menu at a place of the window an object is in.
func MenuAt(object fyne.CanvasObject, menu *fyne.Menu, at fyne.Position) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(object); c != nil {
		widget.NewPopUpMenu(menu, c).ShowAtPosition(at)
	}
}
