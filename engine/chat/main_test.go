package chat

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"
)

// TestMain is also the processes that tests start and kill.
func TestMain(m *testing.M) {
	if child := children[os.Getenv("CHAT_CHILD")]; child != nil {
		child(os.Getenv("CHAT_FOLDER"))
		return
	}
	os.Exit(m.Run())
}

// patience is for what should happen at once, on a machine that does much else.
const patience = time.Minute

// A clock goes on when it is told.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 14, 15, 9, 26, 0, time.Local)} }

// quick are knobs for tests: nothing waits long.
func quick() knobs {
	return knobs{now: time.Now, saveEvery: time.Millisecond, retry: 5 * time.Millisecond, lookEvery: time.Hour, calm: time.Hour}
}

// openStore opens a store that is closed at the end of the test.
func openStore(t *testing.T, folder string, k knobs) (*Store, Opened) {
	t.Helper()
	s, opened, err := open(t.Context(), folder, nil, k)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, opened
}

func newStore(t *testing.T) *Store {
	t.Helper()
	s, _ := openStore(t, t.TempDir(), quick())
	return s
}

func closeStore(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func start(t *testing.T, s *Store) ID {
	t.Helper()
	c, err := s.Start(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return c.ID
}

// say adds a turn and gives its ID.
func say(t *testing.T, s *Store, conversation, parent ID, role Role, text string) ID {
	t.Helper()
	turn, err := s.Add(t.Context(), Turn{Conversation: conversation, Parent: parent, Role: role, Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return turn.ID
}

func path(t *testing.T, s *Store, id ID) []Turn {
	t.Helper()
	turns, err := s.Path(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return turns
}

// texts are what the turns on view say.
func texts(t *testing.T, s *Store, id ID) []string {
	t.Helper()
	var all []string
	for _, turn := range path(t, s, id) {
		all = append(all, turn.Text)
	}
	return all
}

func titles(t *testing.T, list func(context.Context) ([]Conversation, error)) []string {
	t.Helper()
	all, err := list(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range all {
		names = append(names, c.Title)
	}
	return names
}

func wantProblem(t *testing.T, err error, problem Problem) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Problem != problem {
		t.Fatalf("error is %v, want the problem %q", err, problem)
	}
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("still not so: %s", what)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
