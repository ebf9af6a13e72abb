package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

// replying is a client of an engine that answers every request with a status and
// a body, and what it was asked last.
func replying(t *testing.T, status int, body string) (*Client, *map[string]any) {
	t.Helper()
	asked := map[string]any{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+testKey {
			t.Errorf("asked without the key")
		}
		if data, err := io.ReadAll(r.Body); err != nil || len(data) > 0 && json.Unmarshal(data, &asked) != nil {
			t.Errorf("asked %s, %v", data, err)
		}
		asked["path"] = r.URL.Path
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	return New(server.URL, testKey), &asked
}

func TestEmbedGivesTheVectorsAsTheyAreInTheOrderOfTheTexts(t *testing.T) {
	c, asked := replying(t, 200, `{"data":[{"index":1,"embedding":[0.1,-2,3e-8]},{"index":0,"embedding":[0.07705693691968918,1,0]}]}`)
	vectors, err := c.Embed(t.Context(), []string{"one", "two"})
	want := [][]float32{{0.07705693691968918, 1, 0}, {0.1, -2, 3e-8}}
	if err != nil || !slices.EqualFunc(vectors, want, slices.Equal) {
		t.Errorf("vectors %v, %v", vectors, err)
	}
	if got := fmt.Sprintf("%v %v %v", (*asked)["path"], (*asked)["input"], (*asked)["encoding_format"]); got != "/v1/embeddings [one two] float" {
		t.Errorf("asked %s", got)
	}
}

func TestRerankGivesTheScoresInTheOrderOfTheTexts(t *testing.T) {
	c, asked := replying(t, 200, `{"results":[{"index":2,"relevance_score":1.5},{"index":0,"relevance_score":-0.25},{"index":1,"relevance_score":0}]}`)
	scores, err := c.Rerank(t.Context(), "q", []string{"a", "b", "c"})
	if err != nil || !slices.Equal(scores, []float64{-0.25, 0, 1.5}) {
		t.Errorf("scores %v, %v", scores, err)
	}
	if got := fmt.Sprintf("%v %v %v", (*asked)["path"], (*asked)["query"], (*asked)["documents"]); got != "/v1/rerank q [a b c]" {
		t.Errorf("asked %s", got)
	}
}

func TestNothingIsAskedForNoTexts(t *testing.T) {
	c := New("/nowhere.sock", testKey)
	vectors, err := c.Embed(t.Context(), nil)
	scores, err2 := c.Rerank(t.Context(), "q", nil)
	if len(vectors)+len(scores) > 0 || err != nil || err2 != nil {
		t.Errorf("%v, %v, %v, %v", vectors, scores, err, err2)
	}
}

func TestVectorsThatAreNoneAreRefused(t *testing.T) {
	failure := func(code int, kind, message string) string {
		return fmt.Sprintf(`{"error":{"code":%d,"type":%q,"message":%q,"n_prompt_tokens":600,"n_ctx":512}}`, code, kind, message)
	}
	tests := []struct {
		name         string
		status       int
		embed, ranks string
		want         Error
	}{
		{"one too few", 200, `{"data":[{"index":0,"embedding":[1]}]}`, `{"results":[{"index":0,"relevance_score":1}]}`, Error{Kind: NoVectors}},
		{"none", 200, `{}`, `{}`, Error{Kind: NoVectors}},
		{
			"a value that is no number", 200, `{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1,null]}]}`,
			`{"results":[{"index":0,"relevance_score":1},{"index":1,"relevance_score":null}]}`, Error{Kind: NoVectors},
		},
		{
			"two for one text", 200, `{"data":[{"index":1,"embedding":[1]},{"index":1,"embedding":[1]}]}`,
			`{"results":[{"index":1,"relevance_score":1},{"index":1,"relevance_score":1}]}`, Error{Kind: NoVectors},
		},
		{
			"one for a text that is not there", 200, `{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]}`,
			`{"results":[{"index":0,"relevance_score":1},{"index":-1,"relevance_score":1}]}`, Error{Kind: NoVectors},
		},
		{
			"one that is missing where others are", 200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[]}]}`,
			`{"results":[{"index":0,"relevance_score":1},{"index":1}]}`, Error{Kind: NoVectors},
		},
		{"vectors of two lengths", 200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`, `{"results":[]}`, Error{Kind: NoVectors}},
		{"a number no float holds", 200, `{"data":[{"index":0,"embedding":[1e60]},{"index":1,"embedding":[1]}]}`, `{"results":[{"index":0,"relevance_score":1e999}]}`, Error{Kind: Unintelligible, Status: 200}},
		{"no JSON", 200, `<html>`, `<html>`, Error{Kind: Unintelligible, Status: 200}},
		{
			"a text longer than the batch", 500,
			failure(500, "server_error", "input (600 tokens) is too large to process. increase the physical batch size (current batch size: 512)"), "",
			Error{Kind: TextTooLong, Status: 500, PromptTokens: 600, ContextTokens: 512},
		},
		{
			"a text longer than the context", 400, failure(400, "exceed_context_size_error", "too long"), "",
			Error{Kind: TextTooLong, Status: 400, PromptTokens: 600, ContextTokens: 512},
		},
		{
			"an engine that was started for something else", 501, failure(501, "not_supported_error", "Start it with --embeddings"), "",
			Error{Kind: NotSupported, Status: 501, PromptTokens: 600, ContextTokens: 512},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.ranks == "" {
				test.ranks = test.embed
			}
			check := func(err error) {
				t.Helper()
				var failed *Error
				if !errors.As(err, &failed) {
					t.Fatalf("error %T %v", err, err)
				}
				got := *failed
				got.Err, got.Message = nil, ""
				if got != test.want {
					t.Errorf("error %+v, want %+v", *failed, test.want)
				}
			}
			c, _ := replying(t, test.status, test.embed)
			vectors, err := c.Embed(t.Context(), []string{"one", "two"})
			if check(err); vectors != nil {
				t.Errorf("vectors %v", vectors)
			}
			c, _ = replying(t, test.status, test.ranks)
			scores, err := c.Rerank(t.Context(), "q", []string{"one", "two"})
			if check(err); scores != nil {
				t.Errorf("scores %v", scores)
			}
		})
	}
}

func TestAnEmbeddingThatIsCancelledSaysSo(t *testing.T) {
	for name, end := range map[string]func(*Client, func()){
		"by its context": func(_ *Client, cancel func()) { cancel() },
		"by closing":     func(c *Client, _ func()) { c.Close(0) },
	} {
		t.Run(name, func(t *testing.T) {
			came := make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				close(came)
				<-r.Context().Done()
			}))
			defer server.Close()
			c := New(server.URL, testKey)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			go func() {
				<-came
				end(c, cancel)
			}()
			if vectors, err := c.Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) || vectors != nil {
				t.Errorf("%v, %v", vectors, err)
			}
		})
	}
}

func TestAnEngineThatIsGoneEmbedsNothing(t *testing.T) {
	var failed *Error
	if _, err := New("/nowhere.sock", testKey).Embed(t.Context(), []string{"a"}); !errors.As(err, &failed) || failed.Kind != Unreachable {
		t.Errorf("error %v", err)
	}
}

func TestTheWidthOfVectorsIsTheEnginesWord(t *testing.T) {
	for body, want := range map[string]int{`{"data":[{"meta":{"n_embd":128}}]}`: 128, `{"data":[{"meta":null}]}`: 0, `{"data":[]}`: 0} {
		c, asked := replying(t, 200, body)
		if got, err := c.VectorWidth(t.Context()); got != want || err != nil || (*asked)["path"] != "/v1/models" {
			t.Errorf("%s: %d, %v", body, got, err)
		}
	}
	c, _ := replying(t, 503, `{"error":{"message":"Loading model"}}`)
	if _, err := c.VectorWidth(t.Context()); err == nil {
		t.Error("no error while loading")
	}
}
