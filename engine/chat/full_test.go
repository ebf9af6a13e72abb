package chat

import (
	"strings"
	"sync"
	"testing"
)

// A notes keeps what trouble was told.
type notes struct {
	mu  sync.Mutex
	all []error
}

func (n *notes) add(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, err)
}

func (n *notes) list() []error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]error(nil), n.all...)
}

// limit lets the database have no more than so many pages from now on.
func limit(t *testing.T, s *Store, pages string) {
	t.Helper()
	var n int
	must(t, s.db.writer.QueryRow("PRAGMA max_page_count = "+pages).Scan(&n))
}

func TestAFullDiskIsToldOnceAndNothingIsLost(t *testing.T) {
	var told notes
	s, _, err := open(t.Context(), t.TempDir(), told.add, quick())
	must(t, err)
	defer s.Close()
	w := begin(t, s)
	limit(t, s, "1") // no more than it has
	text := strings.Repeat("some words that need room ", 4000)
	w.Append(text, "", 0)
	eventually(t, "trouble is told", func() bool { return len(told.list()) == 1 })
	wantProblem(t, told.list()[0], Full)
	w.Append(text, "", 0)
	wantProblem(t, w.Finish(t.Context(), Outcome{}), Full)
	wantProblem(t, w.Finish(t.Context(), Outcome{}), Full)
	if got := told.list(); len(got) != 1 {
		t.Errorf("told %v", got)
	}
	limit(t, s, "100000")
	eventually(t, "it is saved after all", func() bool { return path(t, s, w.Turn().Conversation)[1].Text == text+text })
	must(t, w.Finish(t.Context(), Outcome{}))
	if got := told.list(); len(got) != 2 || got[1] != nil {
		t.Errorf("told %v", got)
	}
}

func TestClosingOnAFullDiskSaysWhatIsLost(t *testing.T) {
	s := newStore(t)
	w := begin(t, s)
	limit(t, s, "1")
	w.Append(strings.Repeat("words ", 20000), "", 0)
	wantProblem(t, w.Finish(t.Context(), Outcome{}), Full)
	wantProblem(t, s.Close(), Full)
}
