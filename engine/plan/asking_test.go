package plan_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"paddock/engine/build/buildtest"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

// A reply is what came of one question.
type reply struct {
	status  int // 0 when the engine died of it
	text    string
	drafted int // tokens that were guessed
}

// A question is one request of a chat, of temperature 0.
type question struct {
	text    string
	picture bool
	tokens  int // at most in the answer; 40 when 0
}

// askLimit is how long a tiny model may take to answer.
const askLimit = 60 * time.Second

// ask asks one question.
func (r *running) ask(t *testing.T, q question) reply {
	t.Helper()
	type object map[string]any
	content := []object{{"type": "text", "text": firstText(q.text, "What is it?")}}
	if q.picture {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 64, 64))); err != nil {
			t.Fatal(err)
		}
		url := "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
		content = append(content, object{"type": "image_url", "image_url": object{"url": url}})
	}
	tokens := q.tokens
	if tokens == 0 {
		tokens = 40
	}
	status, data := r.post(t, "/v1/chat/completions", object{
		"messages": []object{{"role": "user", "content": content}}, "max_tokens": tokens, "temperature": 0,
	})
	if status != http.StatusOK {
		return reply{status: status, text: string(data)}
	}
	var answer struct {
		Choices []struct{ Message struct{ Content string } }
		Timings struct {
			Drafted int `json:"draft_n"`
		}
	}
	if err := json.Unmarshal(data, &answer); err != nil || len(answer.Choices) != 1 {
		t.Fatalf("%v in %s", err, data)
	}
	return reply{status, answer.Choices[0].Message.Content, answer.Timings.Drafted}
}

// post sends a request and returns status 0 when the engine died of it.
func (r *running) post(t *testing.T, path string, body any) (status int, answer []byte) {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), askLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://engine"+path, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := r.HTTP.Do(request)
	if err == nil {
		defer response.Body.Close()
		answer, err = io.ReadAll(response.Body)
	}
	if err == nil {
		return response.StatusCode, answer
	}
	select {
	case <-r.Done():
		return 0, nil
	case <-time.After(askLimit):
		t.Fatalf("%v, and the engine still runs:\n%s", err, r.Log())
		return 0, nil
	}
}

func firstText(texts ...string) string {
	i := slices.IndexFunc(texts, func(text string) bool { return text != "" })
	return texts[i]
}

// started waits for an engine that must start.
func started(t *testing.T, r *running) *running {
	t.Helper()
	if !r.healthy(t) {
		t.Fatalf("the engine did not start:\n%s", r.Log())
	}
	return r
}

// answers asks and wants an answer, with or without guesses.
func (r *running) answers(t *testing.T, q question, guessing bool) string {
	t.Helper()
	got := r.ask(t, q)
	if got.status != http.StatusOK || got.text == "" {
		t.Fatalf("status %d, %q:\n%s", got.status, got.text, r.Log())
	}
	if got.drafted > 0 != guessing {
		t.Errorf("%d tokens were guessed", got.drafted)
	}
	return got.text
}

// failsWhenAsked wants a question to fail or to kill the engine, with words of
// the engine's in its log.
func (r *running) failsWhenAsked(t *testing.T, q question, engineSays string) {
	t.Helper()
	got := r.ask(t, q)
	if got.status == http.StatusOK {
		t.Errorf("it answered %q", got.text)
	}
	// What it logs may arrive after what it answers.
	for deadline := time.Now().Add(askLimit); !strings.Contains(got.text+r.Log(), engineSays); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the engine does not say %q:\n%s", engineSays, r.Log())
		}
	}
}

// refused completes a plan that exactly these rules must refuse.
func refused(t *testing.T, path string, p plan.Plan, beside []string, rules ...string) plan.Plan {
	t.Helper()
	p, g := completeNewest(t, path, p, beside)
	if got := ids(plan.Check(p, g).Refusals); !slices.Equal(got, rules) {
		t.Errorf("refused by %v, want %v", got, rules)
	}
	return p
}

// allowed completes a plan that no rule may refuse, and exactly these caution of.
func allowed(t *testing.T, path string, p plan.Plan, beside []string, cautions ...string) plan.Plan {
	t.Helper()
	p, g := completeNewest(t, path, p, beside)
	v := plan.Check(p, g)
	if got := ids(v.Cautions); !v.Valid() || !slices.Equal(got, cautions) {
		t.Errorf("refused by %v, cautions %v, want %v", ids(v.Refusals), got, cautions)
	}
	return p
}

// completeNewest is complete for the newest build the rules know.
func completeNewest(t *testing.T, path string, p plan.Plan, beside []string) (plan.Plan, plan.Given) {
	t.Helper()
	_, g := complete(t, path, p, beside...)
	g.Build = plan.NewestKnownBuild
	p, _ = plan.Complete(p, g)
	return p, g
}

func ids(findings []plan.Finding) []string {
	var list []string
	for _, f := range findings {
		list = append(list, f.Rule)
	}
	return list
}

// generated is a model of gguftest by its name, to be changed.
func generated(t *testing.T, name string) *gguftest.File {
	t.Helper()
	all := gguftest.All()
	i := slices.IndexFunc(all, func(s gguftest.Spec) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("there is no model %s", name)
	}
	return all[i].File()
}

func written(t *testing.T, f *gguftest.File, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".gguf")
	if err := f.Write(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// twoServers lends a plan two devices over loopback, which are this processor's.
func twoServers(t *testing.T, p plan.Plan) plan.Plan {
	t.Helper()
	rig := buildtest.RPC(t, 2)
	p.RPCServers, p.Devices, p.GPULayers = rig.RPCServers, rig.Devices, "all"
	return p
}

// twoParts writes a file in two parts and reads them.
func twoParts(t *testing.T, f *gguftest.File) gguf.Facts {
	t.Helper()
	folder := t.TempDir()
	half := len(f.Tensors) / 2
	var paths []string
	for i, tensors := range [][]gguftest.Tensor{f.Tensors[:half], f.Tensors[half:]} {
		part := gguftest.File{Tensors: tensors}
		if i == 0 {
			part.Keys = slices.Clone(f.Keys)
		}
		part.Set("split.no", uint16(i))
		part.Set("split.count", uint16(2))
		part.Set("split.tensors.count", int32(len(f.Tensors)))
		paths = append(paths, filepath.Join(folder, fmt.Sprintf("parts-%05d-of-00002.gguf", i+1)))
		if err := part.Write(paths[i]); err != nil {
			t.Fatal(err)
		}
	}
	both, err := gguf.ReadSet(paths)
	if err != nil {
		t.Fatal(err)
	}
	return both
}
