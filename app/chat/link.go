package chat

import (
	"net/url"

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
	button := func(key string, style widgets.Style, does func()) *widgets.Button {
		return widgets.NewButton(words.T(key), "", style, func() {
			t.CloseDialog()
			if does != nil {
				does()
			}
		})
	}
	cancel := button("chat.link.cancel", widgets.Plain, nil)
	copied := button("chat.link.copy", widgets.Edged, func() { t.options.Copy(address) })
	buttons, text := widgets.Buttons(cancel, copied), words.T("chat.link.other")
	if opens(address) {
		text = words.T("chat.link.text")
		buttons = widgets.Buttons(cancel, copied, button("chat.link.open", widgets.Filled, func() { t.options.OpenLink(address) }))
	}
	where := widgets.Paragraph(widgets.Mono, widgets.Visible(address, maxShownAddress))
	t.open(460, words.T("chat.link.title"), nil, widgets.VGap(12,
		widgets.Paragraph(widgets.Body, text),
		widgets.Stack(widgets.NewFill(theme.Code, theme.Separator, theme.RadiusControl), widgets.Inset(10, 8, 10, 8, where)),
	), buttons, cancel)
}

// maxShownAddress is how much of an address is shown.
const maxShownAddress = 400
