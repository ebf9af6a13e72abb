//go:build linux

package engine

import (
	"context"
	"sync"
	"testing"
	"time"

	"paddock/engine/budget"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

func newTestEngines(t *testing.T) Engines {
	t.Helper()
	e := NewEngines(Options{RuntimeDir: t.TempDir(), LogDir: t.TempDir()})
	t.Cleanup(func() {
		closeBoth(t, e, context.Background())
		wantNothingLeft(t, e.Chat)
	})
	return e
}

// closeBoth ends both side by side, as the window does.
func closeBoth(t *testing.T, e Engines, ctx context.Context) {
	t.Helper()
	var ends sync.WaitGroup
	for _, s := range []*Supervisor{e.Chat, e.Vectors} {
		ends.Go(func() {
			if err := s.Close(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	ends.Wait()
}

// vectorPlan leaves nothing open.
func vectorPlan(t *testing.T, path, purpose string) (plan.Plan, plan.Given) {
	t.Helper()
	facts, err := gguf.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	g := plan.Given{Model: facts}
	p, _ := plan.Complete(plan.Plan{Devices: plan.CPU}, g)
	if p.Purpose != purpose {
		t.Fatalf("%s is for %s", path, p.Purpose)
	}
	return p, g
}

func TestChatWithMTPAndEmbeddingsRunSideBySide(t *testing.T) {
	e := newTestEngines(t)
	p, g := guide(t)
	if err := e.Chat.Load(t.Context(), p, g, realEngine(t)); err != nil {
		t.Fatal(err)
	}
	q, h := vectorPlan(t, gguftest.BERT(t), plan.Embeddings)
	if err := e.Vectors.Load(t.Context(), q, h, realEngine(t)); err != nil {
		t.Fatal(err)
	}
	chat, vectors := e.Chat.State(), e.Vectors.State()
	if chat.Phase != Ready || chat.Plan != p || vectors.Phase != Ready || vectors.Plan != q {
		t.Fatalf("chat %s, vectors %s", chat.Phase, vectors.Phase)
	}
	ask := question("hi")
	ask.MaxTokens = 24
	answer, err := e.Chat.Chat(t.Context(), ask, nil)
	if err != nil || answer.Text == "" || answer.DraftedTokens == 0 {
		t.Errorf("answer %+v, %v", answer, err)
	}
	chatPID, vectorsPID := pidOf(e.Chat), pidOf(e.Vectors)
	if chatPID == vectorsPID {
		t.Error("one process does both")
	}

	e.Vectors.Unload()
	if gone(chatPID) || !gone(vectorsPID) || e.Chat.State().Phase != Ready {
		t.Error("unloading the one did not leave the other")
	}
	r, i := vectorPlan(t, gguftest.Reranker(t), plan.Rerank)
	if err := e.Vectors.Load(t.Context(), r, i, realEngine(t)); err != nil {
		t.Fatal(err)
	}
	if pidOf(e.Chat) != chatPID || e.Vectors.State().Plan.Purpose != plan.Rerank {
		t.Error("the reranker replaced the chat")
	}

	started := time.Now()
	closeBoth(t, e, t.Context())
	if took := time.Since(started); took > 3*time.Second || !gone(chatPID) {
		t.Errorf("closing took %v, chat gone: %t", took, gone(chatPID))
	}
	wantNothingLeft(t, e.Vectors)
}

func TestAFailureOfOneEngineLeavesTheOther(t *testing.T) {
	e := newTestEngines(t)
	load(t, e.Chat, chatPlan(gguftest.Llama(t)))
	q, h := vectorPlan(t, gguftest.BERT(t), plan.Embeddings)
	broken, loads := counted(t, aborts("--embeddings"))
	if err := e.Vectors.Load(t.Context(), q, h, broken); err == nil || loads() != 1 {
		t.Errorf("the load: %v", err)
	}
	if e.Vectors.State().Phase != Failed || e.Chat.State().Phase != Ready {
		t.Errorf("vectors %s, chat %s", e.Vectors.State().Phase, e.Chat.State().Phase)
	}
}

func TestWhatTheMachineDoesNotShowOfAnEngineIsCountedForTheOther(t *testing.T) {
	q, h := vectorPlan(t, gguftest.BERT(t), plan.Embeddings)
	whole := budget.Estimate(budget.Request{Plan: q, Given: h})
	loaded := budget.Memory{Source: budget.Actual, Pools: []budget.PoolNeed{
		{ID: "Vulkan0", NeededBytes: 9, Slices: budget.Slices{budget.Weights: 9}},
		{ID: budget.RAM, NeededBytes: 7, Slices: budget.Slices{budget.Weights: 5, budget.KV: 2}},
	}}
	tests := []struct {
		name  string
		state State
		bytes uint64
	}{
		{"none", State{Phase: NotLoaded}, 0},
		{"one that starts", State{Phase: Loading, Plan: q, Given: h}, whole.Pools[0].NeededBytes},
		{"one that starts, its plan still open", State{Phase: Checking, Plan: plan.Plan{Devices: plan.CPU}, Given: h}, whole.Pools[0].NeededBytes},
		{"one that runs", State{Phase: Ready, Plan: q, Given: h, Actual: loaded}, 5},
		{"one that failed", State{Phase: Failed, Plan: q, Given: h}, 0},
	}
	for _, test := range tests {
		var got uint64
		for _, m := range test.state.Unseen() {
			for _, pool := range m.Pools {
				got += pool.NeededBytes
			}
		}
		if got != test.bytes {
			t.Errorf("%s: %d bytes, want %d", test.name, got, test.bytes)
		}
	}
}
