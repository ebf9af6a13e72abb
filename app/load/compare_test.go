package load

import (
	"context"
	"strings"
	"testing"

	"paddock/engine"
	"paddock/engine/plan"
	"paddock/words"
)

// comparing is a machine with the model loaded, on which off is as fast as given and
// more tokens ahead are slower by ten each.
func comparing(off float64) *machine {
	m := newRichMachine()
	m.runningFor = map[string]Running{plan.Chat: {Plan: plan.Plan{ModelPath: someModel().Facts.Path}}}
	m.compare = func(ctx context.Context, each func(engine.Row)) (engine.Comparison, error) {
		found := engine.Comparison{Same: true}
		for n := range 3 {
			if ctx.Err() != nil {
				return found, ctx.Err()
			}
			r := engine.Row{Plan: plan.Plan{SpecTypes: plan.SpecMTP, DraftMax: n}, DraftMax: n, TokensPerSecond: 50 - float64(10*n), DraftedTokens: 10 * n, AcceptedTokens: 5 * n}
			if n == 0 {
				r.Plan.SpecTypes, r.TokensPerSecond = plan.NoSpec, off
			}
			found.Rows = append(found.Rows, r)
			if r.TokensPerSecond > found.Rows[found.Fastest].TokensPerSecond {
				found.Fastest = n
			}
			each(r)
		}
		return found, nil
	}
	return m
}

func TestTheFastestWayOfGuessingIsKept(t *testing.T) {
	for name, test := range map[string]struct {
		off   float64
		types string
		says  string
	}{
		"guessing is":     {20, plan.SpecMTP, "1 ahead"},
		"not guessing is": {90, plan.NoSpec, "off"},
	} {
		t.Run(name, func(t *testing.T) {
			p, l := opened(t, comparing(test.off), withMTP)
			if c := p.State().Compare; !c.Shown || c.Off || c.Running {
				t.Fatalf("%+v", c)
			}
			p.SetSpec(SpecMTP)
			p.Compare()
			if c := p.State().Compare; !c.Running || c.About == "" {
				t.Errorf("%+v", c)
			}
			l.Until(t, "it is compared", func() bool { return !p.State().Compare.Running })
			s := p.State()
			if s.Plan.SpecTypes != test.types {
				t.Errorf("kept %q with %d ahead", s.Plan.SpecTypes, s.Plan.DraftMax)
			}
			if got := texts(s.SpecNotes); !strings.Contains(got, "Fastest here: "+test.says) {
				t.Errorf("it says %q", got)
			}
			if got := s.Compare.About; strings.Count(got, "tok/s") != 3 || !strings.Contains(got, "1 ahead 40 tok/s (50 % right)") {
				t.Errorf("it says %q", got)
			}
		})
	}
}

func TestComparingNeedsTheModelLoadedAndAWayToGuess(t *testing.T) {
	m := comparing(20)
	m.runningFor = nil
	p, _ := opened(t, m, withMTP)
	if c := p.State().Compare; !c.Shown || !c.Off || c.About == "" {
		t.Errorf("without the model: %+v", c)
	}
	p.Compare()
	if p.State().Compare.Running {
		t.Error("it compares without the model")
	}
	m = comparing(20)
	m.beside = nil
	if p, _ := opened(t, m); p.State().Compare.Shown {
		t.Error("it is offered where nothing guesses")
	}
}

func TestAComparisonThatFailsOrIsStoppedKeepsTheChoice(t *testing.T) {
	m := comparing(20)
	m.compare = func(context.Context, func(engine.Row)) (engine.Comparison, error) {
		return engine.Comparison{}, engine.ErrAnswering
	}
	p, l := opened(t, m, withMTP)
	p.Compare()
	l.Until(t, "it has failed", func() bool { return !p.State().Compare.Running })
	if got := texts(p.State().SpecNotes); !strings.Contains(got, words.Error(engine.ErrAnswering).Text()) {
		t.Errorf("it says %q", got)
	}
	m = comparing(20)
	m.compare = func(ctx context.Context, _ func(engine.Row)) (engine.Comparison, error) {
		<-ctx.Done()
		return engine.Comparison{}, ctx.Err()
	}
	p, l = opened(t, m, withMTP)
	before := p.State().Plan
	p.Compare()
	p.Compare() // stops it
	l.Until(t, "it has stopped", func() bool { return !p.State().Compare.Running })
	if s := p.State(); s.Plan != before || strings.Contains(texts(s.SpecNotes), "Fastest") {
		t.Errorf("it became %+v", s.Plan)
	}
}
