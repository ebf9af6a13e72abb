package budget

import "paddock/engine/budget/graph"

// mostLayers is more than the engine loads (LLAMA_MAX_LAYERS).
const mostLayers = 1024

// compute counts the buffers a context computes in.
func (e *estimate) compute(r run) {
	if n := len(r.facts.Network.Blocks); n == 0 || n > mostLayers || len(e.Model.Network.Blocks) == 0 || e.Plan.ContextTokens <= 0 {
		return
	}
	for at, bytes := range graph.Compute(r.facts, e.batch(r)) {
		e.add(at, r.in(Compute), bytes)
	}
}

func (e *estimate) batch(r run) graph.Batch {
	all, streams := cells(e.Plan)
	_, physical := e.Plan.Batch()
	tokens := min(physical, e.Plan.ContextTokens)
	tensors, buffers := e.limits()
	b := graph.Batch{
		Tokens: tokens, Outputs: min(r.outputs, tokens), Slots: e.slots(), Streams: streams,
		Cells: all, WindowCells: windowCells(e.Plan, window(r.facts)), Flash: r.flash,
		Snapshots: r.states - 1, MTP: r.mtp, Assistant: isAssistant(r.facts),
		Cache: func(layer int) (keys, values uint64) {
			return e.layerBytes(r.facts, r.facts.Network.Blocks[layer], r.cacheK, r.cacheV)
		},
		Layer:  func(layer int) int { return r.place.layers[layer] },
		Output: r.place.output, Limits: tensors, Chunks: buffers, Copies: r.place.copies,
	}
	if b.Assistant {
		b.Cache = func(layer int) (keys, values uint64) {
			return e.layerBytes(e.Model, e.Model.Network.Blocks[e.readBy(r, layer)], e.target.cacheK, e.target.cacheV)
		}
		b.CacheHome = func(layer int) int { return e.target.place.layers[e.readBy(r, layer)] }
	}
	return b
}

// readBy is the target's layer whose keys and values a layer of an assistant
// reads: the last one of its kind that keeps any.
func (e *estimate) readBy(assistant run, layer int) int {
	blocks := e.Model.Network.Blocks
	for i := len(blocks) - 1; i > 0; i-- {
		if blocks[i].Attention && blocks[i].Windowed == assistant.facts.Network.Blocks[layer].Windowed {
			return i
		}
	}
	return 0
}
