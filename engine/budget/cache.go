package budget

import (
	"paddock/engine/gguf"
	"paddock/engine/plan"
)

// cells is how many tokens a layer's cache has room for in one stream, and how
// many streams there are: one for each slot, or one for all.
func cells(p plan.Plan) (cells, streams int) {
	slots := max(p.Slots, 1)
	if p.KVUnified {
		return padded(p.ContextTokens), 1
	}
	return padded(p.ContextTokens / slots), slots
}

// padded is a number of cells as the engine rounds it.
func padded(cells int) int { return (cells + 255) / 256 * 256 }

// windowCells is cells for a layer with a sliding window.
func windowCells(p plan.Plan, window int) int {
	all, _ := cells(p)
	if p.KVUnified {
		window *= max(p.Slots, 1)
	}
	_, physical := p.Batch()
	return padded(min(all, window+min(physical, p.ContextTokens)))
}

// window is how many tokens windowed layers see.
func window(f gguf.Facts) int {
	if f.Network.Window == 0 && f.Architecture == "llama4" {
		return 8192 // hard-coded in llama.cpp
	}
	return f.Network.Window
}

// rowBytes is a row of so many numbers in a cache type.
func rowBytes(cacheType string, numbers int) uint64 {
	n := uint64(numbers)
	switch cacheType {
	case "f32":
		return 4 * n
	case "q8_0":
		return n / 32 * 34
	case "q5_1":
		return n / 32 * 24
	case "q5_0":
		return n / 32 * 22
	case "q4_1":
		return n / 32 * 20
	case "q4_0", "iq4_nl":
		return n / 32 * 18
	}
	return 2 * n // f16, bf16
}

// caches counts what a context keeps of the tokens before: keys and values of
// layers with attention, states of the others.
func (e *estimate) caches(r run) {
	n := r.facts.Network
	if !n.Causal {
		return
	}
	for i, block := range n.Blocks {
		if r.mtp != (i >= len(n.Blocks)-n.NextN) {
			continue
		}
		at := r.place.layers[i]
		if block.Attention {
			keys, values := e.layerBytes(r.facts, block, r.cacheK, r.cacheV)
			e.add(at, r.in(KV), keys+values)
			e.largest[at] = max(e.largest[at], keys, values)
		}
		if block.Recurrent && !r.mtp {
			e.add(at, r.in(Recurrent), uint64(e.slots()*r.states)*stateBytes(r.facts))
		}
	}
}

// in is the slice a use of a run counts in.
func (r run) in(slice string) string {
	if r.slice != "" {
		return r.slice
	}
	return slice
}

// layerBytes are the keys and the values of one layer.
func (e *estimate) layerBytes(f gguf.Facts, b gguf.Block, typeK, typeV string) (keys, values uint64) {
	count, streams := cells(e.Plan)
	if b.Windowed {
		count = windowCells(e.Plan, window(f))
	}
	all := uint64(count) * uint64(streams)
	keys = all * rowBytes(typeK, b.HeadSizeK*b.KVHeads)
	if f.Network.LatentKeys == 0 { // else values are part of the keys
		values = all * rowBytes(typeV, b.HeadSizeV*b.KVHeads)
	}
	return keys, values
}

// stateBytes is what one recurrent layer keeps for one slot (n_embd_r and
// n_embd_s in llama-hparams.cpp), in 32 bits a number.
func stateBytes(f gguf.Facts) uint64 {
	n, width := f.Network, f.EmbeddingLength
	numbers := 0
	switch {
	case n.WKVHead > 0:
		numbers = width * (n.TokenShifts + n.WKVHead)
	case n.ShortConv > 0:
		numbers = width * (n.ShortConv - 1)
	case n.HeadKDA > 0 && len(n.Blocks) > 0:
		inner := n.HeadKDA * largestHeads(n)
		numbers = 3*max(n.ConvKernel-1, 0)*inner + n.HeadKDA*inner
	default:
		numbers = max(n.ConvKernel-1, 0)*(n.InnerSize+2*n.StateGroups*n.StateSize) + n.StateSize*n.InnerSize
	}
	return uint64(numbers) * 4
}

func largestHeads(n gguf.Network) int {
	heads := 0
	for _, b := range n.Blocks {
		heads = max(heads, b.Heads)
	}
	return heads
}
