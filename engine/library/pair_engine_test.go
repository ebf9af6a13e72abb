package library_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"paddock/engine/build/bare"
	"paddock/engine/build/buildtest"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/library"
)

// These tests prove pairing on the real engine: what is offered works, and what
// is not would have failed, or been wrong without a word.

// A pairing is the generated models in one folder, and what Pair makes of them.
type pairing struct {
	folder string
	pairs  map[string]library.Companions
}

func pairGenerated(t *testing.T) pairing {
	t.Helper()
	p := pairing{folder: t.TempDir()}
	for _, spec := range gguftest.All() {
		if _, err := spec.Write(p.folder); err != nil {
			t.Fatal(err)
		}
	}
	var models []library.Model
	err := library.Scan(t.Context(), library.Sources{Folders: []string{p.folder}}, func(m library.Model) { models = append(models, m) })
	if err != nil {
		t.Fatal(err)
	}
	p.pairs = library.Pair(models)
	return p
}

func (p pairing) path(name string) string { return filepath.Join(p.folder, name+".gguf") }

// offered is a companion of a model, if it is one.
func (p pairing) offered(model, companion string) (library.Companion, bool) {
	c := p.pairs[p.path(model)]
	for _, list := range [][]library.Companion{c.Projectors, c.Drafts, c.MTP, c.LoRA} {
		for _, one := range list {
			if one.Path == p.path(companion) {
				return one, true
			}
		}
	}
	return library.Companion{}, false
}

func TestWhatIsOfferedWorksOnTheEngine(t *testing.T) {
	p := pairGenerated(t)
	tests := []struct {
		name, model, companion string
		reason                 library.Reason
		spec                   string
		drafts, sees           bool
	}{
		{"a projector of Gemma 3", "gemma3", "mmproj", library.SameFamily, "", false, true},
		{"a projector of LLaVA's kind, by its name", "llama", "mmproj-llama", library.Fits, "", false, true},
		{"a projector of Qwen 3.5", "qwen35-mtp", "mmproj-qwen35", library.Fits, "", false, true},
		{"a smaller model", "llama", "llama-draft", library.SameVocabulary, "draft-simple", true, false},
		{"an EAGLE-3 draft", "llama", "llama-eagle3", library.SameFamily, "draft-eagle3", true, false},
		{"an MTP head for a model that lost its own", "qwen35-mtp-missing", "qwen35-mtp-head", library.SameFamily, "draft-mtp", true, false},
		{"an assistant of Gemma 4", "gemma4", "gemma4-assistant", library.AssistantOf, "draft-mtp", true, false},
		{"an adapter", "llama", "llama-lora", library.AdapterOf, "", false, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, offered := p.offered(test.model, test.companion)
			if !offered || c.Reason != test.reason || c.Spec != test.spec {
				t.Fatalf("offered %v, %s, %q", offered, c.Reason, c.Spec)
			}
			var args []string
			switch {
			case test.spec != "":
				args = []string{"-md", c.Path, "--spec-type", c.Spec}
			case test.sees:
				args = []string{"--mmproj", c.Path}
			default:
				args = []string{"--lora", c.Path}
			}
			e := startEngine(t, p.path(test.model), args...)
			if !buildtest.Ready(t, e.Engine) {
				t.Fatalf("the engine did not start:\n%s", e.log())
			}
			status, answer := e.chat(t, test.sees)
			if status != http.StatusOK || answer.Timings.Drafted > 0 != test.drafts {
				t.Errorf("status %d, %d tokens drafted:\n%s", status, answer.Timings.Drafted, e.log())
			}
		})
	}
}

func TestWhatIsNotOfferedFailsOrIsWrongOnTheEngine(t *testing.T) {
	p := pairGenerated(t)
	tests := []struct {
		name, model, companion string
		args                   []string // before the companion
		happens                string   // "fails to start", "dies when asked", "does nothing", "is taken for its own"
	}{
		{"a projector of another width", "gemma3", "mmproj-wide", []string{"--mmproj"}, "fails to start"},
		{"a projector of another kind and this width", "gemma4", "mmproj-qwen35", []string{"--mmproj"}, "is taken for its own"},
		{"a draft with one other word", "llama", "llama-draft-moved", []string{"--spec-type", "draft-simple", "-md"}, "does nothing"},
		{"a draft with another vocabulary", "llama", "qwen35-mtp", []string{"--spec-type", "draft-simple", "-md"}, "does nothing"},
		{"an EAGLE-3 draft with another vocabulary", "llama-bpe", "llama-eagle3", []string{"--spec-type", "draft-eagle3", "-md"}, "dies when asked"},
		{"an assistant of another architecture", "gemma3", "gemma4-assistant", []string{"--spec-type", "draft-mtp", "-md"}, "fails to start"},
		{"an MTP head of another architecture", "llama-bpe", "qwen35-mtp-head", []string{"--spec-type", "draft-mtp", "-md"}, "is taken for its own"},
		{"an adapter of another shape", "llama-head80", "llama-lora", []string{"--lora"}, "fails to start"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if c, offered := p.offered(test.model, test.companion); offered {
				t.Errorf("it is offered: %s", c.Reason)
			}
			e := startEngine(t, p.path(test.model), append(test.args, p.path(test.companion))...)
			got := e.behaviour(t, slices.Contains(test.args, "--mmproj"))
			if got != test.happens {
				t.Errorf("the engine %s, not %s:\n%s", got, test.happens, e.log())
			}
		})
	}
}

func TestAModelThatLostItsMTPLayersChatsAndDraftsNothing(t *testing.T) {
	p := pairGenerated(t)
	path := p.path("qwen35-mtp-missing")
	model := library.One(path)
	if got := (library.Companions{}).MTPHead(model); got != library.MTPMissing {
		t.Errorf("its layers are said to be %q", got)
	}
	if e := startEngine(t, path); e.behaviour(t, false) != "does nothing" {
		t.Errorf("it does not chat:\n%s", e.log())
	}
	if e := startEngine(t, path, "--spec-type", "draft-mtp"); e.behaviour(t, false) != "fails to start" {
		t.Errorf("the engine drafts with what is not there:\n%s", e.log())
	}
}

// An engine is a real one, running.
type engine struct{ *bare.Engine }

func startEngine(t *testing.T, model string, args ...string) engine {
	t.Helper()
	return engine{buildtest.Run(t, append([]string{"-m", model, "-c", "512", "-np", "1", "-fit", "off", "-t", "1"}, args...)...)}
}

func (e engine) log() string {
	lines := strings.Split(strings.TrimSpace(e.Log()), "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "\n")
}

type answer struct {
	Timings struct {
		Drafted int `json:"draft_n"`
	}
}

// chat asks one question, about a picture if there is to be one. The status is 0
// when no answer came.
func (e engine) chat(t *testing.T, seeing bool) (status int, a answer) {
	t.Helper()
	type object map[string]any
	content := []object{{"type": "text", "text": "What is it?"}}
	if seeing {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 64, 64))); err != nil {
			t.Fatal(err)
		}
		url := "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
		content = append(content, object{"type": "image_url", "image_url": object{"url": url}})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	status, text, err := e.Ask(ctx, http.MethodPost, "/v1/chat/completions", object{
		"messages": []object{{"role": "user", "content": content}}, "max_tokens": 40, "temperature": 0,
	})
	if err != nil {
		return 0, a
	}
	if status == http.StatusOK {
		if err := json.Unmarshal(text, &a); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
	return status, a
}

// behaviour is what comes of a companion.
func (e engine) behaviour(t *testing.T, seeing bool) string {
	t.Helper()
	if !buildtest.Ready(t, e.Engine) {
		return "fails to start"
	}
	switch status, a := e.chat(t, seeing); {
	case status == 0 && e.ends(t):
		return "dies when asked"
	case status == 0:
		return "gives no answer"
	case status != http.StatusOK:
		return "answers with an error"
	case seeing || a.Timings.Drafted > 0:
		return "is taken for its own"
	}
	return "does nothing"
}

// ends tells whether the process ends by itself.
func (e engine) ends(t *testing.T) bool {
	select {
	case <-e.Done():
		return true
	case <-time.After(20 * time.Second):
	case <-t.Context().Done():
	}
	return false
}
