//go:build linux

package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"paddock/engine/build"
	"paddock/engine/build/buildtest"
	"paddock/engine/client"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
	"paddock/engine/server"
)

// builtFrom is the real engine's build with another program.
func builtFrom(t *testing.T, path string) build.Build {
	t.Helper()
	b := realEngine(t)
	b.Path, b.ID = path, "test"
	return b
}

// counted is a fault that also takes down each load, and how many there were.
func counted(t *testing.T, fault string) (build.Build, func() int) {
	t.Helper()
	loads := filepath.Join(t.TempDir(), "loads")
	b := builtFrom(t, buildtest.Faulty(t, "echo load >> '"+loads+"'\n"+fault))
	return b, func() int {
		data, err := os.ReadFile(loads)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return strings.Count(string(data), "load")
	}
}

// aborts is a fault of loads whose arguments have a text.
func aborts(text string) string {
	return "case \"$*\" in *'" + text + "'*) echo 'ggml.c:1: GGML_ASSERT(buffer) failed' >&2; kill -ABRT $$;; esac"
}

// foresees has a supervisor know a caution of flash attention, with fallbacks.
func foresees(s *Supervisor, instead ...string) {
	s.fallbacks = func(p plan.Plan, g plan.Given, err error) []plan.Alternative {
		if _, ok := bySettings(err); !ok || p.FlashAttn != "on" {
			return nil
		}
		var list []plan.Alternative
		for _, value := range instead {
			p.FlashAttn = value
			list = append(list, plan.Alternative{Plan: p, Foreseen: plan.Finding{
				Rule: "flash-" + value, Trial: "flash-" + value + "+flash-odd", Setting: "flashAttn", Message: "rule.flash-odd",
			}})
		}
		return list
	}
}

func flashOn(t *testing.T) plan.Plan {
	p := chatPlan(gguftest.Llama(t))
	p.FlashAttn = "on"
	return p
}

func TestACautionThatComesTrueIsLoadedByItsFallbackOnceAndSaid(t *testing.T) {
	s := newTestSupervisor(t)
	foresees(s, "off")
	b, loads := counted(t, aborts("-fa on"))
	p := flashOn(t)
	if err := s.Load(t.Context(), p, plan.Given{Model: gguf.Facts{Path: p.ModelPath}}, b); err != nil {
		t.Fatal(err)
	}
	state := s.State()
	fell := state.FellBack
	if state.Phase != Ready || state.Plan.FlashAttn != "off" || fell == nil || state.Err != nil {
		t.Fatalf("state %s, flash attention %s, fell back %+v, %v", state.Phase, state.Plan.FlashAttn, fell, state.Err)
	}
	var failure *server.Failure
	if fell.From != p || fell.To != state.Plan || fell.Foreseen.Rule != "flash-off" || !errors.As(fell.Err, &failure) || failure.Kind != server.Crashed {
		t.Errorf("fell back %+v", fell)
	}
	if !fell.Lasting() || !slices.Equal(state.Given.Failed, []string{"flash-off+flash-odd"}) || state.WithoutSpeculation() {
		t.Errorf("lasting %t, failed %v", fell.Lasting(), state.Given.Failed)
	}
	if n := loads(); n != 2 {
		t.Errorf("%d loads", n)
	}
	if answer, err := s.Chat(t.Context(), question("hi"), nil); err != nil || answer.Text == "" {
		t.Errorf("answer %+v, %v", answer, err)
	}
	// The next load begins anew.
	load(t, s, chatPlan(p.ModelPath))
	if s.State().FellBack != nil {
		t.Error("the next load has fallen back, too")
	}
}

func TestWhereOneFallbackFailsTheNextCautionsIsLoaded(t *testing.T) {
	s := newTestSupervisor(t)
	foresees(s, "auto", "off")
	b, loads := counted(t, aborts("-fa on")+"\n"+aborts("-fa auto"))
	p := flashOn(t)
	if err := s.Load(t.Context(), p, plan.Given{}, b); err != nil {
		t.Fatal(err)
	}
	state := s.State()
	if state.Plan.FlashAttn != "off" || state.FellBack == nil || state.FellBack.Foreseen.Rule != "flash-off" || state.FellBack.From != p {
		t.Errorf("flash attention %s, fell back %+v", state.Plan.FlashAttn, state.FellBack)
	}
	if !slices.Equal(state.Given.Failed, []string{"flash-off+flash-odd"}) {
		t.Errorf("remembered %v", state.Given.Failed)
	}
	if n := loads(); n != 3 {
		t.Errorf("%d loads", n)
	}
}

func TestAFallbackThatFailsTooIsAFailedState(t *testing.T) {
	s := newTestSupervisor(t)
	foresees(s, "off")
	b, loads := counted(t, aborts("-fa o"))
	p := flashOn(t)
	err := s.Load(t.Context(), p, plan.Given{}, b)
	state := s.State()
	if err == nil || state.Phase != Failed || state.Err != err || state.FellBack == nil || state.Plan.FlashAttn != "off" || len(state.Given.Failed) != 0 {
		t.Errorf("state %s, %v, fell back %+v, failed %v", state.Phase, err, state.FellBack, state.Given.Failed)
	}
	if n := loads(); n != 2 {
		t.Errorf("%d loads", n)
	}
}

func TestOnlyWhatSettingsCanCauseIsTriedAnotherWay(t *testing.T) {
	tests := []struct {
		name, fault string
		loads       int
		lasting     bool
	}{
		{"the driver gives up", "case \"$*\" in *'-fa on'*) echo 'E vk::Queue::submit: ErrorDeviceLost' >&2; exit 1;; esac", 2, true},
		{"memory runs out", "case \"$*\" in *'-fa on'*) echo 'E failed to allocate buffer' >&2; exit 1;; esac", 2, false},
		{"the system kills it", "case \"$*\" in *'-fa on'*) kill -KILL $$;; esac", 1, false},
		{"the file is not readable", "case \"$*\" in *'-fa on'*) echo 'E gguf_init_from_file: failed to open GGUF file (Permission denied)' >&2; exit 1;; esac", 1, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newTestSupervisor(t)
			foresees(s, "off")
			b, loads := counted(t, test.fault)
			p := flashOn(t)
			err := s.Load(t.Context(), p, plan.Given{}, b)
			if n := loads(); n != test.loads {
				t.Errorf("%d loads, want %d", n, test.loads)
			}
			fell := s.State().FellBack
			if (err == nil) != (test.loads == 2) || (fell != nil) != (test.loads == 2) || fell != nil && fell.Lasting() != test.lasting {
				t.Errorf("fell back %+v, %v", fell, err)
			}
		})
	}
}

func TestALoadThatIsGivenUpDoesNotFallBack(t *testing.T) {
	s := newTestSupervisor(t)
	foresees(s, "off")
	b, loads := counted(t, "exec sleep 60")
	p := flashOn(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Load(ctx, p, plan.Given{}, b) }()
	eventually(t, "loading", func() bool { return s.State().Phase == Loading })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || s.State().Phase != NotLoaded {
		t.Errorf("%v, state %s", err, s.State().Phase)
	}
	if n := loads(); n > 1 {
		t.Errorf("%d loads", n)
	}
}

func TestTheWaysOutOfAFailureAreWithoutThePartItSpeaksOf(t *testing.T) {
	seeing := plan.Plan{
		ModelPath: "/m/a.gguf", Purpose: plan.Chat, ContextTokens: 512, Devices: "Vulkan0", GPULayers: "all", CacheK: "f16", CacheV: "f16",
		FlashAttn: "auto", Slots: 1, SpecTypes: plan.SpecMTP, DraftMax: 2, ProjectorPath: "/m/eyes.gguf",
	}
	given := plan.Given{
		Model:  gguf.Facts{Path: "/m/a.gguf", Kind: gguf.Model, NextNLayers: 1},
		Beside: []gguf.Facts{{Path: "/m/eyes.gguf", Kind: gguf.Projector}, {Path: "/m/draft.gguf", Kind: gguf.Model}},
		Build:  plan.NewestKnownBuild,
	}
	onCPU := seeing
	onCPU.Devices, onCPU.GPULayers = plan.CPU, "0"
	named := seeing
	named.ModelPath = "/m/Qwen3-MTP-Q4.gguf"
	plain := seeing
	plain.SpecTypes, plain.ProjectorPath = plan.NoSpec, plan.NoProjector
	drafting := plain
	drafting.SpecTypes, drafting.DraftPath = plan.SpecDraft, "/m/draft.gguf"
	asked := &client.Error{Kind: client.EngineFailed, Status: 500, Message: "failed to process speculative batch"}
	tests := []struct {
		name string
		plan plan.Plan
		err  error
		want []string
	}{
		{"nothing is said", seeing, &server.Failure{Kind: server.Crashed}, []string{"retry.withoutMTP", "retry.visionOnCPU"}},
		{"the context of MTP", seeing, &server.Failure{Kind: server.LoadFailed, Reason: "failed to create MTP context"}, []string{"retry.withoutMTP"}},
		{"a picture under MTP", seeing, &server.Failure{Kind: server.PictureFailed, Err: fmt.Errorf("about a picture: %w", asked)}, []string{"retry.withoutMTP"}},
		{"the proof of a picture", seeing, &server.Failure{Kind: server.PictureFailed, Err: errors.New("about a picture: no text")}, []string{"retry.visionOnCPU"}},
		{"an end during a picture", seeing, &server.Failure{Kind: server.PictureFailed, Reason: "GGML_ASSERT(n_embd)", Err: errors.New("about a picture: EOF")}, []string{"retry.visionOnCPU"}},
		{"a file that is called after MTP", named, &server.Failure{Kind: server.LoadFailed, Reason: "failed to load /m/Qwen3-MTP-Q4.gguf"}, []string{"retry.withoutMTP", "retry.visionOnCPU"}},
		{"its name alone", named, &server.Failure{Kind: server.LoadFailed, Reason: "failed to load 'Qwen3-MTP-Q4.gguf'"}, []string{"retry.withoutMTP", "retry.visionOnCPU"}},
		{"a word that begins like one", seeing, &server.Failure{Kind: server.LoadFailed, Reason: "a value was clipped"}, []string{"retry.withoutMTP", "retry.visionOnCPU"}},
		{"the projector, on the processor", onCPU, &server.Failure{Kind: server.LoadFailed, Reason: "clip_init: failed to load model"}, []string{"retry.withoutVision"}},
		{"a draft", drafting, &server.Failure{Kind: server.Crashed}, []string{"retry.withoutDraft"}},
		{"neither part", plain, &server.Failure{Kind: server.Crashed}, nil},
		{"no matter of settings", seeing, &server.Failure{Kind: server.ModelMissing}, nil},
		{"a socket that was deleted", seeing, &server.Failure{Kind: server.SocketGone}, nil},
		{"no failure of the engine", seeing, errors.New("odd"), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, o := range RetryOptions(test.plan, given, test.err) {
				got = append(got, o.Label)
				if o.Plan == test.plan || o.Label == "retry.withoutMTP" && (o.Plan.SpecTypes != plan.NoSpec || o.Plan.DraftMax != 0) {
					t.Errorf("%s loads %+v", o.Label, o.Plan)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// guide is the Guide, which has layers for MTP, and a plan that uses them.
func guide(t *testing.T) (plan.Plan, plan.Given) {
	t.Helper()
	path, err := filepath.Abs("../assets/starter/guide.gguf")
	if err != nil {
		t.Fatal(err)
	}
	facts, err := gguf.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	p := chatPlan(path)
	p.SpecTypes, p.DraftMax = plan.SpecMTP, 3
	return p, plan.Given{Model: facts}
}

func TestARequestThatFailsUnderMTPIsRepeatedWithoutItAndSaid(t *testing.T) {
	s := newTestSupervisor(t)
	p, g := guide(t)
	b := builtFrom(t, buildtest.FailsGuessing(t))
	if err := s.Load(t.Context(), p, g, b); err != nil {
		t.Fatal(err)
	}
	phases := record(t, s)
	ask := question("hi")
	ask.MaxTokens = 16
	var streamed strings.Builder
	answer, err := s.Chat(t.Context(), ask, func(d client.Delta) { streamed.WriteString(d.Text) })
	if err != nil || answer.Text == "" || !answer.Repeated || streamed.String() != answer.Text {
		t.Fatalf("answer %+v, streamed %q, %v", answer, streamed.String(), err)
	}
	state := s.State()
	var refused *client.Error
	if state.Phase != Ready || state.Plan.SpecTypes != plan.NoSpec || !state.WithoutSpeculation() || state.FellBack.From != p || !errors.As(state.FellBack.Err, &refused) {
		t.Errorf("state %s, %s, fell back %+v", state.Phase, state.Plan.SpecTypes, state.FellBack)
	}
	if state.FellBack.Lasting() {
		t.Error("it would be remembered for a rule there is none of")
	}
	if slices.Contains(phases(), Failed) {
		t.Errorf("phases %v", phases())
	}
	// Nothing has to be repeated any more.
	pid := pidOf(s)
	if next, err := s.Chat(t.Context(), ask, nil); err != nil || next.Repeated || pidOf(s) != pid {
		t.Errorf("the next answer: %+v, %v, another process: %t", next, err, pidOf(s) != pid)
	}
}

func TestRequestsThatFailTogetherUnderMTPCauseOneLoad(t *testing.T) {
	s := newTestSupervisor(t)
	p, g := guide(t)
	if err := s.Load(t.Context(), p, g, builtFrom(t, buildtest.FailsGuessing(t))); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	failed := s.instance
	s.mu.Unlock()
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			if err := s.stopGuessing(failed, errors.New("odd")); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if state := s.State(); state.Phase != Ready || !state.WithoutSpeculation() || s.wishes != 2 {
		t.Errorf("state %s, fell back %+v, %d loads", state.Phase, state.FellBack, s.wishes)
	}
	s.Unload()
	if err := s.stopGuessing(failed, errors.New("odd")); !errors.Is(err, ErrNotReady) || s.State().Phase != NotLoaded {
		t.Errorf("after unloading: %v, state %s", err, s.State().Phase)
	}
}

func TestWhoStopsAnAnswerThatIsBeingRepeatedKeepsTheModel(t *testing.T) {
	s := newTestSupervisor(t)
	p, g := guide(t)
	if err := s.Load(t.Context(), p, g, builtFrom(t, buildtest.FailsGuessing(t))); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stop := s.Watch(func(state State) {
		if state.Phase == Checking || state.Phase == Loading {
			cancel()
		}
	})
	defer stop()
	if answer, err := s.Chat(ctx, long(), nil); err != nil || answer.Stop != client.StopCancelled {
		t.Errorf("answer %+v, %v", answer, err)
	}
	eventually(t, "ready", func() bool { return s.State().Phase == Ready && s.State().WithoutSpeculation() })
}

func TestARequestThatIsAtFaultItselfIsNotRepeated(t *testing.T) {
	for name, err := range map[string]error{
		"a chat template that fails": &client.Error{Kind: client.EngineFailed, Status: 500, Message: "Value is not callable at row 1"},
		"a context that is full":     &client.Error{Kind: client.ContextExceeded, Status: 400, Message: "speculative"},
		"an engine that has ended":   &server.Failure{Kind: server.Crashed},
		"nothing":                    nil,
	} {
		if failedGuessing(client.Answer{}, err) {
			t.Errorf("%s is repeated", name)
		}
	}
	refused := &client.Error{Kind: client.EngineFailed, Status: 500, Message: "decode() failed: failed to process speculative batch"}
	if failedGuessing(client.Answer{Text: "Hel"}, refused) {
		t.Error("an answer that has begun is repeated")
	}
	if !failedGuessing(client.Answer{}, refused) {
		t.Error("what can't be computed is not repeated")
	}
}
