//go:build linux

package server

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"paddock/engine/client"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
	"paddock/engine/vector"
)

// completed are options for the real engine with a complete plan.
func completed(t *testing.T, model string, p plan.Plan, beside ...string) Options {
	t.Helper()
	read := func(path string) gguf.Facts {
		facts, err := gguf.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		return facts
	}
	g := plan.Given{Model: read(model)}
	for _, path := range beside {
		g.Beside = append(g.Beside, read(path))
	}
	p.Devices = plan.CPU
	p, _ = plan.Complete(p, g)
	return Options{Build: engine(t), Plan: p, RuntimeDir: t.TempDir(), LogDir: t.TempDir()}
}

func TestEveryPurposeIsProven(t *testing.T) {
	llama, qwen := gguftest.Llama(t), gguftest.Qwen35(t)
	eyes, llamaEyes, qwenEyes := gguftest.Projector(t), gguftest.LlamaProjector(t), gguftest.Qwen35Projector(t)
	draft := gguftest.Draft(t)
	const width = 128 // of every model of the tests
	tests := []struct {
		name    string
		options Options
		want    Proof
		drafts  bool // guesses are counted
	}{
		{"a chat", completed(t, llama, plan.Plan{}), Proof{Text: "Hello!"}, false},
		{"vectors of an encoder", completed(t, gguftest.BERT(t), plan.Plan{}), Proof{Dimensions: width}, false},
		{"vectors of an encoder in four slots", completed(t, gguftest.BERT(t), plan.Plan{Slots: 4, KVUnified: true}), Proof{Dimensions: width}, false},
		{"vectors of a causal model", completed(t, gguftest.CausalEmbedder(t), plan.Plan{}), Proof{Dimensions: width}, false},
		{"vectors of a chat model", completed(t, llama, plan.Plan{Purpose: plan.Embeddings, Pooling: "mean"}), Proof{Dimensions: width}, false},
		{"scores", completed(t, gguftest.Reranker(t), plan.Plan{}), Proof{}, false},
		{"a picture", completed(t, gguftest.Gemma3(t), plan.Plan{}, eyes), Proof{Text: "Hello!", ImageProven: true}, false},
		{"layers that guess", completed(t, qwen, plan.Plan{SpecTypes: plan.SpecMTP}), Proof{Text: "Hello! I am a very small", Speculative: true}, true},
		{"a draft", completed(t, llama, plan.Plan{SpecTypes: plan.SpecDraft}, draft), Proof{Text: "Hello! I am a very small", Speculative: true}, true},
		{"earlier text", completed(t, llama, plan.Plan{SpecTypes: "ngram-mod"}), Proof{Text: "Hello! I am a very small", Speculative: true}, false},
		{
			"layers that guess, and a picture", completed(t, qwen, plan.Plan{SpecTypes: plan.SpecMTP, ProjectorPath: qwenEyes}, qwenEyes),
			Proof{Text: "Hello! I am a very small", Speculative: true, ImageProven: true}, true,
		},
		{
			"a draft, and a picture", completed(t, llama, plan.Plan{SpecTypes: plan.SpecDraft, ProjectorPath: llamaEyes}, llamaEyes, draft),
			Proof{Text: "Hello! I am a very small", Speculative: true, ImageProven: true}, true,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			proof := start(t, test.options).Proof()
			if proof.Dimensions != test.want.Dimensions || proof.ImageProven != test.want.ImageProven || proof.Speculative != test.want.Speculative {
				t.Errorf("proof %+v, want %+v", proof, test.want)
			}
			if !strings.HasPrefix(proof.Text, test.want.Text) || test.want.Text == "" && proof.Text != "" {
				t.Errorf("text %q, want %q", proof.Text, test.want.Text)
			}
			if drafts := proof.DraftedTokens > 0; drafts != test.drafts || proof.AcceptedTokens > proof.DraftedTokens || drafts && proof.AcceptedTokens == 0 {
				t.Errorf("%d drafted, %d accepted", proof.DraftedTokens, proof.AcceptedTokens)
			}
			if proof.LoadTime <= 0 || proof.Slots != test.options.Plan.Slots {
				t.Errorf("proof %+v", proof)
			}
		})
	}
}

func TestAPromiseTheEngineDoesNotKeepIsNamed(t *testing.T) {
	llama, llamaEyes := gguftest.Llama(t), gguftest.LlamaProjector(t)
	tests := []struct {
		name    string
		options Options
		kind    FailureKind
		said    string
	}{
		{
			"a draft that is dropped", completed(t, llama, plan.Plan{SpecTypes: plan.SpecDraft}, gguftest.MovedDraft(t)),
			SettingIgnored, "speculation (draft-simple) is not running",
		},
		{
			"guesses beside an encoder", completed(t, gguftest.BERT(t), plan.Plan{SpecTypes: "ngram-mod"}),
			SettingIgnored, "speculation (ngram-mod) is not running",
		},
		{
			"a picture beside an EAGLE-3 draft", completed(t, llama, plan.Plan{SpecTypes: plan.SpecEAGLE3, ProjectorPath: llamaEyes}, llamaEyes, gguftest.EAGLE3(t)),
			PictureFailed, "failed to process speculative batch",
		},
		{"vectors of zeros", completed(t, gguftest.Reranker(t), plan.Plan{Purpose: plan.Embeddings}), VectorsFailed, "zeros"},
		{"no pooling", completed(t, llama, plan.Plan{Purpose: plan.Embeddings}), VectorsFailed, "Pooling type 'none'"},
		{"one vector for all", completed(t, llama, plan.Plan{Purpose: plan.Embeddings, Pooling: "cls"}), VectorsFailed, "one vector for two texts"},
		{"no scores", completed(t, gguftest.Reranker(t), plan.Plan{Pooling: "mean"}), ScoresFailed, "does not support reranking"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := wantFailure(t, t.Context(), test.options, test.kind)
			if !strings.Contains(f.Error(), test.said) {
				t.Errorf("failure %q, want %q", f, test.said)
			}
			if said := f.Setting == "specTypes"; said != (test.kind == SettingIgnored) {
				t.Errorf("setting %q", f.Setting)
			}
		})
	}
}

func TestWhatAnEngineDoesWithAPictureIsToldApart(t *testing.T) {
	tests := []struct {
		behaviour string
		kind      FailureKind
		said      string
	}{
		{"fails at a picture", PictureFailed, "failed to encode"},
		{"garbage at a picture", PictureFailed, "no text"},
		{"dies at a picture", PictureFailed, "GGML_ASSERT"},
		{"fails after a picture", PictureFailed, "after a picture"},
		{"blind", SettingIgnored, "the projector is not running"},
	}
	for _, test := range tests {
		t.Run(test.behaviour, func(t *testing.T) {
			p := chatPlan(gguftest.Llama(t))
			p.ProjectorPath = "eyes.gguf"
			o := Options{Build: pretender(t, test.behaviour), Plan: p, RuntimeDir: t.TempDir(), LogDir: t.TempDir()}
			f := wantFailure(t, t.Context(), o, test.kind)
			if !strings.Contains(f.Error(), test.said) {
				t.Errorf("failure %q, want %q", f, test.said)
			}
			// Go's runtime makes an exit of the signal.
			if died := test.behaviour == "dies at a picture"; died != (f.ExitCode > 0) {
				t.Errorf("exit code %d", f.ExitCode)
			}
		})
	}
}

// pretendToSee answers about a picture as a pretender of a kind does.
func pretendToSee(kind string, w http.ResponseWriter) (text string, answers bool) {
	switch kind {
	case "dies at a picture":
		fmt.Fprintln(os.Stderr, "./tools/mtmd/clip.cpp:12: GGML_ASSERT(n > 0) failed")
		syscall.Kill(os.Getpid(), syscall.SIGABRT)
		select {}
	case "fails at a picture":
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, `{"error":{"code":500,"message":"failed to encode image","type":"server_error"}}`)
		return "", false
	case "garbage at a picture":
		return "\x01\x02\ufffd", true
	}
	return "A picture", true
}

// pretendVectors are those of a pretender, and its scores.
func pretendVectors(kind string, reply func(path string, value any)) {
	vectors := [][]any{{1, 0}, {0, 1}, {1, 0}}
	scores := []any{2, 1, 2}
	width := 2
	switch kind {
	case "null":
		vectors[1][1], scores[1] = nil, nil
	case "one too few":
		vectors, scores = vectors[:2], scores[:2]
	case "another width":
		width = 3
	case "one for all":
		vectors[1], scores[1] = vectors[0], scores[0]
	case "by chance":
		vectors[2], scores[2] = []any{0.6, 0.8}, 1.5
	}
	var data, results []any
	for i, v := range vectors {
		data = append(data, map[string]any{"index": i, "embedding": v})
	}
	for i, score := range scores {
		results = append(results, map[string]any{"index": i, "relevance_score": score})
	}
	slices.Reverse(results)
	reply("/v1/embeddings", map[string]any{"data": data})
	reply("/v1/rerank", map[string]any{"results": results})
	reply("/v1/models", map[string]any{"data": []any{map[string]any{"meta": map[string]any{"n_embd": width}}}})
}

func TestVectorsAndScoresThatAreNoneAreNotReady(t *testing.T) {
	tests := []struct {
		behaviour   string
		embed, rank string // what is said; empty where it is proven
	}{
		{"well", "", ""},
		{"null", "is no number", "is no number"},
		{"one too few", "2 vectors for 3 texts", "2 scores for 3 texts"},
		{"another width", "of a model of 3", ""},
		{"one for all", "one vector for two texts", "one score for two texts"},
		{"by chance", "two vectors of one text", "for one text"},
	}
	for _, test := range tests {
		for purpose, said := range map[string]string{plan.Embeddings: test.embed, plan.Rerank: test.rank} {
			t.Run(purpose+", "+test.behaviour, func(t *testing.T) {
				p := chatPlan(gguftest.Llama(t))
				p.Purpose = purpose
				o := Options{Build: pretender(t, test.behaviour), Plan: p, RuntimeDir: t.TempDir(), LogDir: t.TempDir()}
				if said == "" {
					start(t, o)
					return
				}
				kind := map[string]FailureKind{plan.Embeddings: VectorsFailed, plan.Rerank: ScoresFailed}[purpose]
				if f := wantFailure(t, t.Context(), o, kind); !strings.Contains(f.Error(), said) {
					t.Errorf("failure %q, want %q", f, said)
				}
			})
		}
	}
}

func TestTextsAreEmbeddedAndRankedByAProvenEngine(t *testing.T) {
	i := start(t, completed(t, gguftest.BERT(t), plan.Plan{}))
	texts := make([]string, 40)
	for n := range texts {
		texts[n] = strings.Repeat("hello ", n+1)
	}
	all, err := i.Embed(t.Context(), texts)
	if err != nil || len(all) != len(texts) {
		t.Fatalf("%d vectors, %v", len(all), err)
	}
	alone, err := i.Embed(t.Context(), texts[7:8])
	if err != nil || vector.Apart(alone[0], all[7]) > vector.Same {
		t.Errorf("the vector of a text alone is another, %v", err)
	}
	raw, err := i.EmbedRaw(t.Context(), texts[7:8])
	if err != nil || math.Abs(vector.Length(alone[0])-1) > vector.Same || math.Abs(vector.Length(raw[0])-1) < vector.Same {
		t.Fatalf("lengths %v and raw %v, %v", vector.Length(alone[0]), vector.Length(raw[0]), err)
	}
	size := float32(vector.Length(raw[0]))
	for n := range raw[0] {
		raw[0][n] /= size
	}
	if vector.Apart(alone[0], raw[0]) > vector.Same {
		t.Errorf("the raw vector points elsewhere: %v, %v", alone[0][:4], raw[0][:4])
	}
	var long *client.Error
	if _, err := i.Embed(t.Context(), []string{strings.Repeat("hello ", 600)}); !errors.As(err, &long) || long.Kind != client.TextTooLong || long.PromptTokens < 600 || long.ContextTokens != 512 {
		t.Errorf("a long text: %+v", err)
	}
	if _, err := i.Rerank(t.Context(), "q", texts); !errors.As(err, &long) || long.Kind != client.NotSupported {
		t.Errorf("ranking: %v", err)
	}
	syscall.Kill(i.PID(), syscall.SIGKILL)
	<-i.Done()
	var ended *Failure
	if _, err := i.Embed(t.Context(), texts); !errors.As(err, &ended) || ended.Kind != Killed {
		t.Errorf("after its end: %v", err)
	}

	ranker := start(t, completed(t, gguftest.Reranker(t), plan.Plan{}))
	scores, err := ranker.Rerank(t.Context(), "hello", []string{"hello there", "the sea is deep"})
	if err != nil || len(scores) != 2 || scores[0] <= scores[1] {
		t.Errorf("scores %v, %v", scores, err)
	}
}
