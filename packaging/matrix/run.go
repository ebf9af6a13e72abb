package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"paddock/engine/build"
	"paddock/engine/build/bare"
	"paddock/engine/plan"
)

// What became of a plan.
const (
	works          = "works"
	failsAtStart   = "start"
	failsOnRequest = "request"
	ignored        = "ignored" // something asked for is not done
	wrong          = "wrong"   // it answers, and not what it should
)

// A result is what the engine did with a cell.
type result struct {
	Key     string `json:"key"`
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"` // the engine's words, or what was seen
	Text    string `json:"text,omitempty"`   // what it answered, without chance
}

// Times within which a tiny model does something on a busy machine.
const (
	startTime   = 60 * time.Second
	requestTime = 60 * time.Second
)

// run starts an engine with the cell's plan and asks it everything the plan
// promises.
func run(ctx context.Context, b build.Build, c cell) (outcome, reason, text string) {
	args := append(plan.Arguments(c.plan), "-t", "1", "--no-warmup")
	e, err := bare.Start(ctx, b, args...)
	if err != nil {
		return failsAtStart, err.Error(), ""
	}
	defer e.Stop()
	starting, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if !e.Healthy(starting) {
		return failsAtStart, said(e), ""
	}
	asking, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	a := asker{ctx: asking, engine: e, cell: c}
	switch c.plan.Purpose {
	case plan.Embeddings:
		a.vectors()
	case plan.Rerank:
		a.scores()
	default:
		a.chat()
	}
	if a.outcome == "" {
		a.slots()
	}
	if a.outcome == "" {
		return works, "", a.text
	}
	if e.Dead() {
		a.reason = "it died: " + said(e)
	}
	return a.outcome, a.reason, a.text
}

func said(e *bare.Engine) string {
	if reason := bare.FirstError(e.Log()); reason != "" {
		return reason
	}
	return "it ended without a word"
}

// An asker puts questions to an engine until one goes wrong.
type asker struct {
	ctx             context.Context
	engine          *bare.Engine
	cell            cell
	outcome, reason string
	text            string
}

func (a *asker) fail(outcome, format string, args ...any) {
	if a.outcome == "" {
		a.outcome, a.reason = outcome, fmt.Sprintf(format, args...)
	}
}

// ask is false when no good answer came.
func (a *asker) ask(path string, body, answer any) bool {
	if a.outcome != "" {
		return false
	}
	status, data, err := a.engine.Ask(a.ctx, http.MethodPost, path, body)
	switch {
	case err != nil:
		a.fail(failsOnRequest, "%s: no answer", path)
	case status != http.StatusOK:
		var said struct{ Error struct{ Message string } }
		_ = json.Unmarshal(data, &said) // without it the status has to do
		a.fail(failsOnRequest, "%s: status %d, %s", path, status, said.Error.Message)
	case json.Unmarshal(data, answer) != nil:
		a.fail(failsOnRequest, "%s: no JSON", path)
	}
	return a.outcome == ""
}

type object map[string]any

const question = "Tell me about yourself, please."

// chat asks without chance; with a projector about a picture first, then again
// without; beyond the context where it is to shift; and twice the same middle where
// the cache is to be used again.
func (a *asker) chat() {
	if a.cell.plan.Projector() != "" {
		a.say(object{"type": "image_url", "image_url": object{"url": picture()}}, 8)
	}
	a.text = a.say(nil, 24)
	if a.cell.plan.ContextShift {
		a.say(nil, a.cell.plan.ContextTokens+64)
	}
	if a.cell.plan.CacheReuseTokens > 0 {
		middle := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 4)
		for _, first := range []string{"One. ", "Another beginning. "} {
			a.ask("/completion", object{"prompt": first + middle, "n_predict": 8, "temperature": 0, "cache_prompt": true}, new(any))
		}
	}
	if a.outcome == "" && !readable(a.text) {
		a.fail(wrong, "the answer is no text")
	}
}

func (a *asker) say(picture object, tokens int) string {
	content := []object{{"type": "text", "text": question}}
	if picture != nil {
		content = append([]object{picture}, content...)
	}
	var answer struct {
		Choices []struct {
			Message struct {
				Content   string
				Reasoning string `json:"reasoning_content"`
			}
		}
	}
	body := object{
		"messages": []object{{"role": "user", "content": content}}, "max_tokens": tokens, "temperature": 0, "ignore_eos": tokens > 64,
	}
	if !a.ask("/v1/chat/completions", body, &answer) {
		return ""
	}
	if len(answer.Choices) != 1 {
		a.fail(failsOnRequest, "%d choices", len(answer.Choices))
		return ""
	}
	return answer.Choices[0].Message.Reasoning + answer.Choices[0].Message.Content
}

// readable is whether any of a text could be read.
func readable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || r != unicode.ReplacementChar && unicode.IsPrint(r)
	})
}

// picture is a small one as the address of itself.
func picture() string {
	img := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		img.Set(i%64, i/64, color.RGBA{uint8(4 * (i % 64)), uint8(4 * (i / 64)), 128, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // into memory
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}

// vectors asks for those of two texts, of one of them again, and of a long one.
func (a *asker) vectors() {
	var answer struct {
		Data []struct{ Embedding []float64 }
	}
	if !a.ask("/v1/embeddings", object{"input": []string{"a cat", "an engine of steam", "a cat", a.long()}}, &answer) {
		return
	}
	if len(answer.Data) != 4 {
		a.fail(wrong, "%d vectors", len(answer.Data))
		return
	}
	one, two, again := answer.Data[0].Embedding, answer.Data[1].Embedding, answer.Data[2].Embedding
	switch {
	case len(one) == 0 || !finite(one) || !finite(two):
		a.fail(wrong, "a vector is empty or has a value that is no number")
	case length(one) == 0 || length(two) == 0:
		a.fail(wrong, "a vector is zero")
	case distance(one, two) < 1e-4:
		a.fail(wrong, "two texts have the same vector")
	case distance(one, again) > 1e-2:
		a.fail(wrong, "one text has two vectors")
	}
}

// long is a text of most of a slot's tokens: the generated vocabularies have some
// five for a word of four letters.
func (a *asker) long() string {
	return strings.Repeat("word ", a.cell.plan.ContextTokens/max(a.cell.plan.Slots, 1)/7)
}

func (a *asker) scores() {
	var answer struct {
		Results []struct {
			Score float64 `json:"relevance_score"`
		}
	}
	documents := []string{"a cat sleeps", "steam drives the engine", "nothing at all", a.long()}
	if !a.ask("/v1/rerank", object{"query": "which animal", "documents": documents}, &answer) {
		return
	}
	var scores []float64
	for _, r := range answer.Results {
		scores = append(scores, r.Score)
	}
	slices.Sort(scores)
	switch {
	case len(scores) != len(documents) || !finite(scores):
		a.fail(wrong, "scores %v", scores)
	case scores[len(scores)-1]-scores[0] < 1e-6:
		a.fail(wrong, "all texts have the same score")
	}
}

// slots is whether the engine runs what it was asked for.
func (a *asker) slots() {
	status, data, err := a.engine.Ask(a.ctx, http.MethodGet, "/slots", nil)
	var slots []struct {
		Context     int `json:"n_ctx"`
		Speculative bool
	}
	p := a.cell.plan
	switch {
	case err != nil || status != http.StatusOK || json.Unmarshal(data, &slots) != nil:
		a.fail(failsOnRequest, "/slots: status %d", status)
	case len(slots) != p.Slots:
		a.fail(ignored, "%d slots", len(slots))
	case slots[0].Speculative != (len(p.SpecMethods()) > 0):
		a.fail(ignored, "speculating: %v", slots[0].Speculative)
	case slots[0].Context*len(slots) < p.ContextTokens && !p.KVUnified:
		a.fail(ignored, "%d tokens of context", slots[0].Context*len(slots))
	}
	log := a.engine.Log()
	if p.ContextShift && strings.Contains(log, "ctx_shift is not supported") {
		a.fail(ignored, "context shift is switched off")
	}
	if p.CacheReuseTokens > 0 && strings.Contains(log, "cache_reuse is not supported") {
		a.fail(ignored, "cache reuse is switched off")
	}
}

func finite(v []float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

func length(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum)
}

func distance(a, b []float64) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return length(d)
}
