package budget

import (
	"paddock/engine/gguf"
	"paddock/engine/plan"
)

// Estimated is the source of numbers that follow from the files' headers alone.
const Estimated = "estimate"

// A Request is a plan with what it is made for.
type Request struct {
	Plan plan.Plan // complete
	plan.Given
	Overhead Overheads // learned; nil for the usual
}

// Estimate is what a complete plan needs in each pool, from headers alone, in
// well under 5 ms. Weights, KV cache and recurrent state are what the engine
// allocates, to the byte but for alignment. Compute buffers come out of a
// simulation of the engine's allocator: within a few MiB for the architectures
// package graph knows, within about a quarter for others. What a projector
// computes with is a rule of thumb (see projector.go).
func Estimate(r Request) Memory {
	e := newEstimate(r)
	e.weights(r.Model, e.target, Weights)
	e.caches(e.target)
	e.compute(e.target)
	e.speculation()
	e.encoder()
	e.host()
	return e.memory()
}

// An estimate is one being made.
type estimate struct {
	Request
	draft     *gguf.Facts // of the plan, nil without one
	projector *gguf.Facts // of the plan, nil without one
	devices   []device    // those the plan uses; RAM comes after them
	slices    []Slices    // of each device and, last, RAM
	largest   []uint64    // tensor of a cache in each of these
	target    run
}

// A run is one context of a model: the chat model's own, or a draft's.
type run struct {
	facts   gguf.Facts
	place   placement
	outputs int
	mtp     bool // the layers for multi-token prediction, not the others
	states  int  // recurrent states of each slot
	flash   bool
	cacheK  string // types of its cache
	cacheV  string
	slice   string // where its cache and compute count, empty for the usual slices
}

func newEstimate(r Request) *estimate {
	e := &estimate{Request: r, devices: devicesOf(r), draft: r.Given.Draft(r.Plan), projector: r.Given.Projector(r.Plan)}
	for range len(e.devices) + 1 {
		e.slices = append(e.slices, noSlices())
		e.largest = append(e.largest, 0)
	}
	e.target = run{
		facts: r.Model, place: e.place(r.Model, r.Plan.GPULayers), outputs: e.outputs(), states: 1,
		flash: r.Plan.FlashAttn != "off", cacheK: r.Plan.CacheK, cacheV: r.Plan.CacheV,
	}
	if e.mtp() {
		e.target.states += r.Plan.DraftTokens()
	}
	return e
}

// mtp says whether the model guesses with layers for multi-token prediction, its
// own or those of a file beside it.
func (e *estimate) mtp() bool { return e.Plan.Speculates("draft-mtp") }

// ram is the index of RAM among the pools.
func (e *estimate) ram() int { return len(e.devices) }

// poolID is the id of a pool by its index.
func (e *estimate) poolID(at int) string {
	if at < e.ram() {
		return e.devices[at].id
	}
	return RAM
}

func (e *estimate) add(pool int, slice string, bytes uint64) { e.slices[pool][slice] += bytes }

// memory is the result: devices in the plan's order, then RAM.
func (e *estimate) memory() Memory {
	m := Memory{Source: Estimated, Pools: []PoolNeed{}}
	for i, slices := range e.slices {
		m.Pools = append(m.Pools, PoolNeed{ID: e.poolID(i), NeededBytes: slices.Total(), Slices: slices, LargestBytes: e.largest[i]})
	}
	return m
}

// outputs is how many tokens of a batch the engine wants logits of: one a slot,
// and one for every guess it may have to check.
func (e *estimate) outputs() int {
	guesses := 0
	for _, method := range e.Plan.SpecMethods() {
		guesses = max(guesses, e.guesses(method))
	}
	logical, _ := e.Plan.Batch()
	return min(e.slots()*(1+guesses), logical)
}

// guesses is the engine's default for a method, or what the plan says of drafts.
func (e *estimate) guesses(method string) int {
	switch method {
	case "ngram-simple", "ngram-map-k", "ngram-map-k4v":
		return 48
	case "ngram-mod":
		return 64
	}
	return e.Plan.DraftTokens()
}

func (e *estimate) slots() int { return max(e.Plan.Slots, 1) }
