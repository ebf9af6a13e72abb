package gguf_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
)

// FuzzRead shows that no bytes make the reader panic or contradict itself.
func FuzzRead(f *testing.F) {
	whole, err := os.ReadFile(write(f, small()))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(one("t", 12, 0, 256, 2))
	f.Add(manyTensors(3, 64))
	f.Add([]byte("GGUF\x00\x00\x00\x03"))
	for _, s := range gguftest.All() {
		// Without its vocabulary most of a header's bytes are ones that matter.
		file := s.File()
		file.Set("tokenizer.ggml.tokens", []string{"a", "b"})
		file.Set("tokenizer.ggml.token_type", []int32{1, 1})
		file.Set("tokenizer.ggml.scores", []float32{0, 0})
		file.Set("tokenizer.ggml.merges", []string{"a b"})
		f.Add(file.Header())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		facts, err := gguf.ReadBytes(data)
		checkFacts(t, facts)
		if err == nil {
			if facts.WeightsBytes > uint64(len(data)) {
				t.Errorf("%d bytes of weights in a file of %d", facts.WeightsBytes, len(data))
			}
			return
		}
		var e *gguf.Error
		if !errors.As(err, &e) || e.Problem == "" {
			t.Fatalf("error %v", err)
		}
		if e.Detail != gguf.Printable(e.Detail) {
			t.Errorf("detail %q cannot be shown", e.Detail)
		}
		if e.Offset < 0 || e.Offset > int64(len(data)) {
			t.Errorf("offset %d in %d bytes", e.Offset, len(data))
		}
	})
}

// checkFacts checks what holds of all facts, also those of a damaged file.
func checkFacts(t *testing.T, f gguf.Facts) {
	t.Helper()
	if f.Name == "" || f.Kind == "" {
		t.Errorf("name %q, kind %q", f.Name, f.Kind)
	}
	var bytes uint64
	tensors := 0
	for _, s := range f.TensorTypes {
		bytes += s.Bytes
		tensors += s.Tensors
	}
	if bytes != f.WeightsBytes || tensors != f.TensorCount {
		t.Errorf("shares of %d bytes in %d tensors; %d in %d in all", bytes, tensors, f.WeightsBytes, f.TensorCount)
	}
	for _, n := range []int{f.ContextTokens, f.Layers, f.EmbeddingLength, f.HeadSizeK, f.HeadSizeV, f.Experts,
		f.ExpertsUsed, f.NextNLayers, f.Split.Index, f.Split.Count, f.Vocabulary.Tokens} {
		if n < 0 {
			t.Errorf("a negative number in %+v", f)
		}
	}
	texts := []string{f.Architecture, f.Name, f.Licence, f.ChatTemplate, f.Vocabulary.Model, f.Vocabulary.Pre}
	for _, e := range f.Metadata {
		texts = append(texts, e.Key, e.Value)
	}
	for _, s := range texts {
		if !utf8.ValidString(s) {
			t.Errorf("%q is not UTF-8", s)
		}
		if strings.Contains(gguf.Printable(s), "\x1b") {
			t.Errorf("%q can colour a terminal", s)
		}
	}
}
