package settings

import (
	"reflect"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// Options are what the tab needs of the program.
type Options struct {
	Store
	Hooks
	PickFolder func(done func(path string, err error))
	PickFile   func(done func(path string, err error))
	OpenPath   func(path string)
	Version    string
}

// A Tab is the Settings tab.
type Tab struct {
	*Presenter
	options Options
	shown   State
	drawn   bool

	content fyne.CanvasObject
	theme   *widgets.Segments
	load    *widgets.Check // at the start
	problem *widgets.Reason
	folders *fyne.Container
	mirror  *widgets.Entry
	no      *widgets.Reason // why what is in it is no address
	apps    fyne.CanvasObject
	appRows *fyne.Container
	checks  []*widgets.Check // of appRows
	out     fyne.CanvasObject
	outRows *fyne.Container
	engines *fyne.Container
	places  *fyne.Container
	look    *widgets.Button
	scroll  *container.Scroll
}

// columnWidth is how wide the settings are at most: in a window as it starts, as
// wide as the cards of other tabs.
const columnWidth = theme.StartWidth - theme.RailWidth - 2*theme.PaneMargin

// mirrorWidth is that of the field for the hub's address.
const mirrorWidth = 320

// New makes the tab.
func New(o Options) *Tab {
	t := &Tab{options: o}
	t.Presenter = NewPresenter(o.Store, o.Hooks, t.show)
	t.build()
	t.Refresh()
	return t
}

func (t *Tab) build() {
	t.theme = widgets.NewSegments([]widgets.Segment{
		{ID: theme.System, Label: words.T("settings.theme.system")},
		{ID: theme.Dark, Label: words.T("settings.theme.dark")},
		{ID: theme.Light, Label: words.T("settings.theme.light")},
	}, func(id string) { t.SetTheme(id) })
	t.load = widgets.NewCheck(words.T("settings.start.load"), words.T("settings.start.load.about"), t.SetLoadAtStart)
	t.problem = widgets.NewReason(widgets.Bad, "")
	t.folders, t.engines, t.places = widgets.VGap(0), widgets.VGap(0), widgets.VGap(0)
	t.appRows, t.outRows = widgets.VGap(0), widgets.VGap(0)
	t.apps = section(words.T("settings.apps"), words.T("settings.apps.about"), t.appRows)
	t.out = section(words.T("settings.out"), words.T("settings.out.about"), t.outRows,
		widgets.NewButton(words.T("settings.out.all"), "", widgets.Edged, func() { t.Restore("") }))
	t.look = widgets.NewButton(words.T("settings.engine.look"), theme.IconRefresh, widgets.Plain, t.LookAgain)
	t.mirror, t.no = widgets.NewEntry(), widgets.NewReason(widgets.Bad, "")
	t.mirror.PlaceHolder = "huggingface.co"
	t.mirror.OnLeave = func() { t.SetMirror(t.mirror.Text) }
	t.mirror.OnSubmitted = t.SetMirror
	addFolder := widgets.NewButton(words.T("settings.folder.add"), theme.IconFolder, widgets.Edged, func() {
		t.options.PickFolder(t.picked(t.AddFolder))
	})
	addEngine := widgets.NewButton(words.T("settings.engine.add"), theme.IconPlus, widgets.Edged, func() {
		t.options.PickFile(t.picked(t.AddEngine))
	})

	column := widgets.VGap(theme.GapGroup,
		t.problem,
		widgets.Card(widgets.HGap(theme.GapControl,
			widgets.Text(widgets.Section, words.T("settings.theme")), layout.NewSpacer(), t.theme)),
		widgets.Card(widgets.HGap(theme.GapControl,
			widgets.Text(widgets.Section, words.T("settings.start")), layout.NewSpacer(), t.load)),
		section(words.T("settings.folders"), words.T("settings.folders.about"), t.folders, addFolder),
		widgets.Card(widgets.VGap(theme.GapControl, widgets.HGap(theme.GapControl,
			widgets.Text(widgets.Section, words.T("settings.mirror")), layout.NewSpacer(),
			widgets.Fixed(mirrorWidth, 0, t.mirror)), t.no)),
		t.apps,
		t.out,
		section(words.T("settings.engines"), words.T("settings.engines.about"), t.engines, t.look, addEngine),
		section(words.T("settings.places"), words.T("settings.places.about"), t.places),
	)
	header := widgets.Fixed(0, theme.HeaderHeight, widgets.Inset(theme.PaneMargin, 0, theme.PaneMargin, 0,
		widgets.HGap(12, widgets.Text(widgets.Title, words.T("settings.title")))))
	t.scroll = container.NewVScroll(widgets.Inset(theme.PaneMargin, 0, theme.PaneMargin, theme.PaneMargin,
		container.New(atMost{columnWidth}, column)))
	t.content = widgets.Background(theme.Window, widgets.Borders(header, nil, nil, nil, t.scroll))
}

// section is a card with a title, what it is about, buttons, and rows below.
func section(title, about string, rows fyne.CanvasObject, buttons ...fyne.CanvasObject) fyne.CanvasObject {
	head := widgets.HGap(theme.GapControl, append([]fyne.CanvasObject{
		widgets.Text(widgets.Section, title), widgets.Text(widgets.Quiet, about).Ellipsis(), layout.NewSpacer(),
	}, buttons...)...)
	return widgets.Stack(
		widgets.NewFill(theme.Surface, theme.Separator, theme.RadiusCard),
		widgets.VGap(0, widgets.Fixed(0, 50, widgets.Inset(16, 0, 16, 0, head)), widgets.Inset(1, 0, 1, 4, rows)))
}

// show draws a state.
func (t *Tab) show(s State) {
	if t.drawn && reflect.DeepEqual(s, t.shown) {
		return
	}
	before := t.shown
	if !t.drawn || s.Mirror != before.Mirror {
		t.mirror.SetText(s.Mirror)
	}
	t.no.SetText(s.MirrorProblem)
	t.drawn, t.shown = true, s
	t.theme.SetSelected(s.Theme)
	t.load.SetChecked(s.Load)
	t.problem.SetText(s.Problem)
	t.look.SetEnabled(!s.Looking)
	t.folders.Objects = t.folderRows(s)
	t.showApps(before.Apps, s.Apps)
	t.outRows.Objects = t.rowsOfOut(s)
	widgets.SetShown(t.apps, len(s.Apps) > 0)
	widgets.SetShown(t.out, len(s.Out) > 0)
	t.engines.Objects = t.engineRows(s)
	t.places.Objects = t.placeRows(s)
	t.scroll.Content.Refresh()
	t.scroll.Refresh()
}

func row(objs ...fyne.CanvasObject) fyne.CanvasObject {
	return widgets.VGap(0, widgets.Line(), widgets.Inset(15, 8, 15, 8, widgets.HGap(theme.GapControl, objs...)))
}

func empty(text string) fyne.CanvasObject {
	return row(widgets.Grow(widgets.Paragraph(widgets.Quiet, text)))
}

func (t *Tab) folderRows(s State) []fyne.CanvasObject {
	var rows []fyne.CanvasObject
	for _, f := range s.Folders {
		rows = append(rows, row(
			widgets.NewIcon(theme.IconFolder, theme.TextQuiet, theme.IconSizeButton),
			widgets.Grow(widgets.Text(widgets.Mono, f.Shown).Ellipsis()),
			widgets.NewSmallButton(words.T("settings.open"), "", widgets.Plain, func() { t.options.OpenPath(f.Path) }),
			widgets.NewSmallButton(words.T("settings.remove"), "", widgets.Edged, func() { t.RemoveFolder(f.Path) })))
	}
	if s.Files > 0 {
		rows = append(rows, row(
			widgets.NewIcon(theme.IconFile, theme.TextQuiet, theme.IconSizeButton),
			widgets.Grow(widgets.Text(widgets.Body, filesText(s.Files)).Ellipsis()),
			widgets.NewSmallButton(words.T("settings.remove"), "", widgets.Edged, t.ForgetFiles)))
	}
	if len(rows) == 0 {
		rows = append(rows, empty(words.T("settings.folders.none")))
	}
	return rows
}

func filesText(n int) string {
	if n == 1 {
		return words.T("settings.file")
	}
	return words.T("settings.files", map[string]any{"Count": words.Count(n)})
}

func (t *Tab) engineRows(s State) []fyne.CanvasObject {
	var rows []fyne.CanvasObject
	for _, e := range s.Engines {
		rows = append(rows, t.engineRow(e))
	}
	switch {
	case s.Looking && len(rows) == 0:
		rows = append(rows, empty(words.T("settings.engines.looking")))
	case len(rows) == 0:
		rows = append(rows, empty(words.T("settings.engines.none")))
	}
	return rows
}

func (t *Tab) engineRow(e Engine) fyne.CanvasObject {
	kind := widgets.Good
	if !e.Usable {
		kind = widgets.Bad
	}
	name := widgets.HGap(theme.GapControl, widgets.Text(widgets.Bold, e.Name), widgets.NewBadge(e.Source, ""),
		widgets.Text(widgets.Quiet, e.About).Ellipsis())
	text := widgets.VGap(2, name, widgets.Text(widgets.Mono, e.Shown).Colour(theme.TextQuiet).Ellipsis(),
		widgets.NewReason(kind, e.Verdict))
	objs := []fyne.CanvasObject{widgets.Grow(text)}
	switch {
	case e.Chosen:
		objs = append(objs, widgets.NewPill(theme.IconCheckRing, words.T("settings.engine.chosen"), theme.OKFill, theme.OK))
	case e.Usable:
		objs = append(objs, widgets.NewSmallButton(words.T("settings.engine.choose"), "", widgets.Edged, func() { t.ChooseEngine(e.ID) }))
	}
	if e.Added {
		objs = append(objs, widgets.NewSmallButton(words.T("settings.remove"), "", widgets.Edged, func() { t.RemoveEngine(e) }))
	}
	return row(objs...)
}

func (t *Tab) placeRows(s State) []fyne.CanvasObject {
	var rows []fyne.CanvasObject
	for _, p := range s.Places {
		rows = append(rows, row(
			widgets.Fixed(120, 0, widgets.Text(widgets.Body, p.Name)),
			widgets.Grow(widgets.Text(widgets.Mono, p.Shown).Colour(theme.TextQuiet).Ellipsis()),
			widgets.NewSmallButton(words.T("settings.open"), "", widgets.Plain, func() { t.options.OpenPath(p.Path) })))
	}
	return rows
}

// picked makes what to do with a path into what a picker calls.
func (t *Tab) picked(use func(string)) func(string, error) {
	return func(path string, err error) {
		if err != nil {
			t.Fail(err)
			return
		}
		use(path)
	}
}

// Content is what the window shows.
func (t *Tab) Content() fyne.CanvasObject { return t.content }

// Show is called when the tab is on view: other tabs may have changed the
// configuration, and other apps may be there now.
func (t *Tab) Show() {
	t.Refresh()
	t.LookForApps()
}

// Hide is called when another tab is.
func (t *Tab) Hide() {}

// Keys are those that matter here.
func (t *Tab) Keys() []widgets.Key {
	return []widgets.Key{{Cap: "Tab", Text: words.T("settings.key.next")}, {Cap: "Space", Text: words.T("settings.key.press")}}
}

// Fact names the program and its version.
func (t *Tab) Fact() string {
	return words.T("settings.version", map[string]any{"Version": t.options.Version})
}

// Shortcut takes none.
func (t *Tab) Shortcut(fyne.Shortcut) bool { return false }

// atMost keeps a column from becoming wider than it is read well.
type atMost struct{ width float32 }

func (l atMost) Layout(objs []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objs {
		o.Resize(fyne.NewSize(min(size.Width, l.width), size.Height))
	}
}

func (l atMost) MinSize(objs []fyne.CanvasObject) fyne.Size { return objs[0].MinSize() }

var _ widgets.Tab = (*Tab)(nil)
