package chat

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// handMade makes a database with SQL alone.
func handMade(t *testing.T, folder, statements string) string {
	t.Helper()
	path := filepath.Join(folder, "chat.db")
	db, err := sql.Open("sqlite", dsn(path, url.Values{"_journal_mode": {"WAL"}}))
	must(t, err)
	_, err = db.Exec(statements)
	must(t, err)
	must(t, db.Close())
	return path
}

const madeV1 = schemaV1 + `
INSERT INTO conversations (id, title, created, updated, current) VALUES (7, 'An old chat', 1700000000000, 1700000000000, 12);
INSERT INTO turns (id, conversation, role, created, text) VALUES (11, 7, 'user', 1700000000000, 'what was asked');
INSERT INTO turns (id, conversation, parent, role, created, text) VALUES (12, 7, 11, 'assistant', 1700000000000, 'Beispielantwort');
INSERT INTO turns (id, conversation, parent, role, created, text, ended) VALUES (13, 7, 11, 'assistant', 1700000000000, 'begun', 'interrupted');
INSERT INTO pieces VALUES (13, 1, 5, ' and', ''), (13, 2, 6, ' interrupted', 'h');
PRAGMA user_version = 1;`

func TestADatabaseOfTheFirstVersionIsBroughtUpToDate(t *testing.T) {
	folder := t.TempDir()
	handMade(t, folder, fmt.Sprintf("PRAGMA application_id = %d;", applicationID)+madeV1)
	s, opened := openStore(t, folder, quick())
	if opened != (Opened{}) {
		t.Errorf("opened with %+v", opened)
	}
	if got := texts(t, s, 7); !slices.Equal(got, []string{"what was asked", "Beispielantwort"}) {
		t.Error(got)
	}
	for query, want := range map[string][]string{"old": {"An old chat"}, "spielantw": {"An old chat"}, "and interr": {"An old chat"}, "nothing": nil} {
		if got := found(t, s, query); !slices.Equal(got, want) {
			t.Errorf("%q finds %q", query, got)
		}
	}
	must(t, s.Choose(t.Context(), 13))
	if got := texts(t, s, 7)[1]; got != "begun and interrupted" {
		t.Error(got)
	}
	if id := start(t, s); id <= 7 {
		t.Errorf("the ID %d", id)
	}
	var version int
	must(t, s.db.reader.QueryRow("PRAGMA user_version").Scan(&version))
	if version != len(migrations) {
		t.Errorf("version %d", version)
	}
}

func TestAMigrationThatFailsChangesNothing(t *testing.T) {
	folder := t.TempDir()
	// The name that the second version wants is taken.
	path := handMade(t, folder, fmt.Sprintf("PRAGMA application_id = %d;", applicationID)+madeV1+"CREATE TABLE grams (x);")
	before, err := os.ReadFile(path)
	must(t, err)
	_, _, err = open(t.Context(), folder, nil, quick())
	wantProblem(t, err, Unwritable)
	after, err := os.ReadFile(path)
	must(t, err)
	if !bytes.Equal(before, after) {
		t.Error("the file has changed")
	}
}

func TestADatabaseOfALaterVersionIsLeftAsItIs(t *testing.T) {
	folder := t.TempDir()
	path := handMade(t, folder, fmt.Sprintf("PRAGMA application_id = %d; CREATE TABLE later (x); PRAGMA user_version = %d;", applicationID, len(migrations)+1))
	before, err := os.ReadFile(path)
	must(t, err)
	_, _, err = Open(t.Context(), folder, nil)
	wantProblem(t, err, Newer)
	after, err := os.ReadFile(path)
	must(t, err)
	if !bytes.Equal(before, after) {
		t.Error("the file has changed")
	}
	if entries, _ := os.ReadDir(folder); len(entries) > 3 {
		t.Errorf("there is more than it: %v", entries)
	}
}

// damages are what can happen to a database.
var damages = map[string]func(t *testing.T, path string){
	"a page is overwritten": func(t *testing.T, path string) {
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		must(t, err)
		for page := int64(1); page < 12; page++ {
			_, err = file.WriteAt(bytes.Repeat([]byte{0xa5}, 3000), page*4096)
			must(t, err)
		}
		must(t, file.Close())
	},
	"the header is gone": func(t *testing.T, path string) {
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		must(t, err)
		_, err = file.WriteAt(make([]byte, 100), 0)
		must(t, err)
		must(t, file.Close())
	},
	"it is cut":   func(t *testing.T, path string) { must(t, os.Truncate(path, 9000)) },
	"it is empty": func(t *testing.T, path string) { must(t, os.Truncate(path, 0)) },
	"it is another program's": func(t *testing.T, path string) {
		must(t, os.Remove(path))
		handMade(t, filepath.Dir(path), "CREATE TABLE theirs (x);")
	},
	"it is another kind of file": func(t *testing.T, path string) {
		must(t, os.WriteFile(path, bytes.Repeat([]byte("no database "), 1000), 0o600))
	},
}

func TestADamagedDatabaseIsKeptAndTheBackupTakesItsPlace(t *testing.T) {
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			clock := newClock()
			k := quick()
			k.now = clock.Now
			s, _ := openStore(t, folder, k)
			say(t, s, start(t, s), 0, User, strings.Repeat("in the backup ", 2000))
			must(t, s.backUp(t.Context()))
			say(t, s, start(t, s), 0, User, "after it")
			closeStore(t, s)
			// A later backup that is no good is passed over.
			must(t, os.WriteFile(filepath.Join(s.backupFolder(), "chat-2026-03-15.db"), []byte("broken"), 0o600))
			damage(t, s.path)
			broken, err := os.ReadFile(s.path)
			must(t, err)

			s, opened := openStore(t, folder, k)
			if opened.Aside != s.path+".damaged-1" || filepath.Base(opened.Restored) != "chat-2026-03-14.db" || opened.Damage == "" ||
				!opened.RestoredOf.Equal(time.Date(2026, 3, 14, 0, 0, 0, 0, time.Local)) {
				t.Errorf("%+v", opened)
			}
			if kept, err := os.ReadFile(opened.Aside); err != nil || !bytes.Equal(kept, broken) {
				t.Errorf("what was kept is another file, %v", err)
			}
			if got := found(t, s, "backup"); len(got) != 1 {
				t.Errorf("%q", got)
			}
			closeStore(t, s)
			if _, opened := openStore(t, folder, k); opened != (Opened{}) {
				t.Errorf("%+v the second time", opened)
			}
		})
	}
}

func TestWithoutABackupADamagedDatabaseIsFollowedByANewOne(t *testing.T) {
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			s, _ := openStore(t, folder, quick())
			say(t, s, start(t, s), 0, User, strings.Repeat("lost ", 5000))
			closeStore(t, s)
			must(t, os.RemoveAll(s.backupFolder()))
			damage(t, s.path)
			s, opened := openStore(t, folder, quick())
			if name != "it is empty" && (opened.Aside == "" || opened.Restored != "") {
				t.Errorf("%+v", opened)
			}
			say(t, s, start(t, s), 0, User, "new")
			if got := titles(t, s.Conversations); !slices.Equal(got, []string{"new"}) {
				t.Error(got)
			}
		})
	}
}

func TestWhatCannotBeOpenedIsNotMovedAway(t *testing.T) {
	folder := t.TempDir()
	must(t, os.Mkdir(filepath.Join(folder, "chat.db"), 0o700))
	_, _, err := open(t.Context(), folder, nil, quick())
	wantProblem(t, err, Unreadable)
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	_, _, err = open(t.Context(), filepath.Join(file, "below"), nil, quick())
	wantProblem(t, err, Unwritable)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	s, _ := openStore(t, t.TempDir(), quick())
	closeStore(t, s)
	if _, _, err := open(cancelled, s.folder, nil, quick()); err != context.Canceled {
		t.Error(err)
	}
	if _, err := os.Stat(s.path); err != nil {
		t.Error(err)
	}
}

func TestAnyFolderNameWillDo(t *testing.T) {
	for _, name := range []string{"with space", "ünï 中文", "a?b=c&d#e", "100%25", "quo'te\""} {
		folder := filepath.Join(t.TempDir(), name)
		s, _ := openStore(t, folder, quick())
		say(t, s, start(t, s), 0, User, "hello")
		must(t, s.backUp(t.Context()))
		closeStore(t, s)
		for _, file := range []string{"chat.db", filepath.Join("backups", s.now().Format(backupName))} {
			if _, err := os.Stat(filepath.Join(folder, file)); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestADamagedSearchIndexIsMadeAgain(t *testing.T) {
	for name, damage := range map[string]string{
		"its words": `UPDATE grams_data SET block = x'0000000000' WHERE id > 10`,
		"all of it": `UPDATE grams_data SET block = x'ffffffffff'`,
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			s, _ := openStore(t, folder, quick())
			w := begin(t, s)
			id := w.Turn().Conversation
			w.Append("needle", "", 0)
			closeStore(t, s) // so that the next one has to index an answer
			handMade(t, folder, damage+`; INSERT INTO pieces VALUES (2, 9, 0, ' and thread', '')`)
			s, opened := openStore(t, folder, quick())
			if opened != (Opened{}) {
				t.Errorf("opened with %+v", opened)
			}
			eventually(t, "what was there is found", func() bool {
				hits, err := s.Search(t.Context(), "needle", 5)
				return err == nil && len(hits) == 1
			})
			must(t, s.mend(t.Context()))
			say(t, s, id, 0, User, "something new")
			for _, query := range []string{"needle and thread", "something new"} {
				if got := found(t, s, query); len(got) != 1 {
					t.Errorf("%q finds %q", query, got)
				}
			}
		})
	}
}
