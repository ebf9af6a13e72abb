package plan

import (
	"cmp"
	"slices"
	"testing"

	"paddock/engine/build"
	"paddock/engine/gguf"
)

// withFacts is the llama with something changed.
func withFacts(change func(*gguf.Facts)) gguf.Facts {
	f := llama
	f.EmbeddingLength, f.Layers = 4096, 32
	f.Vocabulary = gguf.Vocab{Model: "llama", Tokens: 3, Ends: "aaaaaaaa"}
	if change != nil {
		change(&f)
	}
	return f
}

func TestCheckOfGuessing(t *testing.T) {
	qwen := withFacts(func(f *gguf.Facts) {
		f.Architecture, f.NextNLayers, f.DeclaredNextN = "qwen35", 1, 1
		f.Network = gguf.Network{Causal: true, Blocks: []gguf.Block{{Recurrent: true}, {Attention: true}}}
		f.Metadata = []gguf.Entry{{Key: "qwen35.rope.dimension_sections", Value: "4"}}
	})
	lost := qwen
	lost.NextNLayers = 0
	small := withFacts(func(f *gguf.Facts) { f.Path, f.EmbeddingLength = "small.gguf", 1024 })
	stranger := withFacts(func(f *gguf.Facts) { f.Path, f.Vocabulary.Ends = "stranger.gguf", "bbbbbbbb" })
	head := withFacts(func(f *gguf.Facts) {
		f.Path, f.Kind, f.Architecture, f.NextNLayers = "head.gguf", gguf.MTPHead, "qwen35", 1
		f.Target = gguf.Target{Architecture: "qwen35", Width: 4096}
	})
	assistant := withFacts(func(f *gguf.Facts) {
		f.Path, f.Kind, f.Architecture, f.NextNLayers, f.EmbeddingLength = "assistant.gguf", gguf.MTPHead, "gemma4-assistant", 2, 512
		f.Target = gguf.Target{Architecture: "gemma4", Width: 4096}
	})
	gemma4 := withFacts(func(f *gguf.Facts) { f.Architecture = "gemma4" })
	eagle := gguf.Facts{Path: "eagle.gguf", Kind: gguf.Draft, Architecture: "eagle3", Target: gguf.Target{Width: 4096, LeastLayers: 29}}
	dflash := gguf.Facts{Path: "dflash.gguf", Kind: gguf.Draft, Architecture: "dflash", Target: gguf.Target{Width: 4096, LeastLayers: 29}}
	eyes := gguf.Facts{Path: "eyes.gguf", Kind: gguf.Projector, Projection: gguf.Projection{Vision: "mlp", Width: 4096, Parts: 1}}
	mtp := Plan{SpecTypes: SpecMTP}
	tests := []struct {
		name     string
		plan     Plan
		model    gguf.Facts
		beside   []gguf.Facts
		build    int
		refusals []string
		cautions []string
	}{
		{name: "MTP with layers for it is fine", plan: mtp, model: qwen},
		{name: "MTP without them is refused", plan: mtp, model: withFacts(nil), refusals: []string{"mtp-none"}},
		{name: "MTP with a header that only speaks of them is refused for that reason", plan: mtp, model: lost, refusals: []string{"mtp-declared"}},
		{name: "a file with them helps", plan: mtp, model: lost, beside: []gguf.Facts{head}},
		{
			name: "MTP with an external draft that has none is refused, whatever the model has", build: 11669,
			plan: Plan{SpecTypes: SpecMTP, DraftPath: "small.gguf"}, model: qwen, beside: []gguf.Facts{small}, refusals: []string{"mtp-draft-without"},
		},
		{
			name: "on the oldest build too", build: 9219,
			plan: Plan{SpecTypes: SpecMTP, DraftPath: "small.gguf"}, model: qwen, beside: []gguf.Facts{small}, refusals: []string{"mtp-draft-without"},
		},
		{name: "MTP and guesses from the text go together", plan: Plan{SpecTypes: "draft-mtp,ngram-mod"}, model: qwen},
		{
			name: "MTP and a plain draft do not", plan: Plan{SpecTypes: "draft-mtp,draft-simple", DraftPath: "small.gguf"}, model: qwen, beside: []gguf.Facts{small},
			refusals: []string{"spec-one-draft", "mtp-draft-without"},
		},
		{name: "a way of guessing nobody knows is refused", plan: Plan{SpecTypes: "magic"}, model: withFacts(nil), refusals: []string{"spec-unknown"}},
		{
			name: "embeddings with MTP are refused on the build that aborts", build: 10194,
			plan: Plan{Purpose: Embeddings, Pooling: "mean", SpecTypes: SpecMTP}, model: qwen, refusals: []string{"vectors-drafting"},
			cautions: []string{"embeddings-untrained"},
		},
		{
			name: "and on the newest", build: 11669,
			plan: Plan{Purpose: Embeddings, Pooling: "mean", SpecTypes: SpecMTP}, model: qwen, refusals: []string{"vectors-drafting"},
			cautions: []string{"embeddings-untrained"},
		},
		{
			name: "reranking with guesses from the text is refused", plan: Plan{Purpose: Rerank, SpecTypes: "ngram-mod"},
			model: withFacts(func(f *gguf.Facts) { f.Pooling, f.HasClassifier = "rank", true }), refusals: []string{"vectors-drafting"},
		},
		{
			name: "pictures with MTP are refused below build 11548", build: 11547,
			plan: Plan{SpecTypes: SpecMTP, ProjectorPath: "eyes.gguf"}, model: qwen, beside: []gguf.Facts{eyes}, refusals: []string{"mtp-image"},
		},
		{
			name: "and fine from it", build: 11548,
			plan: Plan{SpecTypes: SpecMTP, ProjectorPath: "eyes.gguf"}, model: qwen, beside: []gguf.Facts{eyes},
		},
		{
			name: "and fine below without MTP", build: 9862,
			plan: Plan{ProjectorPath: "eyes.gguf"}, model: qwen, beside: []gguf.Facts{eyes},
		},
		{
			name: "an assistant without a type is used for MTP", build: 9862,
			plan: Plan{DraftPath: "assistant.gguf"}, model: gemma4, beside: []gguf.Facts{assistant},
		},
		{
			name: "beside another architecture it is refused",
			plan: Plan{DraftPath: "assistant.gguf"}, model: qwen, beside: []gguf.Facts{assistant}, refusals: []string{"mtp-assistant"},
		},
		{
			name: "in more than one slot it is marked",
			plan: Plan{DraftPath: "assistant.gguf", Slots: 2, ContextTokens: 4096}, model: gemma4, beside: []gguf.Facts{assistant}, cautions: []string{"mtp-assistant-slots"},
		},
		{
			name: "an MTP head of another architecture is marked",
			plan: Plan{DraftPath: "head.gguf"}, model: withFacts(nil), beside: []gguf.Facts{head}, cautions: []string{"mtp-architecture"},
		},
		{
			name: "one of another width is refused", plan: Plan{DraftPath: "head.gguf"},
			model:  withFacts(func(f *gguf.Facts) { f.Architecture, f.EmbeddingLength = "qwen35", 2048 }),
			beside: []gguf.Facts{head}, refusals: []string{"mtp-width"},
		},
		{
			name: "one with another vocabulary is refused", plan: Plan{DraftPath: "head.gguf"},
			model:  withFacts(func(f *gguf.Facts) { f.Architecture, f.Vocabulary.Ends = "qwen35", "cccccccc" }),
			beside: []gguf.Facts{head}, refusals: []string{"mtp-vocabulary"},
		},
		{
			name: "a GLM that sees can't have MTP", plan: mtp, refusals: []string{"mtp-glm-vision"},
			model: withFacts(func(f *gguf.Facts) {
				f.Architecture, f.NextNLayers = "glm4moe", 1
				f.Metadata = []gguf.Entry{{Key: "glm4moe.rope.dimension_sections", Value: "4"}}
			}),
		},
		{name: "MTP split by tensor is refused on the build that aborts", build: 9219, plan: tensor(mtp), model: qwen, refusals: []string{"mtp-tensor-old"}},
		{name: "and up to the one before the newest", build: 11547, plan: tensor(mtp), model: qwen, refusals: []string{"mtp-tensor-old"}},
		{name: "and marked on the newest", build: 11669, plan: tensor(mtp), model: qwen, cautions: []string{"mtp-tensor"}},

		{
			name: "an assistant can't be split by tensor", build: 11669, plan: tensor(Plan{DraftPath: "assistant.gguf"}), model: gemma4,
			beside: []gguf.Facts{assistant}, refusals: []string{"mtp-assistant-tensor"}, cautions: []string{"mtp-tensor"},
		},

		{name: "a draft with this vocabulary is fine", plan: Plan{DraftPath: "small.gguf"}, model: withFacts(nil), beside: []gguf.Facts{small}},
		{name: "one with another is refused", plan: Plan{DraftPath: "stranger.gguf"}, model: withFacts(nil), beside: []gguf.Facts{stranger}, refusals: []string{"draft-vocabulary"}},
		{name: "a draft model there is none of is refused", plan: Plan{SpecTypes: SpecDraft}, model: withFacts(nil), refusals: []string{"draft-none"}},
		{name: "so is an EAGLE-3 there is none of", plan: Plan{SpecTypes: SpecEAGLE3}, model: withFacts(nil), refusals: []string{"eagle3-none"}},
		{name: "and a DFlash", plan: Plan{SpecTypes: SpecDFlash}, model: withFacts(nil), refusals: []string{"dflash-none"}},
		{name: "a file nothing is known of is not judged", plan: Plan{SpecTypes: SpecDraft, DraftPath: "unread.gguf"}, model: withFacts(nil)},
		{name: "a recurrent draft of a recurrent model is fine", plan: Plan{DraftPath: "m.gguf"}, model: qwen, beside: []gguf.Facts{qwen}},
		{
			name: "of another it is refused", plan: Plan{DraftPath: "m.gguf"}, beside: []gguf.Facts{qwen}, refusals: []string{"draft-recurrent"},
			model: withFacts(func(f *gguf.Facts) { f.Network = gguf.Network{Causal: true, Blocks: []gguf.Block{{Attention: true}}} }),
		},
		{
			name: "pictures in two dimensions are too much for a draft of one", build: 11669,
			plan: Plan{DraftPath: "small.gguf", ProjectorPath: "eyes.gguf"}, model: qwen, beside: []gguf.Facts{small, eyes}, refusals: []string{"draft-image"},
		},
		{name: "EAGLE-3 is fine", plan: Plan{DraftPath: "eagle.gguf"}, model: withFacts(nil), beside: []gguf.Facts{eagle}},
		{
			name: "but not with pictures", plan: Plan{DraftPath: "eagle.gguf", ProjectorPath: "eyes.gguf"}, model: withFacts(nil),
			beside: []gguf.Facts{eagle, eyes}, refusals: []string{"eagle3-image"},
		},
		{name: "DFlash is", plan: Plan{DraftPath: "dflash.gguf", ProjectorPath: "eyes.gguf"}, model: withFacts(nil), beside: []gguf.Facts{dflash, eyes}},
		{
			name: "EAGLE-3 of a model with fewer layers is refused", plan: Plan{DraftPath: "eagle.gguf"},
			model: withFacts(func(f *gguf.Facts) { f.Layers = 28 }), beside: []gguf.Facts{eagle}, refusals: []string{"draft-layers"},
		},
		{
			name: "and of a narrower one", plan: Plan{DraftPath: "eagle.gguf"},
			model: withFacts(func(f *gguf.Facts) { f.EmbeddingLength = 2048 }), beside: []gguf.Facts{eagle}, refusals: []string{"eagle3-width"},
		},
		{
			name: "a Gemma 3 hands out no state", plan: Plan{DraftPath: "eagle.gguf"},
			model: withFacts(func(f *gguf.Facts) { f.Architecture = "gemma3" }), beside: []gguf.Facts{eagle}, refusals: []string{"draft-states-none"},
		},
		{
			name: "of an architecture nobody tried it is tried", plan: Plan{DraftPath: "dflash.gguf"},
			model: withFacts(func(f *gguf.Facts) { f.Architecture = "mistral3" }), beside: []gguf.Facts{dflash}, cautions: []string{"draft-states-unknown"},
		},
		{name: "an EAGLE-3 is no DFlash", plan: Plan{SpecTypes: SpecDFlash, DraftPath: "eagle.gguf"}, model: withFacts(nil), beside: []gguf.Facts{eagle}, refusals: []string{"dflash-other-draft"}},
		{name: "a DFlash is no EAGLE-3", plan: Plan{SpecTypes: SpecEAGLE3, DraftPath: "dflash.gguf"}, model: withFacts(nil), beside: []gguf.Facts{dflash}, refusals: []string{"eagle3-other-draft"}},
		{name: "a model is no EAGLE-3", plan: Plan{SpecTypes: SpecEAGLE3, DraftPath: "small.gguf"}, model: withFacts(nil), beside: []gguf.Facts{small}, refusals: []string{"eagle3-model"}},
		{name: "an EAGLE-3 is no draft model", plan: Plan{SpecTypes: SpecDraft, DraftPath: "eagle.gguf"}, model: withFacts(nil), beside: []gguf.Facts{eagle}, refusals: []string{"draft-of-another-kind"}},
		{
			name: "the heads of MTP layers are the model's", plan: Plan{SpecTypes: SpecMTP, DraftCacheK: "q8_0"}, refusals: []string{"draft-cache-k-block"},
			model: withFacts(func(f *gguf.Facts) { f.NextNLayers, f.HeadSizeK = 1, 80 }),
		},
		{name: "a quantised draft cache with whole blocks is fine", plan: Plan{SpecTypes: SpecMTP, DraftCacheK: "q8_0", DraftCacheV: "q4_0"}, model: qwen},
		{
			name: "quantised values of a draft need flash attention", plan: Plan{SpecTypes: SpecMTP, DraftCacheV: "q8_0", FlashAttn: "off"}, model: qwen,
			refusals: []string{"draft-cache-v-flash-off"},
		},
		{name: "not where nothing drafts", plan: Plan{DraftCacheV: "q8_0", FlashAttn: "off"}, model: qwen},
		{
			name: "every slot's guesses must find room in the batch", plan: Plan{SpecTypes: SpecMTP, DraftMax: 15, Slots: 4, BatchTokens: 63, ContextTokens: 4096}, model: qwen,
			refusals: []string{"guess-batch"},
		},
		{name: "and then they are fine", plan: Plan{SpecTypes: SpecMTP, DraftMax: 15, Slots: 4, BatchTokens: 64, ContextTokens: 4096}, model: qwen},
		{
			name: "a recurrent model needs rows for its guesses", plan: Plan{SpecTypes: SpecMTP, DraftMax: 511}, model: qwen,
			refusals: []string{"mtp-physical-batch"},
		},
		{name: "as many as there are may be used", plan: Plan{SpecTypes: SpecMTP, DraftMax: 510}, model: qwen},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := Given{Model: test.model, Beside: test.beside, Build: cmp.Or(test.build, NewestKnownBuild)}
			p, _ := Complete(test.plan, g)
			checkFindings(t, Check(p, g), test.refusals, test.cautions)
		})
	}
}

// tensor is a plan split by tensor over two devices.
func tensor(p Plan) Plan {
	p.Devices, p.SplitMode, p.FlashAttn = "CUDA0,CUDA1", "tensor", "on"
	return p
}

func checkFindings(t *testing.T, v Verdict, refusals, cautions []string) {
	t.Helper()
	if got := rulesOf(v.Refusals); !slices.Equal(got, refusals) {
		t.Errorf("refusals %v, want %v", got, refusals)
	}
	if got := rulesOf(v.Cautions); !slices.Equal(got, cautions) {
		t.Errorf("cautions %v, want %v", got, cautions)
	}
}

func TestCheckOfProjectorsAndAdapters(t *testing.T) {
	eyes := func(width, parts int) gguf.Facts {
		return gguf.Facts{Path: "eyes.gguf", Kind: gguf.Projector, Projection: gguf.Projection{Vision: "mlp", Width: width, Parts: parts}}
	}
	query := []gguf.Matrix{{Name: "attn_q.weight", In: 4096, Out: 4096}}
	model := withFacts(func(f *gguf.Facts) {
		f.Matrices = append(query, gguf.Matrix{Name: "ffn_up.weight", In: 4096, Out: 8192})
	})
	adapter := func(architecture string, matrices []gguf.Matrix) gguf.Facts {
		return gguf.Facts{Path: "lora.gguf", Kind: gguf.LoRA, Architecture: architecture, Matrices: matrices}
	}
	see, adapt := Plan{ProjectorPath: "eyes.gguf"}, Plan{LoRAPath: "lora.gguf"}
	onCard := Plan{ProjectorPath: "eyes.gguf", Devices: "Vulkan0"}
	tests := []struct {
		name     string
		plan     Plan
		file     gguf.Facts
		refusals []string
		cautions []string
	}{
		{name: "a projector that fits is fine", plan: see, file: eyes(4096, 1)},
		{name: "one of another width is refused", plan: see, file: eyes(5120, 1), refusals: []string{"projector-width"}},
		{name: "one that gives more parts is refused", plan: see, file: eyes(4096, 4), refusals: []string{"projector-parts"}},
		{name: "a model is no projector", plan: see, file: gguf.Facts{Path: "eyes.gguf", Kind: gguf.Model}, refusals: []string{"projector-file"}},
		{name: "on an integrated GPU it is marked", plan: onCard, file: eyes(4096, 1), cautions: []string{"projector-integrated"}},
		{
			name: "not with vision on the CPU", file: eyes(4096, 1),
			plan: Plan{ProjectorPath: "eyes.gguf", Devices: "Vulkan0", ProjectorDevice: ProjectorCPU},
		},
		{name: "not on a card", plan: Plan{ProjectorPath: "eyes.gguf", Devices: "Vulkan1"}, file: eyes(4096, 1)},
		{name: "an adapter that fits is fine", plan: adapt, file: adapter("llama", query)},
		{name: "one for another architecture is refused", plan: adapt, file: adapter("gemma3", query), refusals: []string{"lora-architecture"}},
		{
			name: "one of other shapes is refused", plan: adapt, refusals: []string{"lora-shapes"},
			file: adapter("llama", []gguf.Matrix{{Name: "attn_q.weight", In: 2048, Out: 2048}}),
		},
		{name: "a projector is no adapter", plan: adapt, file: gguf.Facts{Path: "lora.gguf", Kind: gguf.Projector}, refusals: []string{"lora-file"}},
		{name: "no adapter where the model is split by tensor", plan: tensor(adapt), file: adapter("llama", query), refusals: []string{"lora-tensor"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := Given{Model: model, Beside: []gguf.Facts{test.file}, Integrated: []string{"Vulkan0"}, Build: NewestKnownBuild,
				Devices: []build.Device{{ID: "Vulkan0"}, {ID: "Vulkan1"}}}
			if test.plan.Devices == "" {
				test.plan.Devices = CPU
			}
			if test.plan.ProjectorPath == "" {
				test.plan.ProjectorPath = NoProjector
			}
			p, _ := Complete(test.plan, g)
			checkFindings(t, Check(p, g), test.refusals, test.cautions)
		})
	}
}

func TestCompleteTakesTheWayOfGuessingFromTheFile(t *testing.T) {
	for _, test := range []struct {
		name string
		file gguf.Facts
		want string
	}{
		{"an assistant", gguf.Facts{Kind: gguf.MTPHead, Architecture: "gemma4-assistant"}, SpecMTP},
		{"an MTP head", gguf.Facts{Kind: gguf.MTPHead, Architecture: "qwen35"}, SpecMTP},
		{"a model", gguf.Facts{Kind: gguf.Model, Architecture: "llama"}, SpecDraft},
		{"an EAGLE-3 draft", gguf.Facts{Kind: gguf.Draft, Architecture: "eagle3"}, SpecEAGLE3},
		{"a DFlash draft", gguf.Facts{Kind: gguf.Draft, Architecture: "dflash"}, SpecDFlash},
		{"a projector", gguf.Facts{Kind: gguf.Projector}, NoSpec},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.file.Path = "beside.gguf"
			p, choices := Complete(Plan{DraftPath: "beside.gguf"}, Given{Model: llama, Beside: []gguf.Facts{test.file}})
			if p.SpecTypes != test.want {
				t.Errorf("it guesses by %s", p.SpecTypes)
			}
			if !slices.Contains(choices, Choice{"specTypes", test.want, "choice.spec-of-file"}) {
				t.Errorf("the choices are %v", choices)
			}
		})
	}
}

func TestOneChoiceMakesTheOthersGiveWay(t *testing.T) {
	eagle := gguf.Facts{Path: "eagle.gguf", Kind: gguf.Draft, Architecture: "eagle3", Target: gguf.Target{Width: 4096}}
	eyes := gguf.Facts{Path: "eyes.gguf", Kind: gguf.Projector, Projection: gguf.Projection{Vision: "mlp", Width: 4096, Parts: 1}}
	g := Given{Model: withFacts(nil), Beside: []gguf.Facts{eagle, eyes}, Build: NewestKnownBuild}
	both := Plan{SpecTypes: SpecEAGLE3, ProjectorPath: "eyes.gguf"}
	t.Run("vision for guesses", func(t *testing.T) {
		p, ok := Adjust(both, g, "specTypes")
		if !ok || p.SpecTypes != SpecEAGLE3 || p.Projector() != "" {
			t.Errorf("%v, %s with %q", ok, p.SpecTypes, p.ProjectorPath)
		}
	})
	t.Run("guesses for vision", func(t *testing.T) {
		p, ok := Adjust(both, g, "projectorPath")
		if !ok || p.SpecTypes != NoSpec || p.Projector() != "eyes.gguf" {
			t.Errorf("%v, %s with %q", ok, p.SpecTypes, p.ProjectorPath)
		}
	})
	t.Run("guesses for embeddings", func(t *testing.T) {
		p, ok := Adjust(Plan{Purpose: Embeddings, Pooling: "mean", SpecTypes: "ngram-mod"}, g, "purpose")
		if !ok || p.SpecTypes != NoSpec {
			t.Errorf("%v, %s", ok, p.SpecTypes)
		}
	})
}
