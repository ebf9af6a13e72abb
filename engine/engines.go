package engine

import (
	"context"
	"errors"
	"sync"

	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/plan"
)

// Engines are a supervisor for each purpose a process can have: one that chats,
// and beside it one that makes vectors or reranks. Neither replaces the other.
type Engines struct {
	Chat    *Supervisor
	Vectors *Supervisor
}

// NewEngines are supervisors without models. They share the folders: sockets and
// logs have names of their own.
func NewEngines(o Options) Engines { return Engines{Chat: New(o), Vectors: New(o)} }

// For is the supervisor for a plan's purpose.
func (e Engines) For(purpose string) *Supervisor {
	if IsVectors(purpose) {
		return e.Vectors
	}
	return e.Chat
}

// IsVectors says whether a purpose is that of Engines.Vectors.
func IsVectors(purpose string) bool { return purpose == plan.Embeddings || purpose == plan.Rerank }

// Load is Supervisor.Load on the supervisor of the plan's purpose. A purpose that
// is left open is chosen by the model's facts.
func (e Engines) Load(ctx context.Context, p plan.Plan, g plan.Given, b build.Build) error {
	complete, _ := plan.Complete(p, g)
	return e.For(complete.Purpose).Load(ctx, p, g, b)
}

// Unload ends both engines, see Supervisor.Unload.
func (e Engines) Unload() {
	both(e, func(s *Supervisor) error { s.Unload(); return nil })
}

// Close ends both for good, side by side, see Supervisor.Close.
func (e Engines) Close(ctx context.Context) error {
	return both(e, func(s *Supervisor) error { return s.Close(ctx) })
}

func both(e Engines, do func(*Supervisor) error) error {
	var errs [2]error
	var wait sync.WaitGroup
	for i, s := range []*Supervisor{e.Chat, e.Vectors} {
		wait.Go(func() { errs[i] = do(s) })
	}
	wait.Wait()
	return errors.Join(errs[:]...)
}

// Unseen is what an engine in this state takes, or is about to, that the machine's
// numbers do not show: of one that starts its whole estimate, of one that runs the
// weights in RAM, which are pages of the file that the system counts as free.
// It is a budget.Situation's Others for another engine.
func (s State) Unseen() []budget.Memory {
	switch s.Phase {
	case Checking, Loading, Proving:
		if s.unseen != nil {
			return s.unseen()
		}
		return estimated(s.Plan, s.Given)
	case Ready:
		for _, pool := range s.Actual.Pools {
			if weights := pool.Slices[budget.Weights]; pool.ID == budget.RAM && weights > 0 {
				return []budget.Memory{{Source: s.Actual.Source, Pools: []budget.PoolNeed{
					{ID: budget.RAM, NeededBytes: weights, Slices: budget.Slices{budget.Weights: weights}},
				}}}
			}
		}
	}
	return nil
}

// estimated is what a plan is about to take.
func estimated(p plan.Plan, g plan.Given) []budget.Memory {
	p, _ = plan.Complete(p, g)
	return []budget.Memory{budget.Estimate(budget.Request{Plan: p, Given: g})}
}

// estimateOnce is estimated for all copies of a state.
func estimateOnce(p plan.Plan, g plan.Given) func() []budget.Memory {
	return sync.OnceValue(func() []budget.Memory { return estimated(p, g) })
}
