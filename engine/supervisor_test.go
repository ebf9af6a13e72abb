//go:build linux

package engine

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/build/buildtest"
	"paddock/engine/client"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
	"paddock/engine/server"
)

var identified struct {
	sync.Once
	build build.Build
}

// realEngine is the engine for tests, identified once.
func realEngine(t *testing.T) build.Build {
	t.Helper()
	identified.Do(func() { identified.build = buildtest.Engine(t) })
	return identified.build
}

// newTestSupervisor keeps its files in folders of the test's own, and is closed
// with it. Nothing may be left of its engines then.
func newTestSupervisor(t *testing.T) *Supervisor {
	t.Helper()
	s := New(Options{RuntimeDir: t.TempDir(), LogDir: t.TempDir()})
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		wantNothingLeft(t, s)
	})
	return s
}

func wantNothingLeft(t *testing.T, s *Supervisor) {
	t.Helper()
	entries, err := os.ReadDir(s.options.RuntimeDir)
	if err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
	for _, entry := range entries {
		t.Errorf("%s is left in the runtime folder", entry.Name())
	}
}

// chatPlan leaves nothing open.
func chatPlan(model string) plan.Plan {
	return plan.Plan{
		ModelPath: model, Purpose: plan.Chat, ContextTokens: 512, Devices: plan.CPU, GPULayers: "0",
		CacheK: "f16", CacheV: "f16", FlashAttn: "auto", Slots: 1, SpecTypes: plan.NoSpec, ProjectorPath: plan.NoProjector,
	}
}

// load loads a model that must load.
func load(t *testing.T, s *Supervisor, p plan.Plan) {
	t.Helper()
	if err := s.Load(t.Context(), p, plan.Given{Model: gguf.Facts{Path: p.ModelPath}}, realEngine(t)); err != nil {
		t.Fatal(err)
	}
}

func pidOf(s *Supervisor) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.instance.PID()
}

func gone(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !happened(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after 10 s: not %s", what)
		}
	}
}

// record collects the phases a supervisor goes through, progress left out.
func record(t *testing.T, s *Supervisor) func() []Phase {
	var mu sync.Mutex
	var phases []Phase
	t.Cleanup(s.Watch(func(state State) {
		mu.Lock()
		defer mu.Unlock()
		if len(phases) == 0 || phases[len(phases)-1] != state.Phase {
			phases = append(phases, state.Phase)
		}
	}))
	return func() []Phase {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(phases)
	}
}

func question(text string) client.Request {
	return client.Request{Messages: []client.Message{{Role: "user", Text: text}}, Temperature: new(float64)}
}

// long is a question whose answer does not end soon.
func long() client.Request {
	r := question("hi")
	r.MaxTokens, r.IgnoreEnd = 400, true
	return r
}

func TestAModelIsLoadedProvenAskedAndUnloaded(t *testing.T) {
	s := newTestSupervisor(t)
	phases := record(t, s)
	p := chatPlan(gguftest.Llama(t))
	load(t, s, p)
	state := s.State()
	if state.Phase != Ready || state.Plan != p || state.Model.Architecture != "llama" || state.Build.Path == "" || state.Progress != 1 {
		t.Errorf("state %s, %+v, %v", state.Phase, state.Plan, state.Err)
	}
	if len(state.LastWords) == 0 || state.LogPath == "" || state.Err != nil {
		t.Errorf("%d last words, log %q, %v", len(state.LastWords), state.LogPath, state.Err)
	}
	if pools := state.Actual.Pools; len(pools) != 1 || pools[0].Slices[budget.Weights] == 0 || pools[0].Slices[budget.KV] == 0 {
		t.Errorf("what it allocated: %+v", pools)
	}
	answer, err := s.Chat(t.Context(), question("hi"), nil)
	if err != nil || !strings.HasPrefix(answer.Text, "Hello! I am") {
		t.Errorf("answer %+v, %v", answer, err)
	}
	if got := s.State().TokensPerSecond; got != answer.TokensPerSecond {
		t.Errorf("%v tokens/s in the state, %v in the answer", got, answer.TokensPerSecond)
	}
	pid := pidOf(s)
	s.Unload()
	if state := s.State(); state.Phase != NotLoaded || !gone(pid) {
		t.Errorf("state %s, %v, process gone: %v", state.Phase, state.Err, gone(pid))
	}
	wantNothingLeft(t, s)
	eventually(t, "told that nothing is loaded", func() bool {
		seen := phases()
		return seen[len(seen)-1] == NotLoaded && len(seen) > 1
	})
	// A slow watcher may miss phases. What it sees is in their order.
	order := []Phase{NotLoaded, Checking, Loading, Proving, Ready, Stopping, NotLoaded}
	at := 0
	for _, phase := range phases() {
		for at < len(order) && order[at] != phase {
			at++
		}
	}
	if at == len(order) {
		t.Errorf("phases %v, want them in the order %v", phases(), order)
	}
}

func TestWhatThePlanLeavesOpenIsChosen(t *testing.T) {
	s := newTestSupervisor(t)
	load(t, s, plan.Plan{ModelPath: gguftest.Llama(t), ContextTokens: 256})
	if p := s.State().Plan; p.ContextTokens != 256 || p.CacheK == "" || p.Slots == 0 || p.Devices == "" {
		t.Errorf("plan %+v", p)
	}
}

func TestALoadReplacesTheRunningEngine(t *testing.T) {
	s := newTestSupervisor(t)
	p := chatPlan(gguftest.Llama(t))
	load(t, s, p)
	first := pidOf(s)
	p.ContextTokens = 256
	load(t, s, p)
	if !gone(first) || pidOf(s) == first || s.State().Plan != p {
		t.Errorf("the first process gone: %v, plan %+v", gone(first), s.State().Plan)
	}
}

func TestALoadCanBeEndedInEveryPhase(t *testing.T) {
	ends := []struct {
		name string
		end  func(t *testing.T, s *Supervisor, cancel func())
		left Phase
	}{
		{"by its context", func(_ *testing.T, _ *Supervisor, cancel func()) { cancel() }, NotLoaded},
		{"by unloading", func(_ *testing.T, s *Supervisor, _ func()) { s.Unload() }, NotLoaded},
		{"by another model", func(t *testing.T, s *Supervisor, _ func()) { load(t, s, chatPlan(gguftest.Gemma3(t))) }, Ready},
	}
	for _, test := range ends {
		for _, phase := range []Phase{Checking, Loading, Proving} {
			t.Run(test.name+" while "+string(phase), func(t *testing.T) {
				s := newTestSupervisor(t)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				b, p := slow(t, phase, gguftest.Llama(t))
				ended := make(chan error, 1)
				go func() { ended <- s.Load(ctx, p, plan.Given{}, b) }()
				eventually(t, string(phase), func() bool { return s.State().Phase == phase })

				started := time.Now()
				test.end(t, s, cancel)
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
				if took := time.Since(started); test.left == NotLoaded && took > 2*time.Second {
					t.Errorf("it took %v", took)
				}
				if state := s.State(); state.Phase != test.left || state.Err != nil {
					t.Errorf("state %s, %v; want %s", state.Phase, state.Err, test.left)
				}
			})
		}
	}
}

func TestAModelThatCannotBeLoadedIsAFailedState(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.gguf")
	if err := os.WriteFile(broken, []byte("this is a text"), 0o600); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(gguftest.Llama(t))
	if err != nil {
		t.Fatal(err)
	}
	incomplete := filepath.Join(t.TempDir(), "incomplete.gguf")
	if err := os.WriteFile(incomplete, bytes.Replace(whole, []byte("blk.1.attn_q.weight"), []byte("blk.1.attn_x.weight"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	refused := chatPlan(gguftest.Llama(t))
	refused.CacheV, refused.FlashAttn = "q8_0", "off"
	var file *gguf.Error
	var rules *RefusedError
	var failure *server.Failure
	tests := []struct {
		name string
		plan plan.Plan
		into any
	}{
		{"a file that is no GGUF", chatPlan(broken), &file},
		{"a file that is not there", chatPlan(broken + "x"), &file},
		{"a projector", chatPlan(gguftest.Projector(t)), &rules},
		{"settings that don't go together", refused, &rules},
		{"a model without one of its tensors", chatPlan(incomplete), &failure},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newTestSupervisor(t)
			err := s.Load(t.Context(), test.plan, plan.Given{Model: gguf.Facts{Path: test.plan.ModelPath}}, realEngine(t))
			if !errors.As(err, test.into) {
				t.Fatalf("error %T %v", err, err)
			}
			state := s.State()
			if state.Phase != Failed || state.Err != err || state.Plan != test.plan || state.Model.Path == "" {
				t.Errorf("state %s, %+v, %v", state.Phase, state.Plan, state.Err)
			}
			if test.into == &failure && (len(state.LastWords) == 0 || state.LogPath == "") {
				t.Errorf("%d last words, log %q", len(state.LastWords), state.LogPath)
			}
			if _, err := s.Chat(t.Context(), question("hi"), nil); !errors.Is(err, ErrNotReady) {
				t.Errorf("chat: %v", err)
			}
			s.Unload()
			if state := s.State(); state.Phase != NotLoaded || state.Err != nil {
				t.Errorf("after unloading: %+v", state)
			}
		})
	}
}

func TestAnEngineThatCannotBeUsedFailsTheLoad(t *testing.T) {
	s := newTestSupervisor(t)
	missing := build.Identify(t.Context(), filepath.Join(t.TempDir(), "llama-server"), build.Added)
	err := s.Load(t.Context(), chatPlan(gguftest.Llama(t)), plan.Given{}, missing)
	var unusable *build.Error
	if !errors.As(err, &unusable) || s.State().Phase != Failed {
		t.Errorf("error %v, state %s", err, s.State().Phase)
	}
}

func TestACrashMidAnswerKeepsThePartialAnswerAndIsAFailedState(t *testing.T) {
	s := newTestSupervisor(t)
	load(t, s, chatPlan(gguftest.Llama(t)))
	pieces := 0
	answer, err := s.Chat(t.Context(), long(), func(client.Delta) {
		if pieces++; pieces == 5 {
			syscall.Kill(pidOf(s), syscall.SIGSEGV)
		}
	})
	var failure *server.Failure
	if !errors.As(err, &failure) || failure.Kind != server.Crashed || !strings.HasPrefix(answer.Text, "Hello!") || answer.Stop != client.StopBroken {
		t.Errorf("answer %+v, %v", answer, err)
	}
	if state := s.State(); state.Phase != Failed || state.Err != err || len(state.LastWords) == 0 {
		t.Errorf("state %s, %+v, %v", state.Phase, state.Plan, state.Err)
	}
	load(t, s, chatPlan(gguftest.Llama(t)))
}

func TestACrashBetweenAnswersIsAFailedState(t *testing.T) {
	s := newTestSupervisor(t)
	load(t, s, chatPlan(gguftest.Llama(t)))
	syscall.Kill(pidOf(s), syscall.SIGABRT)
	eventually(t, "failed", func() bool { return s.State().Phase == Failed })
}

func TestAQuestionTheEngineRefusesLeavesItReady(t *testing.T) {
	s := newTestSupervisor(t)
	load(t, s, chatPlan(gguftest.Llama(t)))
	_, err := s.Chat(t.Context(), question(strings.Repeat("hello ", 1000)), nil)
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Kind != client.ContextExceeded || s.State().Phase != Ready {
		t.Errorf("error %v, state %s", err, s.State().Phase)
	}
}

func TestUnloadEndsAnAnswerUnderWay(t *testing.T) {
	s := newTestSupervisor(t)
	load(t, s, chatPlan(gguftest.Llama(t)))
	begun, ended := make(chan struct{}), make(chan client.Answer)
	go func() {
		pieces := 0
		answer, _ := s.Chat(t.Context(), long(), func(client.Delta) {
			if pieces++; pieces == 3 {
				close(begun)
			}
		})
		ended <- answer
	}()
	<-begun
	s.Unload()
	if answer := <-ended; answer.Stop != client.StopCancelled || answer.Text == "" {
		t.Errorf("answer %+v", answer)
	}
	if state := s.State(); state.Phase != NotLoaded {
		t.Errorf("state %s", state.Phase)
	}
}

func TestALogThatCannotBeWrittenIsAWarning(t *testing.T) {
	s := newTestSupervisor(t)
	p := chatPlan(gguftest.Llama(t))
	s.options.LogDir = filepath.Join(p.ModelPath, "log") // a file is in the way
	load(t, s, p)
	var log *server.LogError
	if state := s.State(); state.Phase != Ready || !errors.As(state.Warning, &log) {
		t.Errorf("state %s, warning %v", state.Phase, state.Warning)
	}
}

func TestAWatcherGetsTheLatestStateAndEnds(t *testing.T) {
	s := New(Options{})
	before := runtime.NumGoroutine()
	hold := make(chan struct{})
	var mu sync.Mutex
	var seen []float64
	stop := s.Watch(func(state State) {
		mu.Lock()
		seen = append(seen, state.Progress)
		mu.Unlock()
		<-hold
	})
	eventually(t, "called with the state now", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(seen) == 1
	})
	for n := range 100 {
		s.advance(t.Context(), func(state *State) { state.Progress = float64(n) })
	}
	close(hold)
	eventually(t, "told the latest", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return seen[len(seen)-1] == 99
	})
	if len(seen) != 2 {
		t.Errorf("seen %v, want the first and the latest", seen)
	}
	stop()
	stop()
	s.advance(t.Context(), func(state *State) { state.Progress = 100 })

	var fromWithin func()
	ready := make(chan struct{})
	fromWithin = s.Watch(func(State) {
		<-ready
		fromWithin()
	})
	close(ready)
	eventually(t, "without watchers", func() bool { return runtime.NumGoroutine() <= before })
	if len(seen) != 2 {
		t.Errorf("told after it was stopped: %v", seen)
	}
}

func TestAServerThatIsGoneIsFoundBeforeTheEngineCrashesOnIt(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := listener.Addr().String()
	listener.Close()
	s := newTestSupervisor(t)
	p, g := guide(t)
	p.RPCServers = gone
	p, _ = plan.Complete(p, g)
	err = s.Load(t.Context(), p, g, realEngine(t))
	var problem *build.Error
	if !errors.As(err, &problem) || problem.Problem != build.ServerSilent {
		t.Errorf("a complete plan fails with %v", err)
	}
}
