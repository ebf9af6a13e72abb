package plan_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paddock/engine/build/buildtest"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

// The proofs of the rules about cache types, and about what moves keys in a
// cache: context shift and cache reuse.

// askLong is a request whose answer is longer than a context of 256 tokens.
const askLong = `{"messages":[{"role":"user","content":"hello"}],"max_tokens":400,"temperature":0,"ignore_eos":true}`

// behind and alone are two prompts of which the second is the end of the first.
var behind, alone = prompts()

func prompts() (behind, alone string) {
	body := func(text string) string {
		data, err := json.Marshal(map[string]any{
			"messages": []map[string]string{{"role": "user", "content": text}}, "max_tokens": 12, "temperature": 0,
		})
		if err != nil {
			panic(err) // of strings alone
		}
		return string(data)
	}
	// The sign keeps the first word one token at both places.
	part := "#" + strings.Repeat("Grass grows near the old wooden fence; horses graze there every quiet morning. ", 8)
	return body(strings.Repeat("When rain falls, they rest under big trees until evening turns cool. ", 3) + part), body(part)
}

// asked posts a body for chat and returns the status, how many tokens were
// computed for the answer, and how many were taken from the cache.
func (r *running) asked(t *testing.T, body string) (status, answered, cached int) {
	t.Helper()
	response, err := r.HTTP.Post("http://engine/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatalf("%v\n%s", err, r.Log())
	}
	defer response.Body.Close()
	var answer struct {
		Usage struct {
			CompletionTokens int `json:"completion_tokens"`
		}
		Timings struct {
			CacheN int `json:"cache_n"`
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, answer.Usage.CompletionTokens, answer.Timings.CacheN
}

// wantShifted has the engine answer beyond its context.
func wantShifted(t *testing.T, p plan.Plan) {
	t.Helper()
	r := started(t, start(t, p))
	if status, tokens, _ := r.asked(t, askLong); status != http.StatusOK || tokens != 400 {
		t.Errorf("status %d, %d tokens", status, tokens)
	}
}

// wantReused has the engine take a part over that stood elsewhere.
func wantReused(t *testing.T, p plan.Plan) {
	t.Helper()
	r := started(t, start(t, p))
	r.asked(t, behind)
	if status, _, cached := r.asked(t, alone); status != http.StatusOK || cached < 100 {
		t.Errorf("status %d, %d tokens from the cache", status, cached)
	}
}

// wantReuseKills has the engine die of taking a part over.
func wantReuseKills(t *testing.T, p plan.Plan) {
	t.Helper()
	r := started(t, start(t, p))
	r.asked(t, behind)
	wantDeath(t, r, "/v1/chat/completions", alone, "")
}

var movesNot = []string{"bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl"}

func TestEngineCannotShiftQuantisedKeys(t *testing.T) {
	model := gguftest.Llama(t)
	for _, cache := range movesNot {
		t.Run(cache, func(t *testing.T) {
			p, g := complete(t, model, plan.Plan{ContextTokens: 256, ContextShift: true, CacheK: cache})
			wantVerdict(t, p, g, []string{"shift-cache-k"}, nil)
			wantDeath(t, start(t, p, "-t", "1"), "/v1/chat/completions", askLong, "")
		})
	}
	t.Run("on Vulkan", func(t *testing.T) {
		rig := buildtest.Vulkan(t, 1)
		for _, cache := range []string{"q8_0", "bf16"} {
			p, _ := rigged(t, rig, model, plan.Plan{ContextTokens: 256, ContextShift: true, CacheK: cache})
			wantDeath(t, start(t, p, "-t", "1"), "/v1/chat/completions", askLong, "")
		}
	})
	t.Run("a sliding window", func(t *testing.T) {
		p, g := complete(t, gguftest.Gemma3(t), plan.Plan{ContextTokens: 256, ContextShift: true, CacheK: "q8_0"})
		wantVerdict(t, p, g, []string{"shift-cache-k"}, nil)
		wantDeath(t, start(t, p, "-t", "1"), "/v1/chat/completions", askLong, "")
		p.CacheK = "f16"
		wantVerdict(t, p, g, nil, nil)
		wantShifted(t, p)
	})
	for _, p := range []plan.Plan{{}, {CacheK: "f32"}, {CacheV: "q8_0"}, {CacheV: "bf16"}} {
		p.ContextTokens, p.ContextShift = 256, true
		p, g := complete(t, model, p)
		wantVerdict(t, p, g, nil, nil)
		wantShifted(t, p)
	}
}

func TestEngineCannotShiftQuantisedKeysOfADraft(t *testing.T) {
	model, draft := gguftest.Llama(t), gguftest.Draft(t)
	for _, cache := range []string{"q8_0", "bf16"} {
		p, g := complete(t, model, plan.Plan{ContextTokens: 256, ContextShift: true, SpecTypes: plan.SpecDraft, DraftCacheK: cache}, draft)
		wantVerdict(t, p, g, []string{"shift-draft-cache-k"}, nil)
		wantDeath(t, start(t, p, "-t", "1"), "/v1/chat/completions", askLong, "")
	}
	p, g := complete(t, model, plan.Plan{ContextTokens: 256, ContextShift: true, SpecTypes: plan.SpecDraft, DraftCacheV: "q8_0"}, draft)
	wantVerdict(t, p, g, nil, nil)
	wantShifted(t, p)
}

func TestEngineCannotShiftUnderAnEAGLE3Draft(t *testing.T) {
	p, g := complete(t, gguftest.Llama(t), plan.Plan{ContextTokens: 256, ContextShift: true, SpecTypes: plan.SpecEAGLE3}, gguftest.EAGLE3(t))
	wantVerdict(t, p, g, []string{"shift-eagle3"}, nil)
	r := started(t, start(t, p))
	if status, _, _ := r.asked(t, askLong); status != http.StatusInternalServerError {
		t.Errorf("status %d", status)
	}
}

// inSections is CausalEmbedder as a model whose positions have several parts, as
// those of pictures do.
func inSections(t *testing.T) string {
	t.Helper()
	var f *gguftest.File
	for _, spec := range gguftest.All() {
		if spec.Name == "qwen3-embedding" {
			f = spec.File()
		}
	}
	for i, key := range f.Keys {
		f.Keys[i].Name = strings.Replace(key.Name, "qwen3.", "qwen3vl.", 1)
	}
	f.Set("general.architecture", "qwen3vl")
	f.Set("qwen3vl.rope.dimension_sections", []int32{8, 4, 4, 0})
	path := filepath.Join(t.TempDir(), "sections.gguf")
	if err := f.Write(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEngineShiftsNoContextOfSomeModels(t *testing.T) {
	for model, rule := range map[string]string{gguftest.Qwen35(t): "shift-recurrent", inSections(t): "shift-sections"} {
		p, g := complete(t, model, plan.Plan{Purpose: plan.Chat, ContextTokens: 256, ContextShift: true, CacheK: "q8_0", SpecTypes: plan.NoSpec})
		if v := plan.Check(p, g); len(v.Refusals) != 1 || v.Refusals[0].Rule != rule {
			t.Errorf("the rules say %+v, want %s", v.Refusals, rule)
		}
		r := start(t, p, "-t", "1")
		if !r.healthy(t) {
			t.Fatalf("the engine did not start:\n%s", r.Log())
		}
		r.says(t, "shifting is not supported")
		if status, tokens, _ := r.asked(t, askLong); status != http.StatusOK || tokens >= 256 {
			t.Errorf("%s: status %d, %d tokens", rule, status, tokens)
		}
	}
}

func TestEngineCannotReuseQuantisedKeys(t *testing.T) {
	model := gguftest.Llama(t)
	for _, cache := range movesNot {
		t.Run(cache, func(t *testing.T) {
			p, g := complete(t, model, plan.Plan{ContextTokens: 1024, CacheReuseTokens: 16, CacheK: cache})
			wantVerdict(t, p, g, []string{"reuse-cache-k"}, []string{"reuse-changes"})
			wantReuseKills(t, p)
		})
	}
	for _, p := range []plan.Plan{{CacheK: "f32"}, {CacheV: "q8_0"}} {
		p.ContextTokens, p.CacheReuseTokens = 1024, 16
		p, g := complete(t, model, p)
		wantVerdict(t, p, g, nil, []string{"reuse-changes"})
		wantReused(t, p)
	}
}

func TestEngineCannotReuseQuantisedKeysOfADraft(t *testing.T) {
	model := gguftest.Llama(t)
	for method, draft := range map[string]string{plan.SpecDraft: gguftest.Draft(t), plan.SpecEAGLE3: gguftest.EAGLE3(t)} {
		for _, cache := range []string{"q8_0", "bf16"} {
			p, g := complete(t, model, plan.Plan{ContextTokens: 1024, CacheReuseTokens: 16, SpecTypes: method, DraftCacheK: cache}, draft)
			wantVerdict(t, p, g, []string{"reuse-draft-cache-k"}, []string{"reuse-changes"})
			wantReuseKills(t, p)
		}
		p, g := complete(t, model, plan.Plan{ContextTokens: 1024, CacheReuseTokens: 16, SpecTypes: method}, draft)
		wantVerdict(t, p, g, nil, []string{"reuse-changes"})
		wantReused(t, p)
	}
}

func TestEngineReusesNothingOfSomeModels(t *testing.T) {
	models := map[string]string{
		gguftest.Qwen35(t): "reuse-recurrent", gguftest.Gemma3(t): "reuse-window", gguftest.Gemma4(t): "reuse-window", inSections(t): "reuse-sections",
	}
	for model, rule := range models {
		p, g := complete(t, model, plan.Plan{Purpose: plan.Chat, ContextTokens: 1024, CacheReuseTokens: 16, CacheK: "q8_0"})
		if v := plan.Check(p, g); len(v.Refusals) != 1 || v.Refusals[0].Rule != rule {
			t.Errorf("the rules say %+v, want %s", v.Refusals, rule)
		}
		r := start(t, p, "-t", "1")
		if !r.healthy(t) {
			t.Fatalf("the engine did not start:\n%s", r.Log())
		}
		r.says(t, "cache_reuse is not supported")
		r.asked(t, behind)
		if status, _, cached := r.asked(t, alone); status != http.StatusOK || cached > 20 {
			t.Errorf("%s: status %d, %d tokens from the cache", rule, status, cached)
		}
	}
}

func TestEngineShiftsAndReusesNothingBesideAProjector(t *testing.T) {
	p, g := complete(t, gguftest.Llama(t), plan.Plan{ContextTokens: 256, ContextShift: true, CacheReuseTokens: 16}, gguftest.LlamaProjector(t))
	p.ProjectorPath = g.Beside[0].Path
	wantVerdict(t, p, g, []string{"shift-projector", "reuse-projector"}, []string{"reuse-changes"})
	r := started(t, start(t, p))
	for _, says := range []string{"ctx_shift is not supported by multimodal", "cache_reuse is not supported by multimodal"} {
		r.says(t, says)
	}
	if status, tokens, _ := r.asked(t, askLong); status != http.StatusOK || tokens >= 256 {
		t.Errorf("status %d, %d tokens", status, tokens)
	}
}

func TestEngineReusesAPartBehindAnotherText(t *testing.T) {
	p, g := complete(t, gguftest.Llama(t), plan.Plan{ContextTokens: 1024, CacheReuseTokens: 16})
	wantVerdict(t, p, g, nil, []string{"reuse-changes"})
	wantReused(t, p)
}

// The model is a ghost, sparse and never read. The tool that measures makes the
// same context as the server.
func TestEngineWantsOneCacheTypeForLatentAttention(t *testing.T) {
	var path string
	for _, ghost := range gguftest.Ghosts() {
		if ghost.Name == "ghost-deepseek-v3" {
			var err error
			if path, err = ghost.Write(t.TempDir()); err != nil {
				t.Fatal(err)
			}
		}
	}
	p, g := complete(t, path, plan.Plan{ContextTokens: 256, CacheK: "q8_0"})
	wantVerdict(t, p, g, []string{"cache-latent"}, nil)
	measure := func() string {
		out, _ := buildtest.Engine(t).Command(t.Context(), "llama-fit-params", append(plan.MemoryArguments(p), "-fitp", "on")...).CombinedOutput()
		return string(out) // it says more than its status
	}
	// A thread of the tool's writes its log, and what the thread has not come to is lost
	// when the tool aborts, as it always does here.
	const reason, end = "does not support different K (q8_0) and V (f16) cache types", "failed to create llama_context"
	var out string
	for range 10 {
		if out = measure(); strings.Contains(out, reason) || !strings.Contains(out, end) {
			break
		}
	}
	if !strings.Contains(out, reason) {
		t.Errorf("it says:\n%s", out)
	}
	p.CacheV = "q8_0"
	wantVerdict(t, p, g, nil, nil)
	if out := measure(); !strings.Contains(out, "Host ") {
		t.Errorf("it says:\n%s", out)
	}
}

// A Grok is too large to make: that the engine has the check is what is seen.
func TestEngineTurnsFlashAttentionOffForGrok(t *testing.T) {
	folder := filepath.Dir(filepath.Dir(buildtest.Engine(t).Path))
	found, err := filepath.Glob(filepath.Join(folder, "lib", "libllama.so*"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no library of the engine: %v", err)
	}
	library, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(library, []byte("flash_attn is not compatible with Grok - forcing off")) {
		t.Error("the engine has nothing against Grok any more")
	}
}
