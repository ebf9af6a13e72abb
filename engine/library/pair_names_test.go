package library

import (
	"testing"

	"paddock/engine/gguf"
)

func TestNamesThatContradictEachOther(t *testing.T) {
	for _, test := range []struct {
		a, b       string
		contradict bool
	}{
		{"Qwen3VL 8B", "Qwen3-VL 8B", false},
		{"Qwen3VL 8B Instruct", "Qwen3-VL-8B", false},
		{"qwen2.5vl_7b", "Qwen2.5-VL 7B", false},
		{"Qwen2.5-Omni-3B", "Qwen2.5Omni 3B", false},
		{"Phi-3.5-vision", "phi-3.5vision", false},
		{"Qwen3VL 8B", "Qwen3-VL 4B", true},
		{"Qwen3VL 8B", "Qwen2.5-VL 8B", true},
		{"gemma3n E4B", "gemma3 4B", true},
		{"gemma-3n", "gemma-3", true},
		{"gemma3n", "gemma-3n", false},
		{"Qwen3 Vladivostok", "Qwen3vladivostok", true}, // vl is a word, not its beginning
	} {
		s := newSpeller()
		of := func(name string) names { return s.names(madeUp("/m/model.gguf", gguf.Model, named(name))) }
		a, b := of(test.a), of(test.b)
		if contradict(a, b) != test.contradict || contradict(b, a) != test.contradict {
			t.Errorf("%s and %s: %v", test.a, test.b, contradict(a, b))
		}
	}
	s := newSpeller()
	of := func(name string) names { return s.names(madeUp("/m/model.gguf", gguf.Model, named(name))) }
	if !share(of("Qwen3VL 8B").identities, of("Qwen3-VL-8B").identities) {
		t.Error("two spellings are two names")
	}
}
