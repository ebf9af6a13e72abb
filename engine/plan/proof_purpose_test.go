package plan_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

// The proofs of rules/purpose.toml, each on the real engine.

// posted is post with the answer as text.
func (r *running) posted(t *testing.T, path string, request any) (status int, body string) {
	t.Helper()
	status, data := r.post(t, path, request)
	return status, string(data)
}

// vectors asks for one of each text; none when the status is not 200.
func (r *running) vectors(t *testing.T, texts ...string) (status int, vectors [][]float32, body string) {
	t.Helper()
	status, body = r.posted(t, "/v1/embeddings", map[string]any{"input": texts, "encoding_format": "float"})
	if status != http.StatusOK {
		return status, nil, body
	}
	var answer struct {
		Data []struct{ Embedding []float32 }
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || len(answer.Data) != len(texts) {
		t.Fatalf("%v in %s", err, body)
	}
	for _, d := range answer.Data {
		vectors = append(vectors, d.Embedding)
	}
	return status, vectors, body
}

// scores asks for one of each text, in the order of the texts.
func (r *running) scores(t *testing.T, texts ...string) (status int, scores []float64, body string) {
	t.Helper()
	status, body = r.posted(t, "/v1/rerank", map[string]any{"query": "hello", "documents": texts})
	if status != http.StatusOK {
		return status, nil, body
	}
	var answer struct {
		Results []struct {
			Index int
			Score float64 `json:"relevance_score"`
		}
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || len(answer.Results) != len(texts) {
		t.Fatalf("%v in %s", err, body)
	}
	scores = make([]float64, len(texts))
	for _, result := range answer.Results {
		scores[result.Index] = result.Score
	}
	return status, scores, body
}

// startHealthy starts a plan that comes to say it is ready.
func startHealthy(t *testing.T, p plan.Plan) *running {
	t.Helper()
	r := start(t, p, "-t", "1")
	if !r.healthy(t) {
		t.Fatalf("the engine did not start:\n%s", r.Log())
	}
	return r
}

// vectorsOf are those of the given texts, which must come.
func vectorsOf(t *testing.T, p plan.Plan, texts ...string) [][]float32 {
	t.Helper()
	status, vectors, body := startHealthy(t, p).vectors(t, texts...)
	if status != http.StatusOK {
		t.Fatalf("status %d, %s", status, body)
	}
	return vectors
}

// judged completes a plan and shows what the rules say of it, and nothing else.
func judged(t *testing.T, path string, p plan.Plan, refusals, cautions []string, beside ...string) plan.Plan {
	t.Helper()
	p, g := complete(t, path, p, beside...)
	v := plan.Check(p, g)
	if got := ruleIDs(v.Refusals); !slices.Equal(got, refusals) {
		t.Errorf("refusals %v, want %v", got, refusals)
	}
	if got := ruleIDs(v.Cautions); !slices.Equal(got, cautions) {
		t.Errorf("cautions %v, want %v", got, cautions)
	}
	return p
}

func ruleIDs(findings []plan.Finding) []string {
	var ids []string
	for _, f := range findings {
		ids = append(ids, f.Rule)
	}
	return ids
}

// without is a plan with one thing taken back.
func without(p plan.Plan, change func(*plan.Plan)) plan.Plan {
	change(&p)
	return p
}

func zero(vector []float32) bool {
	return !slices.ContainsFunc(vector, func(x float32) bool { return x != 0 })
}

// Two texts that have nothing in common but a length of some tokens.
const hello, sea = "hello there", "the sea is deep"

func TestEngineMakesNoVectorWithoutPooling(t *testing.T) {
	for name, path := range map[string]string{"of a chat model": gguftest.Llama(t), "of a hybrid": gguftest.Qwen35(t)} {
		t.Run(name, func(t *testing.T) {
			p := judged(t, path, plan.Plan{Purpose: plan.Embeddings}, []string{"embeddings-no-pooling"}, nil)
			r := startHealthy(t, p)
			if status, _, body := r.vectors(t, hello); status != http.StatusBadRequest || !strings.Contains(body, "none") {
				t.Errorf("status %d, %s", status, body)
			}
			chat := map[string]any{"messages": []any{map[string]string{"role": "user", "content": "hello"}}, "max_tokens": 2}
			if status, body := r.posted(t, "/v1/chat/completions", chat); status != 0 {
				t.Errorf("a chat gets status %d, %s", status, body)
			}
			select {
			case <-r.Done():
			case <-time.After(startLimit):
				t.Error("the engine lives on after a chat request")
			}
		})
	}
}

func TestEngineMakesEmptyVectorsWithRankPooling(t *testing.T) {
	for name, p := range map[string]plan.Plan{
		"of a reranker":                  judged(t, gguftest.Reranker(t), plan.Plan{Purpose: plan.Embeddings}, []string{"embeddings-rank"}, nil),
		"of an embedding model":          judged(t, gguftest.BERT(t), plan.Plan{Pooling: "rank"}, []string{"embeddings-rank"}, nil),
		"of a chat model, with no head":  judged(t, gguftest.Llama(t), plan.Plan{Purpose: plan.Embeddings, Pooling: "rank"}, []string{"embeddings-rank"}, nil),
		"of a causal model, told to":     judged(t, gguftest.CausalEmbedder(t), plan.Plan{Pooling: "rank"}, []string{"embeddings-rank"}, nil),
		"of a reranker, said explicitly": judged(t, gguftest.Reranker(t), plan.Plan{Purpose: plan.Embeddings, Pooling: "rank"}, []string{"embeddings-rank"}, nil),
	} {
		t.Run(name, func(t *testing.T) {
			// Uninitialised memory would do as well: the values are nobody's.
			vectors := vectorsOf(t, p, hello, sea)
			if len(vectors[0]) == 0 || !zero(vectors[0]) && slices.Equal(vectors[0], vectors[1]) {
				t.Errorf("vectors %v", vectors)
			}
			if !zero(vectors[0]) {
				t.Logf("the vectors are not zero here: %v", vectors[0][:4])
			}
		})
	}
}

func TestEngineMakesOneVectorForAllTextsOfACausalModelWithCLSPooling(t *testing.T) {
	p := judged(t, gguftest.Llama(t), plan.Plan{Purpose: plan.Embeddings, Pooling: "cls"},
		[]string{"embeddings-first-token"}, []string{"embeddings-untrained"})
	if vectors := vectorsOf(t, p, hello, sea); !slices.Equal(vectors[0], vectors[1]) || zero(vectors[0]) {
		t.Errorf("vectors %v", vectors)
	}
	p = judged(t, gguftest.BERT(t), plan.Plan{Pooling: "cls"}, nil, []string{"embeddings-other-pooling"})
	if vectors := vectorsOf(t, p, hello, sea); slices.Equal(vectors[0], vectors[1]) {
		t.Error("an encoder does so too")
	}
}

func TestEngineMakesVectorsOfAChatModelWithPooling(t *testing.T) {
	for name, path := range map[string]string{
		"dense": gguftest.Llama(t), "with a sliding window": gguftest.Gemma3(t), "hybrid": gguftest.Qwen35(t), "with experts": gguftest.Qwen35MoE(t),
	} {
		for _, pooling := range []string{"mean", "last"} {
			t.Run(name+", "+pooling, func(t *testing.T) {
				p := judged(t, path, plan.Plan{Purpose: plan.Embeddings, Pooling: pooling}, nil, []string{"embeddings-untrained"})
				vectors := vectorsOf(t, p, hello, sea, hello)
				if zero(vectors[0]) || slices.Equal(vectors[0], vectors[1]) {
					t.Errorf("vectors %v", vectors)
				}
			})
		}
	}
}

func TestEngineMakesOtherVectorsWithAnotherPooling(t *testing.T) {
	path := gguftest.BERT(t)
	own := vectorsOf(t, judged(t, path, plan.Plan{}, nil, nil), hello)
	same := vectorsOf(t, judged(t, path, plan.Plan{Pooling: "mean"}, nil, nil), hello)
	if !slices.Equal(own[0], same[0]) {
		t.Error("naming the model's own pooling changes its vectors")
	}
	for _, pooling := range []string{"cls", "last"} {
		p := judged(t, path, plan.Plan{Pooling: pooling}, nil, []string{"embeddings-other-pooling"})
		if other := vectorsOf(t, p, hello); zero(other[0]) || slices.Equal(own[0], other[0]) {
			t.Errorf("%s: %v", pooling, other)
		}
	}
}

func TestEngineRanksByNothingWithoutAHead(t *testing.T) {
	for name, path := range map[string]string{
		"a chat model": gguftest.Llama(t), "an embedding model": gguftest.BERT(t), "a causal embedding model": gguftest.CausalEmbedder(t),
	} {
		t.Run(name, func(t *testing.T) {
			p := judged(t, path, plan.Plan{Purpose: plan.Rerank}, []string{"rerank-no-head"}, nil)
			status, scores, body := startHealthy(t, p).scores(t, hello, sea)
			if status != http.StatusOK || scores[0] == scores[1] {
				t.Errorf("status %d, scores %v, %s", status, scores, body)
			}
		})
	}
}

func TestEngineRanksWithRankPoolingOnly(t *testing.T) {
	path := gguftest.Reranker(t)
	for _, pooling := range []string{"none", "mean", "cls", "last"} {
		p := judged(t, path, plan.Plan{Pooling: pooling}, []string{"rerank-pooling"}, nil)
		if status, _, body := startHealthy(t, p).scores(t, hello, sea); status != http.StatusNotImplemented {
			t.Errorf("%s: status %d, %s", pooling, status, body)
		}
	}
	for _, pooling := range []string{"", "rank"} {
		p := judged(t, path, plan.Plan{Pooling: pooling}, nil, nil)
		if status, scores, body := startHealthy(t, p).scores(t, hello, sea); status != http.StatusOK || scores[0] <= scores[1] {
			t.Errorf("pooling %q: status %d, %v, %s", pooling, status, scores, body)
		}
	}
}

func TestEngineIsNotToldOfPoolingForAChat(t *testing.T) {
	path := gguftest.Llama(t)
	p := judged(t, path, plan.Plan{Pooling: "mean"}, []string{"chat-pooling"}, nil)
	plain := judged(t, path, plan.Plan{}, nil, nil)
	if !slices.Equal(plan.Arguments(p), plan.Arguments(plain)) {
		t.Errorf("arguments %v", plan.Arguments(p))
	}
	r := startHealthy(t, p)
	if status, answer := r.chat(t); status != http.StatusOK || !strings.HasPrefix(answer, "Hello!") {
		t.Errorf("status %d, %s", status, answer)
	}
	if status, _, body := r.vectors(t, hello); status != http.StatusNotImplemented {
		t.Errorf("a chat's engine makes vectors: status %d, %s", status, body)
	}
}
