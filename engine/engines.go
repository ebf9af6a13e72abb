package engine

import (
	"sync"

	"paddock/engine/budget"
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

// IsVectors says whether a purpose is that of Engines.Vectors.
func IsVectors(purpose string) bool { return purpose == plan.Embeddings || purpose == plan.Rerank }

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
