package chunk_test

import (
	"testing"

	"paddock/engine/embed/chunk"
	"paddock/engine/embed/document"
)

// BenchmarkCut reads and cuts a text, with a tokenizer that costs next to nothing.
func BenchmarkCut(b *testing.B) {
	text := ""
	for len(text) < 4<<20 {
		text += mixture(20_000)
	}
	path := write(b, "a.txt", text)
	for _, method := range []string{"tokens:512:64", "file", "paragraphs", "lines"} {
		b.Run(method, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			n := 0
			for b.Loop() {
				d, err := document.Read(b.Context(), path, document.Options{})
				if err != nil {
					b.Fatal(err)
				}
				n = 0
				for _, err := range chunk.Cut(b.Context(), d.Kind, d.Pieces(), greedy{}, chunk.Options{Strategy: strategy(b, method), LimitTokens: 2048}) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
				d.Close()
			}
			b.ReportMetric(float64(n), "chunks")
		})
	}
}
