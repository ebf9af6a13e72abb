package plan

import (
	"slices"
	"testing"

	"paddock/engine/gguf"
)

var llama = gguf.Facts{
	Path: "m.gguf", Kind: gguf.Model, Architecture: "llama", ContextTokens: 4096, HeadSizeK: 64, HeadSizeV: 64,
}

func rulesOf(findings []Finding) []string {
	var ids []string
	for _, f := range findings {
		ids = append(ids, f.Rule)
	}
	return ids
}

func TestCheck(t *testing.T) {
	kind := func(k gguf.Kind) func(*gguf.Facts) { return func(f *gguf.Facts) { f.Kind = k } }
	heads := func(k, v int) func(*gguf.Facts) {
		return func(f *gguf.Facts) { f.HeadSizeK, f.HeadSizeV = k, v }
	}
	tests := []struct {
		name     string
		plan     Plan
		facts    func(*gguf.Facts)
		build    int
		refusals []string
		cautions []string
	}{
		{name: "a plain model with nothing special is allowed"},
		{name: "a projector is not a model", facts: kind(gguf.Projector), refusals: []string{"file-projector"}},
		{name: "a LoRA is not a model", facts: kind(gguf.LoRA), refusals: []string{"file-lora"}},
		{name: "an MTP head is not a model", facts: kind(gguf.MTPHead), refusals: []string{"file-mtp-head"}},
		{name: "a draft is not a model", facts: kind(gguf.Draft), refusals: []string{"file-draft"}},
		{name: "a vocabulary is not a model", facts: kind(gguf.Vocabulary), refusals: []string{"file-vocabulary"}},
		{name: "an imatrix is not a model", facts: kind(gguf.Imatrix), refusals: []string{"file-imatrix"}},
		{name: "a later part is not a model", facts: kind(gguf.Part), refusals: []string{"file-part"}},
		{
			name: "a BERT can't chat", facts: func(f *gguf.Facts) { f.Architecture = "bert" },
			refusals: []string{"chat-embedding-architecture"},
		},
		{
			name: "a causal embedding model is marked", plan: Plan{Purpose: Chat}, facts: func(f *gguf.Facts) { f.Pooling = "last" },
			cautions: []string{"chat-embedding-pooling"},
		},
		{name: "a model that says it does not pool is not", facts: func(f *gguf.Facts) { f.Pooling = "none" }},
		{name: "a control vector is not a model", facts: kind(gguf.Other), refusals: []string{"file-other"}},
		{name: "quantised keys need whole blocks in a head", plan: Plan{CacheK: "q8_0"}, facts: heads(80, 80), refusals: []string{"cache-k-block"}},
		{name: "quantised values need whole blocks in a head", plan: Plan{CacheV: "q4_0"}, facts: heads(64, 80), refusals: []string{"cache-v-block"}},
		{name: "quantised types with whole blocks are fine", plan: Plan{CacheK: "q8_0", CacheV: "q8_0"}, facts: heads(96, 128)},
		{name: "an unknown head size refuses nothing", plan: Plan{CacheK: "q8_0"}, facts: heads(0, 0)},
		{name: "bf16 is not quantised", plan: Plan{CacheK: "bf16", CacheV: "f32", FlashAttn: "off"}, facts: heads(80, 80)},
		{name: "quantised values need flash attention", plan: Plan{CacheV: "q8_0", FlashAttn: "off"}, refusals: []string{"cache-v-flash-off"}},
		{name: "quantised keys do not", plan: Plan{CacheK: "q8_0", FlashAttn: "off"}},
		{
			name: "every reason is given, not only the first", plan: Plan{CacheK: "q8_0", CacheV: "q8_0", FlashAttn: "off"}, facts: heads(80, 80),
			refusals: []string{"cache-k-block", "cache-v-block", "cache-v-flash-off"},
		},
		{name: "a context of one token is refused", plan: Plan{ContextTokens: 1}, refusals: []string{"context-least"}},
		{name: "one that would be rounded up is refused", plan: Plan{ContextTokens: 255}, refusals: []string{"context-least"}},
		{name: "the least context is fine", plan: Plan{ContextTokens: 256}},
		{name: "a model trained on less has what it was trained on", plan: Plan{ContextTokens: 128}, facts: func(f *gguf.Facts) { f.ContextTokens = 128 }},
		{name: "as many slots as the engine has", plan: Plan{ContextTokens: 65536, Slots: 256}},
		{name: "more slots than the engine has", plan: Plan{ContextTokens: 65536, Slots: 257}, refusals: []string{"slots-limit"}},
		{name: "the trained context is fine", plan: Plan{ContextTokens: 4096}},
		{name: "a longer one is refused", plan: Plan{ContextTokens: 4097}, refusals: []string{"context-above-trained"}},
		{name: "each slot has its share of the context", plan: Plan{ContextTokens: 8192, Slots: 2}},
		{name: "a share that is too long is refused", plan: Plan{ContextTokens: 8194, Slots: 2}, refusals: []string{"context-above-trained"}},
		{name: "an unknown trained context refuses nothing", plan: Plan{ContextTokens: 1 << 20}, facts: func(f *gguf.Facts) { f.ContextTokens = 0 }},
		{name: "layers on a GPU without one are marked", plan: Plan{Devices: CPU, GPULayers: "10"}, cautions: []string{"gpu-layers-on-cpu"}},
		{name: "the newest known build is not marked", build: NewestKnownBuild},
		{name: "one that does not tell is", build: -1, cautions: []string{"build-unknown"}},
		{name: "a newer one is", build: NewestKnownBuild + 1, cautions: []string{"build-newer"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			facts := llama
			if test.facts != nil {
				test.facts(&facts)
			}
			plan, _ := Complete(test.plan, Given{Model: facts})
			if test.build == 0 {
				test.build = NewestKnownBuild
			}
			v := Check(plan, Given{Model: facts, Build: max(test.build, 0)})
			if got := rulesOf(v.Refusals); !slices.Equal(got, test.refusals) {
				t.Errorf("refusals %v, want %v", got, test.refusals)
			}
			if got := rulesOf(v.Cautions); !slices.Equal(got, test.cautions) {
				t.Errorf("cautions %v, want %v", got, test.cautions)
			}
			if v.Valid() != (len(test.refusals) == 0) {
				t.Errorf("Valid is %v", v.Valid())
			}
		})
	}
}

func TestAFindingCarriesWhatItsSentenceMentions(t *testing.T) {
	g := Given{Model: gguf.Facts{Path: "m.gguf", Kind: gguf.Model, HeadSizeK: 80}}
	p, _ := Complete(Plan{CacheK: "q8_0"}, g)
	v := Check(p, g)
	if len(v.Refusals) != 1 {
		t.Fatalf("refusals %v", v.Refusals)
	}
	f := v.Refusals[0]
	if f.Setting != "cacheK" || f.Message == "" || f.Remedy == "" || f.Source == "" {
		t.Errorf("incomplete: %+v", f)
	}
	if f.Data["file"] != "m.gguf" || f.Data["cacheK"] != "q8_0" || f.Data["headSizeK"] != 80 {
		t.Errorf("data %v", f.Data)
	}
}

func TestOffersAreValidTogetherWithTheRest(t *testing.T) {
	facts := llama
	facts.HeadSizeV = 80
	plan, _ := Complete(Plan{FlashAttn: "off"}, Given{Model: facts})
	o := Offers(plan, Given{Model: facts})

	if got, want := ValidValues(o.CacheK), CacheTypes(); !slices.Equal(got, want) {
		t.Errorf("key types %v, want %v", got, want)
	}
	if got, want := ValidValues(o.CacheV), []string{"f32", "f16", "bf16"}; !slices.Equal(got, want) {
		t.Errorf("value types %v, want %v", got, want)
	}
	for _, offer := range o.CacheV {
		if offer.Refusal != nil && offer.Refusal.Setting != "cacheV" {
			t.Errorf("%s is refused for a reason about %s", offer.Value, offer.Refusal.Setting)
		}
	}

	plan.CacheV, facts.HeadSizeV = "q8_0", 64
	o = Offers(plan, Given{Model: facts})
	if got, want := ValidValues(o.FlashAttn), []string{"auto", "on"}; !slices.Equal(got, want) {
		t.Errorf("flash attention %v, want %v", got, want)
	}
}

func TestNothingIsOfferedForAFileThatIsNotAModel(t *testing.T) {
	facts := llama
	facts.Kind = gguf.Projector
	plan, _ := Complete(Plan{}, Given{Model: facts})
	o := Offers(plan, Given{Model: facts})
	for setting, offers := range map[string][]Offer{"cacheK": o.CacheK, "cacheV": o.CacheV, "flashAttn": o.FlashAttn} {
		if got := ValidValues(offers); len(got) != 0 {
			t.Errorf("%s offers %v", setting, got)
		}
	}
}
