package images

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"paddock/engine/picture/picturetest"
)

func idsOf(s *Set) []ID {
	var ids []ID
	for _, item := range s.State().Items {
		ids = append(ids, item.ID)
	}
	return ids
}

func TestWhatWasTakenOutComesBackToItsPlaceWithItsText(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	ids := s.Add(t.Context(), false, pictures(t, 5)).Items
	s.Edit(ids[1], "mine")
	finish(t, started(t, s, says("a flag"), 1, Run{Only: ids[3:4]}))
	taken := s.Take(ids[1], ids[3], 99)
	if got := idsOf(s); !slices.Equal(got, []ID{ids[0], ids[2], ids[4]}) {
		t.Fatalf("%v are left", got)
	}
	if back := s.PutBack(taken); len(back) != 2 {
		t.Errorf("%v are back", back)
	}
	if back := s.PutBack(taken); len(back) != 0 {
		t.Errorf("%v are there twice", back)
	}
	for _, when := range []string{"at once", "after a restart", "written anew"} {
		if got := idsOf(s); !slices.Equal(got, ids) {
			t.Errorf("%s the order is %v", when, got)
		}
		wantCounts(t, s, Counts{Waiting: 3, Edited: 1, Done: 1})
		if items := s.State().Items; items[1].Text != "mine" || items[3].Text != "a flag" {
			t.Errorf("%s: %+v, %+v", when, items[1], items[3])
		}
		closeSet(t, s)
		s = open(t, folder)
	}
}

func TestAPictureThatWasAddedAgainIsNotPutBackBesideItself(t *testing.T) {
	s, ids := added(t, 2)
	path := s.State().Items[0].Path
	taken := s.Take(ids...)
	s.Add(t.Context(), false, path)
	if back := s.PutBack(taken); !slices.Equal(back, ids[1:]) || len(idsOf(s)) != 2 {
		t.Errorf("%v are back, of %v", back, idsOf(s))
	}
}

func TestAPictureThatComesBackWaitsInTheJobThatGoesOn(t *testing.T) {
	s, _ := added(t, 4)
	g := newGate()
	j := started(t, s, g, 1, Run{})
	asked(t, g)
	first := runs(t, s).ID
	done := s.State().Items[3].ID
	taken := s.Take(first, done) // one runs, one waits
	asked(t, g)
	s.PutBack(taken)
	wantCounts(t, s, Counts{Running: 1, Waiting: 3})
	if p := s.State().Job; p.Total != 4 {
		t.Errorf("%+v", p)
	}
	go func() {
		for range 4 {
			g.answer <- "a flag"
		}
	}()
	finish(t, j)
	wantCounts(t, s, Counts{Done: 4})
}

func TestAPictureThatComesBackIsLeftOfAnInterruptedRunAgain(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	ids := s.Add(t.Context(), false, pictures(t, 3)).Items
	started(t, s, newGate(), 1, Run{})
	closeSet(t, s)
	s = open(t, folder)
	taken := s.Take(ids[0])
	if n := s.State().Interrupted; n != 2 {
		t.Errorf("%d are left", n)
	}
	s.PutBack(taken)
	closeSet(t, s)
	s = open(t, folder)
	if n := s.State().Interrupted; n != 3 {
		t.Errorf("%d are left", n)
	}
	// Of a run that has ended nothing is left.
	taken = s.Take(ids[0])
	j, err := s.Resume(says("a flag"), 1)
	if err != nil {
		t.Fatal(err)
	}
	finish(t, j)
	s.PutBack(taken)
	if n := s.State().Interrupted; n != 0 {
		t.Errorf("%d are left", n)
	}
}

func TestACopyOfAPastedPictureStaysUntilItCannotComeBack(t *testing.T) {
	there := func(path string) bool {
		_, err := os.Stat(path)
		return !errors.Is(err, fs.ErrNotExist)
	}
	paste := func(s *Set, side int) *Item {
		t.Helper()
		id, err := s.AddBytes("Pasted", picturetest.Encode(t, "png", picturetest.Quadrants(side, 40)))
		if err != nil {
			t.Fatal(err)
		}
		items := s.State().Items
		return items[slices.IndexFunc(items, func(i *Item) bool { return i.ID == id })]
	}
	folder := t.TempDir()
	s := open(t, folder)
	kept, back, gone := paste(s, 40), paste(s, 41), paste(s, 42)
	taken := s.Take(back.ID)
	if !there(back.Path) {
		t.Fatal("the copy is gone at once")
	}
	s.PutBack(taken)
	s.Take(gone.ID)
	closeSet(t, s)
	if !there(kept.Path) || !there(back.Path) || there(gone.Path) {
		t.Error("the end of the program took the wrong ones")
	}
	// After a program that was killed the next start does it.
	orphan := filepath.Join(filepath.Dir(kept.Path), "orphan")
	write(t, orphan, nil)
	s = open(t, folder)
	if !there(kept.Path) || !there(back.Path) || there(orphan) {
		t.Error("the start took the wrong ones")
	}
	closeSet(t, s)
	// Where what there is can't be read, nothing is taken away.
	write(t, filepath.Join(folder, journalName), []byte("\x00\n"))
	if _, err := Open(folder); err == nil || !there(kept.Path) {
		t.Error("a copy went with a damaged list")
	}
}
