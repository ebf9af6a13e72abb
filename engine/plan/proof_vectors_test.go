package plan_test

import (
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

// The proofs of what rules/purpose.toml says of settings that embeddings and
// reranking do without, and of their batch.

// long is a text of some hundred tokens for every model of the tests.
var long = strings.Repeat("hello ", 100)

func TestEngineComputesATextInOneBatch(t *testing.T) {
	small := plan.Plan{Purpose: plan.Embeddings, PhysicalBatchTokens: 64, BatchTokens: 64}
	for name, test := range map[string]struct {
		path, pooling string
		cautions      []string
		refusals      []string // beside that of the batch
	}{
		"of an encoder":                       {path: gguftest.BERT(t)},
		"of an encoder with cls pooling":      {path: gguftest.BERT(t), pooling: "cls", cautions: []string{"embeddings-other-pooling"}},
		"of a causal model with mean pooling": {path: gguftest.CausalEmbedder(t), pooling: "mean", cautions: []string{"embeddings-other-pooling"}},
	} {
		t.Run(name, func(t *testing.T) {
			small := small
			small.Pooling = test.pooling
			r := startHealthy(t, judged(t, test.path, small, []string{"vectors-batch"}, test.cautions))
			if status, _, body := r.vectors(t, long); status != http.StatusInternalServerError || !strings.Contains(body, "physical batch") {
				t.Errorf("status %d, %s", status, body)
			}
			if status, _, body := r.vectors(t, hello); status != http.StatusOK {
				t.Errorf("then a short one: status %d, %s", status, body)
			}
			whole := judged(t, test.path, plan.Plan{Purpose: plan.Embeddings, Pooling: test.pooling}, nil, test.cautions)
			if vectors := vectorsOf(t, whole, long); zero(vectors[0]) {
				t.Error("the batch that Complete chooses gives nothing")
			}
		})
	}
	t.Run("not the last token of a causal model", func(t *testing.T) {
		path := gguftest.CausalEmbedder(t)
		one := vectorsOf(t, judged(t, path, plan.Plan{}, nil, nil), long)
		many := vectorsOf(t, judged(t, path, small, nil, nil), long)
		if distance(one[0], many[0]) > 0.01 {
			t.Errorf("vectors differ by %v", distance(one[0], many[0]))
		}
	})
	t.Run("slots that share a cache, each all of it", func(t *testing.T) {
		path := gguftest.BERT(t)
		shared := plan.Plan{Slots: 4, KVUnified: true}
		part := without(shared, func(p *plan.Plan) { p.PhysicalBatchTokens, p.BatchTokens = 128, 128 })
		text := strings.Repeat("hello ", 400)
		r := startHealthy(t, judged(t, path, part, []string{"vectors-batch"}, nil))
		if status, _, body := r.vectors(t, text); status != http.StatusInternalServerError {
			t.Errorf("status %d, %s", status, body)
		}
		vectorsOf(t, judged(t, path, shared, nil, nil), text)
	})
}

// distance is the largest difference between two vectors' values.
func distance(a, b []float32) (largest float32) {
	for i := range a {
		largest = max(largest, a[i]-b[i], b[i]-a[i])
	}
	return largest
}

func TestEngineComputesATextOfAnEncoderInOneBatch(t *testing.T) {
	small := plan.Plan{PhysicalBatchTokens: 64, BatchTokens: 64}
	reranker := gguftest.Reranker(t)
	r := startHealthy(t, judged(t, reranker, small, []string{"vectors-batch-encoder"}, nil))
	if status, _, body := r.scores(t, long, sea); status != http.StatusInternalServerError || !strings.Contains(body, "physical batch") {
		t.Errorf("status %d, %s", status, body)
	}
	if status, scores, body := startHealthy(t, judged(t, reranker, plan.Plan{}, nil, nil)).scores(t, long, sea); status != http.StatusOK {
		t.Errorf("in a whole batch: status %d, %v, %s", status, scores, body)
	}
	small.Pooling = "last"
	r = startHealthy(t, judged(t, gguftest.BERT(t), small, []string{"vectors-batch-encoder"}, []string{"embeddings-other-pooling"}))
	if status, _, body := r.vectors(t, long); status != http.StatusInternalServerError {
		t.Errorf("status %d, %s", status, body)
	}
}

func TestEngineTakesTheMeanOfEqualSharesOnly(t *testing.T) {
	for name, path := range map[string]string{"an encoder": gguftest.BERT(t), "a causal model": gguftest.CausalEmbedder(t)} {
		t.Run(name, func(t *testing.T) {
			mean := plan.Plan{Pooling: "mean", ContextTokens: 512, Slots: 3}
			var marked []string
			if name == "a causal model" {
				marked = []string{"embeddings-other-pooling"}
			}
			shared, own := mean, mean
			shared.KVUnified = true
			own.PhysicalBatchTokens, own.BatchTokens = 512, 512
			for _, p := range []plan.Plan{shared, own} {
				r := start(t, judged(t, path, p, []string{"vectors-mean-slots"}, marked))
				if r.healthy(t) || !strings.Contains(r.Log(), "ggml_can_mul_mat") {
					t.Errorf("it starts, or says something else:\n%s", r.Log())
				}
			}
			for _, slots := range []int{2, 3, 4, 5, 7} {
				mean.Slots = slots
				if vectors := vectorsOf(t, judged(t, path, mean, nil, marked), hello, sea, hello, sea); zero(vectors[0]) || slices.Equal(vectors[0], vectors[1]) {
					t.Errorf("%d slots: %v", slots, vectors)
				}
			}
		})
	}
}

func TestEngineDraftsNothingForVectors(t *testing.T) {
	refused := []string{"vectors-drafting"}
	llama, draft := gguftest.Llama(t), gguftest.Draft(t)
	for name, test := range map[string]struct {
		path   string
		plan   plan.Plan
		beside []string
		marked []string
		says   string // in /slots
	}{
		"a draft beside a chat model": {llama, plan.Plan{Purpose: plan.Embeddings, Pooling: "mean", SpecTypes: plan.SpecDraft}, []string{draft}, []string{"embeddings-untrained"}, "true"},
		"the model's own layer":       {gguftest.Qwen35(t), plan.Plan{Purpose: plan.Embeddings, Pooling: "last", SpecTypes: plan.SpecMTP}, nil, []string{"embeddings-untrained"}, "true"},
		"by earlier text":             {gguftest.CausalEmbedder(t), plan.Plan{SpecTypes: "ngram-mod"}, nil, nil, "true"},
		"beside an encoder":           {gguftest.BERT(t), plan.Plan{SpecTypes: "ngram-mod"}, nil, nil, "false"},
	} {
		t.Run(name, func(t *testing.T) {
			p := judged(t, test.path, test.plan, refused, test.marked, test.beside...)
			plain := vectorsOf(t, without(p, func(p *plan.Plan) { p.SpecTypes, p.DraftPath = plan.NoSpec, "" }), hello, sea)
			r := startHealthy(t, p)
			if _, vectors, body := r.vectors(t, hello, sea); !slices.EqualFunc(vectors, plain, slices.Equal) {
				t.Errorf("other vectors than without: %s", body)
			}
			response, err := r.HTTP.Get("http://engine/slots")
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			slots, err := io.ReadAll(response.Body)
			if err != nil || !strings.Contains(string(slots), `"speculative":`+test.says) {
				t.Errorf("%s, %v", slots, err)
			}
		})
	}
	if p := judged(t, gguftest.Reranker(t), plan.Plan{SpecTypes: "ngram-mod"}, refused, nil); !startHealthy(t, p).ranks(t) {
		t.Error("a reranker does not rank")
	}
}

func (r *running) ranks(t *testing.T) bool {
	status, _, _ := r.scores(t, hello, sea)
	return status == http.StatusOK
}

func TestEngineMakesTheSameVectorsWithAProjector(t *testing.T) {
	path, eyes := gguftest.Gemma3(t), gguftest.Projector(t)
	p := judged(t, path, plan.Plan{Purpose: plan.Embeddings, Pooling: "mean", ProjectorPath: eyes},
		[]string{"vectors-projector"}, []string{"embeddings-untrained"}, eyes)
	plain := judged(t, path, plan.Plan{Purpose: plan.Embeddings, Pooling: "mean"}, nil, []string{"embeddings-untrained"}, eyes)
	if with, without := vectorsOf(t, p, hello, sea), vectorsOf(t, plain, hello, sea); !slices.EqualFunc(with, without, slices.Equal) {
		t.Error("other vectors than without")
	}
	reranker := judged(t, gguftest.Reranker(t), plan.Plan{ProjectorPath: eyes}, []string{"vectors-projector"}, nil, eyes)
	if !startHealthy(t, reranker).ranks(t) {
		t.Error("a reranker does not rank")
	}
}

func TestEngineShiftsNoContextForVectors(t *testing.T) {
	for name, path := range map[string]string{"an encoder": gguftest.BERT(t), "a causal model": gguftest.CausalEmbedder(t)} {
		t.Run(name, func(t *testing.T) {
			p := judged(t, path, plan.Plan{ContextTokens: 512, ContextShift: true}, []string{"vectors-shift"}, nil)
			r := startHealthy(t, p)
			if status, _, body := r.vectors(t, strings.Repeat("hello ", 600)); status == http.StatusOK {
				t.Errorf("a text longer than the context: status %d, %s", status, body)
			}
			if status, _, body := r.vectors(t, hello); status != http.StatusOK {
				t.Errorf("a short one: status %d, %s", status, body)
			}
		})
	}
}

func TestEngineReusesNoCacheForVectors(t *testing.T) {
	one, two, three := strings.Repeat("one two three four ", 12), strings.Repeat("hello my friend ", 12), strings.Repeat("all the others ", 12)
	for name, path := range map[string]string{"an encoder": gguftest.BERT(t), "a causal model": gguftest.CausalEmbedder(t)} {
		t.Run(name, func(t *testing.T) {
			p := judged(t, path, plan.Plan{CacheReuseTokens: 1}, []string{"vectors-reuse"}, nil)
			plain := without(p, func(p *plan.Plan) { p.CacheReuseTokens = 0 })
			with, without := startHealthy(t, p), startHealthy(t, plain)
			for _, text := range []string{one + two + three, one + three, two + three} {
				_, a, body := with.vectors(t, text)
				_, b, _ := without.vectors(t, text)
				if len(a) == 0 || !slices.EqualFunc(a, b, slices.Equal) {
					t.Errorf("other vectors than without: %s", body)
				}
			}
		})
	}
	t.Run("with quantised keys, which end a chat", func(t *testing.T) {
		p := judged(t, gguftest.CausalEmbedder(t), plan.Plan{CacheReuseTokens: 1, CacheK: "q8_0"}, []string{"vectors-reuse"}, nil)
		r := startHealthy(t, p)
		for _, text := range []string{one + two + three, one + three, two + three} {
			if status, _, body := r.vectors(t, text); status != http.StatusOK {
				t.Errorf("status %d, %s", status, body)
			}
		}
	})
}

func TestEngineKeepsNoCacheForAnEncoder(t *testing.T) {
	path := gguftest.BERT(t)
	plain := vectorsOf(t, judged(t, path, plan.Plan{}, nil, nil), hello, sea)
	for _, cache := range plan.CacheTypes() {
		if cache == "f16" {
			continue
		}
		p := judged(t, path, plan.Plan{CacheK: cache}, []string{"vectors-no-cache-k"}, nil)
		r := startHealthy(t, p)
		if _, vectors, body := r.vectors(t, hello, sea); !slices.EqualFunc(vectors, plain, slices.Equal) {
			t.Errorf("%s: other vectors: %s", cache, body)
		}
		if strings.Contains(r.Log(), "KV self size") {
			t.Errorf("%s: it has a cache:\n%s", cache, r.Log())
		}
	}
	for _, mode := range []string{"on", "off"} {
		vectors := vectorsOf(t, judged(t, path, plan.Plan{FlashAttn: mode}, nil, nil), hello, sea)
		if distance(vectors[0], plain[0]) > 0.001 {
			t.Errorf("flash attention %s: vectors differ by %v", mode, distance(vectors[0], plain[0]))
		}
	}
	for _, slots := range []int{2, 4} {
		vectors := vectorsOf(t, judged(t, path, plan.Plan{Slots: slots}, nil, nil), hello, sea, hello)
		if distance(vectors[0], plain[0]) > 0.001 || distance(vectors[1], plain[1]) > 0.001 {
			t.Errorf("%d slots: other vectors", slots)
		}
	}
}

func TestEngineKeepsNoCacheOfValuesForAnEncoder(t *testing.T) {
	path := gguftest.BERT(t)
	plain := vectorsOf(t, judged(t, path, plan.Plan{}, nil, nil), hello, sea)
	for _, cache := range plan.CacheTypes() {
		if cache == "f16" {
			continue
		}
		p := judged(t, path, plan.Plan{CacheV: cache}, []string{"vectors-no-cache-v"}, nil)
		if vectors := vectorsOf(t, p, hello, sea); !slices.EqualFunc(vectors, plain, slices.Equal) {
			t.Errorf("%s: other vectors", cache)
		}
	}
}

func TestEngineAbortsOnAHybridModelWithoutARecurrentLayer(t *testing.T) {
	for _, name := range []string{"qwen35-mtp", "qwen35moe-mtp", "qwen35-mtp-missing"} {
		t.Run(name, func(t *testing.T) {
			wantRefused(t, "model-no-recurrent", attentionOnly(t, name), plan.Plan{}, "GGML_ASSERT(buffer)")
		})
	}
}

// attentionOnly is a generated hybrid model in which a layer of attention stands
// for each that is recurrent.
func attentionOnly(t *testing.T, name string) string {
	t.Helper()
	specs := gguftest.All()
	f := specs[slices.IndexFunc(specs, func(s gguftest.Spec) bool { return s.Name == name })].File()
	var tensors []gguftest.Tensor
	for _, tensor := range f.Tensors {
		switch {
		case strings.HasPrefix(tensor.Name, "blk.0."), strings.HasPrefix(tensor.Name, "blk.2."):
			continue // recurrent
		case strings.HasPrefix(tensor.Name, "blk.1."):
			for _, layer := range []string{"blk.0.", "blk.2."} {
				copied := tensor
				copied.Name = strings.Replace(tensor.Name, "blk.1.", layer, 1)
				tensors = append(tensors, copied)
			}
		}
		tensors = append(tensors, tensor)
	}
	f.Tensors = tensors
	for _, key := range f.Keys {
		if strings.HasSuffix(key.Name, ".full_attention_interval") {
			f.Set(key.Name, uint32(1))
		}
	}
	path := filepath.Join(t.TempDir(), name+".gguf")
	if err := f.Write(path); err != nil {
		t.Fatal(err)
	}
	return path
}
