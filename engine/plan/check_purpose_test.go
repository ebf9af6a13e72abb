package plan

import (
	"slices"
	"testing"

	"paddock/engine/gguf"
)

func TestCheckOfPurposes(t *testing.T) {
	chat := llama
	chat.Network = gguf.Network{Causal: true, Blocks: []gguf.Block{{Attention: true}}}
	embedder := chat
	embedder.Architecture, embedder.Pooling = "qwen3", "last"
	bert := chat
	bert.Architecture, bert.Pooling, bert.ContextTokens = "bert", "mean", 512
	bert.Network.Causal = false
	reranker := bert
	reranker.Pooling, reranker.HasClassifier = "rank", true
	causalReranker := reranker
	causalReranker.Architecture, causalReranker.Network.Causal = "qwen3", true
	hybrid := chat
	hybrid.Architecture = "qwen35"
	eyes := gguf.Facts{Path: "eyes.gguf", Kind: gguf.Projector, Projection: gguf.Projection{Vision: "gemma3"}}

	tests := []struct {
		name     string
		model    gguf.Facts
		plan     Plan
		refusals []string
		cautions []string
	}{
		{name: "a chat model chats", model: chat},
		{name: "an encoder makes vectors", model: bert},
		{name: "a causal embedding model too", model: embedder},
		{name: "a reranker ranks", model: reranker},
		{name: "a causal reranker too", model: causalReranker},
		{
			name: "a chat model makes no vectors", model: chat, plan: Plan{Purpose: Embeddings},
			refusals: []string{"embeddings-no-pooling"},
		},
		{
			name: "an embedding model without pooling neither", model: bert, plan: Plan{Pooling: "none"},
			refusals: []string{"embeddings-no-pooling"},
		},
		{
			name: "a chat model with a pooling is marked", model: chat, plan: Plan{Purpose: Embeddings, Pooling: "last"},
			cautions: []string{"embeddings-untrained"},
		},
		{
			name: "the first token of a causal model knows no other", model: embedder, plan: Plan{Pooling: "cls"},
			refusals: []string{"embeddings-first-token"}, cautions: []string{"embeddings-other-pooling"},
		},
		{
			name: "that of an encoder does", model: bert, plan: Plan{Pooling: "cls"},
			cautions: []string{"embeddings-other-pooling"},
		},
		{name: "the model's own pooling may be named", model: bert, plan: Plan{Pooling: "mean"}},
		{
			name: "a reranker makes no vectors", model: reranker, plan: Plan{Purpose: Embeddings},
			refusals: []string{"embeddings-rank"},
		},
		{
			name: "unless it pools as an embedding model", model: reranker, plan: Plan{Purpose: Embeddings, Pooling: "mean"},
			cautions: []string{"embeddings-other-pooling"},
		},
		{
			name: "only a model with a head ranks", model: bert, plan: Plan{Purpose: Rerank},
			refusals: []string{"rerank-no-head"},
		},
		{
			name: "and only with rank pooling", model: reranker, plan: Plan{Pooling: "mean"},
			refusals: []string{"rerank-pooling"},
		},
		{name: "which may be named", model: reranker, plan: Plan{Pooling: "rank"}},
		{name: "pooling has no meaning in a chat", model: chat, plan: Plan{Pooling: "last"}, refusals: []string{"chat-pooling"}},
		{
			name: "a text must fit the batch", model: bert, plan: Plan{PhysicalBatchTokens: 256},
			refusals: []string{"vectors-batch"},
		},
		{
			name: "the smaller of the two batches", model: bert, plan: Plan{BatchTokens: 256, PhysicalBatchTokens: 512},
			refusals: []string{"vectors-batch"},
		},
		{
			name: "as much of it as a slot holds", model: bert,
			plan: Plan{ContextTokens: 512, Slots: 2, PhysicalBatchTokens: 256},
		},
		{
			name: "which is all where the slots share it", model: bert,
			plan:     Plan{ContextTokens: 512, Slots: 2, KVUnified: true, PhysicalBatchTokens: 256},
			refusals: []string{"vectors-batch"},
		},
		{name: "three slots have a batch they divide", model: bert, plan: Plan{Slots: 3}},
		{
			name: "which a batch of one's own may not be", model: chat,
			plan:     Plan{Purpose: Embeddings, Pooling: "mean", Slots: 3, PhysicalBatchTokens: 2048},
			refusals: []string{"vectors-mean-slots"}, cautions: []string{"embeddings-untrained"},
		},
		{
			name: "nor all of a cache they share", model: bert, plan: Plan{Slots: 3, KVUnified: true},
			refusals: []string{"vectors-mean-slots"},
		},
		{name: "two and four divide it", model: bert, plan: Plan{Slots: 4, KVUnified: true}},
		{name: "other poolings do not care", model: embedder, plan: Plan{Slots: 3, KVUnified: true}},
		{
			name: "a pair to rank must fit too", model: reranker, plan: Plan{PhysicalBatchTokens: 256},
			refusals: []string{"vectors-batch-encoder"},
		},
		{name: "the last token of a causal model may come later", model: embedder, plan: Plan{PhysicalBatchTokens: 256}},
		{name: "that of a causal reranker too", model: causalReranker, plan: Plan{PhysicalBatchTokens: 256}},
		{name: "a chat has no such limit", model: chat, plan: Plan{PhysicalBatchTokens: 256}},
		{
			name: "nothing is drafted for vectors", model: embedder, plan: Plan{SpecTypes: "ngram-mod"},
			refusals: []string{"vectors-drafting"},
		},
		{
			name: "nor for scores", model: reranker, plan: Plan{SpecTypes: "ngram-mod"},
			refusals: []string{"vectors-drafting"},
		},
		{
			name: "vectors need no eyes", model: embedder, plan: Plan{ProjectorPath: "eyes.gguf"},
			refusals: []string{"vectors-projector"},
		},
		{
			name: "a picture must fit the batch", model: chat, plan: Plan{ProjectorPath: "eyes.gguf", PhysicalBatchTokens: 128},
			refusals: []string{"picture-batch"},
		},
		{name: "and does fit the usual one", model: chat, plan: Plan{ProjectorPath: "eyes.gguf"}},
		{
			name: "vectors shift no context", model: embedder, plan: Plan{ContextShift: true},
			refusals: []string{"vectors-shift"},
		},
		{
			name: "and reuse nothing", model: embedder, plan: Plan{CacheReuseTokens: 256},
			refusals: []string{"vectors-reuse"},
		},
		{
			name: "an encoder keeps no cache", model: bert, plan: Plan{CacheK: "q8_0", CacheV: "bf16"},
			refusals: []string{"vectors-no-cache-k", "vectors-no-cache-v"},
		},
		{name: "a causal embedding model does", model: embedder, plan: Plan{CacheK: "q8_0", CacheV: "q8_0"}},
		{name: "a hybrid without a recurrent layer", model: hybrid, refusals: []string{"model-no-recurrent"}},
		{name: "one with", model: func() gguf.Facts {
			whole := hybrid
			whole.Network.Blocks = []gguf.Block{{Recurrent: true}, {Attention: true}}
			return whole
		}()},
		{name: "a part of one that has only those of attention", model: func() gguf.Facts {
			part := hybrid
			part.Split.Count = 2
			return part
		}()},
		{
			name: "a part of a reranker whose head is in another", model: func() gguf.Facts {
				part := reranker
				part.HasClassifier, part.Split.Count = false, 2
				return part
			}(), plan: Plan{Purpose: Rerank},
		},
		{
			name: "a first part without tensors of a causal model", model: func() gguf.Facts {
				part := embedder
				part.Network.Blocks, part.Split.Count = nil, 3
				return part
			}(), plan: Plan{Pooling: "cls"},
			refusals: []string{"embeddings-first-token"}, cautions: []string{"embeddings-other-pooling"},
		},
		{name: "one of which no layers are known", model: func() gguf.Facts {
			part := hybrid
			part.Network = gguf.Network{}
			return part
		}()},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := Given{Model: test.model, Beside: []gguf.Facts{eyes}, Build: NewestKnownBuild}
			if test.plan.ProjectorPath == "" {
				g.Beside = nil
			}
			p, _ := Complete(test.plan, g)
			v := Check(p, g)
			if got := rulesOf(v.Refusals); !slices.Equal(got, test.refusals) {
				t.Errorf("refusals %v, want %v", got, test.refusals)
			}
			if got := rulesOf(v.Cautions); !slices.Equal(got, test.cautions) {
				t.Errorf("cautions %v, want %v", got, test.cautions)
			}
		})
	}
}

func TestALongerContextTakesTheBatchAlong(t *testing.T) {
	g := Given{Model: gguf.Facts{
		Path: "e.gguf", Kind: gguf.Model, Architecture: "bert", Pooling: "mean", ContextTokens: 8192,
		Network: gguf.Network{Blocks: []gguf.Block{{Attention: true}}},
	}}
	p, _ := Complete(Plan{}, g)
	if p.PhysicalBatchTokens != p.ContextTokens {
		t.Fatalf("a batch of %d for a context of %d", p.PhysicalBatchTokens, p.ContextTokens)
	}
	p.ContextTokens = 8192
	adjusted, ok := Adjust(p, g, "contextTokens")
	if !ok || adjusted.ContextTokens != 8192 || adjusted.PhysicalBatchTokens != 8192 || adjusted.BatchTokens != 8192 {
		t.Errorf("adjusted to %+v, %v", adjusted, ok)
	}
}

func TestAnAdjustedPlanKeepsItsPurpose(t *testing.T) {
	g := Given{Model: llama}
	p, _ := Complete(Plan{Purpose: Embeddings, Pooling: "mean"}, g)
	p.SpecTypes = "ngram-mod"
	if adjusted, ok := Adjust(p, g, "specTypes"); ok || adjusted.Purpose != Embeddings {
		t.Errorf("adjusted to %+v, %v", adjusted, ok)
	}
}
