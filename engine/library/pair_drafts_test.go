package library

import (
	"fmt"
	"slices"
	"testing"

	"paddock/engine/gguf"
)

const gib = 1 << 30

func draftsOf(path string, models ...Model) []string { return pathsOf(Pair(models)[path].Drafts) }

func TestASmallerModelDraftsWithTheSameVocabulary(t *testing.T) {
	big := madeUp("/m/Llama-3.3-70B.gguf", gguf.Model, of("llama", 8192), speaks(llamaWords, 40*gib), named("Llama 3.3 70B Instruct"))
	tests := []struct {
		name  string
		draft Model
		fits  bool
	}{
		{"of its family", madeUp("/h/a.gguf", gguf.Model, of("llama", 2048), speaks(llamaWords, gib), named("Llama 3.2 1B Instruct")), true},
		{"of another architecture", madeUp("/h/a.gguf", gguf.Model, of("olmoe", 2048), speaks(llamaWords, gib)), true},
		{"with other words", madeUp("/h/a.gguf", gguf.Model, of("llama", 2048), speaks(qwenWords, gib)), false},
		{"without a vocabulary", madeUp("/h/a.gguf", gguf.Model, of("llama", 2048), func(f *gguf.Facts) { f.ActiveBytes = gib }), false},
		{"four times lighter", madeUp("/h/a.gguf", gguf.Model, of("llama", 4096), speaks(llamaWords, 10*gib)), true},
		{"three times lighter", madeUp("/h/a.gguf", gguf.Model, of("llama", 4096), speaks(llamaWords, 13*gib)), false},
		{"that makes vectors", madeUp("/h/a.gguf", gguf.Model, of("llama", 2048), speaks(llamaWords, gib), func(f *gguf.Facts) { f.Pooling = "mean" }), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			pairs := Pair([]Model{test.draft, big})
			list := pairs[big.Files[0]].Drafts
			if (len(list) == 1) != test.fits {
				t.Fatalf("drafts %v", pathsOf(list))
			}
			if test.fits && (list[0].Reason != SameVocabulary || list[0].Spec != "draft-simple" ||
				list[0].Times != int(40*gib/test.draft.Facts.ActiveBytes)) {
				t.Errorf("%+v", list[0])
			}
			if Attached(pairs)["/h/a.gguf"] {
				t.Error("a model of its own is shown under another only")
			}
		})
	}
}

func TestOfManyDraftsTheBestFewAreOffered(t *testing.T) {
	big := madeUp("/m/big.gguf", gguf.Model, of("qwen2", 5120), speaks(qwenWords, 20*gib), named("Qwen2.5 32B"))
	files := []Model{big,
		madeUp("/m/stranger.gguf", gguf.Model, of("qwen2", 512), speaks(qwenWords, gib/4), named("Arcee Tiny")),
		madeUp("/m/qwen-3b.gguf", gguf.Model, of("qwen2", 2048), speaks(qwenWords, 2*gib), named("Qwen2.5 3B")),
		madeUp("/m/qwen-0.5b.gguf", gguf.Model, of("qwen2", 896), speaks(qwenWords, gib/2), named("Qwen2.5 0.5B")),
		madeUp("/m/qwen-1.5b.gguf", gguf.Model, of("qwen2", 1536), speaks(qwenWords, gib), named("Qwen2.5 1.5B")),
		madeUp("/m/qwen-4b.gguf", gguf.Model, of("qwen2", 2048), speaks(qwenWords, 3*gib), named("Qwen2.5 4B")),
	}
	want := []string{"/m/qwen-0.5b.gguf", "/m/qwen-1.5b.gguf", "/m/qwen-3b.gguf"}
	if got := draftsOf(big.Files[0], files...); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAMixtureCountsByWhatATokenReads(t *testing.T) {
	dense := madeUp("/m/small.gguf", gguf.Model, of("qwen3", 1024), speaks(qwenWords, gib))
	mixture := madeUp("/m/mixture.gguf", gguf.Model, of("qwen3moe", 2048), speaks(qwenWords, 3*gib), func(f *gguf.Facts) { f.WeightsBytes = 30 * gib })
	if got := draftsOf(mixture.Files[0], dense, mixture); len(got) != 0 {
		t.Errorf("a draft a third as heavy as what a token reads: %v", got)
	}
}

func TestADraftOfItsOwnKindFitsByWidthLayersAndWords(t *testing.T) {
	target := func(width, least int) change {
		return func(f *gguf.Facts) {
			f.Architecture, f.Target = "eagle3", gguf.Target{Width: width, LeastLayers: least}
		}
	}
	model := madeUp("/m/qwen.gguf", gguf.Model, of("qwen3", 4096), speaks(qwenWords, 4*gib), named("Qwen3 8B"))
	tests := []struct {
		name    string
		changes []change
		reason  Reason // "" for none
	}{
		{"for this model", []change{target(4096, 29), speaks(qwenWords, gib), named("Qwen3-8B-eagle3")}, MadeForIt},
		{"that names none", []change{target(4096, 29), speaks(qwenWords, gib)}, MadeForIt},
		{"for another of the same shape", []change{target(4096, 29), speaks(qwenWords, gib), named("Wanderer 8B")}, SameFamily},
		{"for another version", []change{target(4096, 29), speaks(qwenWords, gib), named("Qwen2.5-8B-eagle3")}, ""},
		{"of another width", []change{target(5120, 29), speaks(qwenWords, gib)}, ""},
		{"for a deeper model", []change{target(4096, 33), speaks(qwenWords, gib)}, ""},
		{"with other words", []change{target(4096, 29), speaks(llamaWords, gib)}, ""},
		{"without words of its own", []change{target(4096, 29)}, MadeForIt},
		{"without a width", []change{target(0, 0)}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			draft := madeUp("/m/draft.gguf", gguf.Draft, test.changes...)
			pairs := Pair([]Model{model, draft})
			list := pairs[model.Files[0]].Drafts
			switch {
			case test.reason == "":
				if len(list) != 0 || Attached(pairs)["/m/draft.gguf"] {
					t.Errorf("%+v", list)
				}
			case len(list) != 1 || list[0].Reason != test.reason || list[0].Spec != "draft-eagle3" || !Attached(pairs)["/m/draft.gguf"]:
				t.Errorf("%+v", list)
			}
		})
	}
	flash := madeUp("/m/flash.gguf", gguf.Draft, target(4096, 29), func(f *gguf.Facts) { f.Architecture = "dflash" })
	if list := Pair([]Model{model, flash})[model.Files[0]].Drafts; len(list) != 1 || list[0].Spec != "draft-dflash" {
		t.Errorf("DFlash: %+v", list)
	}
}

func TestWhereTheMTPLayersAre(t *testing.T) {
	head := func(architecture string, trunk int) Model {
		return madeUp("/m/mtp.gguf", gguf.MTPHead, func(f *gguf.Facts) {
			f.Architecture = architecture
			f.Target = gguf.Target{Architecture: architecture, Width: 4096, Layers: trunk}
		})
	}
	layers := func(all, there, declared int) change {
		return func(f *gguf.Facts) { f.Layers, f.NextNLayers, f.DeclaredNextN = all, there, declared }
	}
	tests := []struct {
		name   string
		model  change
		beside []Model
		want   MTPHead
		heads  int
	}{
		{"nowhere, and never were", layers(32, 0, 0), nil, NoMTP, 0},
		{"in the model", layers(33, 1, 1), nil, MTPInModel, 0},
		{"missing", layers(33, 0, 1), nil, MTPMissing, 0},
		{"in another file, where the model's are missing", layers(33, 0, 1), []Model{head("qwen35", 32)}, MTPInAnother, 1},
		{"in another file, where the header forgot them", layers(32, 0, 0), []Model{head("qwen35", 32)}, MTPInAnother, 1},
		{"in the model, and in another file too", layers(33, 1, 1), []Model{head("qwen35", 32)}, MTPInModel, 1},
		{"in a file of another depth", layers(33, 0, 1), []Model{head("qwen35", 48)}, MTPMissing, 0},
		{"in a file of another architecture", layers(33, 0, 1), []Model{head("qwen35moe", 32)}, MTPMissing, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			model := madeUp("/m/model.gguf", gguf.Model, of("qwen35", 4096), test.model)
			c := Pair(append(test.beside, model))[model.Files[0]]
			if got := c.MTPHead(model); got != test.want || len(c.MTP) != test.heads {
				t.Errorf("%q with %d heads", got, len(c.MTP))
			}
			for _, h := range c.MTP {
				if h.Reason != HeadOf || h.Spec != "draft-mtp" {
					t.Errorf("%+v", h)
				}
			}
		})
	}
}

func TestAnAssistantFitsTheModelWhoseCacheItReads(t *testing.T) {
	assistant := madeUp("/m/assistant.gguf", gguf.MTPHead, speaks(qwenWords, gib), func(f *gguf.Facts) {
		f.Architecture = "gemma4-assistant"
		f.Target = gguf.Target{Architecture: "gemma4", Width: 2560, HeadSizeK: 512}
	})
	head := func(size int) change { return func(f *gguf.Facts) { f.HeadSizeK = size } }
	tests := []struct {
		name  string
		model []change
		fits  bool
	}{
		{"of its size", []change{of("gemma4", 2560), head(512), speaks(qwenWords, gib)}, true},
		{"of another size", []change{of("gemma4", 1536), head(512), speaks(qwenWords, gib)}, false},
		{"of another architecture", []change{of("gemma3", 2560), head(512), speaks(qwenWords, gib)}, false},
		{"with heads of another size", []change{of("gemma4", 2560), head(256), speaks(qwenWords, gib)}, false},
		{"with other words", []change{of("gemma4", 2560), head(512), speaks(llamaWords, gib)}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			model := madeUp("/m/model.gguf", gguf.Model, test.model...)
			list := Pair([]Model{assistant, model})[model.Files[0]].MTP
			if (len(list) == 1) != test.fits || test.fits && (list[0].Reason != AssistantOf || list[0].Spec != "draft-mtp") {
				t.Errorf("%+v", list)
			}
		})
	}
}

// BenchmarkPair pairs 1,000 files of a library that is as mixed as people's are:
// 40 models in several quantisations each, with projectors, heads, drafts and
// adapters.
func BenchmarkPair(b *testing.B) {
	benchmarkPair(b, mixedLibrary(func(i int) int { return 1024 + 256*(i%12) }))
}

// BenchmarkPairAlike is the worst there is: everything has the same width.
func BenchmarkPairAlike(b *testing.B) {
	benchmarkPair(b, mixedLibrary(func(int) int { return 4096 }))
}

func benchmarkPair(b *testing.B, files []Model) {
	if pairs := Pair(files); len(pairs) < 100 {
		b.Fatalf("only %d models have companions", len(pairs))
	}
	for b.Loop() {
		Pair(files)
	}
}

func mixedLibrary(width func(i int) int) []Model {
	architectures := []string{"qwen35", "gemma3", "llama", "qwen3vl", "gemma4"}
	types := []string{"qwen3vl_merger", "gemma3", "mlp", "qwen3vl_merger", "gemma4v"}
	var files []Model
	for i := 0; len(files) < 1000; i++ {
		folder := fmt.Sprintf("/models/%d/", i%40)
		kind := i % 40 % len(architectures)
		name := named(fmt.Sprintf("%s %d.%d %dB Instruct", architectures[kind], 3, i%3, i%40), fmt.Sprintf("%s base %dB", architectures[kind], i%40))
		shape := of(architectures[kind], width(i%40))
		words := speaks([]string{qwenWords, llamaWords}[i%2], uint64(1+i%40)*gib)
		matrices := func(f *gguf.Facts) {
			f.Matrices = []gguf.Matrix{{Name: "attn_q.weight", In: uint64(width(i % 40)), Out: 4096}}
		}
		add := func(file string, kind gguf.Kind, changes ...change) {
			files = append(files, madeUp(fmt.Sprintf("%s%s-%d.gguf", folder, file, i), kind, changes...))
		}
		for _, quantisation := range []string{"Q4_K_M", "Q5_K_M", "Q8_0", "IQ3_XS"} {
			add("model-"+quantisation, gguf.Model, name, shape, words, matrices)
		}
		switch i % 4 {
		case 0, 1:
			add("mmproj", gguf.Projector, name, eyes(types[kind], width(i%40)))
		case 2:
			add("mtp", gguf.MTPHead, name, shape, words, func(f *gguf.Facts) {
				f.Target = gguf.Target{Architecture: architectures[kind], Width: width(i % 40), Layers: 32}
			})
		case 3:
			add("lora", gguf.LoRA, name, shape, matrices)
		}
	}
	return files
}
