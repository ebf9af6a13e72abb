package images

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"paddock/engine/build/buildtest"
	"paddock/engine/client"
	"paddock/engine/picture/picturetest"
)

// childFolder is set where the test's own binary is to be a program that is killed.
const childFolder = "PADDOCK_TEST_IMAGES"

func TestMain(m *testing.M) {
	if folder := os.Getenv(childFolder); folder != "" {
		answerUntilKilled(folder)
		return
	}
	buildtest.RestThreads()
	os.Exit(m.Run())
}

// An askerFunc is an Asker of a few lines.
type askerFunc func(ctx context.Context, r client.Request, each func(client.Delta)) (client.Answer, error)

func (f askerFunc) Chat(ctx context.Context, r client.Request, each func(client.Delta)) (client.Answer, error) {
	return f(ctx, r, each)
}

func says(text string) Asker {
	return askerFunc(func(_ context.Context, _ client.Request, each func(client.Delta)) (client.Answer, error) {
		each(client.Delta{Text: text})
		return client.Answer{Text: text, Stop: client.StopEnd}, nil
	})
}

// A gate is an asker that answers when it is told to.
type gate struct {
	asked  chan struct{}
	answer chan string
}

func newGate() *gate { return &gate{asked: make(chan struct{}, 100), answer: make(chan string)} }

func (g *gate) Chat(ctx context.Context, _ client.Request, each func(client.Delta)) (client.Answer, error) {
	each(client.Delta{Text: "so "})
	each(client.Delta{Text: "far"})
	g.asked <- struct{}{}
	select {
	case text := <-g.answer:
		return client.Answer{Text: text, Stop: client.StopEnd}, nil
	case <-ctx.Done():
		return client.Answer{Text: "so far", Stop: client.StopCancelled}, nil
	}
}

// pictures writes small good pictures into a folder.
func pictures(t testing.TB, n int) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for i := range n {
		write(t, filepath.Join(folder, fmt.Sprintf("%03d.png", i)), picturetest.Encode(t, "png", picturetest.Quadrants(40+i%7, 40)))
	}
	return folder
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func open(t testing.TB, folder string) *Set {
	t.Helper()
	s, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sync.OnceFunc(func() {
		if s.journal != nil {
			closeSet(t, s)
		}
	}))
	return s
}

// closeSet closes a set that may be closed already.
func closeSet(t testing.TB, s *Set) {
	t.Helper()
	select {
	case <-s.journal.end:
	default:
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// started is a job that must start.
func started(t testing.TB, s *Set, a Asker, slots int, r Run) *Job {
	t.Helper()
	if r.Prompt == "" {
		r.Prompt = "What is it?"
	}
	j, err := s.Start(a, slots, r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		j.Cancel()
		finish(t, j)
	})
	return j
}

// finish waits for the end of a job.
func finish(t testing.TB, j *Job) {
	t.Helper()
	select {
	case <-j.Done():
	case <-time.After(3 * time.Minute):
		t.Fatal("the job does not end")
	}
}

func eventually(t testing.TB, what string, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !happened(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after a minute: not %s", what)
		}
	}
}

// runs is the picture that is running, when it is one.
func runs(t testing.TB, s *Set) *Item {
	t.Helper()
	for _, item := range s.State().Items {
		if item.Phase == Running {
			return item
		}
	}
	t.Fatal("none runs")
	return nil
}

func asked(t testing.TB, g *gate) {
	t.Helper()
	select {
	case <-g.asked:
	case <-time.After(time.Minute):
		t.Fatal("the engine is not asked")
	}
}

func wantCounts(t testing.TB, s *Set, want Counts) {
	t.Helper()
	if got := s.State().Counts; got != want {
		t.Errorf("counts are %+v, want %+v", got, want)
	}
}

func wantProblem(t testing.TB, err error, want Problem) {
	t.Helper()
	var failed *Error
	if !errors.As(err, &failed) || failed.Problem != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}
