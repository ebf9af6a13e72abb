package library

import "paddock/engine/gguf"

// What a file can be used for.
const (
	Chat       = "chat"
	Vision     = "vision" // only of a model with a projector: Companions.Capabilities
	Embeddings = "embeddings"
	Rerank     = "rerank"
	MTP        = "mtp" // predicts several tokens at once
	Draft      = "draft"
	Projector  = "projector"
	LoRA       = "lora"
)

// encoders are the architectures that read a text and continue none.
var encoders = map[string]bool{
	"bert": true, "modern-bert": true, "nomic-bert": true, "nomic-bert-moe": true, "neo-bert": true,
	"jina-bert-v2": true, "jina-bert-v3": true, "eurobert": true, "gemma-embedding": true,
	"gemma-embedding2": true, "llama-embed": true, "t5encoder": true,
}

// speakers are the architectures that make sound, which takes another program
// than a chat.
var speakers = map[string]bool{"wavtokenizer-dec": true, "qwen3tts": true, "pockettts": true}

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
	case f.Pooling == "mean" || f.Pooling == "cls" || f.Pooling == "last" || encoders[f.Architecture]:
		all = append(all, Embeddings)
	case speakers[f.Architecture]:
		return all
	default:
		all = append(all, Chat)
	}
	if f.NextNLayers > 0 {
		all = append(all, MTP)
	}
	return all
}
