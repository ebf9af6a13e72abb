package chat

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
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
	*widgets.Dialog
	about any         // what in the state it is about; nil for one the user opened
	show  func(State) // draws a state; nil when nothing in it changes
}

// open shows a dialog in the place of the one that is open. It is nil where the tab is
// in no window. cancel is what Escape does beside closing it; nil for nothing.
func (t *Tab) open(width float32, title string, cancel func(), content, buttons fyne.CanvasObject, focus fyne.Focusable) *dialogBox {
	c := fyne.CurrentApp().Driver().CanvasForObject(t.content)
	if c == nil {
		return nil
	}
	d := &dialogBox{Dialog: widgets.NewDialog(c, width, title, content, buttons)}
	if t.dialog != nil {
		t.dialog.Close()
	}
	t.dialog = d
	d.OnClosed = func() {
		if t.dialog == d {
			t.dialog = nil
		}
	}
	d.OnCancel = func() {
		if cancel != nil {
			cancel()
		}
		t.focus()
	}
	d.Show(focus)
	return d
}

// CloseDialog closes the tab's dialog, as Escape does, and says whether there was
// one.
func (t *Tab) CloseDialog() bool {
	if t.dialog == nil {
		return false
	}
	t.dialog.Cancel()
	return true
}

// question asks before something is added.
func (t *Tab) question(q Question) *dialogBox {
	no := widgets.NewButton(q.No, "", widgets.Edged, func() { t.Answer(false) })
	yes := widgets.NewButton(q.Yes, "", widgets.Filled, func() { t.Answer(true) })
	return t.open(dialogWidth, q.Title, func() { t.Answer(false) }, widgets.Paragraph(widgets.Body, q.Text), widgets.Buttons(no, yes), yes)
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
	if first == nil {
		first = cancel
	}
	content := widgets.VGap(12, widgets.Paragraph(widgets.Body, o.Text), meter, offers)
	return t.open(560, o.Title, func() { t.CancelOverflow() }, content, widgets.Buttons(cancel), first)
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
	t.open(680, words.T("chat.select"), nil,
		widgets.Stack(widgets.NewFill(theme.Code, theme.Separator, theme.RadiusControl), widgets.Fixed(0, height, scroll)),
		widgets.HGap(8, widgets.Grow(widgets.Text(widgets.Hint, words.T("chat.select.hint")).Ellipsis()), done), done)
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
		picture, ready := t.thumbs.Get(path, largePicture, func() bool { return true }, func() { draw() })
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
	t.open(size.Width, "", nil, widgets.Fixed(0, size.Height, widgets.Stack(wait, img)), widgets.Buttons(done), done)
}

// largePicture is the side of a picture shown by itself, in pixels.
const largePicture = 1024
