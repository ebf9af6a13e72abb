//go:build linux

package engine

import (
	"errors"
	"testing"

	"paddock/engine/client"
	"paddock/engine/gguf/gguftest"
)

func TestTokensAreCountedOnceAModelIsReady(t *testing.T) {
	s := newTestSupervisor(t)
	question := client.Request{Messages: []client.Message{{Role: "user", Text: "How many posts?"}}, MaxTokens: 4}
	if _, err := s.Count(t.Context(), question); !errors.Is(err, ErrNotReady) {
		t.Errorf("without a model: %v", err)
	}
	load(t, s, chatPlan(gguftest.Llama(t)))
	counted, err := s.Count(t.Context(), question)
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := s.Chat(t.Context(), question, nil); err != nil || answer.PromptTokens != counted {
		t.Errorf("counted %d tokens, the engine took %d (%v)", counted, answer.PromptTokens, err)
	}
}
