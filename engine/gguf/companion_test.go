package gguf_test

import (
	"reflect"
	"slices"
	"testing"

	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
)

func generated(t *testing.T, name string) gguf.Facts {
	t.Helper()
	path, err := spec(t, name).Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return read(t, path)
}

func TestWhatAProjectorMakes(t *testing.T) {
	for name, want := range map[string]gguf.Projection{
		"mmproj":        {Vision: "gemma3", Width: 128, Parts: 1},
		"mmproj-wide":   {Vision: "gemma3", Width: 160, Parts: 1},
		"mmproj-llama":  {Vision: "mlp", Width: 128, Parts: 1},
		"mmproj-qwen35": {Vision: "qwen3vl_merger", Width: 128, Parts: 1},
		"llama":         {},
	} {
		if got := generated(t, name).Projection; got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestAProjectorInOtherWords(t *testing.T) {
	tests := []struct {
		name    string
		keys    map[string]any
		tensors map[string][]uint64
		want    gguf.Projection
	}{
		{"old LLaVA, whose header has the encoder's own width and no type",
			map[string]any{"clip.has_vision_encoder": true, "clip.vision.projection_dim": uint32(768)},
			map[string][]uint64{"v.patch_embd.weight": {8}, "mm.0.weight": {8, 16}, "mm.2.weight": {16, 32}},
			gguf.Projection{Vision: "mlp", Width: 32, Parts: 1}},
		{"deepstack outputs",
			map[string]any{"clip.projector_type": "qwen3vl_merger"},
			map[string][]uint64{"v.patch_embd.weight": {8}, "mm.2.bias": {64}, "v.deepstack.5.fc1.weight": {8}, "v.deepstack.5.fc2.weight": {8}, "v.deepstack.9.fc1.weight": {8}},
			gguf.Projection{Vision: "qwen3vl_merger", Width: 64, Parts: 3}},
		{"pictures and sound, each with a type",
			map[string]any{"clip.vision.projector_type": "gemma4v", "clip.audio.projector_type": "gemma4a",
				"clip.has_vision_encoder": true, "clip.has_audio_encoder": true},
			map[string][]uint64{"v.patch_embd.weight": {8}, "a.blk.0.ln1.weight": {8}, "mm.input_projection.weight": {8, 40}},
			gguf.Projection{Vision: "gemma4v", Audio: "gemma4a", Width: 40, Parts: 1}},
		{"Qwen 2.5 Omni, whose one type means two",
			map[string]any{"clip.projector_type": "qwen2.5o"},
			map[string][]uint64{"v.patch_embd.weight": {8}, "a.blk.0.ln1.weight": {8}, "mm.2.bias": {48}},
			gguf.Projection{Vision: "qwen2.5vl_merger", Audio: "qwen2a", Width: 48, Parts: 1}},
		{"sound only",
			map[string]any{"clip.audio.projector_type": "ultravox"},
			map[string][]uint64{"a.blk.0.ln1.weight": {8}, "mm.a.mlp.2.weight": {8, 24}},
			gguf.Projection{Audio: "ultravox", Width: 24, Parts: 1}},
		{"a type that is not known here",
			map[string]any{"clip.projector_type": "new_merger", "clip.vision.projection_dim": uint32(56)},
			map[string][]uint64{"v.patch_embd.weight": {8}},
			gguf.Projection{Vision: "new_merger", Width: 56, Parts: 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := fileOf("clip", test.tensors)
			for key, value := range test.keys {
				f.Set(key, value)
			}
			if got := read(t, write(t, f)).Projection; got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

// fileOf has tensors of these dimensions.
func fileOf(architecture string, tensors map[string][]uint64) *gguftest.File {
	f := &gguftest.File{}
	f.Set("general.architecture", architecture)
	for name, dimensions := range tensors {
		bytes := uint64(4)
		for _, d := range dimensions {
			bytes *= d
		}
		f.Tensors = append(f.Tensors, gguftest.Tensor{Name: name, Dimensions: dimensions, Type: gguftest.F32, Data: make([]byte, bytes)})
	}
	return f
}

func TestWhatADraftNeedsOfItsTarget(t *testing.T) {
	for name, want := range map[string]gguf.Target{
		"llama-eagle3":     {Width: 128, LeastLayers: 3},
		"qwen35-mtp-head":  {Architecture: "qwen35", Width: 128, Layers: 4, HeadSizeK: 32},
		"gemma4-assistant": {Architecture: "gemma4", Width: 128, HeadSizeK: 64},
		"llama-draft":      {},
	} {
		if got := generated(t, name).Target; got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	f := fileOf("dflash", map[string][]uint64{"fc.weight": {96, 8}, "blk.0.attn_q.weight": {8}})
	f.Set("dflash.target_layers", []int32{1, 5, 9})
	if got, want := read(t, write(t, f)).Target, (gguf.Target{Width: 32, LeastLayers: 9}); got != want {
		t.Errorf("DFlash, by its matrix: %+v, want %+v", got, want)
	}
}

func TestLayersForMTPThatAHeaderSpeaksOf(t *testing.T) {
	for name, want := range map[string][2]int{"qwen35-mtp": {1, 1}, "qwen35-mtp-missing": {0, 1}, "llama": {0, 0}} {
		f := generated(t, name)
		if f.NextNLayers != want[0] || f.DeclaredNextN != want[1] || f.Kind != gguf.Model {
			t.Errorf("%s: %d layers, %d declared, kind %s", name, f.NextNLayers, f.DeclaredNextN, f.Kind)
		}
	}
}

func TestAnAdaptersMatricesAreThoseOfItsModel(t *testing.T) {
	adapter, model := generated(t, "llama-lora").Matrices, generated(t, "llama").Matrices
	if want := []gguf.Matrix{{Name: "attn_q.weight", In: 128, Out: 128}}; !reflect.DeepEqual(adapter, want) {
		t.Errorf("%+v", adapter)
	}
	if len(model) != 7 || !slices.Contains(model, adapter[0]) {
		t.Errorf("%+v", model)
	}
}

func TestWhatATokenReads(t *testing.T) {
	f := fileOf("llama", map[string][]uint64{
		"token_embd.weight": {8, 100}, "output.weight": {8, 100},
		"blk.0.attn_q.weight": {8, 8}, "blk.0.ffn_up_exps.weight": {8, 16, 4},
	})
	f.Set("llama.expert_count", uint32(4))
	f.Set("llama.expert_used_count", uint32(1))
	got := read(t, write(t, f))
	if got.Parameters != 800+800+64+512 || got.ActiveParameters != 800+800+64+128 || got.ActiveBytes != 4*(800+64+128) {
		t.Errorf("%d of %d parameters, %d bytes", got.ActiveParameters, got.Parameters, got.ActiveBytes)
	}
	tied := fileOf("llama", map[string][]uint64{"token_embd.weight": {8, 100}, "blk.0.attn_q.weight": {8, 8}})
	if got := read(t, write(t, tied)); got.ActiveBytes != got.WeightsBytes {
		t.Errorf("tied embeddings: %d bytes of %d", got.ActiveBytes, got.WeightsBytes)
	}
}

func TestWhereAModelIsFrom(t *testing.T) {
	f := small()
	f.Set("general.name", " Ornith 9B ")
	f.Set("general.basename", "Ornith")
	f.Set("general.size_label", "9B")
	f.Set("general.finetune", "Instruct")
	f.Set("general.organization", "Birds")
	f.Set("general.base_model.count", uint32(2))
	f.Set("general.base_model.0.name", "Qwen3.5 9B")
	f.Set("general.base_model.0.organization", "Qwen")
	f.Set("general.base_model.0.repo_url", "https://example.org/Qwen/Qwen3.5-9B")
	want := gguf.Origin{Name: "Ornith 9B", Basename: "Ornith", SizeLabel: "9B", Finetune: "Instruct", Organisation: "Birds",
		Bases: []gguf.Base{{Name: "Qwen3.5 9B", Organisation: "Qwen", Repository: "https://example.org/Qwen/Qwen3.5-9B"}}}
	if got := read(t, write(t, f)).Origin; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	f.Set("general.base_model.count", uint32(4_000_000))
	if got := read(t, write(t, f)).Origin; len(got.Bases) != 1 {
		t.Errorf("a header that claims millions of bases: %d", len(got.Bases))
	}
}
