package chat

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/layout"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// headerHeight is less than that of other pages: messages need the room.
const headerHeight = 44

// Options are what the tab needs of the program.
type Options struct {
	Engine    Engine
	Do        func(func())         // runs a function on the UI goroutine, later
	LoadModel func()               // goes to where a model is loaded
	Copy      func(string)         // to the clipboard
	OpenLink  func(address string) // in the browser; called after the user agreed
	Guide     string               // path of the built-in model, of which people are told what it is
	Software  bool                 // the window is drawn without a GPU
}

// A Tab is the Chat tab.
type Tab struct {
	*Presenter
	options  Options
	list     *conversationList
	title    *widgets.TextLabel
	remove   *widgets.Button
	messages *widgets.BlockList
	empty    *emptyPage
	composer *composer
	content  *fyne.Container
	shown    State
}

// New makes the tab with one empty conversation.
func New(o Options) *Tab {
	t := &Tab{options: o}
	every := UpdateInterval
	if o.Software {
		every = SlowUpdateInterval
	}
	t.build()
	t.Presenter = NewPresenter(o.Engine, o.Do, every, t.show)
	t.show(t.State())
	return t
}

func (t *Tab) build() {
	t.messages = widgets.NewBlockList(widgets.BlockListHooks{
		Copy: t.options.Copy, Link: t.askLink, Act: t.act, Do: t.options.Do,
	})
	t.list = newConversationList(listHooks{
		fresh: t.fresh,
		choose: func(id int) {
			t.Select(id)
			t.focus()
		},
		remove: func(id int) { t.Delete(id) },
		undo:   func() { t.Undo() },
		typed:  func(r rune) { t.TypedRune(r) },
	})
	t.title = widgets.Text(widgets.Section, "").Ellipsis()
	t.remove = widgets.NewButton("", theme.IconTrash, widgets.Plain, func() { t.Delete(t.shown.Current) }).Label(words.T("chat.delete"))
	t.empty = newEmptyPage(t.options.LoadModel)
	t.composer = newComposer(composerHooks{
		typed:  func(text string) { t.SetDraft(text) },
		send:   t.send,
		stop:   func() { t.Stop() },
		load:   t.options.LoadModel,
		paste:  func(text string) bool { return t.Paste(text) },
		remove: func(i int) { t.RemovePaste(i) },
		keys:   t.TypedKey,
	})
	header := widgets.Fixed(0, headerHeight, widgets.Borders(nil, widgets.Line(), nil, nil,
		widgets.Inset(24, 0, 12, 0, widgets.HGap(8, widgets.Grow(t.title), t.remove))))
	chat := widgets.Borders(
		header,
		container.New(column{}, t.composer.content),
		nil, nil,
		widgets.Stack(t.messages, t.empty.content),
	)
	t.composer.resized = chat.Refresh
	left := widgets.Borders(nil, nil, nil, widgets.Line(), t.list.content)
	t.content = container.New(panes{}, left, widgets.Background(theme.Surface, chat))
}

// Content is what the window shows.
func (t *Tab) Content() fyne.CanvasObject { return t.content }

// Show is called when the tab is on view.
func (t *Tab) Show() { t.focus() }

// Hide is called when another tab is on view. An answer goes on being written.
func (t *Tab) Hide() {}

// Keys are the keys that matter here.
func (t *Tab) Keys() []widgets.Key {
	return []widgets.Key{
		{Cap: "Enter", Text: words.T("chat.key.send")},
		{Cap: "Shift Enter", Text: words.T("chat.key.line")},
		{Cap: "Ctrl N", Text: words.T("chat.key.new")},
		{Cap: "Esc", Text: words.T("chat.key.stop")},
	}
}

// Fact is what the status line says.
func (t *Tab) Fact() string { return words.T("chat.fact") }

// Shortcut starts a new chat on Ctrl and N, and goes to the other chats on Ctrl
// and a page key.
func (t *Tab) Shortcut(s fyne.Shortcut) bool {
	custom, ok := s.(*desktop.CustomShortcut)
	if !ok || custom.Modifier != fyne.KeyModifierShortcutDefault {
		return false
	}
	switch custom.KeyName {
	case fyne.KeyN:
		t.fresh()
	case fyne.KeyPageUp:
		t.Step(-1)
	case fyne.KeyPageDown:
		t.Step(1)
	default:
		return false
	}
	return true
}

// TypedKey stops the answer on Escape and goes back to the composer, and moves
// through the messages.
func (t *Tab) TypedKey(ev *fyne.KeyEvent) bool {
	switch ev.Name {
	case fyne.KeyEscape:
		t.Stop()
		t.focus()
	case fyne.KeyPageUp:
		t.messages.Page(-1)
	case fyne.KeyPageDown:
		t.messages.Page(1)
	default:
		return false
	}
	return true
}

// TypedRune writes into the composer what is typed while nothing has the focus.
func (t *Tab) TypedRune(r rune) bool {
	t.focus()
	t.composer.entry.TypedRune(r)
	return true
}

func (t *Tab) fresh() {
	t.New()
	t.focus()
}

func (t *Tab) send() {
	t.messages.ScrollToEnd()
	t.Send()
	t.focus()
}

func (t *Tab) act(_ int, action string) {
	switch action {
	case actContinue:
		t.messages.ScrollToEnd()
		t.Continue()
	case actNew:
		t.NewWithLast()
	}
	t.focus()
}

func (t *Tab) focus() {
	if c := fyne.CurrentApp().Driver().CanvasForObject(t.composer.entry); c != nil {
		c.Focus(t.composer.entry)
	}
}

// show draws a state.
func (t *Tab) show(s State) {
	before := t.shown
	t.shown = s
	t.list.show(s)
	title := s.Title
	if title == "" {
		title = words.T("chat.new")
	}
	t.title.SetText(title)
	t.remove.SetEnabled(len(s.Turns) > 0 || s.Answer != nil)
	t.showMessages(before, s)
	empty := len(s.Turns) == 0 && s.Answer == nil
	t.empty.show(s, t.options.Guide)
	widgets.SetShown(t.empty.content, empty)
	widgets.SetShown(t.messages, !empty)
	t.composer.show(s, empty)
}

// showMessages gives the list what is new.
func (t *Tab) showMessages(before, s State) {
	last := len(s.Turns) - 1
	at := func(i int) widgets.Message {
		return message(s.Turns[i], i == last && s.Answer == nil, s.ContinueOff)
	}
	if before.Current != s.Current {
		all := make([]widgets.Message, 0, last+2)
		for i := range s.Turns {
			all = append(all, at(i))
		}
		if s.Answer != nil {
			all = append(all, growing(*s.Answer))
		}
		t.messages.SetMessages(all)
		return
	}
	changed := len(before.Turns) != len(s.Turns) || before.ContinueOff != s.ContinueOff || (before.Answer == nil) != (s.Answer == nil)
	if changed {
		for i := max(0, len(before.Turns)-1); i <= last; i++ {
			t.messages.SetMessage(at(i))
		}
	}
	if s.Answer != nil {
		t.messages.SetMessage(growing(*s.Answer))
	}
}

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
