package gguftest_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paddock/engine/gguf/gguftest"
)

// These tests prove the generated models on the real engine.

func TestChatModelsChat(t *testing.T) {
	tests := []struct {
		name  string
		model func(testing.TB) string
	}{
		{"a dense llama", gguftest.Llama},
		{"its draft by itself", gguftest.Draft},
		{"heads of size 80", gguftest.HeadSize80},
		{"another vocabulary", gguftest.OtherVocabulary},
		{"a sliding window", gguftest.Gemma3},
		{"heads of two sizes", gguftest.Gemma4},
		{"Qwen 3.5 that lost its MTP layer", gguftest.Qwen35WithoutMTP},
		{"Qwen 3.5", gguftest.Qwen35},
		{"Qwen 3.5 MoE", gguftest.Qwen35MoE},
		{"a split set", gguftest.Split},
		{"a split set with metadata first", gguftest.SplitMetadataFirst},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := start(t, test.model(t))
			if got := chat(t, e, "How are you? Ça va? 元気?", 5).text(); got != "Hello! I am a very" {
				t.Errorf("answered %q", got)
			}
		})
	}
}

func TestAnAnswerEndsByItself(t *testing.T) {
	answer := chat(t, start(t, gguftest.Llama(t)), "Hi", 200)
	if !strings.HasPrefix(answer.text(), "Hello! I am") || !strings.HasSuffix(answer.text(), "nothing will change. Goodbye.") {
		t.Errorf("answered %q", answer.text())
	}
	if answer.Choices[0].FinishReason != "stop" || answer.Usage.CompletionTokens != 64 {
		t.Errorf("ended by %s after %d tokens", answer.Choices[0].FinishReason, answer.Usage.CompletionTokens)
	}
}

func TestWordsOfTheSpeechAreOneTokenEach(t *testing.T) {
	for name, model := range map[string]func(testing.TB) string{"SentencePiece": gguftest.Llama, "byte pairs": gguftest.OtherVocabulary} {
		t.Run(name, func(t *testing.T) {
			e := start(t, model(t))
			type tokens struct{ Tokens []int }
			got := ask[tokens](t, e, "/tokenize", object{"content": " horses graze there every quiet morning."})
			if len(got.Tokens) > 8 {
				t.Errorf("6 words are %d tokens", len(got.Tokens))
			}
			type content struct{ Content string }
			all := ask[tokens](t, e, "/tokenize", object{"content": "any text: ß→Ж, 你好 \x01 🦙"})
			if back := ask[content](t, e, "/detokenize", object{"tokens": all.Tokens}); strings.TrimPrefix(back.Content, " ") != "any text: ß→Ж, 你好 \x01 🦙" {
				t.Errorf("came back as %q", back.Content)
			}
		})
	}
}

func TestDraftsAreAcceptedAndChangeNothing(t *testing.T) {
	tests := []struct {
		name    string
		model   func(testing.TB) string
		draft   func(testing.TB) string
		kind    string
		atLeast float64 // share of drafted tokens that are accepted
	}{
		{"a smaller llama", gguftest.Llama, gguftest.Draft, "draft-simple", 0.9},
		{"MTP of Qwen 3.5", gguftest.Qwen35, nil, "draft-mtp", 0.9},
		{"MTP of Qwen 3.5 MoE", gguftest.Qwen35MoE, nil, "draft-mtp", 0.9},
		{"an MTP head of its own", gguftest.Qwen35, gguftest.MTPHead, "draft-mtp", 0.9},
		{"the assistant of Gemma 4", gguftest.Gemma4, gguftest.Assistant, "draft-mtp", 0.5},
		{"EAGLE-3", gguftest.Llama, gguftest.EAGLE3, "draft-eagle3", 0.2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			model := test.model(t)
			plain := chat(t, start(t, model, "--spec-type", "none"), "Hi", 100)
			if plain.Timings.Drafted != 0 {
				t.Errorf("%d tokens drafted without speculation", plain.Timings.Drafted)
			}
			args := []string{"--spec-type", test.kind}
			if test.draft != nil {
				args = append(args, "-md", test.draft(t))
			}
			fast := chat(t, start(t, model, args...), "Hi", 100)
			if fast.text() != plain.text() {
				t.Errorf("%q with speculation, %q without", fast.text(), plain.text())
			}
			share := float64(fast.Timings.Accepted) / float64(fast.Timings.Drafted)
			if fast.Timings.Accepted == 0 || share < test.atLeast {
				t.Errorf("%d of %d drafted tokens accepted", fast.Timings.Accepted, fast.Timings.Drafted)
			}
		})
	}
}

func TestEmbeddingModelsTellTextsApart(t *testing.T) {
	for name, model := range map[string]func(testing.TB) string{"BERT": gguftest.BERT, "causal": gguftest.CausalEmbedder} {
		t.Run(name, func(t *testing.T) {
			type answer struct {
				Data []struct{ Embedding []float64 }
			}
			got := ask[answer](t, start(t, model(t), "--embeddings"), "/v1/embeddings",
				object{"input": []string{"horses graze every morning", "horses graze every evening", "Wooden? 123 zzz"}})
			if len(got.Data) != 3 {
				t.Fatalf("%d vectors", len(got.Data))
			}
			for _, d := range got.Data {
				if length := dot(d.Embedding, d.Embedding); len(d.Embedding) != 128 || math.Abs(length-1) > 0.01 {
					t.Errorf("a vector of %d numbers and length %g", len(d.Embedding), length)
				}
			}
			near := dot(got.Data[0].Embedding, got.Data[1].Embedding)
			far := dot(got.Data[0].Embedding, got.Data[2].Embedding)
			if near > 0.99 || far > near-0.1 {
				t.Errorf("similar texts are %.2f alike, others %.2f", near, far)
			}
		})
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func TestTheRerankerScoresDocuments(t *testing.T) {
	type answer struct {
		Results []struct {
			Index int
			Score float64 `json:"relevance_score"`
		}
	}
	got := ask[answer](t, start(t, gguftest.Reranker(t), "--rerank"), "/v1/rerank",
		object{"query": "horses", "documents": []string{"grass grows", "horses graze", "zzz"}})
	scores := map[float64]bool{}
	for _, r := range got.Results {
		scores[r.Score] = true
	}
	if len(got.Results) != 3 || len(scores) != 3 {
		t.Errorf("results %v", got.Results)
	}
}

func TestProjectorsSeePicturesForTheirModels(t *testing.T) {
	tests := []struct {
		name             string
		model, projector func(testing.TB) string
	}{
		{"Gemma 3", gguftest.Gemma3, gguftest.Projector},
		{"a llama", gguftest.Llama, gguftest.LlamaProjector},
		{"Qwen 3.5", gguftest.Qwen35, gguftest.Qwen35Projector},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := start(t, test.model(t), "--mmproj", test.projector(t))
			seen := chat(t, e, []object{
				{"type": "text", "text": "What is it?"},
				{"type": "image_url", "image_url": object{"url": picture(t)}},
			}, 5)
			if seen.text() != "Hello! I am a very" {
				t.Errorf("answered %q", seen.text())
			}
			text := chat(t, e, "What is it?", 5)
			if text.text() != "Hello! I am a very" {
				t.Errorf("answered %q to a text after the picture", text.text())
			}
			if seen.Usage.PromptTokens < text.Usage.PromptTokens+4 {
				t.Errorf("%d tokens with the picture, %d without", seen.Usage.PromptTokens, text.Usage.PromptTokens)
			}
		})
	}
}

// picture is a small PNG as a data URL.
func picture(t *testing.T) string {
	t.Helper()
	p := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		p.Set(i%64, i/64, color.RGBA{R: uint8(i % 64 * 4), G: uint8(i / 64 * 4), B: 128, A: 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		t.Fatal(err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}

func TestTheAdapterFitsTheLlama(t *testing.T) {
	e := start(t, gguftest.Llama(t), "--lora", gguftest.LoRA(t))
	if got := chat(t, e, "Hi", 5).text(); got != "Hello! I am a very" {
		t.Errorf("answered %q", got)
	}
	response, err := e.http.Get("http://engine/lora-adapters")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var b bytes.Buffer
	b.ReadFrom(response.Body)
	if !strings.Contains(b.String(), "llama-lora.gguf") {
		t.Errorf("adapters %s", b.String())
	}
}

func TestTheSameSpecificationGivesTheSameBytes(t *testing.T) {
	for _, s := range gguftest.All() {
		t.Run(s.Name, func(t *testing.T) {
			read := func() []byte {
				path, err := s.Write(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				if base := filepath.Base(path); !strings.HasPrefix(base, s.Name) {
					t.Errorf("%s is written as %s", s.Name, base)
				}
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				return data
			}
			first := read()
			if !bytes.Equal(first, read()) {
				t.Error("two files differ")
			}
			if len(first) > 4<<20 {
				t.Errorf("%d bytes, too large for a test", len(first))
			}
		})
	}
}
