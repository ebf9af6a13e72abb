package chat

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// A listRow is one conversation in the list, or the heading of a group.
type listRow struct {
	widget.BaseWidget
	list    *conversationList
	index   int
	title   *widgets.MarkedText
	when    *widgets.TextLabel
	pin     *widgets.Icon
	image   *widgets.Icon
	preview *widgets.MarkedText
	heading *widgets.TextLabel
	entry   *widgets.Entry // for its title, while that is being changed
	lines   *fyne.Container
	ring    *canvas.Rectangle // around the one that keys act on
	content *fyne.Container
	look    rowLook
}

// A rowLook is what a conversation's row shows.
type rowLook struct {
	summary                              Summary
	hit                                  *Hit
	current, marked, answering, renaming bool
}

func newListRow(l *conversationList) *listRow {
	r := &listRow{
		list:    l,
		title:   widgets.NewMarkedText(widgets.Body),
		when:    widgets.Text(widgets.Hint, ""),
		pin:     widgets.NewIcon(theme.IconPin, theme.Accent, theme.IconSizeText),
		image:   widgets.NewIcon(theme.IconImage, theme.TextQuiet, theme.IconSizeText),
		preview: widgets.NewMarkedText(widgets.Hint),
		heading: widgets.Text(widgets.Hint, "").Ellipsis(),
		ring:    &canvas.Rectangle{StrokeWidth: theme.FocusRingWidth, CornerRadius: theme.RadiusControl},
	}
	r.lines = widgets.VGap(0,
		widgets.HGap(8, widgets.Grow(r.title), r.when, r.pin),
		widgets.HGap(4, r.image, widgets.Grow(r.preview)))
	r.content = widgets.Stack(widgets.Inset(10, 3, 10, 3, r.lines), widgets.Inset(10, 4, 10, 4, r.heading), widgets.Inset(1, 1, 1, 1, r.ring))
	r.ExtendBaseWidget(r)
	return r
}

// rowIn is the row in one of the list's items.
func rowIn(o fyne.CanvasObject) *listRow { return o.(*fyne.Container).Objects[0].(*listRow) }

// newRowItem is an item of the list.
func newRowItem(l *conversationList) fyne.CanvasObject { return container.NewStack(newListRow(l)) }

func (r *listRow) setHeading(text string) {
	r.stopEditing()
	r.look = rowLook{}
	r.heading.SetText(text)
	r.heading.Show()
	r.lines.Hide()
	r.ring.Hide()
	r.Refresh()
}

func (r *listRow) set(look rowLook) {
	r.look = look
	c := look.summary
	title, preview := c.Title, c.Preview
	if title == "" {
		title = words.T("chat.new")
	}
	if preview == "" {
		preview = words.T("chat.empty.preview")
	}
	titleParts, previewParts := []widgets.TextPart{{Text: shownLine(title)}}, []widgets.TextPart{{Text: shownLine(preview)}}
	if h := look.hit; h != nil {
		titleParts = marked(title, h.InTitle)
		if h.Snippet != "" {
			previewParts = marked(h.Snippet, h.InSnippet)
		}
	}
	if look.answering {
		previewParts = []widgets.TextPart{{Text: words.T("chat.answering")}}
	}
	role := widgets.Body
	if look.current {
		role = widgets.Bold
	}
	r.title.Set(role, titleParts)
	r.preview.Set(widgets.Hint, previewParts)
	r.when.SetText(when(c, look.hit != nil, time.Now()))
	pinned := c.Group == GroupPinned && look.hit == nil
	widgets.SetShown(r.when, !pinned && r.when.String() != "")
	widgets.SetShown(r.pin, pinned)
	widgets.SetShown(r.image, c.HasPicture && !look.answering)
	r.heading.Hide()
	r.lines.Show()
	r.ring.StrokeColor, r.ring.FillColor = theme.Color(theme.Focus), theme.Unfilled(theme.Focus)
	widgets.SetShown(r.ring, look.marked && !look.renaming)
	if look.renaming {
		r.edit(c.Title)
	} else {
		r.stopEditing()
	}
	r.lines.Refresh()
	r.Refresh()
}

// edit shows a field in the place of the title.
func (r *listRow) edit(title string) {
	if r.entry == nil {
		r.entry = widgets.NewEntry()
		r.entry.OnKey = func(ev *fyne.KeyEvent) bool {
			switch ev.Name {
			case fyne.KeyEscape, fyne.KeyReturn, fyne.KeyEnter:
				text := r.entry.Text
				r.list.endRename(text, ev.Name != fyne.KeyEscape)
				widgets.FocusBeside(r.list.search, r.list.list)
				return true
			}
			return false
		}
		r.entry.OnLeave = func() { r.list.endRename(r.entry.Text, true) }
		r.content.Add(widgets.Inset(4, 5, 4, 5, r.entry))
	}
	if !r.entry.Visible() || r.lines.Visible() {
		r.entry.SetText(title)
	}
	r.entry.Show()
	r.lines.Hide()
	r.content.Refresh()
}

func (r *listRow) stopEditing() {
	if r.entry != nil && r.entry.Visible() {
		r.entry.Hide()
		r.content.Refresh()
	}
}

// Tapped goes to the conversation.
func (r *listRow) Tapped(*fyne.PointEvent) { r.list.choose(r.index) }

// TappedSecondary opens the menu.
func (r *listRow) TappedSecondary(ev *fyne.PointEvent) {
	if id := r.look.summary.ID; id != 0 {
		r.list.hooks.menu(id, ev.AbsolutePosition)
	}
}

// CreateRenderer lays the row out.
func (r *listRow) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(&fyne.Container{Layout: rowHeight{}, Objects: []fyne.CanvasObject{r.content}})
}

// rowHeight is the layout of a row: as high as it is told, so that a heading can
// be lower.
type rowHeight struct{}

func (rowHeight) Layout(objs []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objs {
		o.Move(fyne.Position{})
		o.Resize(size)
	}
}

func (rowHeight) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(60, theme.ConversationHeight-4)
}

// when is the time in a row: the hour today, the day in older groups where the
// heading doesn't say it.
func when(c Summary, found bool, now time.Time) string {
	today := c.Updated.YearDay() == now.YearDay() && c.Updated.Year() == now.Year()
	switch {
	case c.Updated.IsZero():
		return ""
	case c.Group == GroupToday, today && found:
		return c.Updated.Format("15:04")
	case c.Group == GroupOlder, found:
		return c.Updated.Format("2006-01-02")
	}
	return ""
}

// shownLine is text of a conversation on one line, safe to draw.
func shownLine(text string) string { return widgets.Visible(text, maxShownLine) }

const maxShownLine = 300

// marked cuts a text at its spans.
func marked(text string, spans []Span) []widgets.TextPart {
	var parts []widgets.TextPart
	add := func(part string, on bool) {
		if part != "" {
			parts = append(parts, widgets.TextPart{Text: shownLine(part), Marked: on})
		}
	}
	at := 0
	for _, s := range spans {
		if s.From < at || s.To > len(text) || s.From >= s.To {
			continue
		}
		add(text[at:s.From], false)
		add(text[s.From:s.To], true)
		at = s.To
	}
	add(text[at:], false)
	return parts
}
