package models

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/config"
	"paddock/engine/library"
	"paddock/words"
)

// Options are what the tab needs of the program.
type Options struct {
	Config     *config.Store
	Scan       ScanFunc
	Watch      WatchFunc            // nil when folders are not watched
	Apps       func() []library.App // places of other apps; may take a moment; nil for none
	Do         func(func())         // runs a function on the UI goroutine
	SetUp      func(library.Model)  // opens Set up and load
	Best       func(library.Model)  // does the same with the best settings; nil for none
	Get        func()               // opens the page that fetches models; nil when there is none
	Judge      JudgeFunc            // says whether a model fits; nil for none
	Room       func() Room          // how much of a model this machine holds; nil for none
	Near       NearFunc             // nil where opened files are taken alone
	Usual      UsualFunc            // folders with models to offer who has none; nil for none
	Hardware   func()               // opens the page of this machine; nil when there is none
	Guide      string               // path of the model that comes with the program; Scan makes it be there
	GuideBytes uint64               // how large that is
	Copy       func(string)         // to the clipboard
	OpenPath   func(string)         // shows a folder in the desktop's own program for it

	// PickFile and PickFolder let the user choose. done is called with the path,
	// or with what went wrong, and not at all when the user gives up.
	PickFile, PickFolder func(done func(path string, err error))
}

// A Tab is the Models tab.
type Tab struct {
	*Presenter
	options Options

	filter  *widgets.Entry
	counts  *widgets.TextLabel
	rescan  *widgets.Button
	stop    *widgets.Button
	bar     *fyne.Container // what stands above the chips
	chips   *chips
	notice  *strip // what went wrong
	undo    *strip // what was just taken out of the list
	table   *table
	detail  *detail
	instead *fyne.Container // of the table, while it is empty
	empty   Empty
	list    fyne.CanvasObject // everything but the first page
	first   *firstView
	content *fyne.Container
}

// New makes the tab. Its first Show scans.
func New(o Options) *Tab {
	t := &Tab{options: o}
	t.Presenter = NewPresenter(Seams{
		Config: o.Config, Scan: o.Scan, Watch: o.Watch, Apps: o.Apps, Judge: o.Judge, Room: o.Room, Near: o.Near, Usual: o.Usual, Guide: o.Guide, Do: o.Do,
	}, t.show)
	t.build()
	t.show(t.State())
	return t
}

func (t *Tab) build() {
	t.filter = widgets.NewSearch(words.T("models.filter.hint"))
	t.filter.OnChanged = t.SetFilter
	t.filter.OnKey = t.filterKey
	t.counts = widgets.Text(widgets.Quiet, "").Ellipsis().Align(fyne.TextAlignTrailing)
	t.rescan = widgets.NewButton("", theme.IconRefresh, widgets.Plain, t.Rescan).Label(words.T("models.rescan"))
	t.stop = widgets.NewButton(words.T("models.cancel"), "", widgets.Edged, t.CancelScan)
	buttons := widgets.HGap(8, t.stop)
	bar := toolbar{}
	addNamed := func(key string, icon theme.IconName, tapped func()) {
		text := words.T(key)
		b := widgets.NewButton(text, icon, widgets.Edged, tapped).Label(text)
		bar.named = append(bar.named, namedButton{b, text})
		buttons.Add(b)
	}
	if t.options.Get != nil {
		addNamed("models.get", theme.IconDownload, t.options.Get)
	}
	addNamed("models.addFolder", theme.IconFolder, t.pickFolder)
	buttons.Add(t.rescan)
	t.bar = container.New(bar, t.filter, t.counts, buttons)
	t.chips = newChips(t.SetSource)
	t.notice = newStrip(widgets.Bad, "", nil, t.Dismiss)
	t.undo = newStrip(widgets.Info, words.T("models.undo"), t.Undo, t.Dismiss)

	t.table = newTable(actions{
		choose: t.Select, move: t.Move, sort: t.SortBy, open: t.openSelected, files: t.showFiles,
		menu: t.menuAt, filter: t.focusFilter, file: t.pickFile, shift: shiftHeld,
	})
	t.detail = newDetail(detailHooks{
		setUp: func(m library.Model) { t.options.SetUp(m) },
		best:  t.options.Best,
		menu:  t.menuUnder, copy: func(text string) { t.options.Copy(text) }, openFolder: t.openFolder,
		hash: t.Hash, stopHash: t.StopHash, choose: t.SelectPath, rescan: t.Rescan, do: t.options.Do,
	})
	t.instead = container.NewStack()

	head := widgets.Inset(0, 0, 0, 8, widgets.VGap(8,
		widgets.Inset(16, 12, 16, 0, t.bar),
		t.chips.box,
		t.notice.box,
		t.undo.box,
	))
	left := widgets.Borders(head, nil, nil, nil, container.NewStack(t.table, t.instead))
	t.list = container.New(panes{}, widgets.Background(theme.Window, left), t.detail.box)
	t.first = newFirstView(t.options.GuideBytes, firstHooks{
		guide: t.setUpGuide, file: t.pickFile, folder: t.pickFolder, add: func(folder string) { t.Open([]string{folder}) }, look: t.Rescan, get: t.options.Get, hardware: t.options.Hardware,
	})
	t.content = container.NewStack(t.list, t.first.box)
}

// Content is what the window shows.
func (t *Tab) Content() fyne.CanvasObject { return t.content }

// Show is called when the tab is on view. The first time, and when the folders
// have changed in Settings, it scans.
func (t *Tab) Show() {
	t.RescanIfChanged()
	t.Rejudge()
	t.focusTable()
}

// Hide is called when another tab is on view.
func (t *Tab) Hide() {}

// show draws a state.
func (t *Tab) show(s State) {
	empty := s.Empty()
	t.list.(*fyne.Container).Hidden = empty == FirstStart || s.Blank
	t.first.box.(*fyne.Container).Hidden = empty != FirstStart
	if empty == FirstStart {
		t.first.show(s)
	}
	t.showHead(s)
	t.table.show(s)
	t.detail.show(s.Selected, s.Hashes, s.Card)
	if empty != t.empty {
		t.empty = empty
		t.instead.RemoveAll()
		switch empty {
		case NothingFound:
			t.instead.Add(nothingFound(s, t.pickFile, t.pickFolder))
		case NoMatch:
			t.instead.Add(noMatch(s, t.clearFilter))
		}
		t.table.Hidden = empty != NotEmpty
		t.content.Refresh()
	}
}

func (t *Tab) showHead(s State) {
	if t.filter.Text != s.Filter {
		t.filter.SetText(s.Filter)
	}
	text := counts(s)
	if text != t.counts.String() || t.stop.Hidden == s.Scanning {
		t.counts.SetText(text)
		t.stop.Hidden = !s.Scanning
		t.bar.Refresh()
	}
	t.rescan.SetEnabled(!s.Scanning)
	undo := ""
	if s.Undo.Path != "" {
		undo = words.T("models.forgotten", map[string]any{"Name": clip(s.Undo.Name, 60)})
	}
	changed := t.chips.show(s)
	changed = t.notice.show(s.Notice) || changed
	changed = t.undo.show(undo) || changed
	if changed {
		t.content.Refresh()
	}
}

// counts says how many models there are, or how far the scan is.
func counts(s State) string {
	count := func(n int, one, many string) string {
		if n == 1 {
			return words.T(one)
		}
		return words.T(many, map[string]any{"Count": words.Count(n)})
	}
	if s.Scanning {
		if s.Scan.Folder == "" {
			return words.T("models.scanning")
		}
		return words.T("models.scanning.folder", map[string]any{
			"Files": count(s.Scan.Files, "models.file", "models.files"), "Folder": s.Scan.Folder,
		})
	}
	return words.T("models.counts", map[string]any{
		"Models":     count(s.Total.Models, "models.counts.model", "models.counts.models"),
		"Companions": count(s.Total.Companions, "models.counts.companion", "models.counts.companions"),
		"GiB":        words.GiB(s.Total.SizeBytes),
	})
}

func (t *Tab) pickFile() {
	t.options.PickFile(t.picked)
}

func (t *Tab) pickFolder() {
	t.options.PickFolder(t.picked)
}

func (t *Tab) picked(path string, err error) {
	if err != nil {
		t.Say(err)
		return
	}
	t.Open([]string{path})
}

// setUpGuide is for the first page. The Guide is found within a moment of the
// start; a press before that is as good as none.
func (t *Tab) setUpGuide() {
	if guide, ok := t.Begin(); ok {
		t.options.SetUp(guide)
	}
}

func (t *Tab) openSelected() {
	if t.empty == FirstStart {
		t.setUpGuide()
		return
	}
	if r := t.State().Selected; t.State().At >= 0 && r.Known() && r.Off == "" {
		t.options.SetUp(r.Model)
	}
}

func (t *Tab) clearFilter() {
	t.SetFilter("")
	t.SetSource(sourceAll)
}

// filterKey goes from the filter box to the rows below, or clears it.
func (t *Tab) filterKey(ev *fyne.KeyEvent) bool {
	switch ev.Name {
	case fyne.KeyDown, fyne.KeyReturn, fyne.KeyEnter:
		t.focusTable()
		if ev.Name == fyne.KeyDown {
			t.table.TypedKey(ev)
		}
		return true
	case fyne.KeyEscape:
		t.SetFilter("")
		t.focusTable()
		return true
	}
	return false
}

func (t *Tab) focusFilter() { widgets.Focus(t.filter) }

func (t *Tab) focusTable() {
	if t.empty == NotEmpty {
		widgets.Focus(t.table)
	}
}

// Keys are those that matter here, for the status line.
func (t *Tab) Keys() []widgets.Key {
	tabs := widgets.Key{Cap: "Ctrl 1…6", Text: words.T("models.key.tabs")}
	open := widgets.Key{Cap: "Ctrl O", Text: words.T("models.key.open")}
	if t.empty == FirstStart {
		return []widgets.Key{{Cap: "Enter", Text: words.T("models.key.guide")}, open, tabs}
	}
	return []widgets.Key{
		{Cap: "↑ ↓", Text: words.T("models.key.choose")},
		{Cap: "Enter", Text: words.T("models.key.setUp")},
		{Cap: "/", Text: words.T("models.key.filter")},
		{Cap: "Shift F10", Text: words.T("models.key.more")},
		tabs,
	}
}

// Fact is nothing: the shell says what engine there is.
func (t *Tab) Fact() string { return "" }

// Shortcut takes Ctrl+O and Ctrl+F.
func (t *Tab) Shortcut(s fyne.Shortcut) bool {
	switch widgets.Ctrl(s) {
	case fyne.KeyO:
		t.pickFile()
	case fyne.KeyF:
		t.focusFilter()
	default:
		return false
	}
	return true
}

// TypedKey takes the keys of the table when nothing has the focus.
func (t *Tab) TypedKey(ev *fyne.KeyEvent) bool {
	switch ev.Name {
	case fyne.KeyUp, fyne.KeyDown, fyne.KeyPageUp, fyne.KeyPageDown, fyne.KeyHome, fyne.KeyEnd,
		fyne.KeyReturn, fyne.KeyEnter, fyne.KeyF10, desktop.KeyMenu:
		enter := ev.Name == fyne.KeyReturn || ev.Name == fyne.KeyEnter
		if t.empty == FirstStart && enter {
			t.setUpGuide()
			return true
		}
		if t.empty != NotEmpty {
			return false
		}
		t.focusTable()
		t.table.TypedKey(ev)
		return true
	case fyne.KeyF5:
		t.Rescan()
		return true
	}
	return false
}

// TypedRune takes the slash when nothing has the focus.
func (t *Tab) TypedRune(r rune) bool {
	if r == '/' && t.empty != FirstStart {
		t.focusFilter()
		return true
	}
	return false
}

var _ widgets.Tab = (*Tab)(nil)
