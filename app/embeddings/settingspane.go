package embeddings

import (
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/embed"
	"paddock/engine/embed/chunk"
	"paddock/words"
)

// A settingsPane is the left one: how files are cut, how vectors are made, and what
// is written.
type settingsPane struct {
	tab *Tab
	box fyne.CanvasObject

	locked           *widgets.Reason
	method           *widgets.SelectBox
	tokens, overlap  *widgets.NumberBox
	sizes            *fyne.Container
	include, exclude *widgets.Entry
	text, id         *widgets.Entry
	family           *widgets.SelectBox
	familyNote       *widgets.Reason
	prefix, query    *widgets.Entry
	pooling          *widgets.TextLabel
	dimensions       *widgets.Segments
	dimensionsBox    *fyne.Container
	whole            *widgets.TextLabel // in place of a choice of dimensions where there is none
	normalise        *widgets.Check
	formats          map[embed.Format]*widgets.Check
	folder, name     *widgets.Entry
	browse           *widgets.Button
	noSearch         *widgets.Reason
	noFolder, noName *widgets.Reason
	off              bool // a run is on
}

var methods = []chunk.Method{chunk.Tokens, chunk.Headings, chunk.Paragraphs, chunk.Lines, chunk.Rows, chunk.Pages, chunk.File}

func newSettingsPane(t *Tab) *settingsPane {
	p := &settingsPane{tab: t, formats: map[embed.Format]*widgets.Check{}}
	p.locked = widgets.NewReason(widgets.Off, "")
	var ways []widgets.Option
	for _, m := range methods {
		ways = append(ways, widgets.Option{ID: string(m), Label: words.T("embeddings.method." + string(m))})
	}
	p.method = widgets.NewSelect(ways, func(id string) { t.SetMethod(chunk.Method(id)) })
	p.tokens = widgets.NewNumberBox(func(n int) { t.SetTokens(n, t.State().Choices.Strategy.OverlapTokens) })
	p.overlap = widgets.NewNumberBox(func(n int) { t.SetTokens(t.State().Choices.Strategy.Tokens, n) })
	p.tokens.SetRange(8, 1<<20)
	p.overlap.SetRange(0, 1<<19)
	p.sizes = container.New(halves{}, labelled("embeddings.tokens", p.tokens), labelled("embeddings.overlap", p.overlap))

	patterns := func() { t.SetPatterns(p.include.Text, p.exclude.Text) }
	p.include, p.exclude = entry(patterns), entry(patterns)
	p.include.SetPlaceHolder(words.T("embeddings.include.hint"))
	p.exclude.SetPlaceHolder(words.T("embeddings.exclude.hint"))
	columns := func() { t.SetColumns(strings.TrimSpace(p.text.Text), strings.TrimSpace(p.id.Text)) }
	p.text, p.id = entry(columns), entry(columns)
	p.text.SetPlaceHolder(words.T("embeddings.column.guess"))
	p.id.SetPlaceHolder(words.T("embeddings.column.guess"))

	var families []widgets.Option
	for _, f := range embed.Families() {
		name := f.Name
		if f.ID == embed.Unknown.ID {
			name = words.T("embeddings.family.unknown")
		}
		families = append(families, widgets.Option{ID: f.ID, Label: name})
	}
	p.family = widgets.NewSelect(families, t.SetFamily)
	p.familyNote = widgets.NewReason(widgets.Info, "")
	prefixes := func() { t.SetPrefixes(unescaped(p.prefix.Text), unescaped(p.query.Text)) }
	p.prefix, p.query = entry(prefixes), entry(prefixes)
	p.prefix.SetPlaceHolder(words.T("embeddings.prefix.none"))
	p.query.SetPlaceHolder(words.T("embeddings.prefix.none"))
	p.prefix.TextStyle.Monospace, p.query.TextStyle.Monospace = true, true
	p.pooling = widgets.Text(widgets.Body, "").Ellipsis()
	p.dimensions = widgets.NewSegments(nil, func(id string) {
		n, _ := strconv.Atoi(id)
		t.SetDimensions(n)
	})
	p.whole = widgets.Text(widgets.Body, "")
	p.dimensionsBox = labelled("embeddings.dimensions", p.dimensions, p.whole)
	p.normalise = widgets.NewCheck(words.T("embeddings.normalise"), "", t.SetNormalise)

	var left, right []fyne.CanvasObject
	for i, f := range embed.Formats() {
		c := widgets.NewCheck(words.T("embeddings.format."+string(f)), "", func(on bool) { t.SetFormat(f, on) })
		p.formats[f] = c
		if i%2 == 0 {
			left = append(left, c)
		} else {
			right = append(right, c)
		}
	}
	p.noSearch = widgets.NewReason(widgets.Info, "")
	p.folder = entry(func() { t.SetFolder(p.folder.Text) })
	p.name = entry(func() { t.SetName(p.name.Text) })
	p.noFolder, p.noName = widgets.NewReason(widgets.Bad, ""), widgets.NewReason(widgets.Bad, "")
	p.browse = widgets.NewButton("", theme.IconFolder, widgets.Edged, func() { t.options.PickFolder(t.SetFolder) }).Label(words.T("embeddings.folder.pick"))

	column := widgets.VGap(10,
		widgets.Text(widgets.Section, words.T("embeddings.settings")),
		p.locked,
		labelled("embeddings.cut", p.method),
		p.sizes,
		labelled("embeddings.family", p.family, p.familyNote),
		labelled("embeddings.prefix", barless(p.prefix)),
		labelled("embeddings.query", barless(p.query)),
		p.dimensionsBox,
		labelled("embeddings.pooling", p.pooling),
		p.normalise,
		widgets.Line(),
		labelled("embeddings.formats", container.New(halves{}, widgets.VGap(6, left...), widgets.VGap(6, right...)), p.noSearch),
		labelled("embeddings.folder", widgets.HGap(6, widgets.Grow(barless(p.folder)), p.browse), p.noFolder),
		labelled("embeddings.name", barless(p.name), p.noName),
		widgets.Line(),
		labelled("embeddings.include", barless(p.include)),
		labelled("embeddings.exclude", barless(p.exclude)),
		container.New(halves{}, labelled("embeddings.column.text", barless(p.text)), labelled("embeddings.column.id", barless(p.id))),
	)
	scroll := container.NewVScroll(widgets.Inset(16, 14, 16, 16, column))
	p.box = widgets.Borders(nil, nil, nil, widgets.Line(), widgets.Background(theme.Surface, scroll))
	return p
}

// halves puts two objects side by side in one width.
type halves struct{}

func (halves) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(120, max(objects[0].MinSize().Height, objects[1].MinSize().Height))
}

func (halves) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	width := (size.Width - theme.GapControl) / 2
	for i, o := range objects {
		o.Move(fyne.NewPos(float32(i)*(width+theme.GapControl), 0))
		o.Resize(fyne.NewSize(width, size.Height))
	}
}

// labelled puts a label over a control.
func labelled(key string, objs ...fyne.CanvasObject) *fyne.Container {
	return widgets.VGap(5, append([]fyne.CanvasObject{widgets.Text(widgets.Quiet, words.T(key)).Ellipsis()}, objs...)...)
}

// entry takes text when the user ends typing with Enter or by leaving.
func entry(done func()) *widgets.Entry {
	e := widgets.NewEntry()
	e.OnSubmitted = func(string) { done() }
	e.OnLeave = done
	return e
}

// take takes over what is being typed: a key that starts a run means what is on the
// screen.
func (p *settingsPane) take() {
	c := fyne.CurrentApp().Driver().CanvasForObject(p.box)
	if c == nil {
		return
	}
	switch e := c.Focused().(type) {
	case *widgets.Entry:
		if e.OnLeave != nil {
			e.OnLeave()
		}
	case *widgets.NumberBox:
		e.OnSubmitted(e.Text)
	}
}

// A prefix can have lines, and an entry shows one.
func escaped(s string) string   { return strings.ReplaceAll(s, "\n", `\n`) }
func unescaped(s string) string { return strings.ReplaceAll(s, `\n`, "\n") }

// setText shows a text, and leaves alone what the user is typing.
func setText(e *widgets.Entry, text string) {
	c := fyne.CurrentApp().Driver().CanvasForObject(e)
	if e.Text != text && (c == nil || c.Focused() != fyne.Focusable(e)) {
		e.SetText(text)
	}
}

func (p *settingsPane) show(s State) {
	c := s.Choices
	locked := ""
	if s.Runs() {
		locked = words.T("embeddings.locked")
	}
	p.locked.SetText(locked)
	p.setOff(s.Runs())
	p.method.SetSelected(string(c.Strategy.Method))
	p.tokens.SetValue(c.Strategy.Tokens)
	p.overlap.SetValue(c.Strategy.OverlapTokens)
	widgets.SetShown(p.sizes, c.Strategy.Method == chunk.Tokens)
	p.family.SetSelected(c.Settings.Family)
	note := ""
	switch {
	case !s.Ready && c.Settings.Family == embed.Unknown.ID:
		note = words.T("embeddings.family.later")
	case s.Own:
		note = words.T("embeddings.family.own")
	case c.Settings.Family == embed.Unknown.ID:
		note = words.T("embeddings.family.none")
	}
	p.familyNote.SetText(note)
	setText(p.include, strings.Join(c.Patterns.Include, ", "))
	setText(p.exclude, strings.Join(c.Patterns.Exclude, ", "))
	setText(p.text, c.Reading.TextColumn)
	setText(p.id, c.Reading.IDColumn)
	setText(p.prefix, escaped(c.Settings.Prefix))
	setText(p.query, escaped(c.Settings.QueryPrefix))
	pooling := c.Settings.Pooling
	if pooling == "" {
		pooling = words.T("embeddings.pooling.own")
	}
	p.pooling.SetText(pooling)
	p.showDimensions(s)
	p.normalise.SetChecked(c.Settings.Normalise == embed.L2)
	for f, check := range p.formats {
		check.SetChecked(c.has(f))
	}
	noSearch := ""
	if !c.Searchable() {
		noSearch = words.T("embeddings.noSearch")
	}
	p.noSearch.SetText(noSearch)
	setText(p.folder, words.Path(c.Folder))
	setText(p.name, c.Name)
	p.noFolder.SetText(s.FolderProblem)
	p.noName.SetText(s.NameProblem)
}

// setOff takes all settings out of use, or puts them back: p.locked says why.
func (p *settingsPane) setOff(off bool) {
	if p.off == off {
		return
	}
	p.off = off
	controls := []fyne.Disableable{
		p.method, p.tokens, p.overlap, p.include, p.exclude, p.text, p.id, p.family, p.prefix, p.query, p.normalise, p.folder, p.name,
	}
	for _, check := range p.formats {
		controls = append(controls, check)
	}
	for _, c := range controls {
		if off {
			c.Disable()
		} else {
			c.Enable()
		}
	}
	p.browse.SetEnabled(!off)
}

func (p *settingsPane) showDimensions(s State) {
	widgets.SetShown(p.dimensionsBox, s.Width > 0)
	var options []widgets.Segment
	for i, n := range append([]int{s.Width}, s.Shorter...) {
		id := strconv.Itoa(n)
		if i == 0 {
			options = append(options, widgets.Segment{ID: "0", Label: id, Disabled: s.Runs()})
		} else if i < 4 { // more have no room, and are seldom wanted
			options = append(options, widgets.Segment{ID: id, Label: id, Disabled: s.Runs()})
		}
	}
	widgets.SetShown(p.dimensions, len(options) > 1)
	widgets.SetShown(p.whole, len(options) == 1)
	p.whole.SetText(words.Count(s.Width))
	p.dimensions.SetOptions(options)
	p.dimensions.SetSelected(strconv.Itoa(s.Choices.Settings.Dimensions))
}
