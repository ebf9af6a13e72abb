package chat

import (
	"net/url"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// opens tells whether an address is one a browser is for. Others, such as
// files and scripts, can only be copied.
func opens(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return u.Opaque != ""
	}
	return false
}

// askLink shows where a link leads and asks before it is opened: the address was
// written by a model.
func (t *Tab) askLink(address string) {
	c := fyne.CurrentApp().Driver().CanvasForObject(t.content)
	if c == nil {
		return
	}
	var popup *widget.PopUp
	button := func(key string, style widgets.Style, does func()) *widgets.Button {
		return widgets.NewButton(words.T(key), "", style, func() {
			popup.Hide()
			if does != nil {
				does()
			}
		})
	}
	buttons := widgets.HGap(8, layout.NewSpacer(),
		button("chat.link.cancel", widgets.Plain, nil),
		button("chat.link.copy", widgets.Edged, func() { t.options.Copy(address) }),
	)
	text := words.T("chat.link.other")
	if opens(address) {
		text = words.T("chat.link.text")
		buttons.Add(button("chat.link.open", widgets.Filled, func() { t.options.OpenLink(address) }))
	}
	where := widgets.Paragraph(widgets.Mono, widgets.Visible(address, maxShownAddress))
	content := widgets.Stack(widgets.NewFill(theme.Surface, theme.ButtonEdge, theme.RadiusCard), widgets.Fixed(460, 0, widgets.Inset(16, 16, 16, 16, widgets.VGap(12,
		widgets.Text(widgets.Section, words.T("chat.link.title")),
		widgets.Paragraph(widgets.Body, text),
		widgets.Stack(widgets.NewFill(theme.Code, theme.Separator, theme.RadiusControl), widgets.Inset(10, 8, 10, 8, where)),
		buttons,
	))))
	popup = widget.NewModalPopUp(content, c)
	popup.Show()
}

// maxShownAddress is how much of an address is shown.
const maxShownAddress = 400
