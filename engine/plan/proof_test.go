package plan_test

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paddock/engine/build/buildtest"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

// The proofs of rules/*.toml, each on the real engine.

func TestEngineRefusesAProjectorAsAModel(t *testing.T) {
	wantRefused(t, "file-projector", gguftest.Projector(t), plan.Plan{}, "CLIP cannot be used as main model")
}

func TestEngineRefusesALoRAAsAModel(t *testing.T) {
	wantRefused(t, "file-lora", gguftest.LoRA(t), plan.Plan{}, "")
}

func TestEngineRefusesAnMTPHeadAsAModel(t *testing.T) {
	wantRefused(t, "file-mtp-head", gguftest.MTPHead(t), plan.Plan{}, "")
}

func TestEngineRefusesADraftAsAModel(t *testing.T) {
	wantRefused(t, "file-draft", gguftest.EAGLE3(t), plan.Plan{}, "")
}

func TestEngineRefusesAVocabularyAsAModel(t *testing.T) {
	wantRefused(t, "file-vocabulary", gguftest.VocabularyOnly(t), plan.Plan{}, "")
}

func TestEngineRefusesAnImatrixAsAModel(t *testing.T) {
	wantRefused(t, "file-imatrix", gguftest.Imatrix(t), plan.Plan{}, "")
}

func TestEngineRefusesAControlVectorAsAModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vector.gguf")
	f := gguftest.File{Tensors: []gguftest.Tensor{
		{Name: "direction.1", Dimensions: []uint64{8}, Type: gguftest.F32, Data: make([]byte, 32)},
	}}
	f.Set("general.architecture", "controlvector")
	f.Set("controlvector.model_hint", "llama")
	if err := f.Write(path); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, "file-other", path, plan.Plan{}, "controlvector")
}

func TestEngineRefusesALaterPartAsAModel(t *testing.T) {
	first := gguftest.Split(t)
	wantRefused(t, "file-part", strings.Replace(first, "00001-of", "00002-of", 1), plan.Plan{}, "split")
}

func TestEngineCannotChatOnABERTKind(t *testing.T) {
	p, g := complete(t, gguftest.BERT(t), plan.Plan{Purpose: plan.Chat})
	if v := plan.Check(p, g); len(v.Refusals) != 1 || v.Refusals[0].Rule != "chat-embedding-architecture" {
		t.Errorf("the rules say %+v", v.Refusals)
	}
	for _, slots := range []int{1, 4} {
		p.Slots = slots
		r := start(t, p)
		if !r.healthy(t) {
			continue
		}
		if status, answer := r.chat(t); status == http.StatusOK {
			t.Errorf("%d slots: it answered %q", slots, answer)
		}
	}
}

func TestEngineTakesAnEmbeddingModelForAChatModel(t *testing.T) {
	p, g := complete(t, gguftest.CausalEmbedder(t), plan.Plan{Purpose: plan.Chat})
	if v := plan.Check(p, g); !v.Valid() || len(v.Cautions) != 1 || v.Cautions[0].Rule != "chat-embedding-pooling" {
		t.Errorf("the rules say %+v", v)
	}
	r := start(t, p)
	if !r.healthy(t) {
		t.Fatalf("the engine did not start:\n%s", r.Log())
	}
	if status, answer := r.chat(t); status != http.StatusOK {
		t.Errorf("status %d, %s", status, answer)
	}
}

func TestEngineRefusesAQuantisedKeyCacheThatDoesNotDivideTheHead(t *testing.T) {
	model := gguftest.HeadSize80(t)
	for _, cache := range []string{"q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl"} {
		t.Run(cache, func(t *testing.T) {
			wantRefused(t, "cache-k-block", model, plan.Plan{CacheK: cache}, "")
		})
	}
	t.Run("flash attention off is no way out", func(t *testing.T) {
		wantRefused(t, "cache-k-block", model, plan.Plan{CacheK: "q8_0", FlashAttn: "off"}, "")
	})
}

func TestEngineRefusesAQuantisedValueCacheThatDoesNotDivideTheHead(t *testing.T) {
	model := gguftest.HeadSize80(t)
	for _, cache := range []string{"q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl"} {
		t.Run(cache, func(t *testing.T) {
			wantRefused(t, "cache-v-block", model, plan.Plan{CacheV: cache}, "")
		})
	}
}

func TestEngineRefusesAQuantisedValueCacheWithoutFlashAttention(t *testing.T) {
	wantRefused(t, "cache-v-flash-off", gguftest.Llama(t), plan.Plan{CacheV: "q8_0", FlashAttn: "off"}, "flash_attn")
}

func TestEngineRunsNoContextBelow256AsAsked(t *testing.T) {
	model := gguftest.Llama(t)
	wantRefused(t, "context-least", model, plan.Plan{ContextTokens: 1}, "")
	for _, tokens := range []int{2, 255} {
		p, g := complete(t, model, plan.Plan{ContextTokens: tokens})
		if v := plan.Check(p, g); len(v.Refusals) != 1 || v.Refusals[0].Rule != "context-least" {
			t.Errorf("%d tokens: the rules say %+v", tokens, v.Refusals)
		}
		r := start(t, p)
		if !r.healthy(t) {
			t.Fatalf("the engine did not start:\n%s", r.Log())
		}
		if got := r.slotTokens(t); got != 256 {
			t.Errorf("asked for %d tokens, the slot has %d", tokens, got)
		}
	}
}

func TestEngineHasALimitOfSlots(t *testing.T) {
	wantRefused(t, "slots-limit", gguftest.Llama(t), plan.Plan{ContextTokens: 65536, Slots: 257}, "n_seq_max")
}

func TestEngineCapsTheSlotAtTheTrainedContext(t *testing.T) {
	path := gguftest.Llama(t)
	_, g := complete(t, path, plan.Plan{})
	f := g.Model
	p, _ := complete(t, path, plan.Plan{ContextTokens: 2 * f.ContextTokens})
	if v := plan.Check(p, g); len(v.Refusals) != 1 || v.Refusals[0].Rule != "context-above-trained" {
		t.Errorf("the rules say %+v", v)
	}
	r := start(t, p)
	if !r.healthy(t) {
		t.Fatalf("the engine did not start:\n%s", r.Log())
	}
	if got := r.slotTokens(t); got != f.ContextTokens {
		t.Errorf("asked for %d tokens, trained on %d, the slot has %d", p.ContextTokens, f.ContextTokens, got)
	}
}

func TestEngineKeepsEveryLayerOnTheCPUWithoutADevice(t *testing.T) {
	p, g := complete(t, gguftest.Llama(t), plan.Plan{Devices: plan.CPU, GPULayers: "all"})
	if v := plan.Check(p, g); !v.Valid() || len(v.Cautions) != 1 || v.Cautions[0].Rule != "gpu-layers-on-cpu" {
		t.Errorf("the rules say %+v", v)
	}
	r := start(t, p, "-ngl", "99", "-lv", "4")
	if !r.healthy(t) {
		t.Fatalf("the engine did not start:\n%s", r.Log())
	}
	buffers := 0
	for line := range strings.Lines(r.Log()) {
		if strings.Contains(line, "buffer size") {
			buffers++
			if !strings.Contains(line, "CPU") {
				t.Errorf("a buffer elsewhere: %s", line)
			}
		}
	}
	if buffers == 0 {
		t.Errorf("the log names no buffers:\n%s", r.Log())
	}
}

func TestEngineBuildIsKnownOrMarked(t *testing.T) {
	number := buildtest.Engine(t).Number
	p, g := complete(t, gguftest.Llama(t), plan.Plan{})
	g.Build = number
	newer := 0
	for _, finding := range plan.Check(p, g).Cautions {
		if finding.Rule == "build-newer" {
			newer++
			t.Logf("not verified with this build: %d", number)
		}
	}
	if marked := newer == 1; marked != (number > plan.NewestKnownBuild) {
		t.Errorf("build %d marked: %v, the newest known is %d", number, marked, plan.NewestKnownBuild)
	}
	g.Build = 0
	if v := plan.Check(p, g); !v.Valid() || !slices.Equal(ids(v.Cautions), []string{"build-unknown"}) {
		t.Errorf("a build without a number: refused by %v, cautions %v", ids(v.Refusals), ids(v.Cautions))
	}
}

// trainedOn is the tiny llama with another trained length in its header.
func trainedOn(t *testing.T, tokens uint32) string {
	t.Helper()
	data, err := os.ReadFile(gguftest.Llama(t))
	if err != nil {
		t.Fatal(err)
	}
	key := []byte("llama.context_length\x04\x00\x00\x00")
	at := bytes.Index(data, key)
	if at < 0 {
		t.Fatal("the header has no trained length")
	}
	binary.LittleEndian.PutUint32(data[at+len(key):], tokens)
	path := filepath.Join(t.TempDir(), "trained.gguf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEngineMakesNoContextOfAHugeTrainedLength(t *testing.T) {
	for _, tokens := range []uint32{1 << 31, 1<<32 - 1} {
		p, g := complete(t, trainedOn(t, tokens), plan.Plan{})
		if v := plan.Check(p, g); !slices.Equal(ids(v.Refusals), []string{"context-declared-huge"}) {
			t.Errorf("%d tokens: the rules say %+v", tokens, v.Refusals)
		}
		r := start(t, p)
		if !r.healthy(t) {
			t.Fatalf("the engine did not start:\n%s", r.Log())
		}
		if got := r.slotTokens(t); got >= 0 {
			t.Errorf("trained on %d, the slot has %d", tokens, got)
		}
	}
	p, g := complete(t, trainedOn(t, 1<<31-1), plan.Plan{})
	if v := plan.Check(p, g); !v.Valid() {
		t.Errorf("the largest length there is: %+v", v.Refusals)
	}
}

func TestEngineAnswersNothingWithATinyTrainedLength(t *testing.T) {
	for _, tokens := range []uint32{0, 1, 2, 7, 16, 22} {
		p, g := complete(t, trainedOn(t, tokens), plan.Plan{})
		if v := plan.Check(p, g); !slices.Equal(ids(v.Refusals), []string{"context-declared-tiny"}) {
			t.Errorf("%d tokens: the rules say %+v", tokens, v.Refusals)
		}
		r := start(t, p)
		if !r.healthy(t) {
			continue
		}
		if got := r.slotTokens(t); got > int(tokens) {
			t.Errorf("trained on %d, the slot has %d", tokens, got)
		}
		if got := r.ask(t, question{text: "hello"}); got.status == http.StatusOK {
			t.Errorf("trained on %d: it answered %q", tokens, got.text)
		}
	}
	p, g := complete(t, trainedOn(t, 32), plan.Plan{})
	if v := plan.Check(p, g); !v.Valid() {
		t.Fatalf("the least length: %+v", v.Refusals)
	}
	r := start(t, p)
	if !r.healthy(t) {
		t.Fatalf("the engine did not start:\n%s", r.Log())
	}
	if status, answer := r.chat(t); status != http.StatusOK {
		t.Errorf("trained on 32: status %d, %s", status, answer)
	}
}
