package images

import (
	"errors"
	"os"
	"testing"
)

// /dev/full is a disk without room.
func TestAFullDiskIsToldFromOthers(t *testing.T) {
	err := os.WriteFile("/dev/full", []byte("x"), 0o600)
	wantProblem(t, writeError("a", err), Full)
	wantProblem(t, writeError("a", errors.New("something else")), Unwritable)
}

func TestAJournalOnAFullDiskIsSaid(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	s.journal.mu.Lock()
	s.journal.path = "/dev/full"
	s.journal.mu.Unlock()
	s.Add(t.Context(), false, pictures(t, 1))
	eventually(t, "said", func() bool { return s.State().Unsaved != nil })
	wantProblem(t, s.State().Unsaved, Unsaved)
	wantProblem(t, s.Close(), Unsaved)
}
