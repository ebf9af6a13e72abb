package images

import (
	"context"
	"image"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/layout"

	"paddock/app/theme"
	"paddock/app/widgets"
	job "paddock/engine/images"
	"paddock/engine/picture"
	"paddock/words"
)

// Options are what the tab needs of the program.
type Options struct {
	Seams
	Do     func(func()) // runs a function on the UI goroutine
	Models func()       // goes to Models

	// The pickers call done with a path, and not at all when the user gives up.
	PickImage  func(done func(path string))
	PickFolder func(done func(path string))
	PickSave   func(name string, done func(path string))
}

// A Tab is the Images tab.
type Tab struct {
	*Presenter
	options Options
	thumbs  *widgets.Thumbnails
	reading chan struct{} // full while a thumbnail is read or made

	presets *widgets.Segments
	prompt  *widgets.TextArea
	edited  *widgets.Button
	saved   *widgets.Button
	tokens  *widgets.NumberBox
	heat    *widgets.SelectBox
	side    *widgets.SelectBox

	main     *widgets.Button
	cancel   *widgets.Button
	retry    *widgets.Button
	progress *widgets.Progress
	count    *widgets.TextLabel
	line     *widgets.TextLabel
	export   *widgets.Button
	more     *widgets.Button

	vision    *widgets.Reason
	visionBox *fyne.Container
	setUps    []*widgets.Button
	models    *widgets.Button
	standing  []*widgets.Reason
	other     *widgets.Reason // an interrupted run that had another instruction
	otherBox  *fyne.Container
	note      *widgets.Reason
	undone    *widgets.Button
	noteBox   *fyne.Container
	notes     *fyne.Container

	grid    *grid
	detail  *detail
	empty   fyne.CanvasObject
	full    *fyne.Container
	content *fyne.Container

	dialog  *widgets.Dialog // the question that is open
	asked   *Question
	setting bool // the prompt is being set, not typed
	onView  bool
}

// maxStanding is how many things can hold on at a time, as Presenter.standing says.
const maxStanding = 4

// ownPrompt is the segment of one's own instruction.
const ownPrompt = "own"

// New makes the tab. It reads nothing before it is shown.
func New(o Options) *Tab {
	t := &Tab{options: o, reading: make(chan struct{}, 1)}
	t.thumbs = widgets.NewThumbnails(t.thumbnail, o.Do)
	t.Presenter = NewPresenter(o.Seams, o.Do, t.show)
	t.build()
	t.show(t.State())
	return t
}

func (t *Tab) build() {
	t.presets = widgets.NewSegments([]widgets.Segment{
		{ID: job.Caption, Label: words.T("pictures.preset.caption")},
		{ID: job.Describe, Label: words.T("pictures.preset.describe")},
		{ID: job.ReadText, Label: words.T("pictures.preset.text")},
		{ID: job.Tags, Label: words.T("pictures.preset.tags")},
		{ID: job.AltText, Label: words.T("pictures.preset.alt")},
		{ID: ownPrompt, Label: words.T("pictures.preset.own")},
	}, t.choosePreset)
	addImages := widgets.NewButton(words.T("pictures.add"), theme.IconPlus, widgets.Edged, t.pickImage)
	var addFolder *widgets.Button
	addFolder = widgets.NewButton(words.T("pictures.addFolder"), theme.IconFolder, widgets.Edged, func() { widgets.MenuUnder(addFolder, t.folderMenu()) })
	t.prompt = widgets.NewTextArea(words.T("pictures.prompt.hint"), 2, func(text string) {
		if !t.setting {
			t.SetPrompt(text)
		}
	})
	t.prompt.OnEscape = func() { widgets.Focus(t.grid) }
	t.edited = widgets.NewButton("", theme.IconRefresh, widgets.Plain, func() { t.Preset(t.State().Instruction.Preset) }).Label(words.T("pictures.preset.back"))
	t.saved = widgets.NewButton("", theme.IconPin, widgets.Plain, func() { widgets.MenuUnder(t.saved, t.savedMenu()) }).Label(words.T("pictures.saved"))
	t.tokens = widgets.NewNumberBox(t.SetMaxTokens)
	t.tokens.SetRange(8, 8192)
	t.heat = widgets.NewSelect(temperatures(), func(id string) {
		value, _ := strconv.ParseFloat(id, 64) // the ids are numbers
		t.SetTemperature(value)
	})
	t.side = widgets.NewSelect(sides(), func(id string) {
		n, _ := strconv.Atoi(id) // the ids are numbers
		t.SetMaxSide(n)
	})
	head := widgets.Background(theme.Surface, widgets.Borders(nil, widgets.Line(), nil, nil, widgets.Inset(16, 12, 16, 12, widgets.VGap(8,
		widgets.HGap(8, t.presets, layout.NewSpacer(), addImages, addFolder),
		widgets.HGap(8, widgets.Grow(t.prompt), t.edited, t.saved, widgets.Text(widgets.Quiet, words.T("pictures.tokens")), widgets.Fixed(72, 0, t.tokens),
			widgets.Text(widgets.Quiet, words.T("pictures.temperature")), t.heat,
			widgets.Text(widgets.Quiet, words.T("pictures.side")), t.side),
	))))

	t.main = widgets.NewButton("", theme.IconPlay, widgets.Filled, t.Press)
	t.cancel = widgets.NewButton(words.T("pictures.cancel"), "", widgets.Edged, t.Cancel)
	t.retry = widgets.NewButton("", theme.IconRefresh, widgets.Edged, t.RetryFailed)
	t.count = widgets.Text(widgets.Bold, "")
	t.progress = widgets.NewProgress(120)
	t.line = widgets.Text(widgets.Quiet, "").Ellipsis()
	t.export = widgets.NewButton(words.T("pictures.export"), theme.IconExport, widgets.Edged, func() { widgets.MenuUnder(t.export, t.exportMenu()) })
	t.more = widgets.NewButton("", theme.IconDots, widgets.Plain, func() { widgets.MenuUnder(t.more, t.moreMenu()) }).Label(words.T("pictures.more"))
	run := widgets.Borders(nil, widgets.Line(), nil, nil, widgets.Inset(16, 8, 16, 8,
		widgets.HGap(10, t.main, t.cancel, t.count, t.progress, widgets.Grow(t.line), t.retry, t.export, t.more)))

	t.vision = widgets.NewReason(widgets.Cautious, "")
	buttons := []fyne.CanvasObject{widgets.Grow(t.vision)}
	for i := range maxSeers {
		b := widgets.NewSmallButton("", "", widgets.Edged, func() { t.SetUp(i) })
		t.setUps = append(t.setUps, b)
		buttons = append(buttons, b)
	}
	t.models = widgets.NewSmallButton(words.T("pictures.models"), "", widgets.Edged, t.options.Models)
	t.visionBox = widgets.HGap(8, append(buttons, t.models)...)
	said := widgets.VGap(6, t.visionBox)
	for range maxStanding {
		r := widgets.NewReason(widgets.Info, "")
		t.standing = append(t.standing, r)
		said.Add(r)
	}
	t.note = widgets.NewReason(widgets.Info, "")
	t.other = widgets.NewReason(widgets.Info, "")
	t.otherBox = widgets.HGap(8, widgets.Grow(t.other), widgets.NewSmallButton(words.T("pictures.interrupted.take"), "", widgets.Edged, t.TakeInterrupted))
	t.undone = widgets.NewSmallButton(words.T("pictures.undo"), "", widgets.Edged, func() {
		t.Undo()
		widgets.Focus(t.grid) // the button may be gone
	})
	t.noteBox = widgets.HGap(8, widgets.Grow(t.note), t.undone)
	said.Add(t.otherBox)
	said.Add(t.noteBox)
	t.notes = widgets.VGap(0, widgets.Inset(16, 8, 16, 8, said), widgets.Line())

	t.grid = newGrid(t.thumbs, gridActions{choose: t.Choose, move: t.Move, key: t.gridKey})
	t.detail = newDetail(t)
	t.detail.text.OnEscape = func() { widgets.Focus(t.grid) }
	t.empty = container.NewCenter(widgets.Fixed(460, 0, widgets.VGap(10,
		widgets.Text(widgets.Title, words.T("pictures.empty.title")).Align(fyne.TextAlignCenter),
		widgets.Paragraph(widgets.Quiet, words.T("pictures.empty.text")).Align(fyne.TextAlignCenter),
		container.NewCenter(widgets.HGap(8,
			widgets.NewButton(words.T("pictures.empty.add"), theme.IconPlus, widgets.Edged, t.pickImage),
			widgets.NewButton(words.T("pictures.empty.folder"), theme.IconFolder, widgets.Edged, func() { t.pickFolder(true) }))),
	)))
	t.full = container.New(panes{}, t.grid, t.detail.box)
	// No Background of theme.Window: the window is cleared with that colour, and where
	// software draws it, painting it once more takes 10 ms of every frame.
	t.content = widgets.VGap(0, head, run, t.notes, widgets.Grow(container.NewStack(t.full, t.empty)))
}

// temperatures are those to choose from.
func temperatures() []widgets.Option {
	var list []widgets.Option
	for _, id := range []string{"0", "0.2", "0.5", "0.8", "1"} {
		list = append(list, widgets.Option{ID: id, Label: id})
	}
	return list
}

// sides are the picture sizes to choose from.
func sides() []widgets.Option {
	usual := picture.DefaultMaxSide
	var list []widgets.Option
	for _, n := range []int{512, 768, 1024, usual, 2048, 4096} {
		if n > picture.MaxSideLimit {
			continue
		}
		option := widgets.Option{ID: strconv.Itoa(n), Label: words.T("pictures.side.pixels", map[string]any{"Pixels": n})}
		if n == usual {
			option.ID = "0"
		}
		list = append(list, option)
	}
	return list
}

func (t *Tab) choosePreset(id string) {
	if id != ownPrompt {
		t.Preset(id)
		return
	}
	t.Preset("")
	widgets.Focus(t.prompt)
}

func (t *Tab) pickImage() {
	t.options.PickImage(func(path string) { t.Add(false, path) })
}

func (t *Tab) pickFolder(recursive bool) {
	t.options.PickFolder(func(path string) { t.Add(recursive, path) })
}

// Content is what the window shows.
func (t *Tab) Content() fyne.CanvasObject { return t.content }

// Show is called when the tab is on view.
func (t *Tab) Show() {
	t.onView = true
	t.Begin()
	widgets.Focus(t.grid)
	t.showQuestion(t.State().Question)
}

// Hide is called when another one is. The run goes on.
func (t *Tab) Hide() {
	t.onView = false
	t.keepTyped()
}

// thumbnail reads or makes one, until the tab closes.
func (t *Tab) thumbnail(path string, side int) (image.Image, error) {
	t.reading <- struct{}{}
	defer func() { <-t.reading }()
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	return t.options.Thumbs.Get(t.ctx, path, side)
}

// Wait waits until nothing of the tab is written any more, or for ctx.
func (t *Tab) Wait(ctx context.Context) {
	t.Presenter.Wait(ctx)
	select {
	case t.reading <- struct{}{}:
		<-t.reading
	case <-ctx.Done():
	}
}

// show draws a state.
func (t *Tab) show(s State) {
	if t.content == nil {
		return
	}
	t.showInstruction(s.Instruction)
	t.showRun(s)
	t.showNotes(s)
	has := len(s.Items) > 0
	widgets.SetShown(t.full, has)
	widgets.SetShown(t.empty, !has && !s.Opening)
	t.grid.names = s.twins
	t.grid.set(s.Items, s.At)
	t.detail.show(s)
	t.showQuestion(s.Question)
	t.content.Refresh()
}

func (t *Tab) showInstruction(i Instruction) {
	id := i.Preset
	if id == "" {
		id = ownPrompt
	}
	t.presets.SetSelected(id)
	if t.prompt.Text != i.Prompt {
		t.setting = true
		t.prompt.SetText(i.Prompt)
		t.setting = false
	}
	widgets.SetShown(t.edited, i.Edited)
	if t.tokens.Value() != i.MaxTokens {
		t.tokens.SetValue(i.MaxTokens)
	}
	t.heat.SetSelected(strconv.FormatFloat(i.Temperature, 'f', -1, 64))
	t.side.SetSelected(strconv.Itoa(i.MaxSide))
}

func (t *Tab) showRun(s State) {
	r := s.Run
	switch {
	case r.On && r.Paused:
		t.main.SetText(words.T("pictures.resume"))
		t.main.SetIcon(theme.IconPlay)
		t.main.SetEnabled(s.Vision.Sees)
	case r.On:
		t.main.SetText(words.T("pictures.pause"))
		t.main.SetIcon(theme.IconPause)
		t.main.SetEnabled(true)
	default:
		text := words.T("pictures.run", map[string]any{"Count": s.Counts.Waiting})
		if len(s.Items) == 0 {
			text = words.T("pictures.run.none")
		} else if r.Interrupted > 0 {
			text = words.T("pictures.resume")
		} else if s.Counts.Waiting == 0 {
			text = words.T("pictures.again")
		}
		t.main.SetText(text)
		t.main.SetIcon(theme.IconPlay)
		t.main.SetEnabled(r.Off == "")
	}
	widgets.SetShown(t.cancel, r.On)
	widgets.SetShown(t.count, r.Count != "")
	widgets.SetShown(t.progress, r.On)
	t.count.SetText(r.Count)
	t.progress.Set(r.Done)
	line := r.Line
	if !r.On && r.Off != "" && s.Vision.Sees {
		line = r.Off
	}
	t.line.SetText(line)
	t.line.Colour(theme.TextQuiet)
	if r.Bad {
		t.line.Colour(theme.Refuse)
	}
	t.retry.SetText(words.T("pictures.retry", map[string]any{"Count": s.Counts.Failed}))
	widgets.SetShown(t.retry, s.Counts.Failed > 0 && (r.On || r.Off == ""))
	t.export.SetEnabled(s.Counts.Done+s.Counts.Edited+s.Counts.Failed > 0)
	t.more.SetEnabled(len(s.Items) > 0)
}

func (t *Tab) showNotes(s State) {
	t.vision.Set(widgets.Cautious, s.Vision.Text)
	widgets.SetShown(t.visionBox, s.Vision.Text != "")
	for i, b := range t.setUps {
		widgets.SetShown(b, i < len(s.Vision.Set))
		if i < len(s.Vision.Set) {
			b.SetText(words.T("pictures.setUp", map[string]any{"Name": shortName(s.Vision.Set[i])}))
		}
	}
	widgets.SetShown(t.models, len(s.Vision.Set) == 0)
	for i, r := range t.standing {
		var n Note
		if i < len(s.Standing) {
			n = s.Standing[i]
		}
		r.Set(n.Kind, n.Text)
	}
	note := s.Note
	if s.Opening {
		note = Note{widgets.Info, words.T("pictures.opening")}
	}
	if s.Busy != "" {
		note = Note{widgets.Info, s.Busy}
	}
	t.note.Set(note.Kind, note.Text)
	widgets.SetShown(t.noteBox, note.Text != "")
	widgets.SetShown(t.undone, s.Undo && note == s.Note)
	other := ""
	if s.Run.Other > 0 {
		other = words.T("pictures.interrupted.other", map[string]any{"Count": s.Run.Other})
	}
	t.other.SetText(other)
	widgets.SetShown(t.otherBox, other != "")
	widgets.SetShown(t.notes, s.Vision.Text != "" || note.Text != "" || other != "" || len(s.Standing) > 0)
}

// shortName is a model's name with room for it in a button.
func shortName(name string) string {
	const most = 24
	if r := []rune(name); len(r) > most {
		return string(r[:most]) + "…"
	}
	return name
}

// gridKey does what a key means for the chosen picture, or for the run.
func (t *Tab) gridKey(ev *fyne.KeyEvent) bool {
	switch ev.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		if t.State().Item() != nil && t.detail.text.Visible() {
			widgets.Focus(t.detail.text)
		}
	case fyne.KeySpace:
		t.Press()
	case fyne.KeyDelete:
		t.Remove()
	default:
		return false
	}
	return true
}

// TypedKey takes the grid's keys while nothing has the focus.
func (t *Tab) TypedKey(ev *fyne.KeyEvent) bool {
	if len(t.State().Items) == 0 {
		return false
	}
	switch ev.Name {
	case fyne.KeyLeft, fyne.KeyRight, fyne.KeyUp, fyne.KeyDown, fyne.KeyPageUp, fyne.KeyPageDown, fyne.KeyHome, fyne.KeyEnd:
		widgets.Focus(t.grid)
		t.grid.TypedKey(ev)
		return true
	}
	return t.gridKey(ev)
}

// Keys are those that matter here, for the status line.
func (t *Tab) Keys() []widgets.Key {
	return []widgets.Key{
		{Cap: "Space", Text: words.T("pictures.key.pause")},
		{Cap: "Enter", Text: words.T("pictures.key.edit")},
		{Cap: "Ctrl R", Text: words.T("pictures.key.again")},
		{Cap: "Del", Text: words.T("pictures.key.remove")},
	}
}

// Fact says what becomes of pictures and texts.
func (t *Tab) Fact() string { return words.T("pictures.fact") }

// Shortcut takes copy, paste, undo, and Ctrl+R.
func (t *Tab) Shortcut(s fyne.Shortcut) bool {
	switch s := s.(type) {
	case *fyne.ShortcutCopy:
		t.CopyOne()
	case *fyne.ShortcutPaste:
		t.Paste()
	case *fyne.ShortcutUndo:
		t.Undo()
	case *desktop.CustomShortcut:
		if s.Modifier != fyne.KeyModifierShortcutDefault || s.KeyName != fyne.KeyR {
			return false
		}
		t.Again()
	default:
		return false
	}
	return true
}

// panes lays out the grid, and the chosen picture beside it.
type panes struct{}

func (panes) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(600, 180) }

func (panes) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	objects[0].Resize(fyne.NewSize(size.Width-detailWidth, size.Height))
	objects[1].Move(fyne.NewPos(size.Width-detailWidth, 0))
	objects[1].Resize(fyne.NewSize(detailWidth, size.Height))
}

var _ widgets.Tab = (*Tab)(nil)
