package library

import (
	"paddock/engine/gguf"
	"paddock/engine/plan"
)

// What a file can be used for.
const (
	Chat       = "chat"
	Embeddings = "embeddings"
	Rerank     = "rerank"
	MTP        = "mtp" // predicts several tokens at once
	Draft      = "draft"
	Projector  = "projector"
	LoRA       = "lora"
)

// capabilities follow from the facts. A file with a problem has none.
func capabilities(f gguf.Facts, problem error) []string {
	all := []string{}
	if problem != nil {
		return all
	}
	switch f.Kind {
	case gguf.Projector:
		return append(all, Projector)
	case gguf.MTPHead:
		return append(all, MTP)
	case gguf.Draft:
		return append(all, Draft)
	case gguf.LoRA:
		return append(all, LoRA)
	case gguf.Model:
	default:
		return all
	}
	switch {
	case f.Pooling == "rank" || f.HasClassifier:
		all = append(all, Rerank)
	case f.Pooling == "mean" || f.Pooling == "cls" || f.Pooling == "last", !plan.Check(plan.Plan{}, f, 0).Valid():
		all = append(all, Embeddings)
	default:
		all = append(all, Chat)
	}
	if f.NextNLayers > 0 {
		all = append(all, MTP)
	}
	return all
}
