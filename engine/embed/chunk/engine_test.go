package chunk_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"paddock/engine/build/buildtest"
	"paddock/engine/client"
	"paddock/engine/embed/chunk"
	"paddock/engine/gguf/gguftest"
)

// engineTokens counts with a real engine.
type engineTokens struct{ *client.Client }

func (e engineTokens) Count(ctx context.Context, texts []string) ([]int, error) {
	return e.CountTokens(ctx, texts)
}

// startEngine runs a generated model for vectors until the test ends.
func startEngine(t *testing.T, model string, contextTokens string) *client.Client {
	t.Helper()
	at := slices.IndexFunc(gguftest.All(), func(s gguftest.Spec) bool { return s.Name == model })
	path, err := gguftest.All()[at].Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e := buildtest.Serve(t, "-m", path, "-c", contextTokens, "-b", contextTokens, "-ub", contextTokens,
		"-np", "1", "-fit", "off", "-t", "1", "--embeddings")
	c := client.New(e.Socket, "")
	t.Cleanup(func() { c.Close(time.Second) })
	return c
}

// mixture is a text of many scripts and odd words, the same every time.
func mixture(words int) string {
	parts := strings.Fields("the cabin door opens [SEP] <|endoftext|> naïve façade Ünïcode 東京都は日本の首都です。 привет мир 한국어 🙂👩‍👩‍👧 " +
		"x=y+1; {\"k\":[1,2,3]} https://example.org/a?b=c_d supercalifragilisticexpialidocious 0123456789abcdef0123456789abcdef e\u0301")
	r := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for range words {
		text.WriteString(parts[r.IntN(len(parts))])
		text.WriteString([]string{" ", " ", " ", " ", "  ", "\t", ". ", "\n", "\n\n"}[r.IntN(9)])
	}
	return text.String()
}

func TestNoChunkIsLongerThanTheEngineTakes(t *testing.T) {
	for _, model := range []string{"bert", "qwen3-embedding"} {
		t.Run(model, func(t *testing.T) {
			// A causal model's context must be one token more than its longest text.
			c := startEngine(t, model, "256")
			path := write(t, "a.txt", mixture(6000))
			for _, method := range []string{"tokens:100:20", "tokens:512:0", "file", "paragraphs", "lines"} {
				o := chunk.Options{Strategy: strategy(t, method), Prefix: "search_document: ", LimitTokens: 255}
				chunks, failures := cutFile(t, path, engineTokens{c}, o)
				if len(failures) > 0 || len(chunks) == 0 {
					t.Fatalf("%s: %d chunks, %v", method, len(chunks), failures)
				}
				// The fullest ones are those that would be refused.
				var inputs []string
				for _, chunk := range chunks {
					if chunk.Tokens > 250 || method == "tokens:100:20" && chunk.Index < 20 {
						inputs = append(inputs, o.Input(chunk.Text))
					}
				}
				inputs = inputs[:min(len(inputs), 40)]
				if _, err := c.Embed(t.Context(), inputs); err != nil {
					t.Errorf("%s: %v", method, err)
				}
			}
		})
	}
}

func TestTheEngineCountsTextsOfARequestEachForItself(t *testing.T) {
	for _, model := range []string{"bert", "qwen3-embedding", "llama", "llama-bpe"} {
		t.Run(model, func(t *testing.T) {
			c := startEngine(t, model, "512")
			texts := []string{"", "the cabin door", " the", "", "héllo [SEP] <s> wörld", mixture(50), "\n\n", "x"}
			together, err := c.CountTokens(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range texts {
				alone, err := c.CountTokens(t.Context(), []string{text})
				if err != nil || alone[0] != together[i] {
					t.Errorf("%q has %v alone and %d among others, %v", text, alone, together[i], err)
				}
			}
		})
	}
}

func TestALongestTextIsTheContextOrATokenLess(t *testing.T) {
	// What a chunk's limit has to be: a causal model's context has to be larger than
	// the text, an encoder's as large.
	for model, limit := range map[string]int{"bert": 256, "qwen3-embedding": 255} {
		t.Run(model, func(t *testing.T) {
			c := startEngine(t, model, "256")
			for _, words := range []int{limit - 2, limit - 1, limit, limit + 1} {
				text := strings.TrimSpace(strings.Repeat("a ", words))
				counts, err := c.CountTokens(t.Context(), []string{text})
				if err != nil {
					t.Fatal(err)
				}
				_, err = c.Embed(t.Context(), []string{text})
				if (err == nil) != (counts[0] <= limit) {
					t.Errorf("%d tokens of %d: %v", counts[0], limit, err)
				}
			}
		})
	}
}
