package chat

import (
	"reflect"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

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
	chips   *fyne.Container
	shelf   *fyne.Container // of the chips: it scrolls when there are many
	editing *fyne.Container
	reasons *fyne.Container
	reason  *widgets.Reason
	load    *widgets.Button
	set     *widgets.Button // opens the settings, when they are why nothing can be sent
	attach  *widgets.Button
	preset  *widgets.Button
	context *widgets.TextLabel
	meter   *widgets.Meter
	used    *widgets.TextLabel
	send    *widgets.Button
	stop    *widgets.Button
	foot    *fyne.Container
	hooks   composerHooks
	thumbs  *widgets.Thumbnails
	resized func() // it needs another height

	rows   int
	parts  footParts
	shown  []Attachment
	key    int // of the conversation whose draft is shown
	narrow bool

	writing bool // the text is being shown, not typed
}

// composerHooks are what the composer asks for.
type composerHooks struct {
	typed    func(text string)
	send     func()
	stop     func()
	load     func()
	paste    func(text string) bool
	picture  func() // the clipboard may have one
	remove   func(id int)
	attach   func()
	settings func()
	cancel   func() // of editing
	recall   func(places int) bool
	keys     func(*fyne.KeyEvent) bool
}

func newComposer(h composerHooks, thumbs *widgets.Thumbnails) *composer {
	c := &composer{
		resized: func() {},
		hooks:   h,
		thumbs:  thumbs,
		card:    widgets.NewFill(theme.Raised, theme.InputEdge, theme.RadiusMessage),
		chips:   widgets.Flow(8),
		reason:  widgets.NewReason(widgets.Off, ""),
		load:    widgets.NewSmallButton(words.T("chat.load"), "", widgets.Edged, h.load),
		set:     widgets.NewSmallButton(words.T("chat.set"), "", widgets.Edged, h.settings),
		attach:  widgets.NewButton(words.T("chat.attach"), theme.IconPaperclip, widgets.Plain, h.attach),
		preset:  widgets.NewButton(words.T("chat.settings"), theme.IconSliders, widgets.Plain, h.settings),
		context: widgets.Text(widgets.Hint, words.T("chat.context")),
		meter:   widgets.NewMeter(meterWidth),
		used:    widgets.Text(widgets.Hint, ""),
		send:    widgets.NewButton(words.T("chat.send"), theme.IconSend, widgets.Filled, h.send),
		stop:    widgets.NewButton(words.T("chat.stop"), theme.IconStop, widgets.Edged, h.stop),
		rows:    1,
	}
	c.entry = newEntry(h)
	c.entry.OnChanged = func(text string) {
		if !c.writing {
			h.typed(text)
		}
		c.fit()
	}
	c.entry.focusChanged = func(on bool) {
		edge := theme.InputEdge
		if on {
			edge = theme.TextQuiet
		}
		c.card.SetColours(theme.Raised, edge)
	}
	c.shelf = container.New(&shelf{chips: c.chips}, container.NewVScroll(c.chips))
	cancel := widgets.NewRowButton(words.T("chat.edit.cancel"), "", widgets.Edged, h.cancel)
	c.editing = widgets.HGap(8, widgets.NewIcon(theme.IconPencil, theme.Accent, theme.IconSizeText),
		widgets.Grow(widgets.Text(widgets.Quiet, words.T("chat.editing")).Ellipsis()), cancel)
	c.reasons = widgets.HGap(8, widgets.Grow(c.reason), c.load, c.set)
	c.foot = widgets.HGap(8, c.attach, c.preset, layout.NewSpacer(), c.context, c.meter, c.used, c.stop, c.send)
	inside := widgets.VGap(4, widgets.Inset(6, 2, 0, 2, c.editing), widgets.Inset(2, 0, 0, 4, c.shelf), c.entry,
		widgets.Inset(6, 0, 0, 2, c.reasons), c.foot)
	for _, o := range []fyne.CanvasObject{c.editing, c.shelf, c.reasons, c.load, c.set} {
		o.Hide()
	}
	c.hideEmpty(inside)
	c.content = widgets.Stack(c.card, widgets.Inset(6, 6, 8, 8, inside))
	return c
}

// hideEmpty hides the insets of what is hidden, whose room would stay.
func (c *composer) hideEmpty(column *fyne.Container) {
	for _, o := range column.Objects {
		if inset, ok := o.(*fyne.Container); ok && len(inset.Objects) == 1 {
			widgets.SetShown(inset, inset.Objects[0].Visible())
		}
	}
}

func (c *composer) column() *fyne.Container {
	return c.content.Objects[1].(*fyne.Container).Objects[0].(*fyne.Container)
}

// setNarrow leaves out what a narrow window has no room for.
func (c *composer) setNarrow(narrow bool) {
	if c.narrow == narrow {
		return
	}
	c.narrow = narrow
	c.attach.SetText(words.T(map[bool]string{true: "chat.attach.narrow", false: "chat.attach"}[narrow]))
	c.meter.SetWidth(map[bool]float32{true: meterNarrow, false: meterWidth}[narrow])
	c.foot.Refresh()
}

// show draws a state. An empty conversation has a button of its own for loading
// a model.
func (c *composer) show(s State, empty bool) {
	if c.key != s.Key {
		c.key, c.entry.recalled = s.Key, ""
	}
	if s.Draft != c.entry.Text {
		c.writing = true
		c.entry.setText(s.Draft)
		c.writing = false
		c.fit()
	}
	c.showChips(s.Attachments)
	whole := float64(max(1, s.ContextTokens))
	c.meter.Set(float64(s.ContextUsed)/whole, float64(s.ContextAttached)/whole)
	c.used.SetText(usedText(s))
	c.reason.SetText(s.SendOff)
	c.preset.SetText(presetText(s))
	c.send.SetEnabled(s.CanSend)
	parts := footParts{
		reason: s.SendOff != "" && s.Answer == nil, load: s.OfferLoad && !empty, set: s.OfferSet,
		context: s.ContextTokens > 0, answering: s.Answer != nil || s.Sending, usedWidth: c.used.MinSize().Width,
		editing: s.Editing != 0, preset: c.preset.Text(), reasonText: s.SendOff,
	}
	if parts != c.parts {
		higher := parts.reason != c.parts.reason || parts.editing != c.parts.editing || parts.reasonText != c.parts.reasonText
		c.parts = parts
		widgets.SetShown(c.reasons, parts.reason)
		widgets.SetShown(c.load, parts.load)
		widgets.SetShown(c.set, parts.set)
		widgets.SetShown(c.editing, parts.editing)
		for _, o := range []fyne.CanvasObject{c.context, c.meter, c.used} {
			widgets.SetShown(o, parts.context)
		}
		widgets.SetShown(c.stop, parts.answering)
		widgets.SetShown(c.send, !parts.answering)
		c.foot.Refresh()
		if higher {
			c.relay()
		}
	}
}

// relay lays the composer out at another height.
func (c *composer) relay() {
	column := c.column()
	c.hideEmpty(column)
	column.Refresh()
	c.resized()
}

// presetText is what the button of the settings says.
func presetText(s State) string {
	if s.Preset != "" {
		return widgets.Visible(s.Preset, maxShownPreset)
	}
	return words.T("chat.preset.own")
}

const maxShownPreset = 24

// usedText says how much of the context is used.
func usedText(s State) string {
	text := words.Count(s.ContextUsed+s.ContextAttached) + " / " + words.Count(s.ContextTokens)
	if s.ContextAbout || s.ContextAttached > 0 {
		return "≈ " + text
	}
	return text
}

// footParts are what decides how the composer is laid out.
type footParts struct {
	reason, load, set, context, answering, editing bool
	usedWidth                                      float32
	preset, reasonText                             string
}

func (c *composer) showChips(attachments []Attachment) {
	if reflect.DeepEqual(attachments, c.shown) {
		return
	}
	c.shown = attachments
	c.chips.RemoveAll()
	for _, a := range attachments {
		c.chips.Add(newChip(a, c.thumbs, func() {
			c.hooks.remove(a.ID)
			widgets.Focus(c.entry)
		}))
	}
	widgets.SetShown(c.shelf, len(attachments) > 0)
	c.relay()
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
