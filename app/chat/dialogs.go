package chat

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

const (
	dialogWidth   = 480
	settingsWidth = 800
)

// A dialogBox is a dialog of the tab that is open.
type dialogBox struct {
	tab    *Tab
	popup  *widget.PopUp
	about  any         // what in the state it is about; nil for one the user opened
	show   func(State) // draws a state; nil when nothing in it changes
	cancel func()      // what Escape does beside closing it; nil for nothing
}

// open shows a dialog. It is nil where the tab is in no window.
func (t *Tab) open(width float32, cancel func(), content fyne.CanvasObject) *dialogBox {
	c := fyne.CurrentApp().Driver().CanvasForObject(t.content)
	if c == nil {
		return nil
	}
	if t.dialog != nil {
		t.dialog.close()
	}
	width = min(width, c.Size().Width-48)
	card := widgets.Stack(widgets.NewFill(theme.Surface, theme.ButtonEdge, theme.RadiusCard),
		widgets.Fixed(width, 0, widgets.Inset(16, 16, 16, 16, content)))
	d := &dialogBox{tab: t, cancel: cancel, popup: widget.NewModalPopUp(card, c)}
	t.dialog = d
	d.popup.Show()
	d.fit()
	return d
}

// fit makes the dialog as high as its texts are at its width.
func (d *dialogBox) fit() {
	width := d.popup.Content.MinSize().Width
	d.popup.Resize(fyne.NewSize(width, widgets.HeightAt(d.popup.Content, width)))
}

// close takes the dialog away.
func (d *dialogBox) close() {
	d.popup.Hide()
	if d.tab.dialog == d {
		d.tab.dialog = nil
	}
}

// CloseDialog closes the tab's dialog, as Escape does, and says whether there was
// one.
func (t *Tab) CloseDialog() bool {
	d := t.dialog
	if d == nil {
		return false
	}
	d.close()
	if d.cancel != nil {
		d.cancel()
	}
	t.focus()
	return true
}

// question asks before something is added.
func (t *Tab) question(q Question) *dialogBox {
	no := widgets.NewButton(q.No, "", widgets.Edged, func() { t.Answer(false) })
	yes := widgets.NewButton(q.Yes, "", widgets.Filled, func() { t.Answer(true) })
	d := t.open(dialogWidth, func() { t.Answer(false) }, widgets.VGap(12,
		widgets.Text(widgets.Section, q.Title).Ellipsis(),
		widgets.Paragraph(widgets.Body, q.Text),
		widgets.HGap(8, layout.NewSpacer(), no, yes),
	))
	if d != nil {
		widgets.FocusBeside(t.content, yes)
	}
	return d
}

// overflowDialog offers what can be done about a message for which there is no
// room.
func (t *Tab) overflowDialog(o Overflow) *dialogBox {
	meter := widgets.NewMeter(dialogWidth - 32)
	whole := float64(max(1, o.ContextTokens))
	meter.Set(float64(o.PromptTokens)/whole, float64(o.AnswerTokens)/whole)
	offers := widgets.VGap(8)
	var first *widgets.Button
	for _, offer := range o.Offers {
		style := widgets.Edged
		if first == nil && offer.Off == "" {
			style = widgets.Filled
		}
		b := widgets.NewButton(offer.Label, "", style, func() { t.Resolve(offer.ID) })
		b.SetEnabled(offer.Off == "")
		if style == widgets.Filled {
			first = b
		}
		text := widgets.VGap(0)
		if offer.Text != "" {
			text.Add(widgets.Paragraph(widgets.Quiet, offer.Text))
		}
		if offer.Off != "" {
			text.Add(widgets.NewReason(widgets.Off, offer.Off))
		}
		offers.Add(widgets.HGap(12, widgets.Fixed(160, 0, b), widgets.Grow(text)))
	}
	cancel := widgets.NewButton(words.T("chat.overflow.cancel"), "", widgets.Plain, func() { t.CancelOverflow() })
	d := t.open(560, func() { t.CancelOverflow() }, widgets.VGap(12,
		widgets.Text(widgets.Section, o.Title).Ellipsis(),
		widgets.Paragraph(widgets.Body, o.Text), meter, offers,
		widgets.HGap(8, layout.NewSpacer(), cancel),
	))
	if first == nil {
		first = cancel
	}
	if d != nil {
		widgets.FocusBeside(t.content, first)
	}
	return d
}

// maxSelectBytes is how much of a message can be selected at once: more makes the
// field slow.
const maxSelectBytes = 60_000

// selectText shows a message as text that can be selected.
func (t *Tab) selectText(text string) {
	label := widget.NewLabel(widgets.Readable(text, maxSelectBytes))
	label.Wrapping, label.Selectable = fyne.TextWrapWord, true
	scroll := container.NewVScroll(label)
	done := widgets.NewButton(words.T("chat.close"), "", widgets.Edged, func() { t.CloseDialog() })
	height := float32(420)
	if c := fyne.CurrentApp().Driver().CanvasForObject(t.content); c != nil {
		height = min(height, c.Size().Height-180)
	}
	d := t.open(680, nil, widgets.VGap(12,
		widgets.Text(widgets.Section, words.T("chat.select")),
		widgets.Stack(widgets.NewFill(theme.Code, theme.Separator, theme.RadiusControl), widgets.Fixed(0, height, scroll)),
		widgets.HGap(8, widgets.Grow(widgets.Text(widgets.Hint, words.T("chat.select.hint")).Ellipsis()), done),
	))
	if d != nil {
		widgets.FocusBeside(t.content, done)
	}
}

// showPicture shows a picture of a message larger.
func (t *Tab) showPicture(path string) {
	c := fyne.CurrentApp().Driver().CanvasForObject(t.content)
	if c == nil {
		return
	}
	size := fyne.NewSize(min(900, c.Size().Width-120), min(620, c.Size().Height-160))
	img := &canvas.Image{FillMode: canvas.ImageFillContain, ScaleMode: canvas.ImageScaleSmooth}
	wait := widgets.Text(widgets.Quiet, words.T("chat.adding.reading")).Align(fyne.TextAlignCenter)
	var draw func()
	draw = func() {
		picture, ready := t.thumbs.Get(path, largePicture, func() { draw() })
		if ready && picture == nil {
			wait.SetText(words.T("chat.picture.gone"))
		}
		if picture != nil {
			wait.Hide()
			img.Image = picture
			img.Refresh()
		}
	}
	draw()
	done := widgets.NewButton(words.T("chat.close"), "", widgets.Edged, func() { t.CloseDialog() })
	d := t.open(size.Width, nil, widgets.VGap(12, widgets.Fixed(0, size.Height, widgets.Stack(wait, img)),
		widgets.HGap(8, layout.NewSpacer(), done)))
	if d != nil {
		widgets.FocusBeside(t.content, done)
	}
}

// largePicture is the side of a picture shown by itself, in pixels.
const largePicture = 1024
