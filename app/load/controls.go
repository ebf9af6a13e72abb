package load

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// controls are the settings, in the left column.
type controls struct {
	p *Presenter

	purpose *widgets.Segments

	devices *fyne.Container
	checks  []*widgets.Check
	ids     []string // of checks
	split   *widgets.Segments

	layers      *widgets.Segments
	layerNumber *widgets.NumberBox
	layerBox    *fyne.Container

	context    *widgets.Slider
	contextBox *widgets.NumberBox
	cache      *widgets.Segments
	flash      *widgets.SelectBox
	spec       *specList
	vision     *widgets.Segments
	projector  *widgets.TextLabel
	projectors *widgets.SelectBox // in place of projector, where there are several

	projectorBox fyne.CanvasObject // one of them

	compare *compareRow

	engine *widgets.SelectBox
	slots  *widgets.SelectBox

	modelNotes, purposeNotes, deviceNotes, splitNotes, layerNotes, contextNotes *notes
	cacheNotes, specNotes, visionNotes, buildNotes                              *notes

	column *fyne.Container
	scroll *container.Scroll
}

func newControls(p *Presenter) *controls {
	hooks := noteHooks{undo: p.Undo, again: p.TryAgain}
	c := &controls{
		p:            p,
		purpose:      widgets.NewSegments(nil, p.SetPurpose),
		split:        widgets.NewSegments(nil, p.SetSplit),
		spec:         newSpecList(p, hooks),
		compare:      newCompareRow(p),
		vision:       widgets.NewSegments(nil, p.SetVision),
		projector:    widgets.Text(widgets.Quiet, "").Ellipsis(),
		projectors:   widgets.NewSelect(nil, p.SetProjector),
		slots:        widgets.NewSelect(nil, p.SetSlots),
		devices:      widgets.VGap(8),
		layerNumber:  widgets.NewNumberBox(func(n int) { p.SetLayers(LayersNumber, n) }),
		context:      widgets.NewSlider(p.SetContext),
		contextBox:   widgets.NewNumberBox(p.SetContext),
		cache:        widgets.NewSegments(nil, p.SetCache),
		flash:        widgets.NewSelect(nil, p.SetFlash),
		engine:       widgets.NewSelect(nil, p.SetBuild),
		modelNotes:   newNotes(hooks),
		deviceNotes:  newNotes(hooks),
		layerNotes:   newNotes(hooks),
		contextNotes: newNotes(hooks),
		cacheNotes:   newNotes(hooks),
		buildNotes:   newNotes(hooks),
		purposeNotes: newNotes(hooks),
		splitNotes:   newNotes(hooks),
		specNotes:    newNotes(hooks),
		visionNotes:  newNotes(hooks),
	}
	c.contextBox.OnRefused = p.RefuseContext
	c.layers = widgets.NewSegments(nil, func(mode string) { p.SetLayers(mode, c.layerNumber.Value()) })
	c.layerBox = widgets.Fixed(84, 0, c.layerNumber)
	flash := widgets.HGap(8, widgets.Text(widgets.Quiet, words.T("load.flash")), widgets.Fixed(76, 0, c.flash))
	slots := widgets.HGap(8, widgets.Text(widgets.Quiet, words.T("load.slots")), widgets.Fixed(60, 0, c.slots))
	c.projectorBox = widgets.Fixed(212, 0, widgets.Stack(c.projector, c.projectors))
	vision := container.New(&besideOrBelow{}, c.vision, c.projectorBox)
	c.column = widgets.VGap(12,
		c.modelNotes.box,
		group("load.purpose", besideControl, widgets.HGap(0, c.purpose), c.purposeNotes),
		widgets.Line(),
		group("load.devices", besideCheck, c.devices, c.deviceNotes),
		group("load.split", besideControl, widgets.HGap(0, c.split), c.splitNotes),
		group("load.layers", besideControl, widgets.HGap(8, c.layers, c.layerBox), c.layerNotes),
		widgets.Line(),
		group("load.context", besideControl, widgets.HGapTop(8, widgets.Grow(c.context), widgets.Fixed(92, 0, c.contextBox)), c.contextNotes),
		group("load.cache", besideControl, container.New(&besideOrBelow{}, c.cache, flash), c.cacheNotes),
		widgets.Line(),
		group("load.spec", besideCheck, widgets.VGap(8, c.spec.box, c.compare.box), c.specNotes),
		widgets.Line(),
		group("load.vision", besideControl, vision, c.visionNotes),
		widgets.Line(),
		group("load.engine", besideControl, container.New(&besideOrBelow{}, widgets.Fixed(224, 0, c.engine), slots), c.buildNotes),
	)
	c.scroll = container.NewVScroll(widgets.Inset(16, 16, 16, 16, c.column))
	return c
}

// How far down a setting's name stands, to be level with what it names.
const (
	besideControl = (theme.ControlHeight - theme.LineLabel) / 2
	besideCheck   = (theme.LineBody - theme.LineLabel) / 2
)

// group is a setting's name, its control, and the notes below it.
func group(key string, top float32, control fyne.CanvasObject, n *notes) fyne.CanvasObject {
	const labelWidth = 104
	label := widgets.Inset(0, top, 0, 0, widgets.Text(widgets.Quiet, words.T(key)))
	return widgets.HGapTop(0,
		widgets.Fixed(labelWidth, 0, label),
		widgets.Grow(widgets.VGap(6, control, n.box)),
	)
}

// show draws a state, in a narrow window with less beside the names.
func (c *controls) show(s State, narrow bool) {
	c.purpose.SetOptions(segments(s.Purpose, narrow))
	c.purpose.SetSelected(chosen(s.Purpose))
	c.showDevices(s, narrow)
	c.split.SetOptions(segments(s.Split, narrow))
	c.split.SetSelected(chosen(s.Split))
	c.showLayers(s)
	c.showContext(s)
	c.cache.SetOptions(segments(s.Cache, narrow))
	c.cache.SetSelected(chosen(s.Cache))
	c.flash.SetOptions(options(s.Flash))
	c.flash.SetSelected(chosen(s.Flash))
	changed := c.spec.show(s.Spec, narrow)
	changed = c.compare.show(s.Compare) || changed
	changed = c.showVision(s.Vision, narrow) || changed
	c.slots.SetOptions(options(s.Slots))
	c.slots.SetSelected(chosen(s.Slots))
	builds := options(s.Builds)
	if len(builds) == 0 {
		builds = []widgets.Option{{Label: words.T("load.build.none")}}
	}
	c.engine.SetOptions(builds)
	c.engine.SetSelected(chosen(s.Builds))

	for _, n := range []struct {
		notes *notes
		list  []Note
	}{
		{c.modelNotes, s.ModelNotes}, {c.purposeNotes, s.PurposeNotes}, {c.deviceNotes, s.DeviceNotes}, {c.splitNotes, s.SplitNotes},
		{c.layerNotes, s.LayerNotes}, {c.contextNotes, s.ContextNotes}, {c.cacheNotes, s.CacheNotes}, {c.specNotes, s.SpecNotes},
		{c.visionNotes, s.VisionNotes}, {c.buildNotes, s.BuildNotes},
	} {
		changed = n.notes.set(n.list) || changed
	}
	if changed {
		c.relayout()
	}
}

// showVision draws where the projector runs, and which one it is. It says whether
// that takes other room.
func (c *controls) showVision(v Vision, narrow bool) bool {
	c.vision.SetOptions(segments(v.Modes, narrow))
	c.vision.SetSelected(chosen(v.Modes))
	c.projector.SetText(v.Name)
	c.projectors.SetOptions(options(v.Files))
	c.projectors.SetSelected(chosen(v.Files))
	several := len(v.Files) > 1
	shown(c.projector, !several)
	shown(c.projectors, several)
	return shown(c.projectorBox, v.Name != "")
}

func (c *controls) relayout() {
	c.column.Refresh()
	c.scroll.Refresh()
}

func (c *controls) showDevices(s State, narrow bool) {
	ids := []string{""}
	if len(s.Devices) > 0 {
		ids = nil
		for _, d := range s.Devices {
			ids = append(ids, d.ID)
		}
	}
	if !slices.Equal(c.ids, ids) {
		c.ids, c.checks = ids, nil
		c.devices.RemoveAll()
		for _, id := range ids {
			check := widgets.NewCheck("", "", func(on bool) { c.p.SetDevice(id, on) })
			c.checks = append(c.checks, check)
			c.devices.Add(check)
		}
		c.relayout()
	}
	if len(s.Devices) == 0 { // there is nothing else: its tick stays
		c.checks[0].SetText(words.T("load.device.cpu"), s.CPU)
		c.checks[0].SetChecked(true)
		return
	}
	for i, d := range s.Devices {
		about := d.About
		if narrow {
			about = d.Free
		}
		c.checks[i].SetText(d.Name, about)
		c.checks[i].SetChecked(d.On)
	}
}

func (c *controls) showLayers(s State) {
	var modes []widgets.Segment
	for _, mode := range []string{LayersAuto, LayersAll, LayersNumber} {
		modes = append(modes, widgets.Segment{ID: mode, Label: words.T("load.layers.mode." + mode), Disabled: s.Layers.Off})
	}
	c.layers.SetOptions(modes)
	c.layers.SetSelected(s.Layers.Mode)
	c.layerNumber.SetRange(0, s.Layers.Most)
	if c.layerNumber.Value() != s.Layers.Number || c.layerNumber.Text == "" {
		c.layerNumber.SetValue(s.Layers.Number)
	}
	c.layerBox.Hidden = s.Layers.Mode != LayersNumber || s.Layers.Off
	c.layerBox.Refresh()
}

func (c *controls) showContext(s State) {
	steps := contextSteps(s.Model.Facts.ContextTokens)
	if s.Context.Least < steps[0] {
		steps = slices.Insert(steps, 0, s.Context.Least) // the one in use
	}
	slider := widgets.SliderState{
		Values: steps, Value: min(s.Context.Tokens, s.Context.Trained), Fits: s.Context.Fits,
		Low: words.Count(s.Context.Least), High: words.T("load.context.trained"),
	}
	if s.Model.Facts.ContextTokens == 0 {
		slider.High = words.Count(s.Context.Trained)
	}
	if s.Context.Fits > 0 && s.Context.Fits < s.Context.Trained {
		slider.Fit = words.T("load.context.fits", map[string]any{"Tokens": words.Count(s.Context.Fits)})
	}
	if s.Context.Fits == s.Context.Least && slider.Fit != "" {
		slider.Low = "" // the mark's word says it
	}
	if s.hopeless() {
		slider.Fits = widgets.NothingFits
	}
	c.context.Set(slider)
	// A number that is being typed is not written over.
	if c.contextBox.Value() != s.Context.Tokens || c.contextBox.Text == "" {
		c.contextBox.SetValue(s.Context.Tokens)
	}
}

// segments are options as a row of choices, shorter in a narrow window.
func segments(list []Option, narrow bool) []widgets.Segment {
	var all []widgets.Segment
	for _, o := range list {
		label := o.Label
		if narrow && o.Short != "" {
			label = o.Short
		}
		all = append(all, widgets.Segment{ID: o.Value, Label: label, Disabled: o.Off, Caution: o.Caution})
	}
	return all
}

func options(list []Option) []widgets.Option {
	var all []widgets.Option
	for _, o := range list {
		all = append(all, widgets.Option{ID: o.Value, Label: o.Label, Disabled: o.Off})
	}
	return all
}

func chosen(list []Option) string {
	for _, o := range list {
		if o.Chosen {
			return o.Value
		}
	}
	return ""
}
