package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paddock/app/apptest"
	"paddock/config"
	"paddock/engine/gguf"
	"paddock/engine/library"
)

func TestAFolderThatCannotBeReadIsARowWithItsReason(t *testing.T) {
	gone := true
	p, l := newPresenter(t, newStore(t, "/m", "/gone"), func(_ context.Context, _ library.Sources, found func(library.Model)) error {
		found(model("/m/a.gguf", 1))
		if !gone {
			return nil
		}
		return errors.Join(nil, errors.Join(
			&library.FolderError{Path: "/gone", Kind: library.FolderMissing, Err: fs.ErrNotExist},
			&library.FolderError{Path: "/m/locked", Kind: library.FolderPermission, Err: fs.ErrPermission}))
	})
	scan := func() {
		p.Rescan()
		l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	}
	scan()
	s := p.State()
	if s.Notice != "" || s.Total.Models != 1 || s.Total.Troubles != 2 {
		t.Errorf("notice %q, totals %+v", s.Notice, s.Total)
	}
	wantOutline(t, "the list", p, "a.gguf", "/gone! The folder is gone", "…/locked! You may not read this folder")
	if r := s.Rows[1]; r.Source != "/gone" || !strings.Contains(r.Off, "There is no folder /gone") {
		t.Errorf("the row is %+v", r)
	}
	if r := s.Rows[2]; r.Source != "/m" || p.canForget(*r) {
		t.Errorf("a folder below another one: source %q, can be forgotten: %v", r.Source, p.canForget(*r))
	}
	p.Select(1)
	gone = false
	if scan(); len(p.State().Rows) != 1 {
		t.Errorf("after it is back: %q", outline(p.State().Rows))
	}
}

func TestAFolderThatIsNoneLeavesTheFileOfThatName(t *testing.T) {
	p, l := newPresenter(t, newStore(t, "/m", "/m/a.gguf"), func(_ context.Context, _ library.Sources, found func(library.Model)) error {
		found(model("/m/a.gguf", 1))
		return &library.FolderError{Path: "/m/a.gguf", Kind: library.FolderNotFolder}
	})
	p.Rescan()
	l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	wantOutline(t, "the list", p, "a.gguf", "…/a.gguf! Not a folder")
	p.Select(1)
	p.SetFilter("")
	if s := p.State(); !s.Selected.Folder || s.At != 1 {
		t.Errorf("selected is row %d", s.At)
	}
}

func apps() []library.App {
	return []library.App{
		{ID: library.HuggingFace, Name: "Hugging Face", Folders: []string{"/hub"}},
		{ID: library.Ollama, Name: "Ollama", Folders: []string{"/ollama"}},
		{ID: library.Jan, Name: "Jan", Folders: []string{"/jan"}},
	}
}

// inApps finds what apps have, as library.Scanner does.
func inApps(models ...library.Model) ScanFunc {
	return func(_ context.Context, s library.Sources, found func(library.Model)) error {
		for _, m := range models {
			for _, app := range s.Apps {
				if m.Source == app.ID {
					found(m)
				}
			}
		}
		return nil
	}
}

func TestModelsOfOtherAppsAreListedWithoutAWizard(t *testing.T) {
	store := newStore(t)
	blob := model("/ollama/blobs/sha256-1", 1, func(m *library.Model) {
		m.Source, m.Alias, m.Facts.Name = library.Ollama, "llama3.2:1b", "sha256-1"
	})
	named := model("/hub/b.gguf", 1, func(m *library.Model) {
		m.Source, m.Alias, m.Facts.Name, m.Facts.Origin.Name = library.HuggingFace, "owner/b", "Bee", "Bee"
	})
	l := apptest.NewLoop()
	p := NewPresenter(Seams{Config: store, Scan: inApps(blob, named), Apps: apps, Do: l.Do}, func(State) {})
	t.Cleanup(p.Close)
	p.Rescan()
	if s := p.State(); !s.Blank || s.First {
		t.Error("the first page shows before anything is known")
	}
	l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	s := p.State()
	if s.Empty() != NotEmpty || s.Blank {
		t.Errorf("empty is %d", s.Empty())
	}
	wantOutline(t, "the list", p, "Bee", "llama3.2:1b")
	var chips []string
	for _, c := range s.Sources {
		chips = append(chips, c.Label)
	}
	if want := []string{"All", "Hugging Face", "Ollama"}; !slices.Equal(chips, want) {
		t.Errorf("chips are %q", chips)
	}
	if r := s.Rows[0]; r.Where != "HF cache" || r.Source != library.HuggingFace {
		t.Errorf("it is in %q of %q", r.Where, r.Source)
	}

	if err := store.Update(func(c *config.Config) { c.AppsOff = []string{library.Ollama} }); err != nil {
		t.Fatal(err)
	}
	p.RescanIfChanged()
	l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	wantOutline(t, "with Ollama off", p, "Bee")
}

func TestWithoutModelsTheFirstPageSaysWhereItLooked(t *testing.T) {
	dir := t.TempDir()
	places := []library.App{
		{ID: library.LMStudio, Name: "LM Studio", Folders: []string{filepath.Join(dir, "gone"), dir}},
		{ID: library.Jan, Name: "Jan", Folders: []string{filepath.Join(dir, "gone")}},
	}
	l := apptest.NewLoop()
	release := make(chan struct{})
	p := NewPresenter(Seams{Config: newStore(t), Do: l.Do, Apps: func() []library.App { return places },
		Scan: func(ctx context.Context, _ library.Sources, _ func(library.Model)) error {
			<-release
			return nil
		}}, func(State) {})
	t.Cleanup(p.Close)
	p.Rescan()
	l.Until(t, "it has looked for longer than a moment", func() bool { return p.State().First })
	if got := lookedFor(p.State()); got != "Looking in these places…" {
		t.Errorf("it says %q", got)
	}
	close(release)
	l.Until(t, "places are known", func() bool { return !p.State().Scanning && len(p.State().Apps) == 2 })
	want := []AppPlace{{Name: "LM Studio", Folder: dir, There: true}, {Name: "Jan", Folder: filepath.Join(dir, "gone")}}
	if got := p.State().Apps; !slices.Equal(got, want) {
		t.Errorf("places are %+v", got)
	}
	if got := lookedFor(p.State()); got != "Looked just now. One of these folders exists, with no GGUF file in it." {
		t.Errorf("it says %q", got)
	}
}

func TestChangesInFoldersAppearByThemselves(t *testing.T) {
	found := []library.Model{model("/m/a.gguf", 1)}
	scans := 0
	var watched []library.Sources
	var changed func()
	stopped := make(chan bool, 2)
	store := newStore(t, "/m")
	l := apptest.NewLoop()
	begun := make(chan func(), 2)
	p := NewPresenter(Seams{Config: store, Do: l.Do,
		Scan: func(_ context.Context, _ library.Sources, f func(library.Model)) error {
			scans++
			for _, m := range found {
				f(m)
			}
			return nil
		},
		Watch: func(ctx context.Context, s library.Sources, change func()) {
			watched = append(watched, s)
			begun <- change
			<-ctx.Done()
			stopped <- true
		},
	}, func(State) {})
	t.Cleanup(p.Close)
	p.Rescan()
	l.Until(t, "the scan ends", func() bool { return !p.State().Scanning && p.State().Total.Models == 1 })
	changed = <-begun
	found = append(found, model("/m/b.gguf", 1))
	changed()
	l.Until(t, "the new file is there", func() bool {
		if p.State().Scanning {
			t.Error("it says that it looks, though nobody asked")
		}
		return len(p.State().Rows) == 2 && !p.scanning.running
	})
	found = found[1:]
	changed()
	l.Until(t, "the old file is gone", func() bool { return len(p.State().Rows) == 1 && !p.scanning.running })
	if scans != 3 || len(watched) != 1 {
		t.Errorf("%d scans, %d watches", scans, len(watched))
	}

	if err := store.Update(func(c *config.Config) { c.ModelFolders = []string{"/n"} }); err != nil {
		t.Fatal(err)
	}
	p.RescanIfChanged()
	l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	<-begun
	<-stopped
	if !slices.Equal(watched[1].Folders, []string{"/n"}) {
		t.Errorf("watched are %+v", watched)
	}
	p.Close()
	<-stopped
}

func TestAChangeDuringAScanIsLookedAtAfterIt(t *testing.T) {
	release := make(chan struct{})
	scans := make(chan int, 10)
	p, l := newPresenter(t, newStore(t, "/m"), func(_ context.Context, _ library.Sources, f func(library.Model)) error {
		scans <- 1
		<-release
		return nil
	})
	p.Rescan()
	<-scans
	p.changed()
	p.changed()
	if len(scans) != 0 {
		t.Error("it does not wait")
	}
	close(release)
	l.Until(t, "it looks again", func() bool { return len(scans) == 1 })
	l.Until(t, "it is done", func() bool { return !p.scanning.running })
	if len(scans) != 1 {
		t.Errorf("%d scans more", len(scans))
	}
}

func TestForgettingHidesTheFileAndUndoBringsItBack(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "opened.gguf"), "GGUF")
	for _, c := range []struct {
		name, path string
		forgotten  []string
		files      []string
	}{
		{"a file of a folder", "/m/a.gguf", []string{"/m/a.gguf"}, []string{path}},
		{"an opened file", path, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := newStore(t, "/m")
			if err := store.Update(func(c *config.Config) { c.ModelFiles = []string{path} }); err != nil {
				t.Fatal(err)
			}
			p, l := newPresenter(t, store, scripted(model("/m/a.gguf", 1), model("/m/b.gguf", 1), model(path, 1)))
			p.Rescan()
			l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
			p.SelectPath(c.path)
			p.Forget(p.State().Selected)
			l.Until(t, "it is gone", func() bool { return p.State().Undo.Path == c.path && len(p.State().Rows) == 2 })
			if s := p.State(); s.Undo.Name == "" || s.Total.Models != 2 || s.Selected.Path == c.path || !s.Selected.Known() {
				t.Errorf("undo %+v, totals %+v, selected %q", s.Undo, s.Total, s.Selected.Path)
			}
			if got := store.Get(); !slices.Equal(got.Forgotten, c.forgotten) || !slices.Equal(got.ModelFiles, c.files) {
				t.Errorf("forgotten %q, files %q", got.Forgotten, got.ModelFiles)
			}
			p.Rescan()
			l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
			if len(p.State().Rows) != 2 {
				t.Error("a scan brings it back")
			}
			p.Undo()
			l.Until(t, "it is back and selected", func() bool { return p.State().Undo == Undo{} && p.State().Selected.Path == c.path })
			if s, got := p.State(), store.Get(); len(s.Rows) != 3 || len(got.Forgotten) != 0 || !slices.Equal(got.ModelFiles, []string{path}) {
				t.Errorf("%d rows, forgotten %q, files %q", len(s.Rows), got.Forgotten, got.ModelFiles)
			}
		})
	}
}

func TestAForgottenFileThatIsOpenedIsBack(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "a.gguf"), "GGUF")
	store := newStore(t, dir)
	p, l := newPresenter(t, store, scripted(model(path, 1)))
	p.Rescan()
	l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	p.Forget(p.State().Selected)
	l.Until(t, "it is gone", func() bool { return len(p.State().Rows) == 0 })
	p.Open([]string{path})
	l.Until(t, "it is back", func() bool { return p.State().Selected.Path == path })
	if got := store.Get(); len(got.Forgotten) != 0 || len(got.ModelFiles) != 0 {
		t.Errorf("forgotten %q, files %q", got.Forgotten, got.ModelFiles)
	}
}

func TestAnAddedFolderThatIsGoneCanBeTakenOut(t *testing.T) {
	store := newStore(t, "/m", "/gone")
	p, l := newPresenter(t, store, func(_ context.Context, s library.Sources, found func(library.Model)) error {
		found(model("/m/a.gguf", 1))
		if slices.Contains(s.Folders, "/gone") {
			return &library.FolderError{Path: "/gone", Kind: library.FolderMissing}
		}
		return nil
	})
	p.Rescan()
	l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	p.Select(1)
	p.Forget(p.State().Selected)
	l.Until(t, "its row is gone", func() bool { return len(p.State().Rows) == 1 })
	p.Undo()
	l.Until(t, "it is back", func() bool { return len(p.State().Rows) == 2 && !p.State().Scanning })
	if got := store.Get().ModelFolders; !slices.Equal(got, []string{"/m", "/gone"}) {
		t.Errorf("folders are %q", got)
	}
}

func TestTheBuiltInModelStaysInTheList(t *testing.T) {
	l := apptest.NewLoop()
	p := NewPresenter(Seams{Config: newStore(t, "/m"), Guide: "/cache/guide.gguf", Do: l.Do,
		Scan: scripted(model("/cache/guide.gguf", 1), model("/m/z.gguf", 1), model("/m/bad.gguf", 1, problemOf(gguf.Empty)))}, func(State) {})
	t.Cleanup(p.Close)
	p.Rescan()
	l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	wantOutline(t, "the list", p, "z.gguf", "bad.gguf! The file is empty", "guide.gguf")
	if p.canForget(*p.State().Rows[2]) {
		t.Error("it can be taken out")
	}
}

// troubled is a scan of a folder that is gone.
func troubled(_ context.Context, s library.Sources, _ func(library.Model)) error {
	return &library.FolderError{Path: s.Folders[0], Kind: library.FolderMissing, Err: fs.ErrNotExist}
}

func TestARowIsCalledWhatPeopleKnow(t *testing.T) {
	missing := func(count int) func(*library.Model) {
		return func(m *library.Model) {
			for i := range count {
				m.Missing = append(m.Missing, fmt.Sprintf("big-%05d-of-00009.gguf", i+1))
			}
			m.Problem = &gguf.Error{Path: m.Facts.Path, Problem: gguf.MissingPart}
		}
	}
	named := func(name string) func(*library.Model) {
		return func(m *library.Model) { m.Facts.Name, m.Facts.Origin.Name = name, name }
	}
	file := func(m *library.Model) { m.Facts.Name = strings.TrimSuffix(m.Facts.Name, ".gguf") }
	for _, c := range []struct {
		path, name, problem string
		change              []func(*library.Model)
	}{
		{"/m/plain.gguf", "plain", "", []func(*library.Model){file}},
		{"/m/big-00001-of-00003.gguf", "big", "", []func(*library.Model){file}},
		{"/m/x.gguf", "A-00001-of-00003", "", []func(*library.Model){named("A-00001-of-00003")}},
		{"/m/big-00009-of-00009.gguf", "big", "Part 1 of 9 is missing", []func(*library.Model){file, missing(1)}},
		{"/m/big-00009-of-00009.gguf", "big", "Parts 1, 2, 3 of 9 are missing", []func(*library.Model){file, missing(3)}},
		{"/m/big-00009-of-00009.gguf", "big", "8 of 9 parts missing", []func(*library.Model){file, missing(8)}},
		{"/m/no.gguf", "no", "The disk does not answer", []func(*library.Model){file, func(m *library.Model) {
			m.Problem = &library.FileError{Path: m.Facts.Path, Problem: library.FileNoAnswer}
		}}},
	} {
		r := newRow(model(c.path, 1, c.change...), places{})
		if r.Name != c.name || r.Problem != c.problem {
			t.Errorf("%s is called %q, with %q", c.path, r.Name, r.Problem)
		}
	}
}
