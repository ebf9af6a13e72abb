package images

import (
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"paddock/app/apptest"
	"paddock/app/widgets"
)

func (b *bench) files() string {
	var list []string
	for _, i := range b.State().Items {
		list = append(list, i.Name)
	}
	return strings.Join(list, " ")
}

func TestWhatWasRemovedComesBackOneAfterTheOther(t *testing.T) {
	b := newBench(t)
	b.add(folder(t, 4), 4)
	b.runAll()
	b.Choose(1)
	b.Remove()
	if got := b.files(); got != "00.png 02.png 03.png" || b.State().Item().Name != "02.png" {
		t.Fatalf("there are %s, chosen is %s", got, b.State().Item().Name)
	}
	b.wantNote(widgets.Info, "01.png is out of the list. No file was touched.")
	b.Choose(2)
	b.Remove()
	if s := b.State(); !s.Undo || s.Item().Name != "02.png" {
		t.Errorf("it is not offered to come back, or chosen is %s", s.Item().Name)
	}
	b.Undo()
	if got := b.files(); got != "00.png 02.png 03.png" || b.State().Item().Name != "03.png" || b.State().Undo {
		t.Errorf("there are %s, chosen is %s", got, b.State().Item().Name)
	}
	b.wantNote(widgets.Info, "1 picture is back")
	b.Undo()
	if got := b.files(); got != "00.png 01.png 02.png 03.png" {
		t.Errorf("there are %s", got)
	}
	b.Undo() // there is no more
	for _, i := range b.State().Items {
		if i.Text != "A cat." {
			t.Errorf("%+v", i)
		}
	}
	b.Edit(b.State().Items[0].ID, "mine")
	b.AskRemoveAll()
	b.Answer(0)
	b.wantNote(widgets.Info, "4 pictures are out of the list")
	if s := b.State(); len(s.Items) != 0 || s.At != -1 {
		t.Errorf("%+v", s.Items)
	}
	b.Undo()
	if s := b.State(); len(s.Items) != 4 || s.Items[0].Text != "mine" || s.At != 0 {
		t.Errorf("%+v", s.Items)
	}
}

func TestWhatWasAddedIsTakenOutAgainUntilARunTakesItUp(t *testing.T) {
	b := newBench(t)
	b.add(folder(t, 2), 2)
	b.add(folder(t, 3), 5)
	if s := b.State(); !s.Undo || !strings.Contains(s.Note.Text, "3 pictures added") {
		t.Fatalf("it is not offered: %+v", s.Note)
	}
	b.Edit(b.State().Items[4].ID, "mine")
	b.Undo()
	b.wantNote(widgets.Info, "2 pictures are out of the list")
	if s := b.State(); len(s.Items) != 3 || s.Items[2].Text != "mine" {
		t.Errorf("there are %+v", s.Items)
	}
	b.Choose(0)
	b.Remove()
	b.runAll()
	b.Undo()
	if len(b.State().Items) != 3 {
		t.Error("a removal can't be undone after a run")
	}
	b.Undo() // the first two were added before the run
	if len(b.State().Items) != 3 {
		t.Error("pictures went that a run was over")
	}
}

func TestPicturesThatFailedOrAreInAFolderAreRemoved(t *testing.T) {
	b := newBench(t)
	dir, other := folder(t, 2), folder(t, 3)
	put(t, filepath.Join(dir, "broken.png"), []byte("\x89PNG\r\n\x1a\nno more"))
	b.add(dir, 3)
	b.add(other, 6)
	b.runAll()
	b.RemoveFailed()
	if c := b.State().Counts; c.Failed != 0 || c.Done != 5 {
		t.Errorf("there are %+v", c)
	}
	b.wantNote(widgets.Info, "broken.png is out of the list")
	b.RemoveFailed() // there are no more
	b.Edit(b.State().Items[2].ID, "mine")
	b.Choose(3)
	b.RemoveFolder()
	if q := b.State().Question; q == nil || !strings.Contains(q.Title, "Remove 3 pictures") || !strings.Contains(q.Text, "A text you wrote goes") {
		t.Fatalf("it asks %+v", q)
	}
	b.Answer(0)
	if s := b.State(); len(s.Items) != 2 || s.Item() == nil || s.Item().Name != "01.png" {
		t.Errorf("there are %s", b.files())
	}
	b.Undo()
	b.Undo()
	if len(b.State().Items) != 6 {
		t.Errorf("there are %s", b.files())
	}
}

func TestUndoIsAButtonAndAKey(t *testing.T) {
	for _, size := range []fyne.Size{apptest.Wide, apptest.Narrow} {
		s := newScreen(t, size)
		s.add(folder(t, 3), 3)
		widgets.Focus(s.tab.grid)
		s.key(fyne.KeyDelete)
		if len(s.State().Items) != 2 {
			t.Fatal("it is not removed")
		}
		test.Tap(apptest.Button(t, s.window.Content(), "Undo"))
		if len(s.State().Items) != 3 {
			t.Error("the button does not bring it back")
		}
		s.wants("1 picture is back")
		s.key(fyne.KeyDelete)
		if !s.tab.Shortcut(&fyne.ShortcutUndo{}) || len(s.State().Items) != 3 {
			t.Error("the key does not bring it back")
		}
	}
}

func TestTheMenuRemovesWhatFailedAndAFolder(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	dir := folder(t, 2)
	s.add(dir, 2)
	menu := map[string]bool{}
	for _, i := range s.tab.moreMenu().Items {
		menu[i.Label] = !i.Disabled
	}
	if on, is := menu["Remove failed"]; on || !is {
		t.Errorf("nothing failed: %v", menu)
	}
	if !menu["Remove pictures of this folder ("+filepath.Base(dir)+")"] {
		t.Errorf("the folder is not offered: %v", menu)
	}
	if on, is := menu["Give up the interrupted run"]; on || !is {
		t.Errorf("no run was interrupted: %v", menu)
	}
}
