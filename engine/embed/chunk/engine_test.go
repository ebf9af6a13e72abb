package chunk_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
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

// startLimit is how long a tiny model may take to load.
const startLimit = time.Minute

// startEngine runs a generated model for vectors until the test ends.
func startEngine(t *testing.T, model string, contextTokens string) *client.Client {
	t.Helper()
	dir, err := os.MkdirTemp("", "cut") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	path := ""
	for _, spec := range gguftest.All() {
		if spec.Name == model {
			if path, err = spec.Write(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
	socket := filepath.Join(dir, "e.sock")
	ctx, cancel := context.WithCancel(context.Background())
	cmd := buildtest.Engine(t).Command(ctx, "llama-server", "-m", path, "--host", socket, "-c", contextTokens, "-b", contextTokens,
		"-ub", contextTokens, "-np", "1", "-fit", "off", "-t", "1", "--offline", "--no-ui", "--embeddings")
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := client.New(socket, "")
	t.Cleanup(func() {
		c.Close(time.Second)
		cancel()
		_ = cmd.Wait() // it was killed
		log.Close()
		os.RemoveAll(dir)
	})
	for deadline := time.Now().Add(startLimit); c.Health(t.Context()) != nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			said, _ := os.ReadFile(log.Name())
			t.Fatalf("the engine did not start:\n%s", said)
		}
	}
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
