package chat

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"paddock/diskfile"
)

func backupNames(s *Store) []string {
	var names []string
	for _, path := range s.backups() {
		names = append(names, filepath.Base(path))
	}
	return names
}

func TestEveryDayHasABackupAndSevenAreKept(t *testing.T) {
	clock := newClock()
	k := quick()
	k.now = clock.Now
	k.lookEvery = time.Millisecond
	s, _ := openStore(t, t.TempDir(), k)
	say(t, s, start(t, s), 0, User, "hello")
	for day := range 9 {
		want := clock.Now().Format(backupName)
		eventually(t, "today's backup is there", func() bool { return slices.Contains(backupNames(s), want) })
		if day < 8 {
			clock.pass(24 * time.Hour)
		}
	}
	eventually(t, "seven are left", func() bool {
		names := backupNames(s)
		return len(names) == 7 && names[0] == "chat-2026-03-22.db" && names[6] == "chat-2026-03-16.db"
	})
	entries, err := os.ReadDir(s.backupFolder())
	must(t, err)
	if len(entries) != 7 {
		t.Errorf("there is more than the backups: %v", entries)
	}
}

func TestADaysFirstBackupIsNotReplaced(t *testing.T) {
	s := newStore(t)
	must(t, s.backUp(t.Context()))
	if got := backupNames(s); got != nil {
		t.Errorf("a backup of nothing: %v", got)
	}
	say(t, s, start(t, s), 0, User, "hello")
	must(t, s.backUp(t.Context()))
	before, err := os.Stat(s.backups()[0])
	must(t, err)
	say(t, s, start(t, s), 0, User, "more")
	must(t, s.backUp(t.Context()))
	after, err := os.Stat(s.backups()[0])
	must(t, err)
	if !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Error("it was")
	}
	if damage, err := check(t.Context(), s.backups()[0]); damage != "" || err != nil {
		t.Error(damage, err)
	}
}

func TestABackupThatCannotBeWrittenIsTold(t *testing.T) {
	s := newStore(t)
	say(t, s, start(t, s), 0, User, "hello")
	must(t, os.RemoveAll(s.backupFolder()))
	must(t, os.WriteFile(s.backupFolder(), nil, 0o600))
	wantProblem(t, s.backUp(t.Context()), Unwritable)
}

func TestHalfMadeBackupsAreRemovedLater(t *testing.T) {
	clock := newClock()
	k := quick()
	k.now = clock.Now
	s, _ := openStore(t, t.TempDir(), k)
	say(t, s, start(t, s), 0, User, "hello")
	must(t, os.MkdirAll(s.backupFolder(), 0o700))
	half := filepath.Join(s.backupFolder(), diskfile.HalfMade+"x")
	must(t, os.WriteFile(half, nil, 0o600))
	must(t, os.Chtimes(half, clock.Now(), clock.Now()))
	must(t, s.backUp(t.Context()))
	if _, err := os.Stat(half); err != nil {
		t.Error("another process's is removed while it is made")
	}
	clock.pass(25 * time.Hour)
	must(t, s.backUp(t.Context()))
	if _, err := os.Stat(half); err == nil {
		t.Error("it is still there")
	}
}
