//go:build linux

package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"

	"paddock/engine/client"
)

// benchTokens is how long an answer of a benchmark is.
const benchTokens = 256

func benchRequest() client.Request {
	return client.Request{
		Messages:  []client.Message{{Role: "user", Text: "Hello"}},
		MaxTokens: benchTokens, IgnoreEnd: true, Temperature: new(float64),
	}
}

// BenchmarkAnswerThroughTheClient and BenchmarkAnswerOfTheBareEngine ask the same
// of the same engine: their ratio is what the client costs.
func BenchmarkAnswerThroughTheClient(b *testing.B) {
	i := start(b, realOptions(b))
	for b.Loop() {
		answer, err := i.Client().Chat(b.Context(), benchRequest(), func(client.Delta) {})
		if err != nil || answer.AnswerTokens != benchTokens {
			b.Fatal(answer.AnswerTokens, err)
		}
		b.ReportMetric(float64(answer.FirstToken.Microseconds()), "µs-to-first-token")
	}
	b.ReportMetric(float64(benchTokens*b.N)/b.Elapsed().Seconds(), "tokens/s")
}

func BenchmarkAnswerOfTheBareEngine(b *testing.B) {
	i := start(b, realOptions(b))
	bare := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", i.place.socket)
	}}}
	body, err := json.Marshal(map[string]any{
		"messages":   []any{map[string]any{"role": "user", "content": "Hello"}},
		"max_tokens": benchTokens, "ignore_eos": true, "temperature": 0, "stream": true,
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "http://engine/v1/chat/completions", bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+i.place.key)
		response, err := bare.Do(request)
		if err != nil {
			b.Fatal(err)
		}
		pieces := 0
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "data: ") {
				pieces++
			}
		}
		response.Body.Close()
		if pieces < benchTokens/2 {
			b.Fatalf("%d pieces, status %d", pieces, response.StatusCode)
		}
	}
	b.ReportMetric(float64(benchTokens*b.N)/b.Elapsed().Seconds(), "tokens/s")
}
