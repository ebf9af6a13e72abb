// Package budget says how much memory a plan needs in each pool, and whether
// that is there.
package budget

// RAM is the id of the pool of system memory. Other pools have the id of the
// engine's device until Judge places them in the machine.
const RAM = "ram"

// Measured is the source of numbers that the engine's own tool gave, without
// reading weights.
const Measured = "measured"

// Memory is what a plan needs.
type Memory struct {
	Source string     `json:"source"`
	Pools  []PoolNeed `json:"pools"`
}

// A PoolNeed is what a plan needs in one pool.
type PoolNeed struct {
	ID          string `json:"id"`
	NeededBytes uint64 `json:"neededBytes"`
	Slices      Slices `json:"slices"`
	// LargestBytes is the largest tensor that has to be there, a layer's keys or
	// values: drivers have limits. 0 when nobody worked it out.
	LargestBytes uint64 `json:"-"`
}

// Slices are what memory is needed for, in bytes by name.
type Slices map[string]uint64

// The names of the slices.
const (
	Weights   = "weights"
	KV        = "kv" // when measured, recurrent state is in it too
	Recurrent = "recurrent"
	Compute   = "compute"
	Projector = "projector"
	Draft     = "draft"
	Host      = "host" // what the engine may keep of earlier prompts
	Overhead  = "overhead"
)

// noSlices has every slice, so that programs reading it as JSON find them.
func noSlices() Slices {
	return Slices{Weights: 0, KV: 0, Recurrent: 0, Compute: 0, Projector: 0, Draft: 0, Host: 0, Overhead: 0}
}

// Total is the sum of the slices.
func (s Slices) Total() uint64 {
	var total uint64
	for _, bytes := range s {
		total += bytes
	}
	return total
}
