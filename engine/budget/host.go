package budget

import "paddock/engine/plan"

// host counts what the engine keeps in RAM beside the model: earlier prompts up
// to their limit, and checkpoints of contexts that cannot be rewound.
func (e *estimate) host() {
	e.add(e.ram(), Host, e.Plan.PromptCacheBytes())
	e.add(e.ram(), Host, uint64(e.slots()*plan.ContextCheckpoints)*e.checkpointBytes())
	for at := range e.slices {
		e.add(at, Overhead, e.Overhead.bytes(e.poolID(at)))
	}
}

// checkpointBytes is one checkpoint of one slot: the states of recurrent layers,
// and what layers with a sliding window hold.
func (e *estimate) checkpointBytes() uint64 {
	var bytes uint64
	_, streams := cells(e.Plan)
	for i, block := range e.Model.Network.Blocks {
		if i >= len(e.Model.Network.Blocks)-e.Model.Network.NextN {
			break
		}
		if block.Recurrent {
			bytes += stateBytes(e.Model)
		}
		if block.Windowed && block.Attention {
			keys, values := e.layerBytes(e.Model, block, e.Plan.CacheK, e.Plan.CacheV)
			bytes += (keys + values) / uint64(streams)
		}
	}
	return bytes
}

// Overheads are what the engine takes of each pool beyond its buffers, in bytes
// by device id or RAM: the driver's context, code, tables. They are learned from
// engines that ran; Actual tells them.
type Overheads map[string]uint64

// The usual overheads, by backend. Drivers differ between 150 and 1500 MiB.
var usualOverheads = map[string]uint64{
	"CUDA": 400 * mib, "ROCm": 500 * mib, "Vulkan": 200 * mib, "SYCL": 300 * mib, "Metal": 100 * mib, RAM: 150 * mib,
}

func (o Overheads) bytes(id string) uint64 {
	if learned, known := o[id]; known {
		return learned
	}
	return usualOverheads[backend(id)]
}
