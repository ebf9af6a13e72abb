package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"paddock/engine/build"
	"paddock/engine/build/bare"
	"paddock/engine/client"
	"paddock/engine/gguf"
	"paddock/engine/plan"
	"paddock/engine/server"
)

// Rounds of each kind, in turn, so that a busy moment falls on both.
const rounds = 15

const (
	prompt       = "Tell me about yourself, in as many words as you like."
	answerTokens = 400
)

// judgedBelow is the speed, in tokens a second, of the fastest model a person
// runs. A test's tiny one is several times as fast, and there the microseconds a token
// takes in the client are more than 3 %: that is shown, and not judged.
const judgedBelow = 1000

// A timing is one answer's.
type timing struct {
	first  time.Duration // to the first piece of text
	tokens int
	rest   time.Duration // from there to the end
}

func (t timing) perSecond() float64 { return float64(t.tokens-1) / t.rest.Seconds() }

// answers compares the app's client with the plainest reader of the same stream,
// each on an engine of its own with the same settings.
func answers(ctx context.Context, enginePath, modelPath string) ([]row, error) {
	b := build.Identify(ctx, enginePath, build.Bundled)
	if err := b.Err(); err != nil {
		return nil, err
	}
	facts, err := gguf.Read(modelPath)
	if err != nil {
		return nil, err
	}
	p, _ := plan.Complete(plan.Plan{ContextTokens: 2048}, plan.Given{Model: facts})
	folder, err := os.MkdirTemp("", "pb")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)

	ours, err := server.Start(ctx, server.Options{Build: b, Plan: p, RuntimeDir: filepath.Join(folder, "r"), LogDir: folder})
	if err != nil {
		return nil, err
	}
	defer ours.Stop(context.WithoutCancel(ctx))
	plain, err := startBare(ctx, b, p)
	if err != nil {
		return nil, err
	}
	defer plain.Stop()

	var app, raw []timing
	for i := range rounds + 1 {
		a, err := askClient(ctx, ours.Client())
		if err != nil {
			return nil, err
		}
		r, err := askBare(ctx, plain)
		if err != nil {
			return nil, err
		}
		if i > 0 { // the first fills the engines' prompt caches
			app, raw = append(app, a), append(raw, r)
		}
	}
	bareSpeed := median(raw, timing.perSecond)
	speed := median(app, timing.perSecond) / bareSpeed
	first := func(t timing) float64 { return t.first.Seconds() * 1000 }
	added := median(app, first) - median(raw, first)
	return []row{
		{"tokens/s through the client, of the bare engine's",
			fmt.Sprintf("%.3f (%.0f of %.0f)", speed, median(app, timing.perSecond), bareSpeed),
			">= 0.97 below 1,000 tokens/s", speed >= 0.97 || bareSpeed > judgedBelow},
		{"added time to first token",
			fmt.Sprintf("%.1f ms (%.1f, bare %.1f)", added, median(app, first), median(raw, first)), "<= 5 ms", added <= 5},
	}, nil
}

func median[T any](values []T, of func(T) float64) float64 {
	numbers := make([]float64, len(values))
	for i, v := range values {
		numbers[i] = of(v)
	}
	slices.Sort(numbers)
	return numbers[len(numbers)/2]
}

func askClient(ctx context.Context, c *client.Client) (timing, error) {
	zero := 0.0
	start := time.Now()
	var first time.Time
	answer, err := c.Chat(ctx, client.Request{
		Messages: []client.Message{{Role: "user", Text: prompt}}, Temperature: &zero,
		MaxTokens: answerTokens, IgnoreEnd: true,
	}, func(d client.Delta) {
		if first.IsZero() && d.Text+d.Reasoning != "" {
			first = time.Now()
		}
	})
	return timing{first: first.Sub(start), tokens: answer.AnswerTokens, rest: time.Since(first)}, err
}

// startBare runs llama-server with the plan's arguments and nothing else, and waits
// until it is ready.
func startBare(ctx context.Context, b build.Build, p plan.Plan) (*bare.Engine, error) {
	e, err := bare.Start(ctx, b, plan.Arguments(p)...)
	if err != nil {
		return nil, err
	}
	ready, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if !e.Healthy(ready) {
		e.Stop()
		return nil, fmt.Errorf("the bare engine does not answer: %s", bare.FirstError(e.Log()))
	}
	return e, nil
}

func askBare(ctx context.Context, e *bare.Engine) (timing, error) {
	body := fmt.Sprintf(`{"messages":[{"role":"user","content":%q}],"temperature":0,"max_tokens":%d,"ignore_eos":true,"stream":true,"stream_options":{"include_usage":true}}`, prompt, answerTokens)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://engine/v1/chat/completions", bytes.NewBufferString(body))
	if err != nil {
		return timing{}, err
	}
	start := time.Now()
	response, err := e.HTTP.Do(request)
	if err != nil {
		return timing{}, err
	}
	defer response.Body.Close()
	var t timing
	var first time.Time
	var last []byte
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if first.IsZero() && bytes.Contains(lines.Bytes(), []byte(`"delta":{"content":"`)) {
			first = time.Now()
		}
		if bytes.Contains(lines.Bytes(), []byte(`"usage":`)) {
			last = bytes.Clone(bytes.TrimPrefix(lines.Bytes(), []byte("data: ")))
		}
	}
	if err := lines.Err(); err != nil {
		return t, err
	}
	var end struct {
		Usage struct {
			Tokens int `json:"completion_tokens"`
		}
	}
	if err := json.Unmarshal(last, &end); err != nil {
		return t, err
	}
	t.first, t.rest, t.tokens = first.Sub(start), time.Since(first), end.Usage.Tokens
	return t, nil
}
