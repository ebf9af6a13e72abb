package widgets

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// dialogMargin is what at least stays free of the window left and right of a dialog.
const dialogMargin = 24

// A Dialog is a card over the window, which is not to be used until the card is
// closed: by Close, which its buttons call, or by Cancel, which Escape does. Enter
// presses the button that has the focus.
type Dialog struct {
	OnCancel func() // it was cancelled; nil for nothing beside closing it
	OnClosed func() // it was closed, however that came; nil for nothing

	canvas  fyne.Canvas
	card    *fyne.Container
	popup   *widget.PopUp
	overlay fyne.CanvasObject // that has the popup, while it is shown
}

// NewDialog makes a dialog on a window's canvas: a title, which may be empty, what is to
// be read or done, and a row of buttons as Buttons makes it.
func NewDialog(c fyne.Canvas, width float32, title string, content, buttons fyne.CanvasObject) *Dialog {
	d := &Dialog{canvas: c}
	body := VGap(12)
	if title != "" {
		body.Add(Text(Section, title).Ellipsis())
	}
	body.Add(content)
	body.Add(buttons)
	d.card = Stack(
		NewFill(theme.Surface, theme.ButtonEdge, theme.RadiusCard),
		Fixed(min(width, c.Size().Width-2*dialogMargin), 0, Inset(16, 16, 16, 16, body)),
	)
	d.popup = widget.NewModalPopUp(d.card, c)
	return d
}

// Buttons is the row of a dialog's buttons, at its right end.
func Buttons(buttons ...fyne.CanvasObject) fyne.CanvasObject {
	return HGap(8, append([]fyne.CanvasObject{layout.NewSpacer()}, buttons...)...)
}

// Show shows the dialog. focus is what the keyboard goes to: the button that Enter is
// to press, or a field.
func (d *Dialog) Show(focus fyne.Focusable) {
	d.popup.Show()
	d.overlay = d.canvas.Overlays().Top()
	dialogs = append(slices.DeleteFunc(dialogs, func(other *Dialog) bool { return !other.Open() }), d)
	d.Fit()
	d.canvas.Focus(focus)
}

// Fit makes the dialog as high as its texts are at its width, after a change in it.
// Fyne puts a dialog in the middle before it knows its height, and again only with the
// window's next size.
func (d *Dialog) Fit() {
	d.popup.Refresh()
	width := d.card.MinSize().Width
	size, room := fyne.NewSize(width, HeightAt(d.card, width)), d.canvas.Size()
	d.popup.Resize(size)
	d.popup.Move(fyne.NewPos((room.Width-size.Width)/2, (room.Height-size.Height)/2))
}

// Open says whether the dialog is shown.
func (d *Dialog) Open() bool {
	return d.overlay != nil && slices.Contains(d.canvas.Overlays().List(), d.overlay)
}

// Close takes the dialog away.
func (d *Dialog) Close() {
	if !d.Open() {
		return
	}
	d.popup.Hide()
	d.overlay = nil
	if d.OnClosed != nil {
		d.OnClosed()
	}
}

// Cancel closes the dialog as Escape does.
func (d *Dialog) Cancel() {
	if !d.Open() {
		return
	}
	d.Close()
	if d.OnCancel != nil {
		d.OnCancel()
	}
}

// dialogs are those of all windows that are open, and some that no longer are. It
// belongs to the UI goroutine.
var dialogs []*Dialog

// CancelDialog cancels the dialog that is on top in a window, and says whether one is.
func CancelDialog(c fyne.Canvas) bool {
	top := c.Overlays().Top()
	i := slices.IndexFunc(dialogs, func(d *Dialog) bool { return d.overlay == top })
	if top == nil || i < 0 {
		return false
	}
	dialogs[i].Cancel()
	return true
}
