package chat

import (
	"fyne.io/fyne/v2"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// headerHeight is less than that of other pages: messages need the room.
const headerHeight = 44

// A header is the line above the messages: the title and what can be done with
// the conversation.
type header struct {
	tab     *Tab
	title   *widgets.TextLabel
	export  *widgets.Button
	menu    *widgets.Button
	content *fyne.Container
}

func newHeader(t *Tab) *header {
	h := &header{tab: t, title: widgets.Text(widgets.Section, "").Ellipsis()}
	h.export = widgets.NewButton(words.T("chat.export"), theme.IconExport, widgets.Plain, h.openExport)
	h.menu = widgets.NewButton("", theme.IconDots, widgets.Plain, h.openMenu).Label(words.T("chat.menu"))
	h.content = widgets.Fixed(0, headerHeight, widgets.Borders(nil, widgets.Line(), nil, nil,
		widgets.Inset(24, 0, 12, 0, widgets.HGap(8, widgets.Grow(h.title), h.export, h.menu))))
	return h
}

func (h *header) show(s State) {
	h.title.SetText(titleOf(s.Title))
	h.export.SetEnabled(s.Current != 0 && len(s.Turns) > 0)
}

func (h *header) openExport() {
	if !h.export.Disabled() {
		widgets.MenuUnder(h.export, h.tab.exportMenu(h.tab.shown.Current))
	}
}

func (h *header) openMenu() { widgets.MenuUnder(h.menu, h.tab.headerMenu()) }
