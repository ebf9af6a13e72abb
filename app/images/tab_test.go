package images

import (
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"paddock/app/apptest"
	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine"
	"paddock/engine/gguf"
	job "paddock/engine/images"
	"paddock/engine/library"
)

// A screen is the tab in a window of a size.
type screen struct {
	*bench
	tab    *Tab
	window fyne.Window
	picked string // what the pickers give
	models int
}

func newScreen(t *testing.T, size fyne.Size) *screen {
	t.Helper()
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Dark))
	b := &bench{t: t, loop: apptest.NewLoop(), engine: &fakeEngine{Watched: apptest.NewWatched(seeing()), text: "A cat."}}
	b.seams = Seams{
		Engine: b.engine, Folder: filepath.Join(t.TempDir(), "set"), Copy: func(text string) { b.copied = text },
		SetUp: func(m library.Model) { b.setUp = m.Facts.Name }, Thumbs: job.NewThumbnails(t.TempDir(), 1<<20),
		PasteImage: func() ([]byte, bool) { return nil, false },
	}
	s := &screen{bench: b}
	pick := func(done func(string)) { done(s.picked) }
	s.tab = New(Options{
		Seams: b.seams, Do: b.loop.Do, Models: func() { s.models++ },
		PickImage: pick, PickFolder: pick, PickSave: func(_ string, done func(string)) { done(s.picked) },
	})
	b.Presenter = s.tab.Presenter
	t.Cleanup(func() { shut(t, s.tab.Presenter) })
	s.window = test.NewTempWindow(t, s.tab.Content())
	s.window.SetPadded(false)
	s.window.Resize(size)
	s.tab.Show()
	s.until("it is open", func() bool { return !s.State().Opening })
	return s
}

func (s *screen) key(name fyne.KeyName) {
	s.t.Helper()
	s.window.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: name})
}

func (s *screen) shown() string { return apptest.Shown(s.window.Content()) }

func (s *screen) wants(parts ...string) {
	s.t.Helper()
	for _, part := range parts {
		if !strings.Contains(s.shown(), part) {
			s.t.Errorf("%q is not shown in\n%s", part, s.shown())
		}
	}
}

func TestAnEmptyTabSaysWhatToDoAndAFolderIsRun(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.wants("No pictures yet", "Drop pictures or a folder here")
	s.picked = folder(t, 3)
	test.Tap(apptest.Button(t, s.window.Content(), "Choose a folder"))
	s.until("they are there", func() bool { return len(s.State().Items) == 3 && s.State().Busy == "" })
	s.wants("00.png", "02.png", "Waiting", "No result yet", "Run 3")
	test.Tap(apptest.Button(t, s.window.Content(), "Run 3"))
	s.ends()
	s.wants("A cat.", "Done", "Finished. 3 of 3 done", "Run again")
	test.Tap(apptest.Button(t, s.window.Content(), "Copy"))
	if s.copied != "A cat." {
		t.Errorf("it copies %q", s.copied)
	}
}

func TestATextIsEditedWithTheKeyboard(t *testing.T) {
	s := newScreen(t, apptest.Narrow)
	s.add(folder(t, 5), 5)
	widgets.Focus(s.tab.grid)
	s.key(fyne.KeySpace)
	s.ends()
	s.key(fyne.KeyRight)
	s.key(fyne.KeyDown)
	if at := s.State().At; at != 1+s.tab.grid.columns {
		t.Fatalf("the keys lead to %d", at)
	}
	s.key(fyne.KeyReturn)
	if s.window.Canvas().Focused() != s.tab.detail.text {
		t.Fatal("Enter does not lead to the text")
	}
	s.window.Canvas().Focused().TypedRune('!')
	s.until("it is edited", func() bool { i := s.State().Item(); return i.Phase == job.Edited && i.Text == "!A cat." })
	s.until("it says so", func() bool { return strings.Contains(s.shown(), "Edited by you") })
	s.key(fyne.KeyEscape)
	s.key(fyne.KeyDelete)
	s.until("it asks", func() bool { return s.State().Question != nil })
	s.key(fyne.KeyReturn) // what the user wrote stays when Enter follows Del
	if len(s.State().Items) != 5 || s.State().Question != nil {
		t.Error("it is removed, or asked about still")
	}
	s.key(fyne.KeyDelete)
	s.until("it asks again", func() bool { return s.State().Question != nil })
	s.window.Canvas().FocusNext()
	s.key(fyne.KeyReturn)
	s.until("it is removed", func() bool { return len(s.State().Items) == 4 })
	redo := &desktop.CustomShortcut{KeyName: fyne.KeyR, Modifier: fyne.KeyModifierShortcutDefault}
	s.engine.say("A dog.")
	if !s.tab.Shortcut(redo) || !s.tab.Shortcut(&fyne.ShortcutCopy{}) || s.tab.Shortcut(&fyne.ShortcutCut{}) {
		t.Error("the shortcuts are not taken")
	}
	s.until("it is done again", func() bool { return s.State().Item().Text == "A dog." })
}

func TestAQuestionIsAskedInADialog(t *testing.T) {
	s := newScreen(t, apptest.Narrow)
	s.add(folder(t, 2), 2)
	s.runAll()
	widgets.Focus(s.tab.grid)
	s.key(fyne.KeySpace)
	over := s.window.Canvas().Overlays()
	if over.Top() == nil || !strings.Contains(apptest.Shown(over.Top()), "Run over all pictures again?") {
		t.Fatal("no question is open")
	}
	if list := apptest.Squeezed(over.Top()); len(list) > 0 {
		t.Errorf("no room for %q", list)
	}
	if !s.tab.CloseDialog() || over.Top() != nil || s.tab.CloseDialog() {
		t.Error("Escape does not close it")
	}
	s.key(fyne.KeySpace)
	s.engine.say("A dog.")
	test.Tap(apptest.Button(t, over.Top(), "Replace answers"))
	s.until("they are new", func() bool { return s.State().Items[0].Text == "A dog." && !s.State().Run.On })
}

func TestEveryQuestionStandsInTheMiddleAndTakesEnterAndEscape(t *testing.T) {
	for _, size := range []fyne.Size{apptest.Wide, apptest.Narrow} {
		s := newScreen(t, size)
		dir := folder(t, 3)
		put(t, filepath.Join(dir, "00.txt"), []byte("something else"))
		s.add(dir, 3)
		s.runAll()
		s.Edit(s.State().Items[1].ID, "mine")
		s.until("it is edited", func() bool { return s.State().Counts.Edited == 1 })
		s.Choose(1)
		over := s.window.Canvas().Overlays()
		for name, q := range map[string]struct {
			ask   func()
			enter func() bool // has happened after Enter
		}{
			"over all":        {s.tab.AskAgain, func() bool { return !s.State().Run.On }},
			"over an edited":  {s.tab.Again, func() bool { return s.State().Item().Text == "mine" && !s.State().Run.On }},
			"remove all":      {s.tab.AskRemoveAll, func() bool { return len(s.State().Items) == 3 }},
			"a .txt for each": {s.tab.ExportBeside, func() bool { return strings.Contains(s.State().Note.Text, "2 text files written") }},
		} {
			for _, key := range []fyne.KeyName{fyne.KeyEscape, fyne.KeyReturn} {
				q.ask()
				s.until(name+": it asks", func() bool { return s.State().Question != nil && over.Top() != nil })
				if list := apptest.Squeezed(over.Top()); len(list) > 0 {
					t.Errorf("%s: no room for %q", name, list)
				}
				if key == fyne.KeyEscape {
					// The window has the key of who has the focus, and closes the tab's dialog.
					s.window.Canvas().SetOnTypedKey(func(*fyne.KeyEvent) { s.tab.CloseDialog() })
				}
				s.key(key)
				if over.Top() != nil || s.State().Question != nil {
					t.Errorf("%s: %s leaves it open", name, key)
				}
				if key == fyne.KeyReturn {
					s.until(name+": Enter does what is usual", q.enter)
				}
			}
		}
	}
}

func TestAQuestionWaitsWhileAnotherTabIsOnView(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.add(folder(t, 2), 2)
	s.runAll()
	s.tab.Hide()
	s.tab.ExportBeside()
	s.until("it wants to ask", func() bool { return s.State().Question != nil })
	over := s.window.Canvas().Overlays()
	if over.Top() != nil {
		t.Error("it asks over another tab")
	}
	s.tab.Show()
	if over.Top() == nil {
		t.Error("it does not ask when it is on view again")
	}
}

func TestATypedTextIsThereWhenItsPictureIsChosenAgainAtOnce(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.add(folder(t, 2), 2)
	s.Choose(0)
	s.tab.detail.text.SetText("mine")
	s.Choose(1)
	s.Choose(0) // before the set told of it
	if got := s.tab.detail.text.Text; got != "mine" {
		t.Errorf("the text is %q", got)
	}
}

func TestWhyARunStandsStillIsShownBesideWhatIsDone(t *testing.T) {
	s := newScreen(t, apptest.Narrow)
	s.add(folder(t, 2), 2)
	s.engine.mu.Lock()
	s.engine.err = engine.ErrNotReady
	s.engine.mu.Unlock()
	s.Press()
	s.until("it says why", func() bool { return s.State().Run.Bad })
	s.picked = folder(t, 1)
	s.tab.pickFolder(true)
	s.wants("Paused. ", "Looking for pictures")
	s.until("it is added", func() bool { return s.State().Busy == "" })
	s.wants("Paused. ", "1 picture added")
}

func TestPresetsAndOnesOwnPromptAreChosen(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.tab.choosePreset(job.Describe)
	if !strings.HasPrefix(s.tab.prompt.Text, "Describe") || s.tab.tokens.Value() != 400 {
		t.Errorf("it asks %q with %d tokens", s.tab.prompt.Text, s.tab.tokens.Value())
	}
	s.tab.prompt.SetText("How many?")
	s.wants("Undo edits")
	test.Tap(apptest.Button(t, s.window.Content(), "Undo edits"))
	if !strings.HasPrefix(s.tab.prompt.Text, "Describe") {
		t.Error("the preset's text is not back")
	}
	s.tab.choosePreset(ownPrompt)
	if s.tab.presets.Selected() != ownPrompt || s.window.Canvas().Focused() != s.tab.prompt {
		t.Error("one's own prompt does not get the keyboard")
	}
}

func TestModelsThatSeeAreOfferedWithAButton(t *testing.T) {
	s := newScreen(t, apptest.Narrow)
	s.engine.Become(engine.State{Phase: engine.NotLoaded})
	s.until("it is unloaded", func() bool { return !s.State().Vision.Sees })
	test.Tap(apptest.Button(t, s.window.Content(), "Go to Models"))
	if s.models != 1 {
		t.Error("it does not lead to Models")
	}
	s.Presenter.seams.Seers = func() []library.Model {
		return []library.Model{{Facts: gguf.Facts{Name: "A model with a very long name of its own 35B"}}, {Facts: gguf.Facts{Name: "Two"}}}
	}
	s.ModelsChanged()
	test.Tap(apptest.Button(t, s.window.Content(), "Set up Two"))
	if s.setUp != "Two" {
		t.Errorf("it sets up %q", s.setUp)
	}
	if list := apptest.Squeezed(s.window.Content()); len(list) > 0 {
		t.Errorf("no room for %q", list)
	}
}

func TestNothingIsClipped(t *testing.T) {
	for name, size := range map[string]fyne.Size{"1280×800": apptest.Wide, "960×600": apptest.Narrow} {
		t.Run(name, func(t *testing.T) {
			s := newScreen(t, size)
			check := func(state string) {
				t.Helper()
				s.tab.show(s.State())
				if list := apptest.Squeezed(s.window.Content()); len(list) > 0 {
					t.Errorf("%s: no room for %q", state, list)
				}
				if min := s.tab.Content().MinSize(); min.Width > size.Width || min.Height > size.Height {
					t.Errorf("%s: it needs %v", state, min)
				}
			}
			check("empty")
			s.engine.say(strings.Repeat("A rather long sentence about a cat. ", 30))
			dir := folder(t, 6)
			put(t, filepath.Join(dir, strings.Repeat("long name ", 12)+".png"), []byte("\x89PNG\r\n\x1a\nno more"))
			s.add(dir, 7)
			check("waiting")
			s.SetPrompt("Another one")
			check("edited")
			s.runAll()
			for at := range s.State().Items {
				s.Choose(at)
				check(fmt.Sprintf("picture %d", at))
			}
			s.engine.gate = make(chan struct{})
			s.AskAgain()
			s.Answer(0)
			s.until("it is asked", func() bool { return s.State().Counts.Running > 0 })
			check("running")
			s.Press()
			s.until("it pauses", func() bool { return s.State().Run.Paused })
			check("pausing")
			s.engine.Become(engine.State{Phase: engine.Failed})
			s.until("it is blind", func() bool { return !s.State().Vision.Sees })
			check("without a model")
			s.Remove()
			check("removed")
		})
	}
}

func TestThousandsOfPicturesHaveCardsForTheScreenOnly(t *testing.T) {
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Dark))
	items := make([]*job.Item, 3000)
	for i := range items {
		items[i] = &job.Item{ID: job.ID(i + 1), Name: fmt.Sprintf("%04d.png", i), Path: fmt.Sprintf("/p/%04d.png", i), Phase: job.Waiting}
	}
	loop := apptest.NewLoop()
	thumbs := job.NewThumbnails(t.TempDir(), 1<<20)
	at := 0
	var g *grid
	g = newGrid(widgets.NewThumbnails(func(path string, side int) (image.Image, error) { return thumbs.Get(t.Context(), path, side) }, loop.Do), gridActions{
		choose: func(i int) { at = i; g.set(items, at) },
		move:   func(by int) { at = min(max(at+by, 0), len(items)-1); g.set(items, at) },
		key:    func(*fyne.KeyEvent) bool { return false },
	})
	w := test.NewTempWindow(t, g)
	w.Resize(fyne.NewSize(880, 500))
	g.set(items, 0)
	if len(g.cards) > 24 {
		t.Errorf("there are %d cards", len(g.cards))
	}
	g.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnd})
	names := func() []string {
		var list []string
		for _, c := range g.cards {
			if c.Visible() {
				list = append(list, c.name.String())
			}
		}
		return list
	}
	if !slices.Contains(names(), "2999.png") || slices.Contains(names(), "0000.png") {
		t.Errorf("at the end there are %q", names())
	}
	g.TypedKey(&fyne.KeyEvent{Name: fyne.KeyHome})
	g.TypedKey(&fyne.KeyEvent{Name: fyne.KeyPageDown})
	if at == 0 || at%g.columns != 0 {
		t.Errorf("a page leads to %d", at)
	}
	g.cards[0].MouseDown(&desktop.MouseEvent{Button: desktop.MouseButtonPrimary})
	if at != g.cards[0].at {
		t.Error("a click chooses another one")
	}
}
