package gguftest

import (
	"testing"

	"paddock/engine/gguf"
)

var dense = llamaSpec{name: "Test Llama", vocab: sentencePiece(), layers: 4, width: width,
	heads: 4, kvHeads: 2, headSize: 32, kind: F16, template: true}

// with is the dense llama with something changed.
func with(change func(*llamaSpec)) llamaSpec {
	s := dense
	change(&s)
	return s
}

// The models. Those of kind Model load in the engine in a fraction of a second.
var (
	llama = one("llama", gguf.Model, func() *network { return llamaNetwork(dense) })
	draft = one("llama-draft", gguf.Model, func() *network {
		return llamaNetwork(with(func(s *llamaSpec) { s.name, s.layers, s.kind = "Test Llama Draft", 1, Q8_0 }))
	})
	headSize80 = one("llama-head80", gguf.Model, func() *network {
		return llamaNetwork(with(func(s *llamaSpec) {
			s.name, s.width, s.heads, s.kvHeads, s.headSize = "Test Head Size 80", 160, 2, 1, 80
		}))
	})
	otherVocabulary = one("llama-bpe", gguf.Model, func() *network {
		return llamaNetwork(with(func(s *llamaSpec) { s.name, s.vocab = "Test Other Vocabulary", bytePair("gpt-2") }))
	})
	gemma3    = one("gemma3", gguf.Model, func() *network { return gemma3Network("Test Gemma 3") })
	qwen35    = one("qwen35-mtp", gguf.Model, func() *network { return qwen35Network("Test Qwen 3.5", 0, false) })
	qwen35MoE = one("qwen35moe-mtp", gguf.Model, func() *network { return qwen35Network("Test Qwen 3.5 MoE", 4, false) })
	mtpHead   = one("qwen35-mtp-head", gguf.MTPHead, func() *network { return qwen35Network("Test Qwen 3.5 MTP head", 0, true) })
	eagle3    = one("llama-eagle3", gguf.Draft, eagle3Network)
	bert      = one("bert", gguf.Model, func() *network { return bertNetwork("Test Embedder", false) })
	reranker  = one("bert-reranker", gguf.Model, func() *network { return bertNetwork("Test Reranker", true) })
	qwen3     = one("qwen3-embedding", gguf.Model, func() *network { return qwen3Network("Test Causal Embedder") })
	projector = one("mmproj", gguf.Projector, func() *network { return projectorNetwork("Test Projector") })
	lora      = one("llama-lora", gguf.LoRA, loraNetwork)
	imatrix   = one("llama-imatrix", gguf.Imatrix, imatrixNetwork)
	vocabOnly = one("llama-vocab", gguf.Vocabulary, vocabularyNetwork)

	splitInTwo = Spec{"llama-split", gguf.Model, func() []*File {
		return split(&llamaNetwork(with(func(s *llamaSpec) { s.name = "Test Split" })).File, 2, false)
	}}
	splitInThree = Spec{"llama-split-empty", gguf.Model, func() []*File {
		return split(&llamaNetwork(with(func(s *llamaSpec) { s.name = "Test Split, metadata first" })).File, 3, true)
	}}
)

func one(name string, kind gguf.Kind, build func() *network) Spec {
	return Spec{name, kind, func() []*File { return []*File{&build().File} }}
}

// All are all models, in no particular order.
func All() []Spec {
	return []Spec{llama, draft, headSize80, otherVocabulary, gemma3, qwen35, qwen35MoE, mtpHead, eagle3,
		bert, reranker, qwen3, projector, lora, imatrix, vocabOnly, splitInTwo, splitInThree}
}

// Each of these writes a model into a folder of the test's own and returns its path.

// Llama is a dense chat model. Asked anything it answers with the same few
// sentences and stops: 64 tokens, 63 words.
func Llama(tb testing.TB) string { return llama.temporary(tb) }

// Draft is a smaller model that shares Llama's vocabulary and embeddings, and so
// guesses right.
func Draft(tb testing.TB) string { return draft.temporary(tb) }

// HeadSize80 is a llama whose heads no quantised KV cache's block of 32 divides.
func HeadSize80(tb testing.TB) string { return headSize80.temporary(tb) }

// OtherVocabulary is a llama with a byte-level vocabulary.
func OtherVocabulary(tb testing.TB) string { return otherVocabulary.temporary(tb) }

// Gemma3 is a chat model with a sliding window.
func Gemma3(tb testing.TB) string { return gemma3.temporary(tb) }

// Qwen35 is a hybrid chat model with a layer for multi-token prediction.
func Qwen35(tb testing.TB) string { return qwen35.temporary(tb) }

// Qwen35MoE is Qwen35 with a mixture of experts.
func Qwen35MoE(tb testing.TB) string { return qwen35MoE.temporary(tb) }

// MTPHead is the layer for multi-token prediction of Qwen35 alone.
func MTPHead(tb testing.TB) string { return mtpHead.temporary(tb) }

// EAGLE3 is an EAGLE-3 draft for Llama.
func EAGLE3(tb testing.TB) string { return eagle3.temporary(tb) }

// BERT is an embedding model with mean pooling.
func BERT(tb testing.TB) string { return bert.temporary(tb) }

// Reranker is a BERT with rank pooling and a classifier's head.
func Reranker(tb testing.TB) string { return reranker.temporary(tb) }

// CausalEmbedder is an embedding model that pools the last token.
func CausalEmbedder(tb testing.TB) string { return qwen3.temporary(tb) }

// Projector is a vision encoder for Llama, and every other chat model here but
// HeadSize80.
func Projector(tb testing.TB) string { return projector.temporary(tb) }

// LoRA is an adapter for Llama.
func LoRA(tb testing.TB) string { return lora.temporary(tb) }

// Imatrix is an importance matrix of Llama.
func Imatrix(tb testing.TB) string { return imatrix.temporary(tb) }

// VocabularyOnly is Llama's vocabulary without weights.
func VocabularyOnly(tb testing.TB) string { return vocabOnly.temporary(tb) }

// Split is Llama in two parts; the path is the first one's.
func Split(tb testing.TB) string { return splitInTwo.temporary(tb) }

// SplitMetadataFirst is Llama in three parts, the first without tensors.
func SplitMetadataFirst(tb testing.TB) string { return splitInThree.temporary(tb) }
