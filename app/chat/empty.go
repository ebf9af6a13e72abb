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
	load    *widgets.Button // goes to where a model is chosen
	last    *widgets.Button // loads the one used last
	other   *widgets.Button // load, beside last

	offered bool // there is a model for last
	wanted  bool // loading a model would help
}

func newEmptyPage(load, last func()) *emptyPage {
	e := &emptyPage{
		title: widgets.Text(widgets.Empty, "").Align(fyne.TextAlignCenter).Ellipsis(),
		text:  widgets.Paragraph(widgets.Body, "").Align(fyne.TextAlignCenter).Colour(theme.TextQuiet),
		load:  widgets.NewButton(words.T("chat.load"), theme.IconLayers, widgets.Filled, load),
	}
	e.last = widgets.NewButton("", theme.IconLayers, widgets.Filled, last)
	e.other = widgets.NewButton(words.T("chat.load.other"), "", widgets.Edged, load)
	buttons := widgets.HGap(8, layout.NewSpacer(), e.load, e.last, e.other, layout.NewSpacer())
	e.content = container.New(column{}, widgets.VGap(12, layout.NewSpacer(), e.title, e.text, buttons, layout.NewSpacer()))
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
		e.wanted = s.OfferLoad
		e.showButtons()
	}
}

// Offer has the page of a chat without a model offer the one that was used last,
// by its name; empty when there is none.
func (t *Tab) Offer(name string) {
	t.empty.offered = name != ""
	t.empty.last.SetText(words.T("chat.load.last", map[string]any{"Model": widgets.Visible(name, maxOfferedName)}))
	t.empty.showButtons()
}

func (e *emptyPage) showButtons() {
	widgets.SetShown(e.load, e.wanted && !e.offered)
	widgets.SetShown(e.last, e.wanted && e.offered)
	widgets.SetShown(e.other, e.wanted && e.offered)
	e.content.Refresh()
}

// maxOfferedName is how much of a model's name there is room for on a button.
const maxOfferedName = 40

// maxShownName is how much of a model's name is shown.
const maxShownName = 80
