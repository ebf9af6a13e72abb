package budget

import "paddock/engine/gguf"

// speculation counts what guessing needs: the context of the layers for
// multi-token prediction, and a draft model with its own.
//
// The MTP assistant of Gemma 4 has weights and a compute buffer but no cache: its
// layers read the target's ("layer 1: sharing with layer 3" in the engine's log).
// What it computes in still grows with the context, by the mask over the target's
// cells: 34 MiB at 32,768 tokens in batches of 512, for a file of half a MiB. The
// engine cannot measure it beforehand; answer.memory takes this count instead.
func (e *estimate) speculation() {
	r := run{
		place: e.target.place, outputs: e.slots(), states: 1, flash: e.target.flash,
		cacheK: orF16(e.Plan.DraftCacheK), cacheV: orF16(e.Plan.DraftCacheV), slice: Draft,
	}
	if e.mtp() && (e.draft == nil || e.draft.Network.NextN == 0) {
		own := r
		own.facts, own.mtp = e.Model, true
		e.caches(own)
		e.compute(own)
	}
	if e.draft == nil || !e.Plan.Drafts() {
		return
	}
	r.facts, r.place = *e.draft, e.place(*e.draft, "all")
	r.mtp = e.mtp() && e.draft.Network.NextN > 0
	if e.Plan.Speculates("draft-eagle3") {
		r.outputs, _ = e.Plan.Batch()
	}
	e.weights(*e.draft, r, Draft)
	if !isAssistant(*e.draft) {
		e.caches(r)
	}
	e.compute(r)
}

// isAssistant says whether a draft runs on the cache of its target.
func isAssistant(f gguf.Facts) bool { return f.Architecture == "gemma4-assistant" }

func orF16(cacheType string) string {
	if cacheType == "" {
		return "f16"
	}
	return cacheType
}
