package chat

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// An emptyPage is what stands where the messages will be.
type emptyPage struct {
	content *fyne.Container
	title   *widgets.TextLabel
	text    *widgets.ParagraphText
	load    *widgets.Button
}

func newEmptyPage(load func()) *emptyPage {
	e := &emptyPage{
		title: widgets.Text(widgets.Empty, "").Align(fyne.TextAlignCenter).Ellipsis(),
		text:  widgets.Paragraph(widgets.Body, "").Align(fyne.TextAlignCenter).Colour(theme.TextQuiet),
		load:  widgets.NewButton(words.T("chat.load"), theme.IconLayers, widgets.Filled, load),
	}
	button := widgets.HGap(0, layout.NewSpacer(), e.load, layout.NewSpacer())
	e.content = container.New(column{}, widgets.VGap(12, layout.NewSpacer(), e.title, e.text, button, layout.NewSpacer()))
	return e
}

func (e *emptyPage) show(s State, guide string) {
	title, text := words.T("chat.ask"), words.T("chat.ask.wait")
	switch {
	case s.Opening, s.Reading:
		title, text = words.T("chat.opening"), ""
	case s.OfferLoad:
		title, text = words.T("chat.none"), words.T("chat.none.text")
	case s.ModelPath != "" && s.ModelPath == guide:
		text = words.T("chat.ask.guide")
	case s.Model != "":
		text = words.T("chat.ask.text", map[string]any{"Model": widgets.Visible(s.Model, maxShownName)})
	}
	if title != e.title.String() || text != e.text.String() {
		e.title.SetText(title)
		e.text.SetText(text)
		widgets.SetShown(e.load, s.OfferLoad)
		e.content.Refresh()
	}
}

// maxShownName is how much of a model's name is shown.
const maxShownName = 80
