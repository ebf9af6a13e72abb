package chat

import (
	"context"
	"image"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/picture"
	"paddock/words"
)

// Options are what the tab needs of the program.
type Options struct {
	Engine    Engine
	Do        func(func())         // runs a function on the UI goroutine, later
	LoadModel func()               // goes to where a model is loaded
	LoadLast  func()               // loads the model that is offered, see Offer
	Copy      func(string)         // to the clipboard
	OpenLink  func(address string) // in the browser; called after the user agreed
	Folder    string               // where conversations are kept
	Own       Own                  // presets and prompts of the user
	Seers     func() []string      // names of models in the library that can be shown pictures; may be nil
	Larger    func()               // goes to where the loaded model is set up with a longer context; may be nil
	Say       func(text string, bad bool)
	Guide     string // path of the built-in model, of which people are told what it is
	Software  bool   // the window is drawn without a GPU

	PasteImage func() ([]byte, bool)                     // the picture on the clipboard; it may take a moment
	PickFile   func(done func(path string))              // a file to attach
	PickImport func(done func(path string))              // a file with conversations
	PickSave   func(name string, done func(path string)) // where to write a file
}

// A Tab is the Chat tab.
type Tab struct {
	*Presenter
	options  Options
	thumbs   *widgets.Thumbnails
	list     *conversationList
	header   *header
	messages *widgets.BlockList
	empty    *emptyPage
	banner   *bannerStrip
	undoBar  *undoBar
	composer *composer
	drop     *dropPage
	adding   *addingPage
	chat     *fyne.Container
	content  *fyne.Container
	dialog   *dialogBox // the one that is open, or nil

	shown    State
	drawn    []widgets.Message // of shown.Turns
	onView   bool
	dragging bool // files are dragged over the window
	arrow    *arrow
}

// An arrow of a message's versions gets the focus again when another version is
// on view.
type arrow struct {
	turn   int // index
	action string
}

// New makes the tab with one empty conversation.
func New(o Options) *Tab {
	t := &Tab{options: o}
	every := UpdateInterval
	if o.Software {
		every = SlowUpdateInterval
	}
	t.build()
	t.Presenter = NewPresenter(Seams{
		Engine: o.Engine, Folder: o.Folder, Do: o.Do, Every: every, Own: o.Own, Seers: o.Seers, Larger: o.Larger, Say: o.Say,
	}, t.show)
	t.show(t.State())
	return t
}

func (t *Tab) build() {
	t.thumbs = widgets.NewThumbnails(func(path string, side int) (image.Image, error) {
		return picture.Thumbnail(context.Background(), picture.Source{Path: path}, side)
	}, t.options.Do)
	t.messages = widgets.NewBlockList(widgets.BlockListHooks{
		Copy: t.options.Copy, Link: t.askLink, Act: t.act, Do: t.options.Do, Thumbnails: t.thumbs,
		CopyMessage: func(id int) { t.options.Copy(t.Message(id)) },
		Menu:        t.messageMenu, Picture: t.showPicture,
	})
	t.list = newConversationList(listHooks{
		fresh: t.fresh,
		choose: func(id int) {
			t.Select(id)
			t.focus()
		},
		hit: func(i int) {
			t.SelectHit(i)
			t.focus()
		},
		search: func(text string) { t.Search(text) },
		rename: func(id int, title string) { t.Rename(id, title) },
		remove: func(id int) { t.Delete(id) },
		menu:   t.conversationMenu,
		typed:  func(r rune) { t.TypedRune(r) },
		back:   t.focus,
	})
	t.header = newHeader(t)
	t.empty = newEmptyPage(t.options.LoadModel, t.options.LoadLast)
	t.banner = newBannerStrip(func() { t.DismissBanner() }, func() { t.SaveAgain() })
	t.undoBar = newUndoBar(func() { t.Undo() }, func() { t.DismissUndo() })
	t.composer = newComposer(composerHooks{
		typed:    func(text string) { t.SetDraft(text) },
		send:     t.send,
		stop:     func() { t.Stop() },
		load:     t.options.LoadModel,
		paste:    func(text string) bool { return t.Paste(text) },
		picture:  t.pastePicture,
		remove:   func(id int) { t.RemoveAttachment(id) },
		attach:   t.attachFile,
		settings: t.openSettings,
		cancel: func() {
			t.CancelEdit()
			t.focus()
		},
		recall: func(places int) bool { return t.Recall(places) },
		keys:   t.TypedKey,
	}, t.thumbs)
	t.drop = newDropPage()
	t.adding = newAddingPage(t.thumbs, func() {
		t.CloseAdding()
		t.focus()
	})
	t.chat = widgets.Borders(
		widgets.VGap(0, t.header.content, t.banner.content),
		container.New(column{}, widgets.VGap(8, t.undoBar.content, t.composer.content)),
		nil, nil,
		widgets.Stack(t.messages, t.empty.content),
	)
	relay := func() { t.chat.Refresh() }
	t.composer.resized, t.banner.resized, t.undoBar.resized = relay, relay, relay
	left := widgets.Borders(nil, nil, nil, widgets.Line(), t.list.content)
	right := widgets.Stack(widgets.NewFill(theme.Surface, "", 0), t.chat, t.drop.content, t.adding.content)
	over := func() { right.Refresh() } // Fyne draws anew what it has drawn before
	t.drop.drawn, t.adding.drawn = over, over
	t.content = container.New(&panes{turned: t.turned}, left, right)
}

// turned is called when the window becomes narrow, or wide again.
func (t *Tab) turned(narrow bool) {
	t.list.setNarrow(narrow)
	t.composer.setNarrow(narrow)
}

// Content is what the window shows.
func (t *Tab) Content() fyne.CanvasObject { return t.content }

// Show is called when the tab is on view.
func (t *Tab) Show() {
	t.onView = true
	t.showDialogs(t.shown)
	if t.dialog == nil {
		t.focus()
	}
}

// Hide is called when another tab is on view. An answer goes on being written.
func (t *Tab) Hide() { t.onView = false }

// Keys are the keys that matter here.
func (t *Tab) Keys() []widgets.Key {
	return []widgets.Key{
		{Cap: "Enter", Text: words.T("chat.key.send")},
		{Cap: "Shift Enter", Text: words.T("chat.key.line")},
		{Cap: "Ctrl N", Text: words.T("chat.key.new")},
		{Cap: "Ctrl V", Text: words.T("chat.key.paste")},
		{Cap: "Esc", Text: words.T("chat.key.stop")},
	}
}

// Fact is what the status line says.
func (t *Tab) Fact() string {
	fact := words.T("chat.fact")
	if saved := t.shown.Saved; !saved.IsZero() {
		return words.T("chat.saved", map[string]any{"Time": saved.Format("15:04")}) + " · " + fact
	}
	return fact
}

// Shortcut starts a new chat on Ctrl and N, searches on Ctrl and F, and goes to
// the other chats on Ctrl and a page key.
func (t *Tab) Shortcut(s fyne.Shortcut) bool {
	if _, ok := s.(*fyne.ShortcutPaste); ok { // while nothing has the focus
		t.focus()
		t.composer.entry.TypedShortcut(s)
		return true
	}
	switch widgets.Ctrl(s) {
	case fyne.KeyN:
		t.fresh()
	case fyne.KeyF:
		t.list.focusSearch()
	case fyne.KeyE:
		t.header.openExport()
	case fyne.KeyPageUp:
		t.Step(-1)
	case fyne.KeyPageDown:
		t.Step(1)
	default:
		return false
	}
	return true
}

// TypedKey stops what can be stopped on Escape and goes back to the composer, and
// moves through the messages.
func (t *Tab) TypedKey(ev *fyne.KeyEvent) bool {
	switch ev.Name {
	case fyne.KeyEscape:
		switch {
		case t.shown.Adding != nil:
			t.CloseAdding()
		case t.shown.Editing != 0:
			t.CancelEdit()
		default:
			t.Stop()
		}
		t.focus()
	case fyne.KeyPageUp:
		t.messages.Page(-1)
	case fyne.KeyPageDown:
		t.messages.Page(1)
	case fyne.KeyF2:
		t.list.rename(t.shown.Current)
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

// attachFile asks for a file to go with the message.
func (t *Tab) attachFile() {
	if t.options.PickFile != nil {
		t.options.PickFile(func(path string) { t.AddFiles([]string{path}) })
	}
}

// pastePicture attaches the picture on the clipboard, when there is one.
func (t *Tab) pastePicture() {
	if t.options.PasteImage == nil {
		return
	}
	go func() {
		if data, ok := t.options.PasteImage(); ok {
			t.options.Do(func() { t.AddPicture(data) })
		}
	}()
}

// SetDragging says whether files are being dragged over the window.
func (t *Tab) SetDragging(on bool) {
	t.dragging = on
	t.drop.show(t.shown.Drop, on)
}

func (t *Tab) focus() {
	if c := fyne.CurrentApp().Driver().CanvasForObject(t.composer.entry); c != nil {
		c.Focus(t.composer.entry)
	}
}
