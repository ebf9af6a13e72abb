package images

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"paddock/engine/picture/picturetest"
)

func names(s *Set) []string {
	var names []string
	for _, item := range s.State().Items {
		names = append(names, item.Name)
	}
	return names
}

func TestAFolderGivesWhatIsAPictureOrIsCalledOne(t *testing.T) {
	dir := t.TempDir()
	png := picturetest.Encode(t, "png", picturetest.Quadrants(40, 40))
	for name, data := range map[string][]byte{
		"a.png": png, "no suffix": png, "called.txt": png, "b.JPG": []byte("hello"), "empty.webp": nil,
		"notes.txt": []byte("hello"), ".hidden.png": png, "drawing.svg": []byte("<svg></svg>"),
		"deep/c.png": png, "deep/deeper/日本語 é.png": png, ".git/d.png": png,
	} {
		write(t, filepath.Join(dir, name), data)
	}
	if err := os.Symlink(dir, filepath.Join(dir, "deep", "loop")); err != nil {
		t.Fatal(err)
	}
	flat, deep := New(), New()
	added := flat.Add(t.Context(), false, dir)
	if got := names(flat); !slices.Equal(got, []string{"a.png", "b.JPG", "called.txt", "drawing.svg", "empty.webp", "no suffix"}) {
		t.Errorf("of the folder: %q", got)
	}
	if added.Skipped != 1 || len(added.Items) != 6 || added.Errors != nil {
		t.Errorf("%+v", added)
	}
	deep.Add(t.Context(), true, dir)
	if got := names(deep)[6:]; !slices.Equal(got, []string{"c.png", "日本語 é.png"}) {
		t.Errorf("of the folders in it: %q", got)
	}
}

func TestWhatIsNamedByItselfIsAlwaysAdded(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "notes.txt"), []byte("hello"))
	s := New()
	added := s.Add(t.Context(), false, filepath.Join(dir, "notes.txt"), filepath.Join(dir, "missing.png"), filepath.Join(dir, "notes.txt"))
	if len(added.Items) != 2 || len(added.Known) != 1 {
		t.Errorf("%+v", added)
	}
}

func TestAFolderThatCannotBeReadIsSaid(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		dir := t.TempDir() // where nothing is forbidden, a folder that goes away is the same
		s := New()
		a := adding{set: s, ctx: t.Context()}
		a.folder(filepath.Join(dir, "gone"))
		wantProblem(t, a.added.Errors[0], Unreadable)
		return
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	wantProblem(t, New().Add(t.Context(), false, dir).Errors[0], Unreadable)
}

func TestTheSameBytesPastedTwiceAreOnePicture(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	png := picturetest.Encode(t, "png", picturetest.Quadrants(40, 40))
	a, errA := s.AddBytes("Pasted", png)
	b, errB := s.AddBytes("Pasted", png)
	if errA != nil || errB != nil || a != b {
		t.Fatal(a, b, errA, errB)
	}
	finish(t, started(t, s, says("a flag"), 1, Run{}))
	item := s.State().Items[0]
	if !item.Pasted || item.Text != "a flag" || filepath.Dir(item.Path) != filepath.Join(folder, "pasted") {
		t.Errorf("%+v", item)
	}
	s.Remove(a)
	if _, err := os.Stat(item.Path); err == nil {
		t.Error("its copy stays when it is removed")
	}
	_, err := New().AddBytes("Pasted", png)
	wantProblem(t, err, Unsaved)
}

func TestAFileThatBecameAnotherPictureIsMarked(t *testing.T) {
	dir := pictures(t, 2)
	path := filepath.Join(dir, "000.png")
	before := []byte(read(t, path))
	s := New()
	s.Add(t.Context(), false, dir)
	finish(t, started(t, s, says("a flag"), 1, Run{}))
	changed := func() bool { return s.State().Items[0].Changed }

	if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	s.Refresh(t.Context())
	if changed() {
		t.Error("only its time is another")
	}
	write(t, path, picturetest.Encode(t, "png", picturetest.Photo(60, 60)))
	s.Add(t.Context(), false, path)
	if !changed() || s.State().Items[0].Text != "a flag" {
		t.Errorf("%+v", s.State().Items[0])
	}
	write(t, path, before)
	s.Refresh(t.Context())
	if changed() {
		t.Error("it is the old one again")
	}
	write(t, path, picturetest.Encode(t, "png", picturetest.Photo(60, 60)))
	finish(t, started(t, s, says("noise"), 1, Run{Overwrite: OverwriteAnswers}))
	if changed() {
		t.Error("its text is of the new one")
	}
	s.Refresh(t.Context())
	if changed() {
		t.Error("its text is still of the new one")
	}
}

func TestAnEditedTextIsTheUsers(t *testing.T) {
	dir := pictures(t, 2)
	s := New()
	ids := s.Add(t.Context(), false, dir).Items
	finish(t, started(t, s, says("made"), 1, Run{}))
	s.Edit(ids[0], "mine")
	wantCounts(t, s, Counts{Done: 1, Edited: 1})
	if got := s.Texts(nil); got != "mine\n\nmade" {
		t.Errorf("%q", got)
	}
	if got := s.Texts(ids[1:]); got != "made" {
		t.Errorf("%q", got)
	}
}

func TestAWatcherSeesTheLatestStateAndUnchangedItemsAreTheSame(t *testing.T) {
	s := New()
	ids := s.Add(t.Context(), false, pictures(t, 3)).Items
	states := make(chan State, 1000)
	stop := s.Watch(func(state State) { states <- state })
	before := <-states
	s.Edit(ids[1], "mine")
	after := <-states
	if after.Items[0] != before.Items[0] || after.Items[1] == before.Items[1] || before.Items[1].Text != "" {
		t.Error("more than what was changed is new")
	}
	stop()
	stop()
}

func TestThousandsOfPicturesAreKeptAndOpened(t *testing.T) {
	const many = 2000
	dir, folder := t.TempDir(), t.TempDir()
	png := picturetest.Encode(t, "png", picturetest.Quadrants(8, 8))
	for i := range many {
		write(t, filepath.Join(dir, strings.Repeat("x", i%9)+string(rune('a'+i%26))+time.Duration(i).String()+".png"), png)
	}
	start := time.Now()
	s := open(t, folder)
	if n := len(s.Add(t.Context(), true, dir).Items); n != many {
		t.Fatalf("%d added", n)
	}
	added := time.Since(start)
	finish(t, started(t, s, says("eight pixels"), 4, Run{}))
	ran := time.Since(start) - added
	closeSet(t, s)
	start = time.Now()
	again := open(t, folder)
	t.Logf("%d pictures: added in %v, run in %v, opened in %v", many, added, ran, time.Since(start))
	wantCounts(t, again, Counts{Done: many})
}

func TestAPictureThatWasRemovedAndPastedAgainIsThereAfterARestart(t *testing.T) {
	folder := t.TempDir()
	png := []byte(read(t, filepath.Join(pictures(t, 1), "000.png")))
	paste := func(s *Set) *Item {
		t.Helper()
		id, err := s.AddBytes("Pasted", png)
		if err != nil {
			t.Fatal(err)
		}
		items := s.State().Items
		item := items[len(items)-1]
		if item.ID != id || read(t, item.Path) != string(png) {
			t.Errorf("%+v", item)
		}
		return item
	}
	s := open(t, folder)
	first := paste(s)
	s.Remove(first.ID)
	if _, err := os.Stat(first.Path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the copy of a removed picture stays: %v", err)
	}
	second := paste(s)
	closeSet(t, s)
	again := open(t, folder)
	if items := again.State().Items; len(items) != 1 || items[0].ID != second.ID {
		t.Fatalf("%+v", items)
	}
	finish(t, started(t, again, says("a flag"), 1, Run{}))
	wantCounts(t, again, Counts{Done: 1})
}

// What is pasted while the same picture is being removed is kept.
func TestPastingWhileTheSamePictureIsRemovedKeepsIt(t *testing.T) {
	png := []byte(read(t, filepath.Join(pictures(t, 1), "000.png")))
	s := open(t, t.TempDir())
	for range 50 {
		id, err := s.AddBytes("Pasted", png)
		if err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		wait.Go(func() { s.Remove(id) })
		wait.Go(func() {
			if _, err := s.AddBytes("Pasted", png); err != nil {
				t.Error(err)
			}
		})
		wait.Wait()
		for _, item := range s.State().Items {
			read(t, item.Path)
		}
	}
}
