package embeddings

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"paddock/app/apptest"
	"paddock/app/theme"
	"paddock/engine"
	"paddock/engine/embed"
	"paddock/engine/library"
	"paddock/engine/server"
)

// A screen is the tab in a window.
type screen struct {
	*desk
	tab    *Tab
	window fyne.Window
	setUp  []string
	opened []string
}

func newScreen(t *testing.T, size fyne.Size) *screen { return newScreenOf(t, newDesk(t), size) }

// newScreenOf is the tab in a window, with what a desk has kept.
func newScreenOf(t *testing.T, d *desk, size fyne.Size) *screen {
	t.Helper()
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Dark))
	s := &screen{desk: d, window: test.NewTempWindow(t, nil)}
	s.tab = New(Options{
		Seams: s.desk.seams(), Do: s.loop.Do,
		SetUp:    func(m library.Model) { s.setUp = append(s.setUp, m.Facts.Path) },
		GoModels: func() { s.setUp = append(s.setUp, "models") },
		OpenPath: func(path string) { s.opened = append(s.opened, path) },
	})
	s.desk.Presenter = s.tab.Presenter
	s.window.SetPadded(false)
	s.window.SetContent(s.tab.Content())
	s.window.Resize(size)
	s.tab.Show()
	return s
}

func (s *screen) wants(t *testing.T, texts ...string) {
	t.Helper()
	shown := apptest.Shown(s.window.Content())
	for _, text := range texts {
		if !strings.Contains(shown, text) {
			t.Errorf("the screen does not say %q:\n%s", text, shown)
		}
	}
}

func (s *screen) press(t *testing.T, label string) {
	t.Helper()
	apptest.Button(t, s.window.Content(), label).Tapped(nil)
}

func TestWithoutAModelTheTabOffersThoseThereAre(t *testing.T) {
	s := newScreen(t, apptest.Narrow)
	s.SetEngine(engine.State{Phase: engine.NotLoaded})
	s.wants(t, "No embedding model is loaded", "Get or find an embedding model")
	s.press(t, "Get or find an embedding model")
	s.SetModels(s.models())
	s.wants(t, "E5 small", "All models")
	s.press(t, "Set up")
	if len(s.setUp) != 2 || s.setUp[0] != "models" || s.setUp[1] != s.model {
		t.Errorf("set up were %v", s.setUp)
	}
	s.SetEngine(s.ready())
	if shown := apptest.Shown(s.window.Content()); strings.Contains(shown, "Set up") || strings.Contains(shown, "No embedding model") {
		t.Errorf("with a model it still says\n%s", shown)
	}
}

func TestTheTabShowsARunFromFilesToAnswers(t *testing.T) {
	for _, size := range []fyne.Size{apptest.Wide, apptest.Narrow} {
		s := newScreen(t, size)
		s.wants(t, "Files become vectors here")
		s.SetEngine(s.ready())
		s.notes()
		s.wants(t, "14 files", "wall-00.txt", "passage: ", "query: ", "Waiting")
		s.press(t, "Make vectors")
		s.wants(t, "Settings are off while vectors are made", "Cancel")
		s.over()
		s.until("the vectors are there to search", func() bool { return s.State().Index != "" && !s.State().Mapping })
		s.wants(t, "Done · 13 chunks of 13 files, 1 can't be read", "Can't be read", "scan.pdf is damaged", "notes.sqlite", "13 vectors, 384 dimensions", "13 chunks, two main directions")
		s.tab.find.entry.SetText("bees make honey")
		s.tab.find.entry.OnSubmitted("bees make honey")
		s.until("it is found", func() bool { return !s.State().Searching })
		s.wants(t, "nearest of 13 passages", "bees.md, line 1")
		s.press(t, "Open file")
		s.until("it is opened", func() bool { return len(s.opened) == 1 })
		s.press(t, "Show in folder")
		if len(s.opened) != 2 || !strings.HasSuffix(s.opened[0], "bees.md") || !strings.HasSuffix(s.opened[1], "vectors") {
			t.Errorf("opened were %v", s.opened)
		}
		before := s.State().PassageOn
		s.tab.find.plot.TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight})
		s.until("a point's passage shows", func() bool { return !before && s.State().PassageOn })
		s.wants(t, "on the map")
	}
}

func TestWhyAFileHasNoChunksIsSaidBeforeARun(t *testing.T) {
	s := newScreen(t, apptest.Narrow)
	s.SetEngine(s.ready())
	s.notes()
	s.ChooseRow(slices.IndexFunc(s.State().Rows, func(r Row) bool { return r.Name == "scan.pdf" }))
	s.until("the preview is cut", func() bool { return !s.State().Preview.Making })
	s.wants(t, "scan.pdf is damaged")
	if strings.Contains(apptest.Shown(s.window.Content()), "are being cut") {
		t.Error("it says that it is being cut")
	}
	s.ChooseRow(0)
	s.until("another is cut", func() bool { return len(s.State().Preview.Chunks) > 0 })
	if shown := apptest.Shown(s.window.Content()); strings.Contains(shown, "scan.pdf is damaged") || !strings.Contains(shown, "honey") {
		t.Errorf("it says\n%s", shown)
	}
}

func TestTheListHasRoomInTheSmallestWindowWhateverIsSaidBelow(t *testing.T) {
	s := newScreen(t, apptest.Narrow)
	s.SetEngine(s.ready())
	s.notes()
	for i := range 5 {
		s.write(fmt.Sprintf("notes/broken-%d.pdf", i), "%PDF-1.4\nno page either")
	}
	s.Add([]string{filepath.Join(s.dir, "notes")})
	s.until("the files are listed", func() bool { return !s.State().Listing })
	for _, f := range embed.Formats() {
		s.SetFormat(f, true)
	}
	s.engine.gate = make(chan struct{}, 1000)
	s.engine.gate <- struct{}{} // for the check
	s.engine.gate <- struct{}{}
	s.press(t, "Make vectors")
	s.until("a file is asked for", func() bool {
		return slices.ContainsFunc(s.State().Rows, func(r Row) bool { return standing(r) == "0 of 1" })
	})
	s.state.Job.TokensPerSecond, s.state.Left = 12345, 3*time.Hour+59*time.Minute
	s.publish()
	if line, size := s.tab.files.totals, s.tab.files.totals.Size(); size.Height < line.HeightFor(size.Width) {
		t.Errorf("%q has no room in %v", line.String(), size)
	}
	close(s.engine.gate)
	s.over()
	s.until("the map is made", func() bool { return s.State().Index != "" && !s.State().Mapping })
	s.ChooseRow(0)
	s.until("the preview is cut", func() bool { return len(s.State().Preview.Chunks) > 0 })
	s.wants(t, "broken-0.pdf is damaged", "notes.sqlite", "Chunk 1 of ")
	if rows := s.tab.files.list.Size().Height / theme.SubRowHeight; rows < 3 {
		t.Errorf("%.1f rows of the list are seen", rows)
	}
}

func TestTheKeysOfTheTab(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.notes()
	key := func(k fyne.KeyName) bool {
		return s.tab.Shortcut(&desktop.CustomShortcut{KeyName: k, Modifier: fyne.KeyModifierShortcutDefault})
	}
	if !key(fyne.KeyF) || s.window.Canvas().Focused() != fyne.Focusable(s.tab.find.entry) {
		t.Error("Ctrl F does not go to the search")
	}
	if key(fyne.KeyB) {
		t.Error("Ctrl B does something")
	}
	s.SetEngine(s.ready())
	if !key(fyne.KeyReturn) || !s.State().Runs() {
		t.Error("Ctrl Enter starts nothing")
	}
	s.over()
	s.ChooseRow(0)
	name := s.State().Rows[0].Name
	if !s.tab.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDelete}) || s.State().Rows[0].Name == name {
		t.Error("Delete takes nothing off the list")
	}
}

func TestAnEngineThatDiesLeavesARunToGoOnWith(t *testing.T) {
	s := newScreen(t, apptest.Narrow)
	s.SetEngine(s.ready())
	s.notes()
	s.engine.set("number 7", nil)
	s.press(t, "Make vectors")
	s.over()
	s.wants(t, "Some chunks have no vector", "Go on", "Done · 12 chunks, 1 failed · 1 file can't be read")
	s.state.Problem = &embed.FileError{Problem: embed.DiskFull, Path: "notes.jsonl"}
	s.publish()
	s.wants(t, "The disk is full: notes.jsonl could not be written.")
	dead := s.ready()
	dead.Phase = engine.Failed
	s.SetEngine(dead)
	s.wants(t, "E5 small, with which the run was begun, is not loaded. Go on loads it again", "The disk is full: notes.jsonl could not be written.")
	s.state.Problem = &server.Failure{Kind: server.Killed, ModelPath: s.model}
	s.publish()
	s.wants(t, "The run stopped with the engine. Go on loads the model again.")
	s.SetEngine(s.ready())
	if shown := apptest.Shown(s.window.Content()); strings.Contains(shown, "stopped") || strings.Contains(shown, "killed") || strings.Contains(shown, "Make vectors") {
		t.Errorf("with an engine again it says\n%s", shown)
	}
	s.engine.set("", nil)
	s.press(t, "Go on")
	s.over()
	s.wants(t, "Done · 13 chunks of 13 files, 1 can't be read", "Make vectors")
}

func TestAFolderThatContainsItselfIsNoFault(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.write("notes/a.txt", "a note")
	if err := os.Symlink(".", filepath.Join(s.dir, "notes", "round")); err != nil {
		t.Fatal(err)
	}
	s.Add([]string{filepath.Join(s.dir, "notes"), filepath.Join(s.dir, "gone")})
	s.until("the files are listed", func() bool { return !s.State().Listing })
	s.wants(t, "round is a folder that contains itself by a link", "gone is not there")
	if said := s.tab.files.said; len(said) != 2 || said[0].Bad || !said[1].Bad {
		t.Errorf("%+v", said)
	}
}
