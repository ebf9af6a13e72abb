package chat

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// takeAway is what can happen to the files of a store while it is open.
var takeAway = map[string]func(t *testing.T, s *Store){
	"the folder is deleted": func(t *testing.T, s *Store) { must(t, os.RemoveAll(s.folder)) },
	"the file is deleted":   func(t *testing.T, s *Store) { must(t, os.Remove(s.path)) },
	"the folder is moved":   func(t *testing.T, s *Store) { must(t, os.Rename(s.folder, s.folder+" moved")) },
	"a file takes the folder's place": func(t *testing.T, s *Store) {
		must(t, os.RemoveAll(s.folder))
		must(t, os.WriteFile(s.folder, []byte("x"), 0o600))
		t.Cleanup(func() { os.Remove(s.folder) })
	},
	"another file takes its place": func(t *testing.T, s *Store) {
		must(t, os.WriteFile(s.path+".new", []byte("restored by somebody"), 0o600))
		must(t, os.Rename(s.path+".new", s.path))
	},
}

func TestNothingIsCalledSavedInAFileThatIsGone(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // an open file can't be taken away there
	}
	for name, take := range takeAway {
		t.Run(name, func(t *testing.T) {
			var told notes
			s, _, err := open(t.Context(), filepath.Join(t.TempDir(), "chats"), told.add, quick())
			must(t, err)
			defer s.Close()
			w := begin(t, s)
			id := w.Turn().Conversation
			w.Append("first ", "", 0)
			must(t, w.Finish(t.Context(), Outcome{End: Whole}))
			late := begin(t, s)
			take(t, s)
			_, err = s.Add(t.Context(), Turn{Conversation: id, Role: User, Text: "into nothing"})
			wantProblem(t, err, Gone)
			wantProblem(t, s.There(), Gone)
			late.Append("late words", "late thought", 0)
			wantProblem(t, late.Finish(t.Context(), Outcome{End: Whole}), Gone)
			if unsaved := s.Unsaved(); len(unsaved) != 1 || unsaved[0] != "late thought\n\nlate words" {
				t.Errorf("not saved are %q", unsaved)
			}
			if got := told.list(); len(got) != 1 {
				t.Fatalf("told %v", got)
			}
			wantProblem(t, told.list()[0], Gone)
			for range 10 { // more than there are readers: none may open what is there now
				if got := path(t, s, id); got[1].Text != "first " {
					t.Fatalf("while it is gone there is %+v", got)
				}
			}
			if strings.HasPrefix(name, "a file takes") {
				wantProblem(t, s.SaveAgain(t.Context()), Unwritable)
				must(t, os.Remove(s.folder))
			}
			must(t, s.SaveAgain(t.Context()))
			if got := told.list(); len(got) != 2 || got[1] != nil {
				t.Errorf("told %v", got)
			}
			eventually(t, "the answer that could not be saved is", func() bool { return len(s.Unsaved()) == 0 })
			_, err = s.Add(t.Context(), Turn{Conversation: id, Parent: w.Turn().ID, Role: User, Text: "after it"})
			must(t, err)
			must(t, s.Close())
			again, opened := openStore(t, s.folder, quick())
			if opened != (Opened{}) {
				t.Errorf("opened with %+v", opened)
			}
			if got := path(t, again, id); len(got) != 3 || got[1].Text != "first " || got[2].Text != "after it" {
				t.Errorf("at the next start there is %+v", got)
			}
			if got := path(t, again, late.Turn().Conversation); len(got) != 2 || got[1].Text != "late words" {
				t.Errorf("of the late answer there is %+v", got)
			}
			if name == "another file takes its place" {
				if text, err := os.ReadFile(s.path + ".other-1"); err != nil || string(text) != "restored by somebody" {
					t.Errorf("the other file is %q, %v", text, err)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(s.folder, ".paddock-*")); len(left) > 0 {
				t.Errorf("left are %v", left)
			}
		})
	}
}

func TestSavingAgainWhatIsThereChangesNothing(t *testing.T) {
	s := newStore(t)
	before, err := os.Stat(s.path)
	must(t, err)
	must(t, s.SaveAgain(t.Context()))
	after, err := os.Stat(s.path)
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("it is another file, %v", err)
	}
	closeStore(t, s)
	wantProblem(t, s.SaveAgain(t.Context()), Closed)
}

func TestWhereNoFileIsTheSameTwiceOnlyAMissingOneIsGone(t *testing.T) {
	s := newStore(t)
	s.known = false
	other, err := os.Stat(t.TempDir())
	must(t, err)
	s.file = other
	must(t, s.There())
	if runtime.GOOS == "windows" {
		return
	}
	must(t, os.Remove(s.path))
	var e *Error
	if err := s.There(); !errors.As(err, &e) || e.Problem != Gone {
		t.Errorf("got %v", err)
	}
}
