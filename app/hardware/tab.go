package hardware

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/layout"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/build"
	machine "paddock/hardware"
	"paddock/words"
)

// Options are what the tab needs of the program.
type Options struct {
	Devices func(context.Context, build.Build) ([]build.Device, error)
	Do      func(func()) // runs a function on the UI goroutine, later
	Copy    func(string) // to the clipboard
	Again   func()       // looks for engine builds again

	// Users tells who uses the cards' memory: of this machine, when nil.
	Users func() map[string][]machine.Process

	Program  Program
	Software bool // the window is drawn by the processor
}

// A Tab is the Hardware tab.
type Tab struct {
	*Presenter
	options Options

	content fyne.CanvasObject
	reading fyne.CanvasObject
	page    *container.Scroll
	grid    *fyne.Container
	cards   []*cardView
	devices *deviceTable
	sources *widgets.Button
}

// New makes the tab.
func New(o Options) *Tab {
	t := &Tab{options: o}
	if o.Users == nil {
		o.Users = machine.Users
	}
	t.Presenter = NewPresenter(o.Devices, o.Users, o.Do, t.show)
	t.build()
	return t
}

func (t *Tab) build() {
	live := widgets.HGap(theme.GapInside,
		widgets.NewDot(theme.OK, 6), widgets.Text(widgets.Quiet, words.T("hardware.live")))
	report := widgets.NewButton(words.T("hardware.copyReport"), theme.IconCopy, widgets.Edged, t.copyReport)
	t.sources = widgets.NewButton(words.T("hardware.sources.show"), "", widgets.Plain, t.ToggleSources)
	header := widgets.Fixed(0, theme.HeaderHeight, widgets.Inset(theme.PaneMargin, 0, theme.PaneMargin, 0,
		widgets.HGap(12,
			widgets.Text(widgets.Title, words.T("hardware.title")), live, layout.NewSpacer(),
			t.sources, widgets.Text(widgets.Quiet, words.T("hardware.noPaths")).Ellipsis(), report)))

	t.grid = container.New(&columns{cards: func() []*cardView { return t.cards }})
	t.devices = newDeviceTable()
	column := widgets.VGap(12, t.grid, t.devices.content)
	if t.options.Software {
		column.Add(widgets.NewReason(widgets.Info, words.T("hardware.softwareWindow")))
	}
	t.page = container.NewVScroll(widgets.Inset(theme.PaneMargin, 0, theme.PaneMargin, theme.PaneMargin, column))
	t.reading = container.NewCenter(widgets.Text(widgets.Quiet, words.T("hardware.reading")))
	t.page.Hide()
	t.content = widgets.Background(theme.Window,
		widgets.Borders(header, nil, nil, nil, widgets.Stack(t.page, t.reading)))
}

// show draws a state.
func (t *Tab) show(s State) {
	widgets.SetShown(t.reading, s.Reading)
	widgets.SetShown(t.page, !s.Reading)
	t.sources.SetText(words.T(map[bool]string{false: "hardware.sources.show", true: "hardware.sources.hide"}[s.Sources]))
	for len(t.cards) < len(s.Cards) {
		c := newCardView(t.options.Copy)
		t.cards = append(t.cards, c)
		t.grid.Add(c.content)
	}
	for len(t.cards) > len(s.Cards) {
		last := t.cards[len(t.cards)-1]
		t.cards = t.cards[:len(t.cards)-1]
		t.grid.Remove(last.content)
	}
	moved := false
	for i, c := range s.Cards {
		moved = t.cards[i].show(c) || moved
	}
	if t.devices.show(s.Devices) || moved {
		t.page.Content.Refresh()
		t.page.Refresh()
	}
}

func (t *Tab) copyReport() { t.options.Copy(t.Report(t.options.Program)) }

// Content is what the window shows.
func (t *Tab) Content() fyne.CanvasObject { return t.content }

// Show is called when the tab is on view.
func (t *Tab) Show() { t.SetVisible(true) }

// Hide is called when another tab is.
func (t *Tab) Hide() { t.SetVisible(false) }

// Keys are those that matter here.
func (t *Tab) Keys() []widgets.Key {
	return []widgets.Key{
		{Cap: "Ctrl Shift C", Text: words.T("hardware.key.report")},
		{Cap: "F5", Text: words.T("hardware.key.again")},
	}
}

// Fact says what unit the numbers have.
func (t *Tab) Fact() string { return words.T("hardware.unit") }

// Shortcut takes Ctrl Shift C.
func (t *Tab) Shortcut(s fyne.Shortcut) bool {
	custom, ok := s.(*desktop.CustomShortcut)
	if !ok || custom.KeyName != fyne.KeyC || custom.Modifier != fyne.KeyModifierShortcutDefault|fyne.KeyModifierShift {
		return false
	}
	t.copyReport()
	return true
}

// TypedKey takes F5 and the keys that scroll, while nothing else has a use for
// them.
func (t *Tab) TypedKey(ev *fyne.KeyEvent) bool {
	const line = 40
	page := t.page.Size().Height - line
	switch ev.Name {
	case fyne.KeyF5:
		t.options.Again()
	case fyne.KeyDown:
		t.scroll(line)
	case fyne.KeyUp:
		t.scroll(-line)
	case fyne.KeyPageDown:
		t.scroll(page)
	case fyne.KeyPageUp:
		t.scroll(-page)
	case fyne.KeyHome:
		t.page.ScrollToTop()
	case fyne.KeyEnd:
		t.page.ScrollToBottom()
	default:
		return false
	}
	return true
}

func (t *Tab) scroll(by float32) {
	end := max(0, t.page.Content.MinSize().Height-t.page.Size().Height)
	t.page.ScrollToOffset(fyne.NewPos(0, min(end, max(0, t.page.Offset.Y+by))))
}

var _ widgets.Tab = (*Tab)(nil)
