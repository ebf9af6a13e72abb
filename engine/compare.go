package engine

import (
	"context"
	"errors"
	"slices"

	"paddock/engine/client"
	"paddock/engine/plan"
)

// comparedTokens are the tokens guessed at a time that Compare tries; 0 is none.
var comparedTokens = []int{0, 1, 2, 3}

// comparedQuestion and comparedAnswerTokens are what Compare asks, and how long the
// answers are: enough for a speed, seconds on a slow machine.
const (
	comparedQuestion     = "Explain in a few sentences how a bicycle stays upright."
	comparedAnswerTokens = 96
)

// A Row is one way of guessing ahead that Compare tried.
type Row struct {
	Plan            plan.Plan // to load to keep it
	DraftMax        int       // tokens guessed at a time; 0: none, the engine does not guess
	TokensPerSecond float64   // of the faster of two answers
	DraftedTokens   int
	AcceptedTokens  int
	Text            string // the answer, of the likeliest tokens
	Err             error  // why there is no answer; the rest is empty then
}

// Accepted is the share of drafted tokens that were right, from 0 to 1; 0 when none
// were drafted.
func (r Row) Accepted() float64 {
	if r.DraftedTokens == 0 {
		return 0
	}
	return float64(r.AcceptedTokens) / float64(r.DraftedTokens)
}

// A Comparison is what Compare found.
type Comparison struct {
	Rows    []Row
	Fastest int // in Rows; -1 when none answered
	// Same says whether all answered the same. Guessing ahead does not change an
	// answer, but for rounding where the tokens are computed in other batches.
	Same bool
}

// ErrNothingToCompare is the error of a comparison with a model that has no layers
// and no file beside it to guess ahead with.
var ErrNothingToCompare = errors.New("nothing guesses ahead for this model")

// ErrAnswering is the error of a comparison while an answer is written, which its
// loads would end.
var ErrAnswering = errors.New("an answer is being written")

// Compare tries the loaded model without guessing ahead and with 1, 2 and 3 tokens
// guessed at a time, and leaves it loaded in the fastest way. b11669 takes no such
// setting with a request, so each is a load. each, when it is not nil, is told
// every row as it comes. An error of one way is its row's. The error is
// ErrNothingToCompare; ErrAnswering; ErrNotReady without a model, and when somebody loads or
// unloads one meanwhile; or that of ctx, after which what was loaded before is
// loaded again.
func (s *Supervisor) Compare(ctx context.Context, each func(Row)) (Comparison, error) {
	c := comparing{supervisor: s}
	s.mu.Lock()
	c.before, c.wish = s.state, s.wishes
	answering := s.answers > 0
	s.mu.Unlock()
	if answering {
		return Comparison{}, ErrAnswering
	}
	if c.before.Phase != Ready || c.before.Plan.Purpose != plan.Chat {
		return Comparison{}, ErrNotReady
	}
	guessing, ok := guesses(c.before.Plan, c.before.Given)
	if !ok {
		return Comparison{}, ErrNothingToCompare
	}
	found := Comparison{Fastest: -1, Same: true}
	for _, tokens := range comparedTokens {
		tried := c.before.Plan.WithoutSpec()
		if tokens > 0 {
			tried = guessing
			tried.DraftMax = tokens
		}
		row := Row{Plan: tried, DraftMax: tokens}
		row.measure(ctx, &c)
		if ctx.Err() != nil {
			return found, errors.Join(ctx.Err(), c.become(context.WithoutCancel(ctx), c.before.Plan))
		}
		if c.interrupted() {
			if errors.Is(row.Err, ErrClosed) {
				return found, ErrClosed
			}
			return found, ErrNotReady
		}
		found.add(row)
		if each != nil {
			each(row)
		}
	}
	best := c.before.Plan
	if found.Fastest >= 0 {
		best = found.Rows[found.Fastest].Plan
	}
	return found, c.become(ctx, best)
}

// comparing is what a comparison goes through.
type comparing struct {
	supervisor *Supervisor
	before     State
	wish       int // the number of the last wish of its own
}

// become loads a plan for the same model, unless it is loaded, or somebody else has
// wanted something: then it is ErrNotReady.
func (c *comparing) become(ctx context.Context, p plan.Plan) error {
	if now := c.supervisor.State(); now.Phase == Ready && now.Plan == p {
		return nil
	}
	o := order{plan: p, given: c.before.Given, build: c.before.Build, compared: true, after: c.wish}
	if p == c.before.Plan {
		o.fellBack = c.before.FellBack // it is as true as before
	}
	err := c.supervisor.load(ctx, o)
	if !errors.Is(err, ErrNotReady) && !errors.Is(err, ErrClosed) {
		c.wish++
	}
	return err
}

// interrupted says whether somebody else has wanted something of the engine. An
// engine that has ended by itself is not ready either, and only its row's loss.
func (c *comparing) interrupted() bool {
	c.supervisor.mu.Lock()
	defer c.supervisor.mu.Unlock()
	return c.supervisor.closed || c.supervisor.wishes != c.wish
}

func (c *Comparison) add(r Row) {
	c.Rows = append(c.Rows, r)
	if r.Err != nil {
		return
	}
	if c.Fastest < 0 || r.TokensPerSecond > c.Rows[c.Fastest].TokensPerSecond {
		c.Fastest = len(c.Rows) - 1
	}
	first := slices.IndexFunc(c.Rows, func(r Row) bool { return r.Err == nil })
	c.Same = c.Same && r.Text == c.Rows[first].Text
}

// measure loads a row's plan and has it answer: first without counting, for the
// first tokens after a load run on cold memory.
func (r *Row) measure(ctx context.Context, c *comparing) {
	if r.Err = c.become(ctx, r.Plan); r.Err != nil {
		return
	}
	for range 2 {
		answer, err := c.supervisor.ask(ctx, client.Request{
			Messages:  []client.Message{{Role: "user", Text: comparedQuestion}},
			MaxTokens: comparedAnswerTokens, Temperature: new(float64), IgnoreEnd: true,
		}, nil)
		if err != nil {
			r.Err = err
			return
		}
		if answer.TokensPerSecond > r.TokensPerSecond {
			r.TokensPerSecond = answer.TokensPerSecond
			r.DraftedTokens, r.AcceptedTokens = answer.DraftedTokens, answer.AcceptedTokens
			r.Text = answer.Reasoning + answer.Text
		}
	}
}

// guesses is a plan that guesses ahead with weights: this one, or the same with the
// first way there is for the model.
func guesses(p plan.Plan, g plan.Given) (plan.Plan, bool) {
	if p.Drafts() {
		return p, true
	}
	for _, method := range []string{plan.SpecMTP, plan.SpecEAGLE3, plan.SpecDFlash, plan.SpecDraft} {
		tried := p.WithoutSpec()
		plan.SetSpec(&tried, method)
		tried, _ = plan.Complete(tried, g)
		own := method == plan.SpecMTP && g.Model.NextNLayers > 0
		if (own || tried.DraftPath != "") && plan.Check(tried, g).Valid() {
			return tried, true
		}
	}
	return p, false
}
