package chat

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	store "paddock/engine/chat"
)

// unsaved is what is lost once it was tried to save all.
func (b *bench) unsaved() (Unsaved, bool) {
	b.Helper()
	saved := false
	b.do(func() { b.p.Save(time.Minute, func() { saved = true }) })
	if !saved {
		b.Fatal("nobody says that it was tried")
	}
	var lost Unsaved
	var any bool
	b.ui(func() { lost, any = b.p.Unsaved() })
	return lost, any
}

func TestWhatWasJustTypedIsSavedBeforeItIsCalledLost(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		if lost, any := b.unsaved(); any {
			b.Errorf("of nothing %+v is lost", lost)
		}
		b.do(func() { b.p.SetDraft("typed a moment ago") })
		if lost, any := b.unsaved(); any {
			b.Errorf("%+v is lost", lost)
		}
		b.kept(func(s *store.Store) {
			all, err := s.Conversations(b.Context())
			if err != nil || len(all) != 1 {
				b.Errorf("%d are kept, %v", len(all), err)
			}
		})
	})
}

func TestAMessageThatIsRefusedIsLostOnlyUntilThereIsAPlaceForIt(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("first")
		b.last()
		if err := os.RemoveAll(b.folder); err != nil {
			b.Fatal(err)
		}
		s := b.send("second")
		if s.Draft != "second" || s.Banner == nil || !s.Banner.Again || !s.Saved.IsZero() {
			b.Fatalf("got %+v", s)
		}
		b.do(b.p.New)
		b.do(func() { b.p.SetDraft("in another chat") })
		lost, any := b.unsaved()
		if !any || lost.Why != s.Banner.Text.Message {
			b.Fatalf("lost is %+v, %t", lost, any)
		}
		for _, words := range []string{"first", "one two three.", "second", "in another chat"} {
			if !strings.Contains(lost.Text, words) {
				b.Errorf("%q is not in %q", words, lost.Text)
			}
		}
		if s = b.do(b.p.SaveAgain); s.Banner != nil || s.Saved.IsZero() {
			b.Errorf("saved again it is %+v", s)
		}
		if lost, any := b.unsaved(); any {
			b.Errorf("then %+v is lost", lost)
		}
		b.again()
		drafts := 0
		for _, c := range b.state().Conversations {
			s := b.do(func() { b.p.Select(c.ID) })
			if s.Draft == "second" && len(s.Turns) == 2 || s.Draft == "in another chat" && len(s.Turns) == 0 {
				drafts++
			}
		}
		if drafts != 2 {
			b.Errorf("at the next start %d of 2 drafts are there", drafts)
		}
	})
}

func TestWhatCantBeSavedIsTriedAgainByItself(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("first")
		b.last()
		moved := b.folder + " moved"
		if err := os.Rename(b.folder, moved); err != nil {
			b.Fatal(err)
		}
		b.do(func() { b.p.SetDraft("meanwhile") })
		if _, any := b.unsaved(); !any {
			b.Fatal("nothing is lost")
		}
		if err := os.Rename(moved, b.folder); err != nil {
			b.Fatal(err)
		}
		time.Sleep(time.Minute)
		if lost, any := b.unsaved(); any || b.state().Banner != nil {
			b.Errorf("back in its place, lost is %+v, the banner %+v", lost, b.state().Banner)
		}
	})
}

func TestSavingAgainWhereThereIsNoFolderIsSaid(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("first")
		b.last()
		if err := os.RemoveAll(b.folder); err != nil {
			b.Fatal(err)
		}
		mustWrite(b.T, b.folder, "in the way")
		b.send("second")
		s := b.do(b.p.SaveAgain)
		if s.Banner == nil || !s.Banner.Again || !strings.Contains(s.Banner.Text.Message, "can't be saved in") {
			b.Errorf("the banner is %+v", s.Banner)
		}
	})
}

func TestChatsThatAreKeptForThisTimeOnlyAreLostWhenPaddockCloses(t *testing.T) {
	folder := t.TempDir() + "/file"
	mustWrite(t, folder, "x")
	inFolder(t, folder, ready, func(b *bench) {
		if _, any := b.unsaved(); any {
			b.Error("nothing was written")
		}
		b.send("hello")
		b.last()
		if lost, any := b.unsaved(); !any || !strings.Contains(lost.Text, "one two three.") || lost.Why == "" {
			b.Errorf("lost is %+v, %t", lost, any)
		}
	})
}

// refuse has the database refuse every draft and message, until the function is called.
func (b *bench) refuse() (allow func()) {
	b.Helper()
	db, err := sql.Open("sqlite", filepath.Join(b.folder, "chat.db"))
	if err != nil {
		b.Fatal(err)
	}
	do := func(statement string) {
		if _, err := db.ExecContext(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
	}
	do(`CREATE TRIGGER no_drafts BEFORE UPDATE OF draft ON conversations BEGIN SELECT RAISE(ABORT, 'no room'); END`)
	do(`CREATE TRIGGER no_turns BEFORE INSERT ON turns BEGIN SELECT RAISE(ABORT, 'no room'); END`)
	return func() {
		do(`DROP TRIGGER no_drafts`)
		do(`DROP TRIGGER no_turns`)
		db.Close()
	}
}

func TestWhatADiskRefusesIsLostAndNoMoreThanThat(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("first")
		b.last()
		allow := b.refuse()
		s := b.send("second")
		if s.Draft != "second" || s.Banner == nil || s.Banner.Again || !strings.Contains(s.Banner.Text.Message, "can't be saved") {
			b.Fatalf("got %+v, the banner %+v", s, s.Banner)
		}
		lost, any := b.unsaved()
		if !any || lost.Text != "second" || lost.Why != s.Banner.Text.Message {
			b.Errorf("lost is %+v, %t", lost, any)
		}
		first := s.Current
		b.do(b.p.New)
		if lost, any = b.unsaved(); !any || lost.Text != "second" {
			b.Errorf("from another chat lost is %+v, %t", lost, any)
		}
		if s = b.do(func() { b.p.Select(first) }); s.Draft != "second" {
			b.Errorf("back there the message is %q", s.Draft)
		}
		allow()
		time.Sleep(time.Minute)
		if lost, any = b.unsaved(); any {
			b.Errorf("once there is room lost is %+v", lost)
		}
		b.again()
		if s = b.do(func() { b.p.Select(first) }); s.Draft != "second" || len(s.Turns) != 2 {
			b.Errorf("at the next start there is %+v", s)
		}
	})
}
