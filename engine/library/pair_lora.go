package library

import (
	"slices"

	"paddock/engine/gguf"
)

// adapters pairs LoRA with models of their architecture whose matrices have the
// shapes they change. One that names its model is for that model only: another of
// the same shapes takes it, and talks nonsense.
func (s *shelf) adapters() map[*shelved][]Companion {
	found := map[*shelved][]match{}
	for _, adapter := range s.companions[gguf.LoRA] {
		for _, model := range s.models {
			if !adapts(adapter, model) {
				continue
			}
			m := matched(model, adapter, true, AdapterOf)
			named := len(adapter.Facts.Origin.Bases) > 0 && len(model.names.identities) > 0
			if named && m.sure < sameName {
				continue
			}
			m.madeFor = ""
			found[model] = append(found[model], m)
		}
	}
	all := map[*shelved][]Companion{}
	for model, matches := range found {
		slices.SortFunc(matches, compareMatches)
		all[model] = companions(matches)
	}
	return all
}

func adapts(adapter, model *shelved) bool {
	a, m := adapter.Facts, model.Facts
	if a.Architecture != m.Architecture || a.Layers > m.Layers || len(a.Matrices) == 0 || contradict(adapter.names, model.names) {
		return false
	}
	for _, matrix := range a.Matrices {
		if !slices.Contains(m.Matrices, matrix) {
			return false
		}
	}
	return true
}
