package library

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"paddock/engine/gguf"
)

// A change makes a made-up model another.
type change func(*gguf.Facts)

// shelf of made-up files for tests: paths with what their headers say.
func madeUp(path string, kind gguf.Kind, changes ...change) Model {
	f := gguf.Facts{Path: path, Kind: kind}
	for _, c := range changes {
		c(&f)
	}
	if f.Name = f.Origin.Name; f.Name == "" {
		f.Name = filepath.Base(path)
	}
	return Model{Facts: f, Files: []string{path}, Capabilities: capabilities(f, nil), Folder: filepath.Dir(path)}
}

func named(name string, bases ...string) change {
	return func(f *gguf.Facts) {
		f.Origin.Name = name
		for _, base := range bases {
			f.Origin.Bases = append(f.Origin.Bases, gguf.Base{Name: base})
		}
	}
}

func of(architecture string, width int) change {
	return func(f *gguf.Facts) { f.Architecture, f.EmbeddingLength, f.Layers = architecture, width, 32 }
}

func eyes(kind string, width int) change {
	return func(f *gguf.Facts) {
		f.Projection = gguf.Projection{Vision: kind, Width: width, Parts: 1}
		f.Quantisation = "F16"
	}
}

func speaks(vocabulary string, activeBytes uint64) change {
	return func(f *gguf.Facts) {
		f.Vocabulary = gguf.Vocab{Model: "gpt2", Tokens: 150_000, Ends: vocabulary}
		f.ActiveBytes = activeBytes
	}
}

// Prints of two vocabularies.
const (
	qwenWords  = "0123abcd"
	llamaWords = "fedc9876"
)

func projectorsOf(t *testing.T, path string, models ...Model) []string {
	t.Helper()
	return pathsOf(Pair(models)[path].Projectors)
}

func pathsOf(list []Companion) []string {
	paths := []string{}
	for _, c := range list {
		paths = append(paths, c.Path)
	}
	return paths
}

func TestAProjectorFitsByTypeAndWidth(t *testing.T) {
	vision := func(f *gguf.Facts) { f.ChatTemplate, f.TemplateKnows = "x", []string{"chat", "images"} }
	tests := []struct {
		name  string
		model []change
		eyes  []change
		fits  bool
	}{
		{"of its kind and width", []change{of("qwen35", 4096)}, []change{eyes("qwen3vl_merger", 4096)}, true},
		{"of another width", []change{of("qwen35", 2560)}, []change{eyes("qwen3vl_merger", 4096)}, false},
		{"of another kind and the same width", []change{of("gemma3", 4096)}, []change{eyes("qwen3vl_merger", 4096)}, false},
		{"of Gemma 3 for Gemma 4", []change{of("gemma4", 2560)}, []change{eyes("gemma3", 2560)}, false},
		{"of Qwen2.5-VL for Qwen2-VL, which share an architecture",
			[]change{of("qwen2vl", 3584), named("Qwen2 VL 7B Instruct")}, []change{eyes("qwen2.5vl_merger", 3584), named("Qwen2.5 VL 7B Instruct")}, false},
		{"of a version before", []change{of("qwen35moe", 2048), named("Qwen3.6 35B A3B")}, []change{eyes("qwen3vl_merger", 2048), named("Qwen3.5-35B-A3B")}, false},
		{"of another size that has this width too", []change{of("qwen35moe", 2048), named("Qwen3.5-35B-A3B")}, []change{eyes("qwen3vl_merger", 2048), named("Qwen3.5-2B")}, false},
		{"of its size, by what is made of it", []change{of("qwen35moe", 2048), named("Qwen3.5 28B REAP", "Qwen3.5-35B-A3B")}, []change{eyes("qwen3vl_merger", 2048), named("Qwen3.5 35B A3B")}, true},
		{"of a base the model was made of", []change{of("qwen35", 4096), named("Ornith 9B", "Qwen3.5 9B")}, []change{eyes("qwen3vl_merger", 4096), named("Qwen3.5-9B")}, true},
		{"with more parts than the model takes", []change{of("qwen3vl", 2048)},
			[]change{eyes("qwen3vl_merger", 2048), func(f *gguf.Facts) { f.Projection.Parts = 4 }}, false},
		{"with as many parts", []change{of("qwen3vl", 2048), func(f *gguf.Facts) { f.DeepstackLayers = 3 }},
			[]change{eyes("qwen3vl_merger", 2048), func(f *gguf.Facts) { f.Projection.Parts = 4 }}, true},
		{"of a kind any llama could have", []change{of("llama", 4096), named("Llama 3.1 8B")}, []change{eyes("mlp", 4096), named("LLaVA 1.6")}, false},
		{"of such a kind, for a model with its name", []change{of("llama", 4096), named("LLaVA 1.6")}, []change{eyes("mlp", 4096), named("llava-1.6-mmproj-F16")}, true},
		{"of such a kind, for a model whose template knows images", []change{of("llama", 5120), vision}, []change{eyes("pixtral", 5120)}, true},
		{"of a kind newer than this program", []change{of("qwen35", 4096)}, []change{eyes("qwen5_merger", 4096)}, false},
		{"of such a kind, with the model's name", []change{of("qwen5", 4096), named("Qwen5 9B")}, []change{eyes("qwen5_merger", 4096), named("Qwen5-9B")}, true},
		{"without a width", []change{of("qwen35", 0)}, []change{eyes("qwen3vl_merger", 0)}, false},
		{"of both pictures and sound, for their model", []change{of("gemma4", 2560)},
			[]change{eyes("gemma4v", 2560), func(f *gguf.Facts) { f.Projection.Audio = "gemma4a" }}, true},
		{"with sound of another kind", []change{of("gemma4", 2560)},
			[]change{eyes("gemma4v", 2560), func(f *gguf.Facts) { f.Projection.Audio = "voxtral" }}, false},
		{"for a model that makes vectors", []change{of("qwen35", 4096), func(f *gguf.Facts) { f.Pooling = "last" }}, []change{eyes("qwen3vl_merger", 4096)}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			model := madeUp("/m/model.gguf", gguf.Model, test.model...)
			// A model beside it, so that the folder says nothing.
			other := madeUp("/m/other.gguf", gguf.Model, of("olmoe", 2048))
			projector := madeUp("/m/mmproj.gguf", gguf.Projector, test.eyes...)
			pairs := Pair([]Model{projector, model, other})
			if got := len(pairs["/m/model.gguf"].Projectors) == 1; got != test.fits {
				t.Errorf("pairs %v", pathsOf(pairs["/m/model.gguf"].Projectors))
			}
			if got := Attached(pairs)["/m/mmproj.gguf"]; got != test.fits {
				t.Errorf("attached: %v", got)
			}
			if _, there := pairs["/m/other.gguf"]; there {
				t.Errorf("the other model has %+v", pairs["/m/other.gguf"])
			}
		})
	}
}

func TestAFolderOfItsOwnSaysWhatAProjectorIsOf(t *testing.T) {
	llava := madeUp("/llava/ggml-model-q4_k.gguf", gguf.Model, of("llama", 4096))
	smaller := madeUp("/llava/ggml-model-q2_k.gguf", gguf.Model, of("llama", 4096))
	projector := madeUp("/llava/mmproj-model-f16.gguf", gguf.Projector, eyes("mlp", 4096))
	stranger := madeUp("/m/Meta-Llama-3-8B.gguf", gguf.Model, of("llama", 4096))
	pairs := Pair([]Model{llava, smaller, projector, stranger})
	for _, path := range []string{"/llava/ggml-model-q4_k.gguf", "/llava/ggml-model-q2_k.gguf"} {
		if got := pathsOf(pairs[path].Projectors); !slices.Equal(got, []string{"/llava/mmproj-model-f16.gguf"}) {
			t.Errorf("%s has %v", path, got)
		}
	}
	if len(pairs["/m/Meta-Llama-3-8B.gguf"].Projectors) > 0 {
		t.Error("a model of the same width in another folder has it too")
	}
}

func TestTheBestProjectorComesFirst(t *testing.T) {
	kind := func(name, quantisation string) []change {
		return []change{eyes("gemma3", 2560), named(name), func(f *gguf.Facts) { f.Quantisation = quantisation }}
	}
	model := madeUp("/m/gemma-3-4b-it-Q4_K_M.gguf", gguf.Model, of("gemma3", 2560), named("Gemma 3 4b It"))
	files := []Model{
		model,
		madeUp("/m/mmproj-f32.gguf", gguf.Projector, kind("Gemma 3 4b It", "F32")...),
		madeUp("/m/mmproj-f16.gguf", gguf.Projector, kind("gemma-3-4b-it", "F16")...),
		madeUp("/elsewhere/mmproj-f16.gguf", gguf.Projector, kind("gemma-3-4b-it", "F16")...),
		madeUp("/m/mmproj-medgemma.gguf", gguf.Projector, kind("MedGemma 4b It", "F16")...),
	}
	want := []string{"/m/mmproj-f16.gguf", "/m/mmproj-f32.gguf", "/elsewhere/mmproj-f16.gguf"}
	for range 2 {
		pairs := Pair(files)
		if got := pathsOf(pairs[model.Files[0]].Projectors); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		slices.Reverse(files)
	}
	for _, c := range Pair(files)[model.Files[0]].Projectors {
		if c.Reason != Fits || c.MadeFor != "" || c.Spec != "" {
			t.Errorf("%+v", c)
		}
	}
}

func TestAModelWithoutAProjectorOfItsOwnGetsThatOfItsFamily(t *testing.T) {
	tune := madeUp("/tunes/Ornith-9B.gguf", gguf.Model, of("qwen35", 4096), named("Ornith 9B"))
	projector := madeUp("/m/mmproj-F16.gguf", gguf.Projector, eyes("qwen3vl_merger", 4096), named("Qwen3.5-9B", "Qwen3.5 9B"))
	list := Pair([]Model{tune, projector})[tune.Files[0]].Projectors
	if len(list) != 1 || list[0].Reason != SameFamily || list[0].MadeFor != "Qwen3.5 9B" {
		t.Errorf("%+v", list)
	}
}

func TestAModelSeesOnlyWithAProjectorOfPictures(t *testing.T) {
	model := madeUp("/m/gemma4.gguf", gguf.Model, of("gemma4", 2560), func(f *gguf.Facts) { f.NextNLayers = 1 })
	hears := madeUp("/m/mmproj-audio.gguf", gguf.Projector, func(f *gguf.Facts) {
		f.Projection = gguf.Projection{Audio: "gemma4a", Width: 2560, Parts: 1}
	})
	sees := madeUp("/m/mmproj.gguf", gguf.Projector, eyes("gemma4v", 2560))
	tests := []struct {
		name  string
		files []Model
		want  []string
	}{
		{"alone", nil, []string{"chat", "mtp"}},
		{"with ears", []Model{hears}, []string{"chat", "mtp"}},
		{"with eyes", []Model{hears, sees}, []string{"chat", "vision", "mtp"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := Pair(append(test.files, model))[model.Files[0]]
			if got := c.Capabilities(model); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
	if !slices.Equal(model.Capabilities, []string{"chat", "mtp"}) {
		t.Errorf("the model itself was changed: %v", model.Capabilities)
	}
}

func TestAFileWithAProblemHasNoCompanions(t *testing.T) {
	model := madeUp("/m/a.gguf", gguf.Model, of("gemma3", 2560))
	projector := madeUp("/m/mmproj.gguf", gguf.Projector, eyes("gemma3", 2560))
	broken := model
	broken.Problem = &gguf.Error{Problem: gguf.Truncated}
	if pairs := Pair([]Model{broken, projector}); len(pairs) != 0 {
		t.Errorf("a broken model has %+v", pairs)
	}
	broken = projector
	broken.Problem = &gguf.Error{Problem: gguf.Truncated}
	if pairs := Pair([]Model{model, broken}); len(pairs) != 0 {
		t.Errorf("a broken projector is %+v", pairs)
	}
	if pairs := Pair(nil); len(pairs) != 0 {
		t.Errorf("nothing makes %+v", pairs)
	}
}

func TestAnAdapterIsForTheModelItNames(t *testing.T) {
	shape := func(in, out uint64) change {
		return func(f *gguf.Facts) { f.Matrices = []gguf.Matrix{{Name: "attn_q.weight", In: in, Out: out}} }
	}
	llama := madeUp("/m/llama.gguf", gguf.Model, of("llama", 4096), named("Llama 3 8B Instruct"), shape(4096, 4096))
	mistral := madeUp("/m/mistral.gguf", gguf.Model, of("llama", 4096), named("Mistral 7B Instruct v0.3"), shape(4096, 4096))
	small := madeUp("/m/small.gguf", gguf.Model, of("llama", 2048), named("Llama 3.2 1B Instruct"), shape(2048, 2048))
	qwen := madeUp("/m/qwen.gguf", gguf.Model, of("qwen2", 4096), named("Qwen2 7B"), shape(4096, 4096))
	tests := []struct {
		name    string
		adapter []change
		want    []string
	}{
		{"that names its base", []change{of("llama", 0), named("Tales", "Mistral 7B Instruct v0.3"), shape(4096, 4096)}, []string{"/m/mistral.gguf"}},
		{"that names none, by its shapes", []change{of("llama", 0), named("Tales"), shape(2048, 2048)}, []string{"/m/small.gguf"}},
		{"that could be of two", []change{of("llama", 0), named("Tales"), shape(4096, 4096)}, []string{"/m/llama.gguf", "/m/mistral.gguf"}},
		{"whose base is not here", []change{of("llama", 0), named("Tales", "Solar 10B"), shape(4096, 4096)}, []string{}},
		{"with more layers", []change{of("llama", 0), named("Tales"), shape(2048, 2048), func(f *gguf.Facts) { f.Layers = 33 }}, []string{}},
		{"without matrices", []change{of("llama", 0), named("Tales")}, []string{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			adapter := madeUp("/m/lora.gguf", gguf.LoRA, test.adapter...)
			pairs := Pair([]Model{llama, mistral, small, qwen, adapter})
			got := []string{}
			for path, c := range pairs {
				if len(c.LoRA) == 1 && c.LoRA[0].Path == "/m/lora.gguf" && c.LoRA[0].Reason == AdapterOf {
					got = append(got, path)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, test.want) {
				t.Errorf("fits %v, want %v", got, test.want)
			}
		})
	}
}

func TestCompanionsAreNotWithoutEnd(t *testing.T) {
	files := []Model{madeUp("/m/a.gguf", gguf.Model, of("gemma3", 2560))}
	for i := range 50 {
		files = append(files, madeUp(fmt.Sprintf("/m/mmproj-%02d.gguf", i), gguf.Projector, eyes("gemma3", 2560)))
	}
	if got := len(projectorsOf(t, "/m/a.gguf", files...)); got != maxCompanions {
		t.Errorf("%d projectors", got)
	}
}

func TestNamesThatContradict(t *testing.T) {
	tests := []struct {
		name, a, b string
		contradict bool
	}{
		{"the same, written in two ways", "Qwen3.5-9B", "mmproj Qwen3.5 9B F16", false},
		{"two versions", "Qwen2.5 VL 7B Instruct", "Qwen2 VL 7B Instruct", true},
		{"two versions, apart from the line's name", "Gemma 3 4b It", "Gemma 4 4b It", true},
		{"two sizes", "Qwen3.5 2B", "Qwen3.5 35B A3B", true},
		{"an active size is no size", "Qwen3.5 35B", "Qwen3.5 35B A3B", false},
		{"one without a version", "Qwen VL 7B", "Qwen2 VL 7B", false},
		{"two lines", "Ornith 9B", "Qwen3.5 9B", false},
		{"two lines of other sizes", "Ornith 9B", "Qwen3.5 4B", true},
		{"sizes with letters", "Gemma 4 E4B it", "gemma-4-E2B-it", true},
		{"nothing said", "", "Qwen3.5 9B", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newSpeller()
			a := s.names(madeUp("/m/a.gguf", gguf.Model, named(test.a)))
			b := s.names(madeUp("/m/b.gguf", gguf.Projector, named(test.b)))
			if contradict(a, b) != test.contradict || contradict(b, a) != test.contradict {
				t.Errorf("%+v and %+v", a, b)
			}
		})
	}
}
