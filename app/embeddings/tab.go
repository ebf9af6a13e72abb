package embeddings

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/embed"
	"paddock/engine/library"
	"paddock/words"
)

// Options are what the tab needs of the program.
type Options struct {
	Seams
	Do       func(func())        // runs a function on the UI goroutine
	SetUp    func(library.Model) // opens Set up and load
	GoModels func()
	OpenPath func(string) // shows a file or folder in the desktop's own program

	// The pickers call done with a path, and not at all when the user gives up.
	PickFile, PickIndex func(done func(path string))
	PickFolder          func(done func(path string))
}

// A Tab is the page "Embeddings".
type Tab struct {
	*Presenter
	options Options

	settings *settingsPane
	files    *filesPane
	find     *findPane
	content  *fyne.Container
}

// New makes the tab. It does nothing before it is shown.
func New(o Options) *Tab {
	t := &Tab{options: o}
	t.Presenter = NewPresenter(o.Seams, o.Do, t.show)
	t.settings = newSettingsPane(t)
	t.files = newFilesPane(t)
	t.find = newFindPane(t)
	t.content = widgets.Background(theme.Window, container.New(&panes{t.files}, t.settings.box, t.files.box, t.find.box))
	t.show(t.State())
	return t
}

// Content is what the window shows.
func (t *Tab) Content() fyne.CanvasObject { return t.content }

// Show is called when the tab comes on view: it draws what has changed all along.
func (t *Tab) Show() {}

// Hide is called when another one is. A run goes on.
func (t *Tab) Hide() {}

func (t *Tab) show(s State) {
	t.settings.show(s)
	t.files.show(s)
	t.find.show(s)
	t.content.Refresh()
}

// UnderWay says whether the engine is at work for a run, or soon will be.
func (t *Tab) UnderWay() bool {
	s := t.State()
	return s.Runs() && (s.Run != Paused || s.Job.Phase != embed.Paused)
}

func (t *Tab) pickFile()   { t.options.PickFile(func(path string) { t.Add([]string{path}) }) }
func (t *Tab) pickFolder() { t.options.PickFolder(func(path string) { t.Add([]string{path}) }) }

// Keys are those that matter here, for the status line.
func (t *Tab) Keys() []widgets.Key {
	return []widgets.Key{
		{Cap: "Ctrl Enter", Text: words.T("embeddings.key.start")},
		{Cap: "Ctrl F", Text: words.T("embeddings.key.search")},
		{Cap: "Ctrl N", Text: words.T("embeddings.key.add")},
		{Cap: "Del", Text: words.T("embeddings.key.remove")},
	}
}

// Fact is left to the window until vectors can be made.
func (t *Tab) Fact() string {
	s := t.State()
	if !s.Ready || s.Limit == 0 {
		return ""
	}
	return words.T("embeddings.limit", map[string]any{"Tokens": words.Count(s.Limit)})
}

// Shortcut takes the keys of the tab.
func (t *Tab) Shortcut(s fyne.Shortcut) bool {
	switch widgets.Ctrl(s) {
	case fyne.KeyF:
		widgets.Focus(t.find.entry)
	case fyne.KeyN:
		t.pickFile()
	case fyne.KeyReturn, fyne.KeyEnter:
		t.enter()
	default:
		return false
	}
	return true
}

// enter does what the filled button says, with what is being typed. What is refused is
// said, and other patterns are followed first.
func (t *Tab) enter() {
	before := t.listed
	t.settings.take()
	switch s := t.State(); {
	case s.NameProblem != "" || s.FolderProblem != "":
	case s.Listing && t.listed != before:
		t.starts = true
	default:
		t.files.press()
	}
}

// TypedKey takes keys while nothing has a use for them.
func (t *Tab) TypedKey(ev *fyne.KeyEvent) bool {
	if ev.Name == fyne.KeyDelete {
		t.Remove()
		return true
	}
	return false
}

// main is what the filled button does now, and what it says.
func main(s State) (key string, icon theme.IconName, on bool) {
	switch {
	case s.Run == Paused: // only the model the run began with can go on
		return "embeddings.goOn", theme.IconPlay, s.Ready && !s.Stranger || s.Loadable()
	case s.Run == Working:
		return "embeddings.pause", theme.IconPause, s.Job.Phase == embed.Running && !s.noEngine()
	case s.Run == Preparing:
		return "embeddings.pause", theme.IconPause, false
	}
	key = "embeddings.start"
	if s.Offer == GoOn {
		key = "embeddings.goOn"
	}
	return key, theme.IconPlay, s.Startable() || s.Loadable()
}

const (
	settingsWidth, settingsNarrow = 272, 236
	findWidth, findNarrow         = 344, 262
	narrowIn                      = theme.NarrowBelow - theme.RailWidth
)

// panes lays out settings, files and search side by side.
type panes struct{ files *filesPane }

func (*panes) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(700, 300) }

func (l *panes) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	left, right := float32(settingsWidth), float32(findWidth)
	if size.Width < narrowIn {
		left, right = settingsNarrow, findNarrow
	}
	l.files.fits.width = size.Width - left - right
	l.files.preview.fits.width, l.files.preview.fits.most = l.files.fits.width-32, previewMost
	l.files.fits.most, l.files.holds.most = detailMost, outputsMost
	if size.Height < shortBelow {
		l.files.preview.fits.most, l.files.fits.most, l.files.holds.most = previewLeast, detailShort, outputsShort
	}
	x := float32(0)
	for i, width := range []float32{left, size.Width - left - right, right} {
		objects[i].Move(fyne.NewPos(x, 0))
		objects[i].Resize(fyne.NewSize(width, size.Height))
		x += width
	}
}

var _ widgets.Tab = (*Tab)(nil)
