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
	projector = one("mmproj", gguf.Projector, func() *network { return gemma3Projector("Test Projector", width) })
	lora      = one("llama-lora", gguf.LoRA, loraNetwork)
	gemma4    = one("gemma4", gguf.Model, func() *network { return gemma4Network("Test Gemma 4") })
	assistant = one("gemma4-assistant", gguf.MTPHead, func() *network { return assistantNetwork("Test Gemma 4") })
	wideEyes  = one("mmproj-wide", gguf.Projector, func() *network { return gemma3Projector("Test Wide Projector", 160) })
	llamaEyes = one("mmproj-llama", gguf.Projector, func() *network { return llavaProjector("Test Llama") })
	qwenEyes  = one("mmproj-qwen35", gguf.Projector, func() *network { return qwen3VLProjector("Test Qwen 3.5") })
	qwenShort = one("qwen35-mtp-missing", gguf.Model, func() *network { return withoutNextN(qwen35Network("Test Qwen 3.5 without MTP", 0, false)) })
	moved     = one("llama-draft-moved", gguf.Model, func() *network {
		n := llamaNetwork(with(func(s *llamaSpec) { s.name, s.layers, s.kind, s.vocab = "Test Moved Draft", 1, Q8_0, sentencePiece() }))
		renameToken(&n.File, 300)
		return n
	})
	dflash    = one("llama-dflash", gguf.Draft, dflashNetwork)
	glm       = one("glm4moe-mtp", gguf.Model, func() *network { return glm4MoENetwork("Test GLM 4", false) })
	glmSees   = one("glm4moe-sections-mtp", gguf.Model, func() *network { return glm4MoENetwork("Test GLM 4 V", true) })
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
		bert, reranker, qwen3, projector, wideEyes, llamaEyes, qwenEyes, gemma4, assistant, qwenShort, moved,
		lora, imatrix, vocabOnly, splitInTwo, splitInThree, dflash, glm, glmSees}
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

// DFlash is a DFlash draft for Llama.
func DFlash(tb testing.TB) string { return dflash.temporary(tb) }

// GLM4 is a GLM-4 with a layer for multi-token prediction.
func GLM4(tb testing.TB) string { return glm.temporary(tb) }

// GLM4V is GLM4 with positions in sections, as the one that sees has them.
func GLM4V(tb testing.TB) string { return glmSees.temporary(tb) }

// BERT is an embedding model with mean pooling.
func BERT(tb testing.TB) string { return bert.temporary(tb) }

// Reranker is a BERT with rank pooling and a classifier's head.
func Reranker(tb testing.TB) string { return reranker.temporary(tb) }

// CausalEmbedder is an embedding model that pools the last token.
func CausalEmbedder(tb testing.TB) string { return qwen3.temporary(tb) }

// Projector is a vision encoder for Gemma3. The engine takes it for every other
// chat model here but HeadSize80, because the width is right.
func Projector(tb testing.TB) string { return projector.temporary(tb) }

// WideProjector is Projector for a model of another width.
func WideProjector(tb testing.TB) string { return wideEyes.temporary(tb) }

// LlamaProjector is a vision encoder for Llama, as LLaVA has it.
func LlamaProjector(tb testing.TB) string { return llamaEyes.temporary(tb) }

// Qwen35Projector is a vision encoder for Qwen35.
func Qwen35Projector(tb testing.TB) string { return qwenEyes.temporary(tb) }

// Gemma4 is a chat model with a sliding window, and heads of two sizes.
func Gemma4(tb testing.TB) string { return gemma4.temporary(tb) }

// Assistant is the MTP assistant of Gemma4.
func Assistant(tb testing.TB) string { return assistant.temporary(tb) }

// Qwen35WithoutMTP is Qwen35 whose header speaks of a layer for multi-token
// prediction that is not there.
func Qwen35WithoutMTP(tb testing.TB) string { return qwenShort.temporary(tb) }

// MovedDraft is Draft with another text for one token of its vocabulary.
func MovedDraft(tb testing.TB) string { return moved.temporary(tb) }

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
