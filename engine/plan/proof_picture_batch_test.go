package plan_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

// The proof of the rule picture-batch in rules/purpose.toml.

func TestEngineLooksAtAPictureInOneBatch(t *testing.T) {
	path, eyes := gguftest.Gemma3(t), gguftest.Projector(t)
	// A picture of the generated encoder has 4 tokens.
	small := plan.Plan{PhysicalBatchTokens: 2, BatchTokens: 512}
	r := startHealthy(t, judged(t, path, small, nil, nil)) // without eyes it is no matter
	if status, _ := r.chat(t); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	small.ProjectorPath = eyes
	r = startHealthy(t, judged(t, path, small, []string{"picture-batch"}, nil, eyes))
	if got := r.ask(t, question{picture: true, tokens: 2}); got.status != 0 {
		t.Errorf("status %d, %s", got.status, got.text)
	}
	select {
	case <-r.Done():
	case <-time.After(startLimit):
		t.Error("the engine lives on")
	}
	if !strings.Contains(r.Log(), "non-causal attention") {
		t.Errorf("it says something else:\n%s", r.Log())
	}
	r = startHealthy(t, judged(t, path, plan.Plan{PhysicalBatchTokens: 256}, nil, nil, eyes))
	if got := r.ask(t, question{picture: true, tokens: 2}); got.status != http.StatusOK {
		t.Errorf("status %d, %s", got.status, got.text)
	}
}
