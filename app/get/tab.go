package get

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/config"
	"paddock/words"
)

// Options are what the page needs of the program.
type Options struct {
	Seams
	Config *config.Store
	Back   func()       // to Models
	Do     func(func()) // runs a function on the UI goroutine

	// PickFolder lets the user choose where downloads go, beginning where they go
	// now. done is called with the path, or with what went wrong, and not at all
	// when the user gives up.
	PickFolder func(now string, done func(path string, err error))
}

// A Tab is the page "Get a model".
type Tab struct {
	*Presenter
	options Options

	entry   *widgets.Entry
	hint    *widgets.ParagraphText
	note    *widgets.Reason
	again   *widgets.Button
	noteBox *fyne.Container
	rows    *list[Row]
	empty   fyne.CanvasObject
	more    *widgets.Button
	moreBox *fyne.Container
	right   *files
	strip   *strip
	panes   *panes
	content *fyne.Container
	toRows  bool // the rows get the keyboard when they are there
}

// New makes the page. It asks nothing of anybody before it is shown.
func New(o Options) *Tab {
	t := &Tab{options: o}
	t.Presenter = NewPresenter(o.Config, o.Seams, o.Do, t.show)
	t.build()
	t.show(t.State())
	return t
}

func (t *Tab) build() {
	back := widgets.NewButton("", theme.IconChevronLeft, widgets.Plain, t.options.Back).Label(words.T("get.back"))
	header := widgets.Fixed(0, theme.HeaderHeight, widgets.Background(theme.Surface, widgets.Borders(nil, widgets.Line(), nil, nil,
		widgets.Inset(10, 0, 16, 0, widgets.HGap(8, back, widgets.Text(widgets.Section, words.T("get.title")),
			widgets.Grow(widgets.Text(widgets.Quiet, words.T("get.title.about")).Ellipsis()))))))

	t.entry = widgets.NewSearch(words.T("get.search.hint"))
	t.entry.OnSubmitted = func(string) { t.submit() }
	t.entry.OnKey = t.entryKey
	t.hint = widgets.Paragraph(widgets.Hint, "")
	t.note = widgets.NewReason(widgets.Info, "")
	t.again = widgets.NewSmallButton(words.T("get.again"), theme.IconRefresh, widgets.Edged, t.SearchAgain)
	t.rows = newList(theme.ConversationHeight, listActions{
		choose: t.Choose, move: t.Move, open: func() { t.Choose(t.State().At) }, key: t.rowsKey,
	}, newRepoCell)
	t.empty = emptyText(words.T("get.empty"))
	t.more = widgets.NewSmallButton(words.T("get.more"), "", widgets.Edged, t.searchMore)
	t.moreBox = widgets.VGap(0, widgets.Line(), widgets.Inset(16, 6, 16, 6, widgets.HGap(0, t.more)))
	search := widgets.NewButton(words.T("get.search"), "", widgets.Edged, t.submit)
	t.noteBox = widgets.HGapTop(8, widgets.Grow(t.note), t.again)
	head := widgets.Inset(16, 12, 16, 8, widgets.VGap(6,
		widgets.HGap(8, widgets.Grow(t.entry), search),
		t.hint,
		t.noteBox,
	))
	left := widgets.VGap(0, head, widgets.Line(), widgets.Grow(container.NewStack(t.rows, t.empty)), t.moreBox)

	t.right = newFiles(t.Presenter, t.pickFolder, t.filesKey)
	t.panes = &panes{}
	t.strip = newStrip(t.Do)
	body := container.New(t.panes, left, t.right.box)
	// In the order in which Tab goes through it.
	t.content = widgets.Background(theme.Window, widgets.VGap(0, header, widgets.Grow(body), t.strip.box))
}

// Content is what the window shows.
func (t *Tab) Content() fyne.CanvasObject { return t.content }

// Show is called when the page is on view.
func (t *Tab) Show() {
	t.Begin()
	if len(t.State().Rows) == 0 {
		widgets.Focus(t.entry)
	} else {
		widgets.Focus(t.rows)
	}
}

// Hide is called when something else is on view. Downloads go on.
func (t *Tab) Hide() {}

// show draws a state.
func (t *Tab) show(s State) {
	hint := words.T("get.private", map[string]any{"Host": s.Host})
	if s.Host == "" {
		hint = words.T("get.private.unknown")
	}
	t.hint.SetText(hint)
	note := s.Note
	if s.Searching {
		note = Note{Info, words.T("get.searching", map[string]any{"Host": s.Host, "Query": s.Query})}
	} else if note.Text == "" && len(s.Rows) > 0 {
		note = Note{Good, found(s)}
	}
	t.note.Set(note.Kind.reason(), note.Text)
	widgets.SetShown(t.noteBox, note.Text != "")
	widgets.SetShown(t.again, s.Note.Kind == Failed && s.Query != "" && !s.Searching)
	t.rows.set(s.Rows, s.At)
	widgets.SetShown(t.empty, len(s.Rows) == 0 && !s.Searching && s.Note.Text == "")
	widgets.SetShown(t.moreBox, s.More)
	t.more.SetEnabled(!s.Searching)
	t.right.show(s)
	t.strip.show(s.Jobs)
	t.content.Refresh()
	if t.toRows && !s.Searching {
		t.toRows = false
		if len(s.Rows) > 0 && t.entryFocused() {
			widgets.Focus(t.rows)
		}
	}
}

// found is how many repositories there are.
func found(s State) string {
	key := "get.found"
	if len(s.Rows) == 1 {
		key = "get.found.one"
	}
	if s.More {
		key = "get.found.more"
	}
	return words.T(key, map[string]any{"Count": words.Count(len(s.Rows))})
}

func (t *Tab) entryFocused() bool {
	c := fyne.CurrentApp().Driver().CanvasForObject(t.entry)
	return c != nil && c.Focused() == t.entry
}

// submit searches for what is in the search field.
func (t *Tab) submit() {
	t.toRows = true
	t.Search(t.entry.Text)
}

// searchMore leaves the keyboard with the rows, to which more come.
func (t *Tab) searchMore() {
	t.SearchMore()
	widgets.Focus(t.rows)
}

func (t *Tab) pickFolder() {
	t.options.PickFolder(t.folder(), func(path string, err error) {
		if err != nil {
			t.Say(err)
			return
		}
		t.SetFolder(path)
	})
}

// entryKey goes from the search field to what was found.
func (t *Tab) entryKey(ev *fyne.KeyEvent) bool {
	if ev.Name == fyne.KeyDown && len(t.State().Rows) > 0 {
		widgets.Focus(t.rows)
		return true
	}
	return false
}

// rowsKey goes from what was found to the files beside it.
func (t *Tab) rowsKey(ev *fyne.KeyEvent) bool {
	if ev.Name == fyne.KeyRight && len(t.State().Files) > 0 {
		widgets.Focus(t.right.list)
		return true
	}
	return false
}

// filesKey goes back.
func (t *Tab) filesKey(ev *fyne.KeyEvent) bool {
	if ev.Name == fyne.KeyLeft && len(t.State().Rows) > 0 {
		widgets.Focus(t.rows)
		return true
	}
	return false
}

// Keys are those that matter here, for the status line.
func (t *Tab) Keys() []widgets.Key {
	return []widgets.Key{
		{Cap: "Enter", Text: words.T("get.key.enter")},
		{Cap: "Tab", Text: words.T("get.key.next")},
		{Cap: "Ctrl F", Text: words.T("get.key.search")},
		{Cap: "Esc", Text: words.T("get.key.back")},
	}
}

// Fact says where the estimates come from.
func (t *Tab) Fact() string { return words.T("get.fact") }

// Shortcut takes Ctrl+F.
func (t *Tab) Shortcut(s fyne.Shortcut) bool {
	if widgets.Ctrl(s) != fyne.KeyF {
		return false
	}
	widgets.Focus(t.entry)
	return true
}

// TypedKey goes back on Escape.
func (t *Tab) TypedKey(ev *fyne.KeyEvent) bool {
	if ev.Name == fyne.KeyEscape {
		t.options.Back()
		return true
	}
	return false
}

// TypedRune takes the slash when nothing has the focus.
func (t *Tab) TypedRune(r rune) bool {
	if r == '/' {
		widgets.Focus(t.entry)
		return true
	}
	return false
}

const (
	stripMost     = 132 // height of the downloads; more of them scroll
	searchWidth   = 440 // of the left pane
	searchNarrow  = 344
	filesNarrowIn = theme.NarrowBelow - theme.RailWidth
)

// panes lays out what was found, and the files beside it.
type panes struct{}

func (panes) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(700, 200) }

func (panes) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	width := float32(searchWidth)
	if size.Width < filesNarrowIn {
		width = searchNarrow
	}
	objects[0].Resize(fyne.NewSize(width, size.Height))
	objects[1].Move(fyne.NewPos(width, 0))
	objects[1].Resize(fyne.NewSize(size.Width-width, size.Height))
}

// emptyText says in a list's place what will be there.
func emptyText(text string) fyne.CanvasObject {
	return widgets.VGap(0, widgets.Inset(16, 20, 16, 16, widgets.Paragraph(widgets.Quiet, text)), layout.NewSpacer())
}

var _ widgets.Tab = (*Tab)(nil)
