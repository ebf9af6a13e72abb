package load

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/budget"
	"paddock/words"
)

// Options are what the screen needs of the program.
type Options struct {
	Seams
	Back func()       // to Models
	Do   func(func()) // runs a function on the UI goroutine
	Copy func(string) // to the clipboard
}

// A Tab is the Set up and load screen.
type Tab struct {
	*Presenter
	options Options

	title, about *widgets.TextLabel
	controls     *controls
	panel        *panel
	wait         *fyne.Container // in place of the controls until the engine has answered
	reason       *widgets.Reason
	best, more   *widgets.Button // the best settings, and the menu of presets
	command      *widgets.Button // shows the command
	copy, load   *widgets.Button
	content      *fyne.Container
	columns      *columns

	copied bool // the command was, a moment ago
	onView bool
	ticks  int // number of the timer that keeps the age of the measurement right
}

// New makes the screen. It shows nothing until Open.
func New(o Options) *Tab {
	t := &Tab{options: o}
	t.Presenter = NewPresenter(o.Seams, o.Do, t.show)
	t.build()
	return t
}

func (t *Tab) build() {
	t.title = widgets.Text(widgets.Section, "").Ellipsis()
	t.about = widgets.Text(widgets.Quiet, "").Ellipsis()
	t.controls = newControls(t.Presenter)
	t.panel = newPanel(t.Apply, t.Undo)
	t.reason = widgets.NewReason(widgets.Info, "")
	t.copy = widgets.NewButton(words.T("load.copy"), theme.IconCopy, widgets.Edged, t.copyCommand)
	t.load = widgets.NewButton(words.T("load.load"), "", widgets.Filled, t.Load)
	back := widgets.NewButton("", theme.IconChevronLeft, widgets.Plain, t.options.Back).Label(words.T("load.back"))
	reset := widgets.NewButton(words.T("load.reset"), theme.IconRefresh, widgets.Plain, t.Reset)
	t.best = widgets.NewButton(words.T("load.best"), theme.IconBolt, widgets.Edged, t.Best)
	t.more = widgets.NewButton("", theme.IconChevronDown, widgets.Edged, t.showPresets).Label(words.T("load.presets"))
	t.command = widgets.NewButton("", theme.IconTerminal, widgets.Edged, t.showCommand).Label(words.T("load.command.show"))

	header := widgets.Fixed(0, theme.HeaderHeight, widgets.Background(theme.Surface, widgets.Borders(nil, widgets.Line(), nil, nil,
		widgets.Inset(10, 0, 16, 0, widgets.HGap(8, back, t.title, widgets.Grow(t.about), reset, widgets.HGap(4, t.best, t.more))))))
	// As high as the header with up to two lines of reason.
	buttons := widgets.Fixed(0, 2*theme.LineLabel, widgets.HGap(8, t.command, t.copy, widgets.Fixed(88, 0, t.load)))
	footer := widgets.Background(theme.Surface, widgets.VGap(0, widgets.Line(),
		widgets.Inset(16, 9, 16, 10, widgets.HGap(8, t.reason, layout.NewSpacer(), buttons))))

	t.wait = container.NewStack(widgets.Inset(16, 20, 16, 16, widgets.NewReason(widgets.Info, words.T("load.preparing"))))
	right := widgets.Borders(nil, footer, widgets.Line(), nil, t.panel.scroll)
	t.columns = &columns{changed: func() { t.show(t.State()) }}
	body := container.New(t.columns, container.NewStack(t.controls.scroll, t.wait), right)
	t.content = widgets.Background(theme.Window, widgets.Borders(header, nil, nil, nil, body))
}

// Content is what the window shows.
func (t *Tab) Content() fyne.CanvasObject { return t.content }

// showPresets opens the menu of presets.
func (t *Tab) showPresets() {
	var items []*fyne.MenuItem
	for _, kind := range budget.PresetKinds() {
		items = append(items, fyne.NewMenuItem(presetLabel(kind), func() { t.Preset(kind) }))
	}
	widgets.MenuUnder(t.more, fyne.NewMenu("", items...))
}

// Show is called when the screen is on view.
func (t *Tab) Show() {
	t.onView = true
	t.Refresh()
	if c := fyne.CurrentApp().Driver().CanvasForObject(t.content); c != nil {
		c.Unfocus() // what had the focus is no longer on view
	}
	t.tick()
}

// Hide is called when something else is on view.
func (t *Tab) Hide() {
	t.onView = false
	t.ticks++
}

// tick keeps the age of the measurement right while the screen is on view.
func (t *Tab) tick() {
	t.ticks++
	number := t.ticks
	next := t.Tick()
	time.AfterFunc(next, func() {
		t.options.Do(func() {
			if t.onView && number == t.ticks {
				t.tick()
			}
		})
	})
}

// show draws a state.
func (t *Tab) show(s State) {
	t.title.SetText(s.Title)
	about := s.About
	if s.Kept && !t.columns.narrow {
		about += " · " + words.T("load.kept")
	}
	t.about.SetText(about)
	ready := len(s.Builds) > 0 || !s.Preparing
	t.wait.Hidden = ready
	if ready {
		t.controls.scroll.Show()
		t.controls.show(s, t.columns.narrow)
	} else {
		t.controls.scroll.Hide()
	}
	t.panel.show(s, t.columns.narrow)
	footer := s.Footer
	if t.columns.narrow && s.Short != "" {
		footer.Text = s.Short
	}
	if t.copied {
		footer = Note{Kind: Good, Text: words.T("load.copied")}
	}
	t.reason.Set(footer.Kind.reason(), footer.Text)
	works := !s.Preparing && s.Build.Path != "" && s.Build.Problem == ""
	t.best.SetEnabled(works && !s.Finding)
	t.more.SetEnabled(works && !s.Finding)
	t.command.SetEnabled(!s.Preparing && s.Build.Path != "")
	t.load.SetEnabled(!s.Off)
	t.copy.SetEnabled(!s.Preparing && s.Build.Path != "")
	copyText := "load.copy"
	if t.columns.narrow {
		copyText = "load.copyShort"
	}
	t.copy.SetText(words.T(copyText))
	t.content.Refresh()
}

func (t *Tab) copyCommand() {
	if command := t.Command(); command != "" {
		t.options.Copy(command)
		t.sayCopied(true)
		time.AfterFunc(copiedFor, func() { t.options.Do(func() { t.sayCopied(false) }) })
	}
}

// copiedFor is how long it is said that the command was copied.
const copiedFor = 2 * time.Second

func (t *Tab) sayCopied(on bool) {
	t.copied = on
	t.show(t.State())
}

// Keys are those that matter here, for the status line.
func (t *Tab) Keys() []widgets.Key {
	return []widgets.Key{
		{Cap: "Tab", Text: words.T("load.key.next")},
		{Cap: "Ctrl B", Text: words.T("load.key.best")},
		{Cap: "Ctrl Z", Text: words.T("load.key.undo")},
		{Cap: "Ctrl Enter", Text: words.T("load.key.load")},
		{Cap: "Esc", Text: words.T("load.key.back")},
	}
}

// Fact says what the numbers are.
func (t *Tab) Fact() string { return words.T("load.fact") }

// Shortcut takes Ctrl+Enter, Ctrl+B and Ctrl+Z.
func (t *Tab) Shortcut(s fyne.Shortcut) bool {
	if _, undo := s.(*fyne.ShortcutUndo); undo {
		t.Undo()
		return true
	}
	switch widgets.Ctrl(s) {
	case fyne.KeyReturn, fyne.KeyEnter:
		t.Load()
	case fyne.KeyB:
		t.Best()
	default:
		return false
	}
	return true
}

// TypedKey goes back on Escape and measures again on F5.
func (t *Tab) TypedKey(ev *fyne.KeyEvent) bool {
	switch ev.Name {
	case fyne.KeyEscape:
		t.options.Back()
	case fyne.KeyF5:
		t.Remeasure()
	default:
		return false
	}
	return true
}

// columns lays out the controls and the memory beside each other.
type columns struct {
	narrow  bool
	changed func() // it became narrow, or wide
}

func (*columns) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(700, 300) }

func (l *columns) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	narrow := size.Width < theme.NarrowBelow-theme.RailWidth
	width := theme.LoadControlsWidth
	if narrow {
		width = theme.LoadControlsNarrow
	}
	objects[0].Resize(fyne.NewSize(width, size.Height))
	objects[1].Move(fyne.NewPos(width, 0))
	objects[1].Resize(fyne.NewSize(size.Width-width, size.Height))
	if narrow != l.narrow {
		l.narrow = narrow
		l.changed()
	}
}

var _ widgets.Tab = (*Tab)(nil)
