package plan_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"paddock/engine/build/bare"
	"paddock/engine/build/buildtest"
	"paddock/engine/gguf"
	"paddock/engine/plan"
)

// A running is a real engine that was started with a plan's arguments, whatever
// the rules say of it.
type running struct{ *bare.Engine }

// startLimit is how long a tiny model may take to end.
const startLimit = 30 * time.Second

// start runs the engine until the test ends. more comes after the plan's
// arguments, and the last of two wins.
func start(t *testing.T, p plan.Plan, more ...string) *running {
	t.Helper()
	return &running{buildtest.Run(t, append(append(plan.Arguments(p), "-t", "1"), more...)...)}
}

// healthy reports whether the engine comes to say that it is ready, false when
// it ends instead.
func (r *running) healthy(t *testing.T) bool {
	t.Helper()
	return buildtest.Ready(t, r.Engine)
}

// chat asks once, without chance, and returns the status and the answer.
func (r *running) chat(t *testing.T) (status int, answer string) {
	t.Helper()
	body := `{"messages":[{"role":"user","content":"hello"}],"max_tokens":12,"temperature":0}`
	response, err := r.HTTP.Post("http://engine/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatalf("%v\n%s", err, r.Log())
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var completion struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if response.StatusCode == http.StatusOK {
		if err := json.Unmarshal(data, &completion); err != nil || len(completion.Choices) != 1 {
			t.Fatalf("%v in %s", err, data)
		}
		return response.StatusCode, completion.Choices[0].Message.Content
	}
	return response.StatusCode, string(data)
}

// slotTokens is the context the engine gives a conversation.
func (r *running) slotTokens(t *testing.T) int {
	t.Helper()
	response, err := r.HTTP.Get("http://engine/slots")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var slots []struct {
		Context int `json:"n_ctx"`
	}
	if err := json.NewDecoder(response.Body).Decode(&slots); err != nil || len(slots) != 1 {
		t.Fatalf("%v, %v", slots, err)
	}
	return slots[0].Context
}

// complete is a plan for a file, with what is beside it, and the processor for
// everything.
func complete(t *testing.T, path string, p plan.Plan, beside ...string) (plan.Plan, plan.Given) {
	t.Helper()
	g := plan.Given{Model: facts(t, path), Build: plan.NewestKnownBuild}
	for _, file := range beside {
		g.Beside = append(g.Beside, facts(t, file))
	}
	p, _ = plan.Complete(p, g)
	return p, g
}

func facts(t *testing.T, path string) gguf.Facts {
	t.Helper()
	f, err := gguf.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// wantRefused shows that a rule refuses the plan and that the engine does too.
func wantRefused(t *testing.T, rule, path string, p plan.Plan, engineSays string, beside ...string) {
	t.Helper()
	p, g := complete(t, path, p, beside...)
	if v := plan.Check(p, g); len(v.Refusals) != 1 || v.Refusals[0].Rule != rule {
		t.Errorf("the rules say %+v, want %s", v.Refusals, rule)
	}
	r := start(t, p)
	if r.healthy(t) {
		t.Fatalf("the engine started:\n%s", r.Log())
	}
	if r.Err() == nil {
		t.Error("the engine ended without an error")
	}
	if !strings.Contains(r.Log(), engineSays) {
		t.Errorf("the engine does not say %q:\n%s", engineSays, r.Log())
	}
}
