package gguf_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
)

// write writes a file of the test's own and returns its path.
func write(tb testing.TB, f *gguftest.File) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "model.gguf")
	if err := f.Write(path); err != nil {
		tb.Fatal(err)
	}
	return path
}

// spec finds a generated model by its name.
func spec(tb testing.TB, name string) gguftest.Spec {
	tb.Helper()
	for _, s := range gguftest.All() {
		if s.Name == name {
			return s
		}
	}
	tb.Fatalf("no generated model is called %s", name)
	return gguftest.Spec{}
}

func read(tb testing.TB, path string) gguf.Facts {
	tb.Helper()
	f, err := gguf.Read(path)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// small is a whole file of some hundred bytes that has a bit of everything.
func small() *gguftest.File {
	f := &gguftest.File{}
	f.Set("general.architecture", "llama")
	f.Set("general.name", "Small")
	f.Set("llama.block_count", uint32(1))
	f.Set("llama.context_length", uint64(4096))
	f.Set("llama.embedding_length", uint16(64))
	f.Set("llama.attention.head_count", []uint32{4, 2})
	f.Set("llama.attention.causal", true)
	f.Set("llama.rope.freq_base", float32(10000))
	f.Set("tokenizer.ggml.tokens", []string{"a", "b", "", "long enough"})
	f.Set("tokenizer.ggml.scores", []float32{0, 1, 2, 3})
	f.Tensors = []gguftest.Tensor{
		{Name: "token_embd.weight", Dimensions: []uint64{8, 4}, Type: gguftest.F16, Data: make([]byte, 64)},
		{Name: "blk.0.attn_norm.weight", Dimensions: []uint64{3}, Type: gguftest.F32, Data: make([]byte, 12)},
		{Name: "blk.0.attn_q.weight", Dimensions: []uint64{32, 2}, Type: gguftest.Q8_0, Data: make([]byte, 68)},
	}
	return f
}

func TestTheKindFollowsFromTheContent(t *testing.T) {
	for _, s := range gguftest.All() {
		t.Run(s.Name, func(t *testing.T) {
			dir := t.TempDir()
			path, err := s.Write(dir)
			if err != nil {
				t.Fatal(err)
			}
			if got := read(t, path).Kind; got != s.Kind {
				t.Errorf("kind %q, want %q", got, s.Kind)
			}
			// Not from the name.
			renamed := filepath.Join(dir, "mmproj-lora-MTP.gguf")
			if err := os.Rename(path, renamed); err != nil {
				t.Fatal(err)
			}
			if got := read(t, renamed).Kind; got != s.Kind {
				t.Errorf("kind %q under another name, want %q", got, s.Kind)
			}
		})
	}
}

func TestKindsWithoutAGeneratedModel(t *testing.T) {
	tests := []struct {
		name    string
		keys    map[string]any
		tensors []string
		want    gguf.Kind
	}{
		{"a DFlash draft is a draft", map[string]any{"general.architecture": "dflash"}, []string{"fc.weight", "blk.0.attn_q.weight"}, gguf.Draft},
		{"a draft of another name with target layers is a draft",
			map[string]any{"general.architecture": "newdraft", "newdraft.target_layers": []int32{1, 2}}, []string{"blk.0.attn_q.weight"}, gguf.Draft},
		{"an assistant of Gemma 4 is an MTP head", map[string]any{"general.architecture": "gemma4-assistant"},
			[]string{"token_embd.weight", "nextn.pre_projection.weight", "blk.0.attn_q.weight"}, gguf.MTPHead},
		{"an audio encoder is a projector", map[string]any{"general.architecture": "clip"}, []string{"a.blk.0.attn_q.weight", "mm.a.mlp.1.weight"}, gguf.Projector},
		{"a control vector is none of a model", map[string]any{"general.architecture": "controlvector"}, []string{"direction.1"}, gguf.Other},
		{"an image model is none of a model", map[string]any{"general.architecture": "flux"}, []string{"double_blocks.0.img_attn.qkv.weight"}, gguf.Other},
		{"a first part with nothing in it is a model", map[string]any{"general.architecture": "llama", "split.no": uint16(0), "split.count": uint16(2)}, nil, gguf.Model},
		{"a second part is a part", map[string]any{"split.no": uint16(1), "split.count": uint16(2)}, []string{"blk.3.attn_q.weight"}, gguf.Part},
		{"an imatrix without its type is an imatrix", nil, []string{"blk.0.attn_q.weight.in_sum2", "blk.0.attn_q.weight.counts"}, gguf.Imatrix},
		{"an empty header is none of a model", nil, nil, gguf.Other},
		{"a nextn key without nextn tensors leaves a model", map[string]any{"general.architecture": "qwen35", "qwen35.nextn_predict_layers": uint32(1)},
			[]string{"token_embd.weight", "blk.0.attn_q.weight"}, gguf.Model},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := &gguftest.File{}
			for key, value := range test.keys {
				f.Set(key, value)
			}
			for _, name := range test.tensors {
				f.Tensors = append(f.Tensors, gguftest.Tensor{Name: name, Dimensions: []uint64{8}, Type: gguftest.F32, Data: make([]byte, 32)})
			}
			got := read(t, write(t, f))
			if got.Kind != test.want {
				t.Errorf("kind %q, want %q", got.Kind, test.want)
			}
		})
	}
}

func TestFactsOfTheGeneratedModels(t *testing.T) {
	type facts struct {
		Architecture, Name, Licence, Quantisation string
		Context, Layers, Width                    int
		Heads, KVHeads                            []int
		HeadSizeK, HeadSizeV                      int
		Experts, ExpertsUsed, NextN               int
		Pooling                                   string
		Classifier, Template                      bool
		Vocabulary                                gguf.Vocab
	}
	tests := map[string]facts{
		"llama": {"llama", "Test Llama", "mit", "F16", 8192, 4, 128, []int{4}, []int{2}, 32, 32, 0, 0, 0, "", false, true,
			gguf.Vocab{Model: "llama", Pre: "default", Tokens: 595}},
		"llama-draft": {"llama", "Test Llama Draft", "mit", "Q8_0", 8192, 1, 128, []int{4}, []int{2}, 32, 32, 0, 0, 0, "", false, true,
			gguf.Vocab{Model: "llama", Pre: "default", Tokens: 595}},
		"llama-head80": {"llama", "Test Head Size 80", "mit", "F16", 8192, 4, 160, []int{2}, []int{1}, 80, 80, 0, 0, 0, "", false, true,
			gguf.Vocab{Model: "llama", Pre: "default", Tokens: 595}},
		"qwen35-mtp": {"qwen35", "Test Qwen 3.5", "mit", "F16", 8192, 5, 128, []int{4}, []int{2}, 32, 32, 0, 0, 1, "", false, true,
			gguf.Vocab{Model: "gpt2", Pre: "qwen35", Tokens: 498}},
		"qwen35moe-mtp": {"qwen35moe", "Test Qwen 3.5 MoE", "mit", "F16", 8192, 5, 128, []int{4}, []int{2}, 32, 32, 4, 2, 1, "", false, true,
			gguf.Vocab{Model: "gpt2", Pre: "qwen35", Tokens: 498}},
		"qwen35-mtp-head": {"qwen35", "Test Qwen 3.5 MTP head", "mit", "F16", 8192, 5, 128, []int{4}, []int{2}, 32, 32, 0, 0, 1, "", false, true,
			gguf.Vocab{Model: "gpt2", Pre: "qwen35", Tokens: 498}},
		"bert-reranker": {"bert", "Test Reranker", "mit", "F16", 512, 2, 128, []int{4}, []int{4}, 32, 32, 0, 0, 0, "rank", true, false,
			gguf.Vocab{Model: "bert", Pre: "default", Tokens: 254}},
		"bert": {"bert", "Test Embedder", "mit", "F16", 512, 2, 128, []int{4}, []int{4}, 32, 32, 0, 0, 0, "mean", false, false,
			gguf.Vocab{Model: "bert", Pre: "default", Tokens: 254}},
		"qwen3-embedding": {"qwen3", "Test Causal Embedder", "mit", "F16", 8192, 2, 128, []int{4}, []int{2}, 32, 32, 0, 0, 0, "last", false, false,
			gguf.Vocab{Model: "gpt2", Pre: "qwen2", Tokens: 498}},
		"mmproj": {"clip", "Test Projector", "mit", "F16", 0, 2, 64, []int{2}, []int{2}, 32, 32, 0, 0, 0, "", false, false, gguf.Vocab{}},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			path, err := spec(t, name).Write(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			f := read(t, path)
			got := facts{f.Architecture, f.Name, f.Licence, f.Quantisation, f.ContextTokens, f.Layers, f.EmbeddingLength,
				f.Heads, f.KVHeads, f.HeadSizeK, f.HeadSizeV, f.Experts, f.ExpertsUsed, f.NextNLayers,
				f.Pooling, f.HasClassifier, f.ChatTemplate != "",
				gguf.Vocab{Model: f.Vocabulary.Model, Pre: f.Vocabulary.Pre, Tokens: f.Vocabulary.Tokens}}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if f.SizeBytes != uint64(info.Size()) || f.WeightsBytes == 0 || f.WeightsBytes > f.SizeBytes {
				t.Errorf("%d bytes, weights %d, file has %d", f.SizeBytes, f.WeightsBytes, info.Size())
			}
		})
	}
}

// partsOf are the files of a split set in order, given the first.
func partsOf(t *testing.T, first string) []string {
	t.Helper()
	parts, err := filepath.Glob(strings.Replace(first, "-00001-of-", "-*-of-", 1))
	if err != nil {
		t.Fatal(err)
	}
	return parts
}

func TestASplitSetIsReadAsOneModel(t *testing.T) {
	whole := read(t, gguftest.Llama(t))
	for name, first := range map[string]string{"in two parts": gguftest.Split(t), "in three with metadata first": gguftest.SplitMetadataFirst(t)} {
		t.Run(name, func(t *testing.T) {
			alone := read(t, first)
			parts := partsOf(t, first)
			if len(parts) != alone.Split.Count {
				t.Fatalf("parts %v of %+v", parts, alone.Split)
			}
			f, err := gguf.ReadSet(parts)
			if err != nil {
				t.Fatal(err)
			}
			if f.Parameters != whole.Parameters || f.WeightsBytes != whole.WeightsBytes || f.TensorCount != whole.TensorCount {
				t.Errorf("%d parameters in %d bytes, %d tensors; the whole has %d in %d, %d",
					f.Parameters, f.WeightsBytes, f.TensorCount, whole.Parameters, whole.WeightsBytes, whole.TensorCount)
			}
			if f.Quantisation != "F16" || f.Kind != gguf.Model || f.Layers != 4 {
				t.Errorf("%s %s of %d layers", f.Quantisation, f.Kind, f.Layers)
			}
			if f.SizeBytes <= alone.SizeBytes {
				t.Errorf("the set has %d bytes, its first part %d", f.SizeBytes, alone.SizeBytes)
			}
		})
	}
}

func TestASplitSetThatIsNotOneIsAnError(t *testing.T) {
	first := gguftest.Split(t)
	parts := partsOf(t, first)
	tests := []struct {
		name  string
		paths []string
		want  gguf.Problem
	}{
		{"parts in the wrong order", []string{parts[1], parts[0]}, gguf.MissingPart},
		{"one part of two", parts[:1], gguf.MissingPart},
		{"a whole model among them", []string{parts[0], gguftest.Llama(t)}, gguf.MissingPart},
		{"a part that is gone", []string{parts[0], parts[1] + ".gone"}, gguf.Missing},
		{"no files", nil, gguf.Missing},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := gguf.ReadSet(test.paths)
			wantProblem(t, err, test.want)
		})
	}
}
