//go:build linux

package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"paddock/engine/build/buildtest"
	"paddock/engine/client"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
	"paddock/engine/server"
)

func TestComparingGuessesKeepsTheFastestAndChangesNoAnswer(t *testing.T) {
	s := newTestSupervisor(t)
	p, g := guide(t)
	if err := s.Load(t.Context(), p, g, realEngine(t)); err != nil {
		t.Fatal(err)
	}
	var told []int
	c, err := s.Compare(t.Context(), func(r Row) { told = append(told, r.DraftMax) })
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Rows) != 4 || !slices.Equal(told, []int{0, 1, 2, 3}) || !c.Same {
		t.Fatalf("%d rows, told %v, the same answers: %t", len(c.Rows), told, c.Same)
	}
	for _, r := range c.Rows {
		t.Logf("%d tokens: %.0f tok/s, %d of %d accepted", r.DraftMax, r.TokensPerSecond, r.AcceptedTokens, r.DraftedTokens)
		drafts := r.DraftMax > 0
		if r.Err != nil || r.TokensPerSecond <= 0 || r.Text == "" || (r.DraftedTokens > 0) != drafts || r.Plan.Drafts() != drafts || r.Plan.DraftMax != r.DraftMax {
			t.Errorf("row %+v", r)
		}
		if share := r.Accepted(); share < 0 || share > 1 || drafts && share == 0 {
			t.Errorf("%d tokens: %v accepted", r.DraftMax, share)
		}
	}
	state := s.State()
	if c.Fastest < 0 || state.Phase != Ready || state.Plan != c.Rows[c.Fastest].Plan || state.FellBack != nil {
		t.Errorf("fastest %d, state %s, %+v", c.Fastest, state.Phase, state.Plan)
	}
	for _, r := range c.Rows {
		if r.TokensPerSecond > c.Rows[c.Fastest].TokensPerSecond {
			t.Errorf("%d tokens are faster than the fastest", r.DraftMax)
		}
	}
}

func TestAModelThatDoesNotGuessYetIsComparedByTheWayThereIs(t *testing.T) {
	p, g := guide(t)
	p.SpecTypes, p.DraftMax = plan.NoSpec, 0
	guessing, ok := guesses(p, g)
	if !ok || guessing.SpecTypes != plan.SpecMTP {
		t.Errorf("%t, %+v", ok, guessing)
	}
	g.Model.NextNLayers = 0
	if _, ok := guesses(p, g); ok {
		t.Error("a model without layers for it guesses")
	}
}

func TestAWayThatFailsIsARowOfItsOwn(t *testing.T) {
	s := newTestSupervisor(t)
	p, g := guide(t)
	b := builtFrom(t, buildtest.Faulty(t, aborts("--spec-draft-n-max 2")))
	if err := s.Load(t.Context(), p, g, b); err != nil {
		t.Fatal(err)
	}
	c, err := s.Compare(t.Context(), nil)
	if err != nil || len(c.Rows) != 4 || c.Fastest < 0 || s.State().Phase != Ready {
		t.Fatalf("%+v, %v", c, err)
	}
	for _, r := range c.Rows {
		if (r.Err != nil) != (r.DraftMax == 2) {
			t.Errorf("%d tokens: %v", r.DraftMax, r.Err)
		}
	}
}

func TestAComparisonThatIsGivenUpLeavesWhatWasLoaded(t *testing.T) {
	s := newTestSupervisor(t)
	p, g := guide(t)
	if err := s.Load(t.Context(), p, g, realEngine(t)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.Compare(ctx, func(Row) { cancel() })
	if state := s.State(); !errors.Is(err, context.Canceled) || state.Phase != Ready || state.Plan != p {
		t.Errorf("%v, state %s, %+v", err, state.Phase, state.Plan)
	}
}

func TestALoadOfTheUsersEndsAComparison(t *testing.T) {
	s := newTestSupervisor(t)
	p, g := guide(t)
	if err := s.Load(t.Context(), p, g, realEngine(t)); err != nil {
		t.Fatal(err)
	}
	other := chatPlan(gguftest.Llama(t))
	_, err := s.Compare(t.Context(), func(Row) { load(t, s, other) })
	if !errors.Is(err, ErrNotReady) || s.State().Plan != other {
		t.Errorf("%v, loaded is %s", err, s.State().Plan.ModelPath)
	}
}

func TestNothingIsComparedWithoutAModelOrAWayToGuess(t *testing.T) {
	s := newTestSupervisor(t)
	if _, err := s.Compare(t.Context(), nil); !errors.Is(err, ErrNotReady) {
		t.Errorf("without a model: %v", err)
	}
	load(t, s, chatPlan(gguftest.Llama(t)))
	if _, err := s.Compare(t.Context(), nil); !errors.Is(err, ErrNothingToCompare) || s.State().Phase != Ready {
		t.Errorf("without a way to guess: %v", err)
	}
}

func TestNothingIsComparedWhileAnAnswerIsWritten(t *testing.T) {
	s := newTestSupervisor(t)
	p, g := guide(t)
	if err := s.Load(t.Context(), p, g, realEngine(t)); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	begun, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		var once sync.Once
		s.Chat(ctx, long(), func(client.Delta) {
			once.Do(func() { close(begun) })
			<-ctx.Done()
		})
	}()
	<-begun
	if _, err := s.Compare(t.Context(), nil); !errors.Is(err, ErrAnswering) {
		t.Errorf("error %v", err)
	}
	stop()
	<-ended
}

func TestAComparisonThatKeepsWhatWasLoadedKeepsWhyItWas(t *testing.T) {
	s := newTestSupervisor(t)
	p, g := guide(t)
	if err := s.Load(t.Context(), p, g, builtFrom(t, buildtest.FailsGuessing(t))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Chat(t.Context(), question("hi"), nil); err != nil {
		t.Fatal(err)
	}
	before := s.State()
	if _, err := s.Compare(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if after := s.State(); after.Plan != before.Plan || before.FellBack == nil || after.FellBack != before.FellBack {
		t.Errorf("%s, fell back %+v, before %+v", after.Plan.SpecTypes, after.FellBack, before.FellBack)
	}
}

func TestAnEngineThatEndsByItselfDoesNotInterruptAComparison(t *testing.T) {
	s := newTestSupervisor(t)
	p, g := guide(t)
	if err := s.Load(t.Context(), p, g, realEngine(t)); err != nil {
		t.Fatal(err)
	}
	c := comparing{supervisor: s, before: s.State(), wish: s.wishes}
	instance := s.instance
	s.ended(instance, &server.Failure{Kind: server.Crashed})
	if err := instance.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.interrupted() {
		t.Error("an engine that has ended is taken for a wish of the user's")
	}
	if err := c.become(t.Context(), p); err != nil || c.interrupted() {
		t.Errorf("the next row: %v", err)
	}
	s.Unload()
	if !c.interrupted() {
		t.Error("unloading does not interrupt it")
	}
}
