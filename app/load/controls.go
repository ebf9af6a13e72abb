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

	devices *fyne.Container
	checks  []*widgets.Check
	ids     []string // of checks

	layers      *widgets.Segments
	layerNumber *widgets.NumberBox
	layerBox    *fyne.Container

	context    *widgets.Slider
	contextBox *widgets.NumberBox
	cache      *widgets.Segments
	flash      *widgets.SelectBox
	engine     *widgets.SelectBox

	modelNotes, deviceNotes, layerNotes, contextNotes, cacheNotes, buildNotes *notes

	column *fyne.Container
	scroll *container.Scroll
}

func newControls(p *Presenter) *controls {
	c := &controls{
		p:            p,
		devices:      widgets.VGap(8),
		layerNumber:  widgets.NewNumberBox(func(n int) { p.SetLayers(LayersNumber, n) }),
		context:      widgets.NewSlider(p.SetContext),
		contextBox:   widgets.NewNumberBox(p.SetContext),
		cache:        widgets.NewSegments(nil, p.SetCache),
		flash:        widgets.NewSelect(nil, p.SetFlash),
		engine:       widgets.NewSelect(nil, p.SetBuild),
		modelNotes:   newNotes(),
		deviceNotes:  newNotes(),
		layerNotes:   newNotes(),
		contextNotes: newNotes(),
		cacheNotes:   newNotes(),
		buildNotes:   newNotes(),
	}
	c.contextBox.OnRefused = p.RefuseContext
	c.layers = widgets.NewSegments(nil, func(mode string) { p.SetLayers(mode, c.layerNumber.Value()) })
	c.layerBox = widgets.Fixed(84, 0, c.layerNumber)
	flash := widgets.HGap(8, widgets.Text(widgets.Quiet, words.T("load.flash")), widgets.Fixed(76, 0, c.flash))
	c.column = widgets.VGap(12,
		c.modelNotes.box,
		group("load.devices", besideCheck, c.devices, c.deviceNotes),
		group("load.layers", besideControl, widgets.HGap(8, c.layers, c.layerBox), c.layerNotes),
		widgets.Line(),
		group("load.context", besideControl, widgets.HGapTop(8, widgets.Grow(c.context), widgets.Fixed(92, 0, c.contextBox)), c.contextNotes),
		group("load.cache", besideControl, container.New(&besideOrBelow{}, c.cache, flash), c.cacheNotes),
		widgets.Line(),
		group("load.engine", besideControl, widgets.HGap(0, c.engine), c.buildNotes),
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
	c.showDevices(s, narrow)
	c.showLayers(s)
	c.showContext(s)
	c.cache.SetOptions(segments(s.Cache))
	c.cache.SetSelected(chosen(s.Cache))
	c.flash.SetOptions(options(s.Flash))
	c.flash.SetSelected(chosen(s.Flash))
	builds := options(s.Builds)
	if len(builds) == 0 {
		builds = []widgets.Option{{Label: words.T("load.build.none")}}
	}
	c.engine.SetOptions(builds)
	c.engine.SetSelected(chosen(s.Builds))

	changed := c.modelNotes.set(s.ModelNotes)
	changed = c.deviceNotes.set(s.DeviceNotes) || changed
	changed = c.layerNotes.set(s.LayerNotes) || changed
	changed = c.contextNotes.set(s.ContextNotes) || changed
	changed = c.cacheNotes.set(s.CacheNotes) || changed
	changed = c.buildNotes.set(s.BuildNotes) || changed
	if changed {
		c.relayout()
	}
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

func segments(list []Option) []widgets.Segment {
	var all []widgets.Segment
	for _, o := range list {
		all = append(all, widgets.Segment{ID: o.Value, Label: o.Label, Disabled: o.Off, Caution: o.Caution})
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

// notes are the lines under a control.
type notes struct {
	box   *fyne.Container
	shown []Note
}

func newNotes() *notes {
	n := &notes{box: widgets.VGap(4)}
	n.box.Hide()
	return n
}

// set shows other lines. It says whether they are others.
func (n *notes) set(list []Note) bool {
	if slices.Equal(n.shown, list) {
		return false
	}
	n.shown = list
	n.box.RemoveAll()
	for _, note := range list {
		n.box.Add(widgets.NewReason(note.Kind.reason(), note.Text))
	}
	n.box.Hidden = len(list) == 0
	return true
}

func (k NoteKind) reason() widgets.ReasonKind {
	switch k {
	case Caution:
		return widgets.Cautious
	case Good:
		return widgets.Good
	case Info:
		return widgets.Info
	case Failed:
		return widgets.Bad
	default:
		return widgets.Off
	}
}

// besideOrBelow puts a second control beside the first, or below it where there
// is no room.
type besideOrBelow struct{ width float32 }

const controlGap, rowGap = 16, 8

func (l *besideOrBelow) beside(objects []fyne.CanvasObject) bool {
	return l.width == 0 || objects[0].MinSize().Width+controlGap+objects[1].MinSize().Width <= l.width
}

func (l *besideOrBelow) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	first, second := objects[0].MinSize(), objects[1].MinSize()
	objects[0].Resize(first)
	objects[1].Resize(second)
	objects[0].Move(fyne.NewPos(0, 0))
	if l.beside(objects) {
		objects[1].Move(fyne.NewPos(first.Width+controlGap, (first.Height-second.Height)/2))
	} else {
		objects[1].Move(fyne.NewPos(0, first.Height+rowGap))
	}
}

func (l *besideOrBelow) MinSize(objects []fyne.CanvasObject) fyne.Size {
	first, second := objects[0].MinSize(), objects[1].MinSize()
	if l.beside(objects) {
		return fyne.NewSize(first.Width, max(first.Height, second.Height))
	}
	return fyne.NewSize(max(first.Width, second.Width), first.Height+rowGap+second.Height)
}
