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

// A conversationList is the pane on the left.
type conversationList struct {
	content *fyne.Container
	list    *rows
	undo    *fyne.Container
	deleted *widgets.TextLabel
	shown   []Summary
	current int
	setting bool // the selection is being drawn, not made
}

// listHooks are what the list asks for.
type listHooks struct {
	fresh  func()
	choose func(id int)
	remove func(id int)
	undo   func()
	typed  func(rune)
}

func newConversationList(h listHooks) *conversationList {
	l := &conversationList{deleted: widgets.Text(widgets.Quiet, "").Ellipsis()}
	l.list = newRows(l, h)
	l.list.OnSelected = func(i int) {
		if !l.setting && i < len(l.shown) {
			h.choose(l.shown[i].ID)
		}
	}
	plus := widgets.NewButton("", theme.IconPlus, widgets.Edged, h.fresh).Label(words.T("chat.new"))
	head := widgets.Inset(16, 12, 12, 10, widgets.HGap(8, widgets.Grow(widgets.Text(widgets.Section, words.T("chat.chats"))), plus))
	back := widgets.NewSmallButton(words.T("chat.undo"), "", widgets.Edged, h.undo)
	l.undo = widgets.VGap(0, widgets.Line(), widgets.Inset(16, 8, 12, 8, widgets.HGap(8, widgets.Grow(l.deleted), back)))
	l.undo.Hide()
	l.content = widgets.Borders(head, l.undo, nil, nil, widgets.Inset(6, 0, 6, 0, l.list))
	return l
}

// show draws a state.
func (l *conversationList) show(s State) {
	if !sameList(l.shown, s.Conversations) || l.current != s.Current {
		l.shown, l.current = s.Conversations, s.Current
		l.list.Refresh()
		for i, c := range l.shown {
			if c.ID == l.current {
				l.setting = true
				l.list.Select(i)
				l.setting = false
			}
		}
	}
	if s.Deleted != "" {
		l.deleted.SetText(words.T("chat.deleted", map[string]any{"Title": s.Deleted}))
	}
	if l.undo.Visible() != (s.Deleted != "") {
		widgets.SetShown(l.undo, s.Deleted != "")
		l.content.Refresh()
	}
}

func sameList(a, b []Summary) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func (l *conversationList) draw(i widget.ListItemID, o fyne.CanvasObject) {
	if i < len(l.shown) {
		o.(*fyne.Container).Objects[0].(*listRow).set(l.shown[i], l.shown[i].ID == l.current, l.list.marks(i))
	}
}

// A listRow is one conversation in the list.
type listRow struct {
	widget.BaseWidget
	title, when, preview *widgets.TextLabel
	ring                 *canvas.Rectangle // around the one that keys act on
}

func newListRow() fyne.CanvasObject {
	r := &listRow{
		title:   widgets.Text(widgets.Body, "").Ellipsis(),
		when:    widgets.Text(widgets.Hint, ""),
		preview: widgets.Text(widgets.Hint, "").Ellipsis(),
		ring:    &canvas.Rectangle{StrokeWidth: theme.FocusRingWidth, CornerRadius: theme.RadiusControl},
	}
	r.ExtendBaseWidget(r)
	return container.NewStack(r)
}

func (r *listRow) set(c Summary, current, marked bool) {
	title, preview := c.Title, c.Preview
	if title == "" {
		title, preview = words.T("chat.new"), words.T("chat.empty.preview")
	}
	if c.Answering {
		preview = words.T("chat.answering")
	}
	role := widgets.Body
	if current {
		role = widgets.Bold
	}
	r.title.SetRole(role)
	r.title.SetText(title)
	r.when.SetText(c.Started.Format("15:04"))
	r.preview.SetText(preview)
	r.ring.StrokeColor, r.ring.FillColor = theme.Color(theme.Focus), theme.Unfilled(theme.Focus)
	widgets.SetShown(r.ring, marked)
	r.Refresh()
}

// CreateRenderer lays the row out.
func (r *listRow) CreateRenderer() fyne.WidgetRenderer {
	lines := widgets.VGap(0, widgets.HGap(8, widgets.Grow(r.title), r.when), r.preview)
	return widget.NewSimpleRenderer(widgets.Fixed(0, theme.ConversationHeight-4,
		widgets.Stack(widgets.Inset(10, 3, 10, 3, lines), widgets.Inset(1, 1, 1, 1, r.ring))))
}
