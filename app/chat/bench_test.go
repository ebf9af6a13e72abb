package chat

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"paddock/app/apptest"
	"paddock/engine"
	store "paddock/engine/chat"
	"paddock/engine/client"
	"paddock/engine/gguf"
	"paddock/engine/plan"
)

var ready = engine.State{
	Phase: engine.Ready,
	Model: gguf.Facts{Name: "Test model"},
	Plan:  plan.Plan{ContextTokens: 2048},
}

// A scriptedEngine answers as a test says.
type scriptedEngine struct {
	*apptest.Watched
	mu        sync.Mutex
	requests  []client.Request
	uncounted error
	hangs     bool // while it counts
	answer    func(ctx context.Context, each func(client.Delta)) (client.Answer, error)
}

func (e *scriptedEngine) Chat(ctx context.Context, r client.Request, each func(client.Delta)) (client.Answer, error) {
	e.mu.Lock()
	e.requests = append(e.requests, r)
	answer := e.answer
	e.mu.Unlock()
	return answer(ctx, each)
}

// Count counts words.
func (e *scriptedEngine) Count(ctx context.Context, r client.Request) (int, error) {
	if e.uncounted != nil {
		return 0, e.uncounted
	}
	if e.hangs {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	words := 0
	for _, m := range r.Messages {
		words += len(strings.Fields(m.Text))
	}
	return words, nil
}

// asked is what the engine was asked, one request after the other.
func (e *scriptedEngine) asked() []client.Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.requests
}

// says answers word by word, a word every 10 ms.
func says(text string) func(context.Context, func(client.Delta)) (client.Answer, error) {
	return func(ctx context.Context, each func(client.Delta)) (client.Answer, error) {
		said := ""
		tokens := strings.SplitAfter(text, " ")
		for i, token := range tokens {
			select {
			case <-ctx.Done():
				return client.Answer{Text: said, AnswerTokens: i, Stop: client.StopCancelled}, nil
			case <-time.After(10 * time.Millisecond):
			}
			said += token
			if each != nil {
				each(client.Delta{Text: token})
			}
		}
		return client.Answer{
			Text: said, PromptTokens: 20, AnswerTokens: len(tokens), TokensPerSecond: 100,
			FirstToken: 10 * time.Millisecond, Stop: client.StopEnd,
		}, nil
	}
}

// breaks says something and then fails.
func breaks(text string, err error) func(context.Context, func(client.Delta)) (client.Answer, error) {
	return func(_ context.Context, each func(client.Delta)) (client.Answer, error) {
		if text != "" {
			each(client.Delta{Text: text})
		}
		return client.Answer{Text: text, Stop: client.StopBroken}, err
	}
}

// A bench is a presenter with its own UI goroutine, whoever has the lock, and with
// the conversations of a folder.
type bench struct {
	*testing.T
	mu     sync.Mutex
	folder string
	engine *scriptedEngine
	seams  Seams
	p      *Presenter
	states []State
	said   []string
}

// inTime runs a test on a presenter in time that passes by itself.
func inTime(t *testing.T, state engine.State, f func(b *bench)) {
	inFolder(t, t.TempDir(), state, f)
}

// inFolder is inTime with the conversations of a folder.
func inFolder(t *testing.T, folder string, state engine.State, f func(b *bench)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{T: t, folder: folder, engine: &scriptedEngine{Watched: apptest.NewWatched(state), answer: says("one two three.")}}
		b.seams = Seams{
			Engine: b.engine, Folder: folder, Do: b.ui, Every: UpdateInterval,
			Say: func(text string, _ bool) { b.said = append(b.said, text) },
		}
		b.start()
		defer b.close()
		f(b)
	})
}

// start makes a presenter and waits until it has read what there is.
func (b *bench) start() {
	b.mu.Lock()
	b.p = NewPresenter(b.seams, func(s State) { b.states = append(b.states, s) })
	b.mu.Unlock()
	synctest.Wait()
}

// close ends the presenter as the end of the program does.
func (b *bench) close() {
	var done <-chan struct{}
	b.ui(func() { done = b.p.Close() })
	<-done
	synctest.Wait()
}

// again is the next start of the program.
func (b *bench) again() {
	b.close()
	b.start()
}

func (b *bench) ui(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

// do does something on the UI goroutine, and waits until all that follows at once is
// done.
func (b *bench) do(f func()) State {
	b.ui(f)
	synctest.Wait()
	return b.state()
}

func (b *bench) state() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.p.State()
}

func (b *bench) send(text string) State {
	return b.do(func() {
		b.p.SetDraft(text)
		b.p.Send()
	})
}

// kept opens the conversations beside the presenter.
func (b *bench) kept(f func(*store.Store)) {
	b.Helper()
	s, _, err := store.Open(b.Context(), b.folder, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	f(s)
}

func (b *bench) deleteCurrent() { b.do(func() { b.p.Delete(b.p.State().Current) }) }

// last is the last turn once everything has come to rest.
func (b *bench) last() Turn {
	b.Helper()
	time.Sleep(time.Minute)
	synctest.Wait()
	s := b.state()
	if s.Answer != nil || len(s.Turns) == 0 {
		b.Fatalf("no answer has ended: %+v", s)
	}
	return s.Turns[len(s.Turns)-1]
}

// texts are what the turns on view say.
func (b *bench) texts() string {
	var all []string
	for _, t := range b.state().Turns {
		all = append(all, t.Text)
	}
	return strings.Join(all, "|")
}

// messages is what a request tells, on one line.
func messages(r client.Request) string {
	var all []string
	for _, m := range r.Messages {
		all = append(all, m.Role+": "+m.Text)
	}
	return strings.Join(all, "|")
}

func mustWrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
