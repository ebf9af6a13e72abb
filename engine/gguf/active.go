package gguf

import "strings"

// countActive works out what one token costs. Of the experts of a layer only the
// used ones are read. A token table is looked up, not read, unless it is the
// output matrix too.
func (f *Facts) countActive(tensors []tensor, names census) {
	for _, t := range tensors {
		elements, bytes := t.elements, t.bytes
		if f.Experts > f.ExpertsUsed && f.ExpertsUsed > 0 && strings.Contains(t.name, "_exps.") {
			all, used := uint64(f.Experts), uint64(f.ExpertsUsed)
			elements, bytes = elements/all*used, bytes/all*used
		}
		if t.name == "token_embd.weight" && names.output || t.name == "per_layer_token_embd.weight" {
			bytes = 0
		}
		f.ActiveParameters += elements
		f.ActiveBytes += bytes
	}
}
