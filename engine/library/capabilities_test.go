package library

import (
	"maps"
	"slices"
	"testing"

	"paddock/engine/gguf"
	"paddock/engine/plan"
)

func TestWhatOnlyReadsMakesVectorsAndIsRefusedAChat(t *testing.T) {
	for _, architecture := range slices.Sorted(maps.Keys(encoders)) {
		f := gguf.Facts{Kind: gguf.Model, Architecture: architecture}
		if got := capabilities(f, nil); !slices.Equal(got, []string{"embeddings"}) {
			t.Errorf("%s can %v", architecture, got)
		}
		refused := slices.ContainsFunc(plan.Check(plan.Plan{Purpose: plan.Chat}, plan.Given{Model: f}).Refusals, func(r plan.Finding) bool {
			return r.Rule == "chat-embedding-architecture"
		})
		if !refused {
			t.Errorf("%s is not refused a chat", architecture)
		}
	}
}

func TestARefusalAloneMakesNoVectors(t *testing.T) {
	// Whatever else the rules may come to refuse of a chat model.
	f := gguf.Facts{Kind: gguf.Model, Architecture: "llama", ContextTokens: 128, HeadSizeK: 80, HeadSizeV: 80}
	if got := capabilities(f, nil); !slices.Equal(got, []string{"chat"}) {
		t.Errorf("it can %v", got)
	}
}

func TestWhatMakesSoundDoesNotChat(t *testing.T) {
	for architecture := range speakers {
		if got := capabilities(gguf.Facts{Kind: gguf.Model, Architecture: architecture}, nil); len(got) != 0 {
			t.Errorf("%s can %v", architecture, got)
		}
	}
}

func TestAFileWithAProblemCanDoNothing(t *testing.T) {
	for _, kind := range []gguf.Kind{gguf.Model, gguf.Projector, gguf.LoRA} {
		if got := capabilities(gguf.Facts{Kind: kind}, &gguf.Error{Problem: gguf.Truncated}); len(got) != 0 {
			t.Errorf("a %s can %v", kind, got)
		}
	}
}
