package chat

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// children are what the test's own program does in a process of its own.
var children = map[string]func(folder string){
	"write": writeForever,
	"add":   addMany,
}

// run starts this program again as a child. Its output is a line at a time.
func run(t *testing.T, child, folder string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "CHAT_CHILD="+child, "CHAT_FOLDER="+folder)
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	must(t, err)
	must(t, command.Start())
	t.Cleanup(func() { command.Process.Kill(); command.Wait() })
	return command, bufio.NewScanner(out)
}

// begin asks a question and begins its answer.
func begin(t testing.TB, s *Store) *Writer {
	t.Helper()
	ctx := context.Background()
	c, err := s.Start(ctx, "")
	if err == nil {
		var said Turn
		if said, err = s.Add(ctx, Turn{Conversation: c.ID, Role: User, Text: "question"}); err == nil {
			var w *Writer
			if w, err = s.Begin(ctx, Turn{Conversation: c.ID, Parent: said.ID, Role: Assistant, Model: "Guide"}); err == nil {
				return w
			}
		}
	}
	t.Fatal(err)
	return nil
}

func TestAnAnswerIsSavedWhileItComes(t *testing.T) {
	s := newStore(t)
	w := begin(t, s)
	id := w.Turn().Conversation
	w.Append("", "Hm", time.Second)
	w.Append("He", "", time.Second)
	eventually(t, "the beginning is there", func() bool {
		last := path(t, s, id)[1]
		return last.Text == "He" && last.Thought == "Hm" && last.Thinking == time.Second && last.End == Interrupted
	})
	euro := "€"
	w.Append("llo "+euro[:1], "", time.Second) // a character in two parts
	eventually(t, "the half is there, as a mark", func() bool { return strings.HasPrefix(path(t, s, id)[1].Text, "Hello ") })
	w.Append(euro[1:], "", 2*time.Second)
	must(t, w.Finish(t.Context(), Outcome{Thinking: 2 * time.Second, Numbers: Numbers{AnswerTokens: 3, TokensPerSecond: math.Inf(1)}, End: Stopped, Problem: "p", Full: true}))
	last := path(t, s, id)[1]
	if last.Text != "Hello €" || last.Thought != "Hm" || last.Thinking != 2*time.Second || last.End != Stopped || last.Numbers != (Numbers{AnswerTokens: 3}) ||
		last.Problem != "p" || !last.Full || last.Model != "Guide" {
		t.Errorf("%+v", last)
	}
	if hits, err := s.Search(t.Context(), "hello", 9); err != nil || len(hits) != 1 {
		t.Errorf("found %v, %v", hits, err)
	}
	var pieces int
	must(t, s.read(t.Context(), func(c conn) error { return c.QueryRowContext(t.Context(), `SELECT count(*) FROM pieces`).Scan(&pieces) }))
	if pieces != 0 {
		t.Errorf("%d pieces left", pieces)
	}
}

func TestAnAnswerGoesOn(t *testing.T) {
	s := newStore(t)
	w := begin(t, s)
	w.Append("One ", "a", time.Second)
	must(t, w.Finish(t.Context(), Outcome{End: Broken, Problem: "p", Thinking: time.Second}))
	w, err := s.Resume(t.Context(), w.Turn().ID)
	must(t, err)
	if got := w.Turn(); got.Text != "One " || got.End != Interrupted || got.Problem != "" || got.Thinking != time.Second {
		t.Errorf("%+v", got)
	}
	w.Append("two", "b", 2*time.Second)
	must(t, w.Finish(t.Context(), Outcome{Thinking: 2 * time.Second}))
	if last := path(t, s, w.Turn().Conversation)[1]; last.Text != "One two" || last.Thought != "ab" || last.End != Whole || last.Problem != "" {
		t.Errorf("%+v", last)
	}
}

func TestClosingSavesWhatHasComeOfAnAnswer(t *testing.T) {
	folder := t.TempDir()
	k := quick()
	k.saveEvery = time.Hour
	s, _ := openStore(t, folder, k)
	w := begin(t, s)
	w.Append("all of it", "", 0)
	closeStore(t, s)
	wantProblem(t, w.Finish(t.Context(), Outcome{}), Closed)
	s, _ = openStore(t, folder, quick())
	if last := path(t, s, w.Turn().Conversation)[1]; last.Text != "all of it" || last.End != Interrupted {
		t.Errorf("%+v", last)
	}
}

func TestProducersNeverWaitForTheDisk(t *testing.T) {
	s := newStore(t)
	w := begin(t, s)
	held, release := make(chan struct{}), make(chan struct{})
	var holder sync.WaitGroup
	holder.Go(func() {
		s.write(context.Background(), func(conn) error { // nothing else can write now
			close(held)
			<-release
			return nil
		})
	})
	<-held
	for range 1000 { // comes to an end though nothing is saved
		w.Append("word ", "", 0)
	}
	close(release)
	holder.Wait()
	must(t, w.Finish(t.Context(), Outcome{}))
	if got := len(path(t, s, w.Turn().Conversation)[1].Text); got != 5000 {
		t.Errorf("%d bytes saved", got)
	}
}

// writeForever is a process that writes an answer until it is killed, and says how
// far it has come. It takes the store as it is in the program.
func writeForever(folder string) {
	s, _, err := Open(context.Background(), folder, nil)
	if err != nil {
		panic(err)
	}
	c, _ := s.Start(context.Background(), "")
	said, _ := s.Add(context.Background(), Turn{Conversation: c.ID, Role: User, Text: "question"})
	w, err := s.Begin(context.Background(), Turn{Conversation: c.ID, Parent: said.ID, Role: Assistant})
	if err != nil {
		panic(err)
	}
	for n := 0; ; n++ {
		w.Append(fmt.Sprintf("%06d ", n), "thought ", time.Duration(n))
		if n%100 == 99 {
			fmt.Println(c.ID, time.Now().UnixMilli(), n)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestAKilledProcessLeavesThePartialAnswerMarked(t *testing.T) {
	folder := t.TempDir()
	command, lines := run(t, "write", folder)
	var id ID
	watcher, _ := openStore(t, folder, quick()) // the other process's answer can be watched
	eventually(t, "something of the answer is saved", func() bool {
		if !lines.Scan() {
			t.Fatal("the process has ended")
		}
		var at, n int64
		fmt.Sscan(lines.Text(), &id, &at, &n)
		turns := path(t, watcher, id)
		return len(turns) == 2 && len(turns[1].Text) > 2000
	})
	seen := path(t, watcher, id)[1]
	closeStore(t, watcher)
	must(t, command.Process.Kill())
	command.Wait()

	s, opened := openStore(t, folder, quick())
	if opened != (Opened{}) {
		t.Errorf("opened with %+v", opened)
	}
	last := path(t, s, id)[1]
	if last.End != Interrupted || !strings.HasPrefix(last.Text, seen.Text) || !strings.HasPrefix(last.Thought, "thought ") || last.Thinking == 0 {
		t.Errorf("saved %d bytes after %d were seen, end %q", len(last.Text), len(seen.Text), last.End)
	}
	for n, word := range strings.Fields(last.Text) { // nothing is missing in the middle
		if word != fmt.Sprintf("%06d", n) {
			t.Fatalf("word %d is %s", n, word)
		}
	}
	if hits, err := s.Search(t.Context(), "000123", 9); err != nil || len(hits) != 1 {
		t.Errorf("found %v, %v", hits, err)
	}
	if got := titles(t, s.Conversations); !slices.Equal(got, []string{"question"}) {
		t.Error(got)
	}
}
