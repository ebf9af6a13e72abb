package chat

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/layout"

	"paddock/app/widgets"
	"paddock/words"
)

// A settingsDialog shows and changes the settings of the conversation on view. A
// change holds at once.
type settingsDialog struct {
	tab     *Tab
	box     *dialogBox
	preset  *widgets.SelectBox
	remove  *widgets.Button // of the preset
	numbers []*numberField
	think   *widgets.Segments
	noThink *widgets.Reason
	system  *widgets.TextArea
	prompt  *widgets.SelectBox
	unsay   *widgets.Button // of the prompt
	schema  *widgets.TextArea
	problem *widgets.Reason
	reset   *widgets.Button
	name    *widgets.Entry // of a preset or prompt that is saved
	naming  *fyne.Container
	unsaved *widgets.Reason // why it can't be under that name
	save    func(name string) (problem string)
	shown   Settings
	writing bool // the fields are being written, not typed in
}

// openSettings opens the dialog.
func (t *Tab) openSettings() {
	d := &settingsDialog{tab: t}
	content, buttons := d.build()
	d.box = t.open(settingsWidth, words.T("chat.set.title"), nil, content, buttons, d.preset)
	if d.box == nil {
		return
	}
	d.box.show = d.show
	d.show(t.shown)
}

// The options of selects that stand for no preset or prompt. No name is like them.
const (
	ownPreset = "\x00own"
	noPrompt  = "\x00none"
)

func (d *settingsDialog) build() (content, buttons fyne.CanvasObject) {
	t := d.tab
	d.preset = widgets.NewSelect(nil, func(name string) {
		if name != ownPreset {
			t.UsePreset(name)
		}
	})
	d.remove = widgets.NewSmallButton(words.T("chat.set.delete"), "", widgets.Plain, func() { t.DeletePreset(t.shown.Preset) })
	savePreset := widgets.NewSmallButton(words.T("chat.set.save"), "", widgets.Edged, func() {
		d.ask(words.T("chat.set.save.preset"), t.SavePreset)
	})
	left := widgets.VGap(6,
		widgets.Text(widgets.QuietBold, words.T("chat.set.preset")),
		widgets.HGap(6, widgets.Grow(d.preset), savePreset, d.remove),
	)
	d.numbers = numberFields(d)
	for _, n := range d.numbers {
		left.Add(n.content)
	}

	d.think = widgets.NewSegments(nil, d.setThinking)
	d.noThink = widgets.NewReason(widgets.Off, "")
	d.system = widgets.NewTextArea(words.T("chat.set.system.hint"), 4, func(text string) {
		d.change(func(s *Settings) { s.System = text })
	})
	d.prompt = widgets.NewSelect(nil, func(name string) {
		if name != noPrompt {
			t.UsePrompt(name)
		}
	})
	d.unsay = widgets.NewSmallButton(words.T("chat.set.delete"), "", widgets.Plain, func() { t.DeletePrompt(d.prompt.Selected()) })
	savePrompt := widgets.NewSmallButton(words.T("chat.set.save"), "", widgets.Edged, func() {
		d.ask(words.T("chat.set.save.prompt"), t.SavePrompt)
	})
	d.schema = widgets.NewTextArea(words.T("chat.set.schema.hint"), 3, func(text string) {
		d.change(func(s *Settings) { s.Schema = text })
	})
	d.schema.TextStyle.Monospace = true
	d.problem = widgets.NewReason(widgets.Bad, "")
	right := widgets.VGap(6,
		widgets.Text(widgets.QuietBold, words.T("chat.set.system")),
		widgets.HGap(6, widgets.Grow(d.prompt), savePrompt, d.unsay),
		d.system,
		widgets.Text(widgets.QuietBold, words.T("chat.set.thinking")),
		d.think, d.noThink,
		widgets.Text(widgets.QuietBold, words.T("chat.set.schema")),
		d.schema, d.problem,
	)
	d.reset = widgets.NewButton(words.T("chat.set.reset"), "", widgets.Plain, func() { t.SetSettings(Settings{}) })
	done := widgets.NewButton(words.T("chat.close"), "", widgets.Filled, func() { t.CloseDialog() })
	d.name = widgets.NewEntry()
	take := func() {
		if d.save == nil {
			return
		}
		if problem := d.save(d.name.Text); problem != "" {
			d.unsaved.SetText(problem)
			d.fit()
			return
		}
		d.endAsk()
	}
	d.name.OnSubmitted = func(string) { take() }
	d.name.OnKey = func(ev *fyne.KeyEvent) bool {
		if ev.Name == fyne.KeyEscape {
			d.endAsk()
			return true
		}
		return false
	}
	d.naming = widgets.HGap(6, widgets.Grow(d.name), widgets.NewButton(words.T("chat.set.save"), "", widgets.Edged, take))
	d.naming.Hide()
	d.unsaved = widgets.NewReason(widgets.Bad, "")
	content = widgets.VGap(12, widgets.HGapTop(24, widgets.Fixed(330, 0, left), widgets.Grow(right)), d.unsaved)
	return content, widgets.HGap(8, d.reset, widgets.Grow(d.naming), layout.NewSpacer(), done)
}

// ask asks for a name to save something under.
func (d *settingsDialog) ask(placeholder string, save func(string) string) {
	d.save = save
	d.unsaved.SetText("")
	d.name.SetPlaceHolder(placeholder)
	d.name.SetText("")
	d.naming.Show()
	d.fit()
	widgets.FocusBeside(d.tab.content, d.name)
}

func (d *settingsDialog) endAsk() {
	d.save = nil
	d.unsaved.SetText("")
	d.naming.Hide()
	d.fit()
	widgets.FocusBeside(d.tab.content, d.preset)
}

// fit makes room for what has changed.
func (d *settingsDialog) fit() {
	if d.box != nil {
		d.box.Fit()
	}
}

// change changes one of the settings.
func (d *settingsDialog) change(set func(*Settings)) {
	if d.writing {
		return
	}
	s := d.tab.shown.Settings
	set(&s)
	d.tab.SetSettings(s)
}

func (d *settingsDialog) setThinking(id string) {
	d.change(func(s *Settings) {
		on := id == "on"
		s.Thinking = &on
		if id == "auto" {
			s.Thinking = nil
		}
	})
}

// show draws a state.
func (d *settingsDialog) show(s State) {
	d.writing = true
	defer func() { d.writing = false }()
	d.shown = s.Settings
	presets := []widgets.Option{}
	if s.Preset == "" {
		presets = append(presets, widgets.Option{ID: ownPreset, Label: words.T("chat.preset.own")})
	}
	for _, p := range s.Presets {
		presets = append(presets, widgets.Option{ID: p.Name, Label: shownLine(p.Name)})
	}
	d.preset.SetOptions(presets)
	if s.Preset == "" {
		d.preset.SetSelected(ownPreset)
	} else {
		d.preset.SetSelected(s.Preset)
	}
	widgets.SetShown(d.remove, slices.ContainsFunc(s.Presets, func(p Preset) bool { return p.Own && p.Name == s.Preset }))
	for _, n := range d.numbers {
		n.show(s)
	}
	segments := []widgets.Segment{
		{ID: "auto", Label: words.T("chat.set.thinking.auto")},
		{ID: "on", Label: words.T("chat.set.thinking.on"), Disabled: !s.CanReason},
		{ID: "off", Label: words.T("chat.set.thinking.off"), Disabled: !s.CanReason},
	}
	d.think.SetOptions(segments)
	chosen := "auto"
	if s.Settings.Thinking != nil {
		chosen = map[bool]string{true: "on", false: "off"}[*s.Settings.Thinking]
	}
	d.think.SetSelected(chosen)
	reason := ""
	switch {
	case s.Model == "":
		reason = words.T("chat.set.thinking.none")
	case !s.CanReason:
		reason = words.T("chat.set.thinking.never")
	}
	d.noThink.SetText(reason)
	d.showPrompts(s)
	if d.system.Text != s.Settings.System {
		d.system.SetText(s.Settings.System)
	}
	if d.schema.Text != s.Settings.Schema {
		d.schema.SetText(s.Settings.Schema)
	}
	d.problem.SetText(s.SchemaProblem)
	d.reset.SetEnabled(s.SettingsChanged)
	d.fit()
}

func (d *settingsDialog) showPrompts(s State) {
	prompts := []widgets.Option{{ID: noPrompt, Label: words.T("chat.set.prompts")}}
	chosen, own := noPrompt, false
	for _, p := range s.Prompts {
		prompts = append(prompts, widgets.Option{ID: p.Name, Label: shownLine(p.Name)})
		if p.Text == s.Settings.System && p.Text != "" {
			chosen, own = p.Name, p.Own
		}
	}
	d.prompt.SetOptions(prompts)
	d.prompt.SetSelected(chosen)
	widgets.SetShown(d.unsay, own)
}
