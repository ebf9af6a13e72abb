package chat

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// A conversationList is the pane on the left: a field to search in, and the
// conversations by group, or what was found.
type conversationList struct {
	content *fyne.Container
	search  *widgets.Entry
	hint    fyne.CanvasObject // the key that goes to the search
	list    *rows
	none    *widgets.ParagraphText
	hooks   listHooks

	items     []listItem
	headings  map[int]bool // rows that have a heading's height
	shown     State
	narrow    bool
	setting   bool // the selection is being drawn, not made
	searching bool // the entry is being written, not typed in
	renaming  int  // ID of the conversation whose title is being written, or 0
	renamed   *listRow
}

// A listItem is a row: a heading, or a conversation.
type listItem struct {
	heading string
	hit     int // index of State.Hits, or -1
	summary Summary
}

// listHooks are what the list asks for.
type listHooks struct {
	fresh  func()
	choose func(id int)
	hit    func(i int)
	search func(text string)
	rename func(id int, title string)
	remove func(id int)
	menu   func(id int, at fyne.Position)
	typed  func(rune)
	back   func() // the keyboard goes to the composer
}

func newConversationList(h listHooks) *conversationList {
	l := &conversationList{hooks: h, headings: map[int]bool{}}
	l.list = newRows(l)
	l.list.OnSelected = func(i int) {
		if !l.setting {
			l.choose(i)
		}
	}
	l.search = widgets.NewSearch(words.T("chat.search"))
	l.search.OnChanged = func(text string) {
		widgets.SetShown(l.hint, text == "" && !l.narrow)
		if !l.searching {
			h.search(text)
		}
	}
	l.search.OnKey = l.searchKey
	l.hint = widgets.NewKeyCap("Ctrl F")
	l.none = widgets.Paragraph(widgets.Quiet, "")
	l.none.Hide()
	plus := widgets.NewButton("", theme.IconPlus, widgets.Edged, h.fresh).Label(words.T("chat.new"))
	field := widgets.Stack(l.search, widgets.HGap(0, layout.NewSpacer(), l.hint, widgets.Fixed(6, 1, layout.NewSpacer())))
	head := widgets.Inset(12, 12, 12, 10, widgets.HGap(6, widgets.Grow(field), plus))
	l.content = widgets.Borders(head, nil, nil, nil, widgets.Stack(
		widgets.Inset(6, 0, 6, 0, l.list),
		widgets.VGap(0, widgets.Inset(16, 12, 16, 0, l.none), layout.NewSpacer()),
	))
	return l
}

// setNarrow leaves out what a narrow window has no room for.
func (l *conversationList) setNarrow(narrow bool) {
	if l.narrow == narrow {
		return
	}
	l.narrow = narrow
	l.search.SetPlaceHolder(words.T(map[bool]string{true: "chat.search.narrow", false: "chat.search"}[narrow]))
	widgets.SetShown(l.hint, !narrow && l.search.Text == "")
}

// focusSearch goes to the search, with what stands there marked.
func (l *conversationList) focusSearch() {
	widgets.Focus(l.search)
	l.search.TypedShortcut(&fyne.ShortcutSelectAll{})
}

// searchKey ends the search on Escape, and goes to what was found.
func (l *conversationList) searchKey(ev *fyne.KeyEvent) bool {
	switch ev.Name {
	case fyne.KeyEscape:
		if l.search.Text != "" {
			l.search.SetText("")
		}
		l.hooks.back()
	case fyne.KeyDown:
		widgets.FocusBeside(l.search, l.list)
	case fyne.KeyReturn, fyne.KeyEnter:
		for i, item := range l.items {
			if item.heading == "" {
				l.choose(i)
				break
			}
		}
	default:
		return false
	}
	return true
}

// choose goes to what a row stands for.
func (l *conversationList) choose(i int) {
	if i >= len(l.items) || l.items[i].heading != "" {
		return
	}
	if hit := l.items[i].hit; hit >= 0 {
		l.hooks.hit(hit)
		return
	}
	l.hooks.choose(l.items[i].summary.ID)
}

// show draws a state.
func (l *conversationList) show(s State) {
	before := l.shown
	l.shown = s
	if s.Search != l.search.Text && before.Search != s.Search {
		l.searching = true
		l.search.SetText(s.Search)
		l.searching = false
	}
	same := before.ListVersion == s.ListVersion && before.HitsVersion == s.HitsVersion && before.Search == s.Search &&
		len(l.items) > 0
	if same && before.Current == s.Current && before.Answering == s.Answering {
		l.showNone(s)
		return
	}
	if !same {
		l.items = itemsOf(s)
		l.setHeights()
	}
	l.showNone(s)
	l.list.Refresh()
	l.setting = true
	if i := l.indexOf(s.Current); i >= 0 {
		l.list.Select(i)
	} else {
		l.list.UnselectAll()
	}
	l.setting = false
}

// showNone says why the list is empty.
func (l *conversationList) showNone(s State) {
	text := ""
	switch {
	case len(l.items) > 0:
	case s.Opening:
		text = words.T("chat.opening")
	case s.Search != "" && s.Searching:
		text = words.T("chat.searching")
	case s.Search != "":
		text = words.T("chat.found.none", map[string]any{"Text": widgets.Visible(s.Search, maxShownName)})
	default:
		text = words.T("chat.list.none")
	}
	l.none.SetText(text)
	if l.none.Visible() != (text != "") {
		widgets.SetShown(l.none, text != "")
		l.content.Refresh()
	}
}

// itemsOf are the rows of a state.
func itemsOf(s State) []listItem {
	var items []listItem
	if s.Search != "" {
		for i, h := range s.Hits {
			items = append(items, listItem{hit: i, summary: h.Summary})
		}
		return items
	}
	group := Group("")
	for _, c := range s.Conversations {
		if c.Group != group {
			group = c.Group
			items = append(items, listItem{heading: words.T("chat.group." + string(group)), hit: -1})
		}
		items = append(items, listItem{hit: -1, summary: c})
	}
	return items
}

const headingHeight = 24

// setHeights makes the rows of headings lower. Fyne keeps heights by row.
func (l *conversationList) setHeights() {
	for i := range l.headings {
		if i >= len(l.items) || l.items[i].heading == "" {
			l.list.SetItemHeight(i, theme.ConversationHeight-4)
			delete(l.headings, i)
		}
	}
	for i, item := range l.items {
		if item.heading != "" && !l.headings[i] {
			l.list.SetItemHeight(i, headingHeight)
			l.headings[i] = true
		}
	}
}

// indexOf is the row of a conversation, or -1.
func (l *conversationList) indexOf(id int) int {
	for i, item := range l.items {
		if id != 0 && item.heading == "" && item.summary.ID == id {
			return i
		}
	}
	return -1
}

// rename lets the title of a conversation be written in its row.
func (l *conversationList) rename(id int) {
	if l.indexOf(id) < 0 && l.shown.Search != "" {
		l.search.SetText("") // it is not among what was found
	}
	i := l.indexOf(id)
	if i < 0 {
		return
	}
	l.renaming = id
	l.list.ScrollTo(i)
	l.list.Refresh()
	if l.renamed != nil {
		widgets.FocusBeside(l.search, l.renamed.entry)
		l.renamed.entry.TypedShortcut(&fyne.ShortcutSelectAll{})
	}
}

// endRename takes the title, unless it is given up.
func (l *conversationList) endRename(title string, take bool) {
	id := l.renaming
	if id == 0 {
		return
	}
	l.renaming, l.renamed = 0, nil
	l.list.Refresh()
	if take {
		l.hooks.rename(id, title)
	}
}

func (l *conversationList) draw(i widget.ListItemID, o fyne.CanvasObject) {
	if i >= len(l.items) {
		return
	}
	item, row := l.items[i], rowIn(o)
	row.index = i
	if item.heading != "" {
		row.setHeading(item.heading)
		return
	}
	look := rowLook{
		summary: item.summary, marked: l.list.marks(i),
		current:   item.summary.ID == l.shown.Current,
		answering: item.summary.ID == l.shown.Answering,
		renaming:  item.summary.ID == l.renaming,
	}
	if item.hit >= 0 && item.hit < len(l.shown.Hits) {
		look.hit = &l.shown.Hits[item.hit]
	}
	row.set(look)
	if look.renaming {
		l.renamed = row
	}
}
