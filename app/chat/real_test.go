//go:build linux

package chat

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"paddock/engine"
	"paddock/engine/build"
	"paddock/engine/build/buildtest"
	store "paddock/engine/chat"
	"paddock/engine/client"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/picture/picturetest"
	"paddock/engine/plan"
)

// These tests chat with the real engine. The models are generated and speak
// nonsense.

// patience is how long something may take on a machine that has other things to do.
const patience = 2 * time.Minute

// childFolder is set where the test's own binary is a Paddock that chats until it is
// killed: to the folder of its chats. childModel and childEngine are paths.
const (
	childFolder = "PADDOCK_TEST_CHATS"
	childModel  = "PADDOCK_TEST_CHATS_MODEL"
	childEngine = "PADDOCK_TEST_CHATS_ENGINE"
)

func init() {
	buildtest.RestThreads()
	if folder := os.Getenv(childFolder); folder != "" {
		chatUntilKilled(folder)
	}
}

// chatUntilKilled is a Paddock without a window.
func chatUntilKilled(folder string) {
	builds := build.Find(context.Background(), build.Places{Added: []string{os.Getenv(childEngine)}})
	if len(builds) == 0 {
		fmt.Println("failed: no build")
		os.Exit(1)
	}
	runtime := filepath.Join(filepath.Dir(folder), "run") // the test's own, which outlives us
	s := engine.New(engine.Options{RuntimeDir: runtime, LogDir: runtime})
	p := cpuPlan(os.Getenv(childModel))
	if err := s.Load(context.Background(), p, plan.Given{Model: gguf.Facts{Path: p.ModelPath}}, builds[0]); err != nil {
		fmt.Println("failed", err)
		os.Exit(1)
	}
	r := newReal(slowly{s}, folder)
	r.send("hello")
	fmt.Println("sent")
	select {}
}

func cpuPlan(model string) plan.Plan {
	return plan.Plan{
		ModelPath: model, Purpose: plan.Chat, ContextTokens: 2048, Devices: plan.CPU, GPULayers: "0", CacheK: "f16", CacheV: "f16",
		FlashAttn: "auto", Slots: 1, SpecTypes: plan.NoSpec, ProjectorPath: plan.NoProjector,
	}
}

// slowly is an engine whose tokens come one after the other.
type slowly struct{ Engine }

func (e slowly) Chat(ctx context.Context, r client.Request, each func(client.Delta)) (client.Answer, error) {
	return e.Engine.Chat(ctx, r, func(d client.Delta) {
		time.Sleep(5 * time.Millisecond)
		each(d)
	})
}

// A real is a presenter in time that passes as it does.
type real struct {
	mu sync.Mutex
	p  *Presenter
}

func newReal(e Engine, folder string) *real {
	r := &real{}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.p = NewPresenter(Seams{Engine: e, Folder: folder, Do: r.do, Every: UpdateInterval}, func(State) {})
	return r
}

func (r *real) do(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
}

func (r *real) state() (s State) {
	r.do(func() { s = r.p.State() })
	return s
}

// until waits for a state.
func (r *real) until(so func(State) bool) (State, bool) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if s := r.state(); so(s) {
			return s, true
		}
	}
	return r.state(), false
}

func (r *real) send(text string) {
	r.do(func() { r.p.SetDraft(text) })
	r.until(func(s State) bool { return s.CanSend })
	r.do(func() { r.p.Send() })
}

func (r *real) close() {
	var done <-chan struct{}
	r.do(func() { done = r.p.Close() })
	<-done
}

// A realBench is a real in a test.
type realBench struct {
	*testing.T
	*real
	folder string
	engine *engine.Supervisor
}

func loaded(t *testing.T, p plan.Plan, b build.Build) *realBench {
	t.Helper()
	s := engine.New(engine.Options{RuntimeDir: t.TempDir(), LogDir: t.TempDir()})
	t.Cleanup(func() { s.Close(context.Background()) })
	load(t, s, p, b)
	bench := &realBench{T: t, folder: t.TempDir(), engine: s}
	bench.real = newReal(s, bench.folder)
	t.Cleanup(bench.close)
	return bench
}

func load(t *testing.T, s *engine.Supervisor, p plan.Plan, b build.Build) {
	t.Helper()
	given := plan.Given{Model: gguf.Facts{Path: p.ModelPath, Name: "generated"}}
	if path := p.Projector(); path != "" {
		facts, err := gguf.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		given.Beside = []gguf.Facts{facts}
	}
	if err := s.Load(t.Context(), p, given, b); err != nil {
		t.Fatal(err)
	}
}

func (b *realBench) wait(what string, so func(State) bool) State {
	b.Helper()
	s, ok := b.until(so)
	if !ok {
		b.Fatalf("still not so: %s: %+v", what, s)
	}
	return s
}

func (b *realBench) answered(turns int) State {
	b.Helper()
	return b.wait("it has answered", func(s State) bool { return s.Answer == nil && !s.Sending && len(s.Turns) == turns })
}

func TestKilledInTheMiddleOfAnAnswerItIsThereAtTheNextStart(t *testing.T) {
	e, folder := buildtest.Engine(t), t.TempDir()
	model := gguftest.Llama(t)
	child := exec.Command(os.Args[0], "-test.run=^$")
	child.Env = append(os.Environ(), childFolder+"="+folder, childModel+"="+model, childEngine+"="+e.Path)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Process.Kill()
	if lines := bufio.NewScanner(out); !lines.Scan() || lines.Text() != "sent" {
		t.Fatalf("the child says %q", lines.Text())
	}
	seen := keptAnswer(t, folder, func(answer store.Turn) bool { return len(answer.Text) > 40 })
	if err := child.Process.Kill(); err != nil { // signal 9
		t.Fatal(err)
	}
	_ = child.Wait()

	b := loaded(t, cpuPlan(model), e)
	b.close()
	b.folder = folder
	b.real = newReal(b.engine, folder)
	t.Cleanup(b.real.close)
	s := b.wait("the chat is listed", func(s State) bool { return len(s.Conversations) == 1 })
	b.do(func() { b.p.Select(s.Conversations[0].ID) })
	s = b.wait("it is read", func(s State) bool { return len(s.Turns) == 2 })
	if turn := s.Turns[1]; turn.End != Interrupted || !strings.HasPrefix(turn.Text, seen.Text) {
		t.Fatalf("got %+v, there was %q", turn, seen.Text)
	}
	b.do(func() { b.p.Continue() })
	again := b.answered(2).Turns[1]
	if !strings.HasPrefix(again.Text, s.Turns[1].Text) || again.End == Interrupted || again.End == Broken || again.Numbers.PromptTokens == 0 {
		t.Errorf("continued it is %+v", again)
	}
}

// keptAnswer waits until the answer of the only chat in a folder is so.
func keptAnswer(t *testing.T, folder string, so func(store.Turn) bool) store.Turn {
	t.Helper()
	s, _, err := store.Open(t.Context(), folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		all, err := s.Conversations(t.Context())
		if err != nil || len(all) == 0 {
			continue
		}
		turns, err := s.Path(t.Context(), all[0].ID)
		if err == nil && len(turns) == 2 && so(turns[1]) {
			return turns[1]
		}
	}
	t.Fatal("the answer never came to that")
	return store.Turn{}
}

func TestAnEngineThatCrashesInAnAnswerLeavesItToGoOn(t *testing.T) {
	real := buildtest.Engine(t)
	broken := real
	broken.Path = filepath.Join(filepath.Dir(buildtest.Breaking(t)), "llama-server")
	p := cpuPlan(gguftest.Llama(t))
	b := loaded(t, p, broken)
	b.send("hello")
	turn := b.answered(2).Turns[1]
	if turn.End != Broken || turn.Problem.Message == "" || turn.Text == "" {
		t.Fatalf("the answer is %+v", turn)
	}
	b.wait("the engine has failed", func(s State) bool { return s.OfferLoad })
	load(t, b.engine, p, real)
	b.wait("it can go on", func(s State) bool { return s.ContinueOff == "" })
	b.do(func() { b.p.Continue() })
	again := b.answered(2).Turns[1]
	if !strings.HasPrefix(again.Text, turn.Text) || again.ID != turn.ID || again.End == Broken {
		t.Errorf("continued it is %+v, before it was %q", again, turn.Text)
	}
}

func TestTheRealEngineCountsBeforeTheContextOverflows(t *testing.T) {
	p := cpuPlan(gguftest.Llama(t))
	p.ContextTokens = 512
	b := loaded(t, p, buildtest.Engine(t))
	most := 16
	b.do(func() { b.p.SetSettings(Settings{Sampling: Sampling{MaxTokens: &most}}) })
	for i := range 3 {
		b.send(fmt.Sprintf("%d %s", i, strings.Repeat("fence ", 20)))
		b.answered(2 * (i + 1))
	}
	b.send(strings.Repeat("paddock ", 40))
	s := b.wait("there is a choice", func(s State) bool { return s.Overflow != nil })
	if s.Overflow.About || s.Overflow.PromptTokens+s.Overflow.AnswerTokens <= s.Overflow.ContextTokens {
		t.Errorf("it says %+v", s.Overflow)
	}
	b.do(func() { b.p.Resolve(OverflowDrop) })
	s = b.wait("it has answered", func(s State) bool { return s.Answer == nil && !s.Sending && len(s.Turns) == 8 })
	if last := s.Turns[7]; last.End == Broken || last.Numbers.PromptTokens == 0 || last.Numbers.PromptTokens > 512 || !s.Turns[0].Outside {
		t.Errorf("the answer is %+v", last)
	}
}

func TestTheRealEngineIsShownPictures(t *testing.T) {
	p := cpuPlan(gguftest.Gemma3(t))
	p.ProjectorPath = gguftest.Projector(t)
	b := loaded(t, p, buildtest.Engine(t))
	most := 8
	b.do(func() { b.p.SetSettings(Settings{Sampling: Sampling{MaxTokens: &most}}) })
	b.send("What is it?")
	without := b.answered(2).Turns[1].Numbers.PromptTokens
	b.do(func() {
		b.p.New()
		b.p.SetSettings(Settings{Sampling: Sampling{MaxTokens: &most}})
		b.p.AddPicture(picturetest.Encode(t, "jpeg", picturetest.Photo(300, 200)))
	})
	s := b.wait("the picture is read", func(s State) bool { return len(s.Attachments) == 1 && !s.Attachments[0].Reading })
	about := s.Attachments[0].Tokens
	b.do(func() { b.p.AddPicture(picturetest.Encode(t, "png", picturetest.Photo(64, 64))) })
	b.wait("both are", func(s State) bool { return len(s.Attachments) == 2 && !s.Attachments[1].Reading })
	b.send("What is it?")
	with := b.answered(2).Turns[1]
	if more := with.Numbers.PromptTokens - without; with.End == Broken || about == 0 || more < 2*about {
		t.Errorf("two pictures are %d tokens more, of each was said %d: %+v", more, about, with)
	}
	b.send("Sure?")
	if again := b.answered(4).Turns[3]; again.End == Broken {
		t.Errorf("a question after it: %+v", again)
	}
}
