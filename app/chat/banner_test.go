package chat

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	store "paddock/engine/chat"
)

func TestWhatHappenedAtTheStartIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		how     opening
		message string
		remedy  string
		dismiss bool
	}{
		"a later version": {opening{err: &store.Error{Problem: store.Newer, Path: "/data/chats/chats.db"}},
			"written by a later version", "What you write now is kept until Paddock closes.", false},
		"back from a backup": {opening{Opened: store.Opened{Aside: "/data/chats/damaged.db", Restored: "/data/chats/b", RestoredOf: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)}},
			"as they were on 2026-03-02", "kept as damaged.db", true},
		"without a backup": {opening{Opened: store.Opened{Aside: "/data/chats/damaged.db"}},
			"there was no backup", "kept as damaged.db", true},
	} {
		b := openingBanner(c.how)
		if b == nil || !strings.Contains(b.Text.Message, c.message) || !strings.Contains(b.Text.Remedy, c.remedy) || b.Dismiss != c.dismiss || !b.Bad {
			t.Errorf("%s: %+v", name, b)
		}
	}
	if b := openingBanner(opening{}); b != nil {
		t.Errorf("of nothing: %+v", b)
	}
}

func TestADamagedDatabaseIsSaidAndChattingGoesOn(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("hello")
		b.last()
		b.close()
		databases, err := filepath.Glob(filepath.Join(b.folder, "*.db"))
		if err != nil || len(databases) == 0 {
			b.Fatalf("no database: %v", err)
		}
		if err := os.WriteFile(databases[0], []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
			b.Fatal(err)
		}
		b.start()
		if s := b.state(); s.Banner == nil || !s.Banner.Dismiss || !strings.Contains(s.Banner.Text.Message, "damaged") {
			b.Errorf("the banner is %+v", s.Banner)
		}
		b.do(b.p.New)
		b.send("again")
		if turn := b.last(); turn.Text != "one two three." {
			b.Errorf("got %+v", turn)
		}
	})
}
