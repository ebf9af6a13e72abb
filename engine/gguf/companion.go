package gguf

import (
	"slices"
	"strings"
)

// A Projection is what a projector file makes of pictures or sound.
type Projection struct {
	Vision string // the type of its vision part, as the engine names it: "qwen3vl_merger"; "" without one
	Audio  string // the type of its audio part
	Width  int    // of a vector it gives the model: the model's embedding length
	Parts  int    // how many such vectors for one token: 1, and one for each deepstack output
}

// A Target is what a draft, an MTP head or an assistant needs of the model it
// works beside. A zero is not known, and so not asked for.
type Target struct {
	Architecture string
	Width        int // embedding length
	Layers       int // exactly so many, without those for multi-token prediction
	LeastLayers  int // at least so many: it takes in the state of these
	HeadSizeK    int // it reads the target's KV cache
}

// A Matrix is the shape of a weight that layers have, or that an adapter changes.
type Matrix struct {
	Name    string // within the layer: "attn_q.weight"
	In, Out uint64
}

// An output is the tensor a projector's width is read from (clip_n_mmproj_embd in
// tools/mtmd/clip.cpp): its first dimension, or its second.
type output struct {
	tensor string
	first  bool
}

var outputs = map[string]output{
	"mlp": {"mm.2.weight", false}, "phi4": {"mm.2.weight", false}, "pixtral": {"mm.2.weight", false},
	"lightonocr": {"mm.2.weight", false}, "dots_ocr": {"mm.2.weight", false}, "lfm2": {"mm.2.weight", false},
	"kimivl": {"mm.2.weight", false}, "kimik25": {"mm.2.weight", false}, "paddleocr": {"mm.2.weight", false},
	"yasa2": {"mm.2.weight", false},
	"ldp":   {"mm.model.mb_block.1.block.2.1.bias", true}, "ldpv2": {"mm.model.peg.0.bias", true},
	"resampler": {"resampler.proj.weight", true}, "adapter": {"adapter.linear.dense_4h_to_h.weight", false},
	"qwen2vl_merger": {"mm.2.bias", true}, "qwen2.5vl_merger": {"mm.2.bias", true}, "qwen3vl_merger": {"mm.2.bias", true},
	"qwen2.5o": {"mm.2.bias", true}, "youtuvl": {"mm.2.bias", true}, "exaone4_5": {"mm.2.bias", true},
	"janus_pro": {"mm.1.bias", true},
	"gemma3":    {"mm.input_projection.weight", true}, "gemma3nv": {"mm.input_projection.weight", true},
	"gemma4v": {"mm.input_projection.weight", false}, "gemma4uv": {"mm.input_projection.weight", false},
	"gemma4a": {"mm.a.input_projection.weight", false}, "gemma4ua": {"mm.a.input_projection.weight", false},
	"idefics3": {"mm.model.fc.weight", false}, "llama4": {"mm.model.fc.weight", false}, "step3vl": {"mm.model.fc.weight", false},
	"hunyuanocr": {"mm.model.fc.weight", false}, "hunyuanvl": {"mm.model.fc.weight", false},
	"deepseekocr": {"mm.model.fc.weight", false}, "deepseekocr2": {"mm.model.fc.weight", false},
	"internvl": {"mm.model.mlp.3.weight", false}, "nemotron_v2_vl": {"mm.model.mlp.3.weight", false},
	"cogvlm": {"mm.down.weight", false}, "glm4v": {"mm.down.weight", false},
	"ultravox": {"mm.a.mlp.2.weight", false}, "voxtral": {"mm.a.mlp.2.weight", false},
	"musicflamingo": {"mm.a.mlp.2.weight", false}, "qwen3a": {"mm.a.mlp.2.weight", false},
	"glma": {"mm.a.mlp.2.weight", false}, "meralion": {"mm.a.mlp.3.weight", false}, "qwen2a": {"mm.a.fc.weight", false},
}

// projection reads what a projector is. Old files name no type, which the engine
// takes for LLaVA's.
func projection(m metadata, tensors []tensor, names census) Projection {
	either := m.text("clip.projector_type")
	part := func(has, key string, there bool) string {
		if !there && m.count(has) == 0 {
			return ""
		}
		switch kind := m.text(key); {
		case either != "":
			return either
		case kind != "":
			return kind
		default:
			return "mlp"
		}
	}
	p := Projection{
		Vision: part("clip.has_vision_encoder", "clip.vision.projector_type", names.vision),
		Audio:  part("clip.has_audio_encoder", "clip.audio.projector_type", names.audio),
		Parts:  1 + names.deepstack,
	}
	if p.Vision == "qwen2.5o" {
		p.Vision = "qwen2.5vl_merger"
	}
	if p.Audio == "qwen2.5o" {
		p.Audio = "qwen2a"
	}
	for _, kind := range []string{p.Vision, p.Audio} {
		from, known := outputs[kind]
		for _, t := range tensors {
			if known && t.name == from.tensor && p.Width == 0 {
				p.Width = width(t, from.first)
			}
		}
	}
	if p.Width == 0 {
		p.Width = max(m.count("clip.vision.projection_dim"), m.count("clip.audio.projection_dim"))
	}
	return p
}

func width(t tensor, first bool) int {
	n := t.sizes[1]
	if first {
		n = t.sizes[0]
	}
	return number(n)
}

// number is a dimension as an int, 0 for what no model has.
func number(n uint64) int {
	return value{kind: typeUint64, number: n}.count()
}

// assistantSuffix ends the architecture of a draft head that reads the KV cache
// of the architecture before it: "gemma4-assistant".
const assistantSuffix = "-assistant"

// target reads what a draft or an MTP head works beside.
func (f *Facts) target(m metadata, tensors []tensor) Target {
	prefix := f.Architecture + "."
	if f.Kind == MTPHead {
		if of, ok := strings.CutSuffix(f.Architecture, assistantSuffix); ok {
			return Target{Architecture: of, Width: m.count(prefix + "embedding_length_out"), HeadSizeK: f.HeadSizeK}
		}
		return Target{Architecture: f.Architecture, Width: f.EmbeddingLength, Layers: f.Layers - f.NextNLayers, HeadSizeK: f.HeadSizeK}
	}
	layers := m.values[prefix+"target_layers"]
	t := Target{Width: m.count(prefix + "target_hidden_size"), LeastLayers: layers.count()}
	for _, w := range tensors {
		// It takes in the states of several layers, one after the other.
		if w.name == "fc.weight" && t.Width == 0 && layers.length > 0 {
			t.Width = number(w.sizes[0] / layers.length)
		}
	}
	return t
}

// matrices are the shapes of the layers' weights; those of an adapter are what
// its pairs of small matrices, a and b, multiply up to.
func matrices(tensors []tensor) []Matrix {
	halves := map[string]Matrix{}
	seen := map[Matrix]bool{}
	var all []Matrix
	add := func(name string, m Matrix) {
		_, m.Name, _ = numbered(name, "blk.")
		if m.Name != "" && !seen[m] {
			seen[m] = true
			all = append(all, m)
		}
	}
	for _, t := range tensors {
		if of, isA := strings.CutSuffix(t.name, ".lora_a"); isA {
			half := halves[of]
			half.In = t.sizes[0]
			halves[of] = half
		} else if of, isB := strings.CutSuffix(t.name, ".lora_b"); isB {
			half := halves[of]
			half.Out = t.sizes[1]
			halves[of] = half
		} else if t.dimensions > 1 {
			add(t.name, Matrix{In: t.sizes[0], Out: t.sizes[1]})
		}
	}
	for name, m := range halves {
		add(name, m)
	}
	slices.SortFunc(all, func(a, b Matrix) int {
		return strings.Compare(a.Name, b.Name)
	})
	return all
}
