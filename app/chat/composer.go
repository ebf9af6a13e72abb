package chat

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

const (
	maxComposerRows = 6
	meterWidth      = 120
	meterNarrow     = 64
)

// A composer is where a message is written.
type composer struct {
	content *fyne.Container
	card    *widgets.Fill
	entry   *entry
	pasted  *fyne.Container
	reason  *widgets.TextLabel
	load    *widgets.Button
	context *widgets.TextLabel
	meter   *widgets.Progress
	used    *widgets.TextLabel
	send    *widgets.Button
	stop    *widgets.Button
	foot    *fyne.Container
	removed func(i int)
	resized func() // it needs another height

	rows    int
	parts   footParts
	shown   []Paste
	current int // conversation whose draft is shown
}

// composerHooks are what the composer asks for.
type composerHooks struct {
	typed  func(text string)
	send   func()
	stop   func()
	load   func()
	paste  func(text string) bool
	remove func(i int)
	keys   func(*fyne.KeyEvent) bool
}

func newComposer(h composerHooks) *composer {
	c := &composer{
		resized: func() {},
		card:    widgets.NewFill(theme.Raised, theme.InputEdge, theme.RadiusMessage),
		pasted:  widgets.VGap(4),
		reason:  widgets.Text(widgets.Quiet, "").Ellipsis(),
		load:    widgets.NewSmallButton(words.T("chat.load"), "", widgets.Edged, h.load),
		context: widgets.Text(widgets.Hint, words.T("chat.context")),
		meter:   widgets.NewProgress(meterWidth),
		used:    widgets.Text(widgets.Hint, ""),
		send:    widgets.NewButton(words.T("chat.send"), theme.IconSend, widgets.Filled, h.send),
		stop:    widgets.NewButton(words.T("chat.stop"), theme.IconStop, widgets.Edged, h.stop),
		removed: h.remove,
		rows:    1,
	}
	c.entry = newEntry(h)
	c.entry.OnChanged = func(text string) {
		h.typed(text)
		c.fit()
	}
	c.entry.focusChanged = func(on bool) {
		edge := theme.InputEdge
		if on {
			edge = theme.TextQuiet
		}
		c.card.SetColours(theme.Raised, edge)
	}
	c.foot = widgets.HGap(8, c.reason, c.load, layout.NewSpacer(), c.context, c.meter, c.used, c.stop, c.send)
	inside := widgets.VGap(4, c.pasted, c.entry, widgets.Inset(6, 0, 0, 0, c.foot))
	c.pasted.Hide()
	c.content = widgets.Stack(c.card, widgets.Inset(6, 8, 8, 8, inside))
	return c
}

// show draws a state. An empty conversation has a button of its own for loading
// a model.
func (c *composer) show(s State, empty bool) {
	if c.current != s.Current || s.Draft != c.entry.Text {
		c.current = s.Current
		c.entry.setText(s.Draft)
		c.fit()
	}
	c.showPasted(s.Pasted)
	c.meter.Set(float64(s.ContextUsed) / float64(max(1, s.ContextTokens)))
	c.used.SetText(usedText(s))
	c.reason.SetText(s.SendOff)
	c.send.SetEnabled(s.CanSend)
	parts := footParts{
		reason: s.SendOff != "" && s.Answer == nil, load: s.OfferLoad && !empty,
		context: s.ContextTokens > 0, answering: s.Answer != nil, usedWidth: c.used.MinSize().Width,
	}
	if parts != c.parts {
		c.parts = parts
		widgets.SetShown(c.reason, parts.reason)
		widgets.SetShown(c.load, parts.load)
		for _, o := range []fyne.CanvasObject{c.context, c.meter, c.used} {
			widgets.SetShown(o, parts.context)
		}
		widgets.SetShown(c.stop, parts.answering)
		widgets.SetShown(c.send, !parts.answering)
		c.foot.Refresh()
	}
}

// usedText says how much of the context is used.
func usedText(s State) string {
	text := words.Count(s.ContextUsed) + " / " + words.Count(s.ContextTokens)
	if s.ContextAbout {
		return "≈ " + text
	}
	return text
}

// footParts are what decides how the composer's foot is laid out.
type footParts struct {
	reason, load, context, answering bool
	usedWidth                        float32
}

func (c *composer) showPasted(pasted []Paste) {
	if slices.Equal(pasted, c.shown) {
		return
	}
	c.shown = pasted
	c.pasted.RemoveAll()
	for i, p := range pasted {
		label := words.T("chat.pasted", map[string]any{"Runes": words.Count(p.Runes), "First": p.First})
		remove := widgets.NewRowButton("", theme.IconClose, widgets.Plain, func() { c.removed(i) }).Label(words.T("chat.pasted.remove"))
		row := widgets.HGap(8, widgets.NewIcon(theme.IconFile, theme.TextQuiet, theme.IconSizeText),
			widgets.Grow(widgets.Text(widgets.Quiet, label).Ellipsis()), remove)
		c.pasted.Add(widgets.Inset(6, 0, 0, 0, row))
	}
	widgets.SetShown(c.pasted, len(pasted) > 0)
	c.resized()
}

// fit makes the entry as high as its text, up to some rows.
func (c *composer) fit() {
	rows := min(widgets.TextRows(c.entry.Text, c.entry.Size().Width-24, maxComposerRows), maxComposerRows)
	if rows != c.rows {
		c.rows = rows
		c.entry.SetMinRowsVisible(rows)
		c.resized()
	}
}

// An entry is the composer's text. It has no edge of its own.
type entry struct {
	widget.Entry
	hooks        composerHooks
	focusChanged func(bool)
	shift        bool
}

func newEntry(h composerHooks) *entry {
	e := &entry{hooks: h}
	e.MultiLine = true
	e.Wrapping = fyne.TextWrapWord
	e.Scroll = container.ScrollVerticalOnly
	e.PlaceHolder = words.T("chat.placeholder")
	e.SetMinRowsVisible(1)
	e.ExtendBaseWidget(e)
	return e
}

// setText shows a text with the cursor behind it.
func (e *entry) setText(text string) {
	e.SetText(text)
	e.Entry.TypedShortcut(&fyne.ShortcutSelectAll{})
	e.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight})
}

// AcceptsTab is no: Tab moves the focus on, as it does everywhere else.
func (e *entry) AcceptsTab() bool { return false }

// TypedKey sends on Enter, breaks the line on Shift and Enter, and gives keys
// that don't edit to the tab.
func (e *entry) TypedKey(ev *fyne.KeyEvent) {
	switch ev.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		if !e.shift {
			e.hooks.send()
			return
		}
	default:
		if e.hooks.keys(ev) {
			return
		}
	}
	e.Entry.TypedKey(ev)
}

// TypedRune writes. A message doesn't begin with a space, but the one that presses
// a button arrives here when the button gives the composer the focus.
func (e *entry) TypedRune(r rune) {
	if r != ' ' || e.Text != "" {
		e.Entry.TypedRune(r)
	}
}

// KeyDown notices Shift.
func (e *entry) KeyDown(ev *fyne.KeyEvent) {
	if ev.Name == desktop.KeyShiftLeft || ev.Name == desktop.KeyShiftRight {
		e.shift = true
	}
	e.Entry.KeyDown(ev)
}

// KeyUp notices the end of Shift.
func (e *entry) KeyUp(ev *fyne.KeyEvent) {
	if ev.Name == desktop.KeyShiftLeft || ev.Name == desktop.KeyShiftRight {
		e.shift = false
	}
	e.Entry.KeyUp(ev)
}

// TypedShortcut keeps long pasted text out of the entry and gives the window the
// shortcuts that don't edit.
func (e *entry) TypedShortcut(s fyne.Shortcut) {
	if paste, ok := s.(*fyne.ShortcutPaste); ok && e.hooks.paste(paste.Clipboard.Content()) {
		return
	}
	if widgets.EntryKeeps(s) {
		e.Entry.TypedShortcut(s)
		return
	}
	if c, ok := fyne.CurrentApp().Driver().CanvasForObject(e).(fyne.Shortcutable); ok {
		c.TypedShortcut(s)
	}
}

// FocusGained marks the composer.
func (e *entry) FocusGained() {
	e.Entry.FocusGained()
	e.focusChanged(true)
}

// FocusLost takes the mark away.
func (e *entry) FocusLost() {
	e.shift = false
	e.Entry.FocusLost()
	e.focusChanged(false)
}

// CreateRenderer is Fyne's, without the edge.
func (e *entry) CreateRenderer() fyne.WidgetRenderer {
	r := &entryRenderer{e.Entry.CreateRenderer()}
	r.bare()
	return r
}

type entryRenderer struct{ fyne.WidgetRenderer }

func (r *entryRenderer) Refresh() {
	r.WidgetRenderer.Refresh()
	r.bare()
}

func (r *entryRenderer) bare() {
	for _, o := range r.Objects() {
		if edge, ok := o.(*canvas.Rectangle); ok {
			edge.Hide()
		}
	}
}
