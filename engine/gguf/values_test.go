package gguf_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
)

func TestAKeyMayBeOfAnyType(t *testing.T) {
	tests := []struct {
		name  string
		key   string
		value any
		fact  func(gguf.Facts) any
		want  any
	}{
		{"a context length in 64 bits", "llama.context_length", uint64(131072), func(f gguf.Facts) any { return f.ContextTokens }, 131072},
		{"a context length that is signed", "llama.context_length", int32(2048), func(f gguf.Facts) any { return f.ContextTokens }, 2048},
		{"a context length in a byte", "llama.context_length", uint8(200), func(f gguf.Facts) any { return f.ContextTokens }, 200},
		{"a context length as a whole float", "llama.context_length", float32(4096), func(f gguf.Facts) any { return f.ContextTokens }, 4096},
		{"a context length as half a token", "llama.context_length", float32(0.5), func(f gguf.Facts) any { return f.ContextTokens }, 0},
		{"a context length that is negative", "llama.context_length", int32(-1), func(f gguf.Facts) any { return f.ContextTokens }, 0},
		{"a context length of 2^63", "llama.context_length", uint64(1 << 63), func(f gguf.Facts) any { return f.ContextTokens }, 0},
		{"a context length in words", "llama.context_length", "many", func(f gguf.Facts) any { return f.ContextTokens }, 0},
		{"a context length per layer", "llama.context_length", []uint32{1024, 2048}, func(f gguf.Facts) any { return f.ContextTokens }, 2048},
		{"a block count as an array", "llama.block_count", []uint32{1}, func(f gguf.Facts) any { return f.Layers }, 1},
		{"an architecture that is a number", "general.architecture", uint32(7), func(f gguf.Facts) any { return f.Architecture }, ""},
		{"a name that is an array of numbers", "general.name", []uint32{1, 2}, func(f gguf.Facts) any { return f.Name }, "model"},
		{"a name of blanks", "general.name", "  ", func(f gguf.Facts) any { return f.Name }, "model"},
		{"a name that is not UTF-8", "general.name", "a\xffb", func(f gguf.Facts) any { return f.Name }, "a\uFFFDb"},
		{"licences as an array", "general.license", []string{"mit", "apache-2.0"}, func(f gguf.Facts) any { return f.Licence }, "mit, apache-2.0"},
		{"heads per layer that differ", "llama.attention.head_count", []uint32{4, 0, 8}, func(f gguf.Facts) any { return f.Heads }, []int{4, 0, 8}},
		{"heads per layer that are alike", "llama.attention.head_count", []int32{4, 4, 4}, func(f gguf.Facts) any { return f.Heads }, []int{4}},
		{"heads as a single number", "llama.attention.head_count", uint32(16), func(f gguf.Facts) any { return f.Heads }, []int{16}},
		{"heads in an array of nothing", "llama.attention.head_count", []uint32{}, func(f gguf.Facts) any { return len(f.Heads) }, 0},
		{"a head size from the first layer that has heads", "llama.attention.head_count", []uint32{0, 4}, func(f gguf.Facts) any { return f.HeadSizeK }, 16},
		{"a head size per layer", "llama.attention.key_length", []uint32{64, 128}, func(f gguf.Facts) any { return f.HeadSizeK }, 128},
		{"a pooling type as an array", "llama.pooling_type", []uint32{1}, func(f gguf.Facts) any { return f.Pooling }, "none"},
		{"a pooling type nobody knows", "llama.pooling_type", uint32(99), func(f gguf.Facts) any { return f.Pooling }, ""},
		{"a pooling type of -1", "llama.pooling_type", int32(-1), func(f gguf.Facts) any { return f.Pooling }, ""},
		{"tokens that are one string", "tokenizer.ggml.tokens", "abc", func(f gguf.Facts) any { return f.Vocabulary.Tokens }, 0},
		{"a chat template of a megabyte and more", "tokenizer.chat_template", strings.Repeat("x", 3<<20), func(f gguf.Facts) any { return f.ChatTemplate }, ""},
		{"a split count of words", "split.count", "two", func(f gguf.Facts) any { return f.Split }, gguf.Split{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := small()
			file.Set(test.key, test.value)
			f := read(t, write(t, file))
			if got := test.fact(f); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestMetadataIsListedInFileOrderWithArraysAsTheirLength(t *testing.T) {
	f := read(t, write(t, small()))
	want := []gguf.Entry{
		{Key: "general.architecture", Value: "llama"},
		{Key: "general.name", Value: "Small"},
		{Key: "llama.block_count", Value: "1"},
		{Key: "llama.context_length", Value: "4096"},
		{Key: "llama.embedding_length", Value: "64"},
		{Key: "llama.attention.head_count", Value: "uint32[2]"},
		{Key: "llama.attention.causal", Value: "true"},
		{Key: "llama.rope.freq_base", Value: "10000"},
		{Key: "tokenizer.ggml.tokens", Value: "string[4]"},
		{Key: "tokenizer.ggml.scores", Value: "float32[4]"},
	}
	if !reflect.DeepEqual(f.Metadata, want) {
		t.Errorf("got %v", f.Metadata)
	}
}

func TestAStringTooLongToKeepIsListedByItsLength(t *testing.T) {
	file := small()
	file.Set("long", strings.Repeat("x", 1<<21))
	f := read(t, write(t, file))
	if got := f.Metadata[len(f.Metadata)-1].Value; got != "string[2097152]" {
		t.Errorf("got %.40q", got)
	}
}

func TestTheQuantisationIsWhatMostOfTheLayersIs(t *testing.T) {
	const f32, f16, q40, q50, q80, q2k, q3k, q4k, q5k, q6k, mxfp4, iq4xs = 0, 1, 2, 6, 8, 10, 11, 12, 13, 14, 39, 23
	block := map[uint32][2]uint64{f32: {1, 4}, f16: {1, 2}, q40: {32, 18}, q50: {32, 22}, q80: {32, 34}, q2k: {256, 84}, q3k: {256, 110},
		q4k: {256, 144}, q5k: {256, 176}, q6k: {256, 210}, mxfp4: {32, 17}, iq4xs: {256, 136}}
	type part struct {
		name string
		kind uint32
		rows uint64
		row  uint64
	}
	tests := []struct {
		want  string
		name  string
		parts []part
	}{
		{"F32", "all F32", []part{{"blk.0.attn_q.weight", f32, 8, 256}}},
		{"F16", "norms do not count", []part{{"blk.0.attn_q.weight", f16, 1, 256}, {"blk.0.attn_norm.weight", f32, 0, 25600}}},
		{"Q4_K_M", "a Q6_K share makes it M", []part{{"blk.0.attn_q.weight", q4k, 8, 256}, {"blk.0.attn_v.weight", q6k, 2, 256}}},
		{"Q4_K_S", "a Q5_K share leaves it S", []part{{"blk.0.attn_q.weight", q4k, 8, 256}, {"blk.0.attn_v.weight", q5k, 2, 256}}},
		{"Q4_K_S", "the output's type does not count", []part{{"blk.0.attn_q.weight", q4k, 8, 256}, {"output.weight", q6k, 80, 256}}},
		{"Q5_K_M", "Q5_K with Q6_K", []part{{"blk.0.attn_q.weight", q5k, 8, 256}, {"blk.0.attn_v.weight", q6k, 2, 256}}},
		{"Q3_K_L", "Q3_K with Q5_K", []part{{"blk.0.attn_q.weight", q3k, 8, 256}, {"blk.0.attn_v.weight", q5k, 2, 256}}},
		{"Q3_K_M", "Q3_K with Q4_K", []part{{"blk.0.attn_q.weight", q3k, 8, 256}, {"blk.0.attn_v.weight", q4k, 2, 256}}},
		{"Q3_K_S", "Q3_K alone", []part{{"blk.0.attn_q.weight", q3k, 8, 256}}},
		{"Q2_K", "Q2_K with Q3_K", []part{{"blk.0.attn_q.weight", q2k, 8, 256}, {"blk.0.attn_v.weight", q3k, 2, 256}}},
		{"Q2_K_S", "Q2_K without", []part{{"blk.0.attn_q.weight", q2k, 8, 256}, {"blk.0.attn_v.weight", q4k, 2, 256}}},
		{"Q6_K", "Q6_K has no mixes", []part{{"blk.0.attn_q.weight", q6k, 8, 256}}},
		{"MXFP4", "experts in MXFP4 outweigh the rest", []part{{"blk.0.ffn_up_exps.weight", mxfp4, 80, 32}, {"blk.0.attn_q.weight", q80, 8, 32}}},
		{"IQ4_XS", "IQ4_XS", []part{{"blk.0.attn_q.weight", iq4xs, 8, 256}}},
		{"Q4_K_M", "rows that no K type fits count as what was wanted",
			[]part{{"blk.0.attn_q.weight", q50, 80, 160}, {"blk.0.ffn_down.weight", q4k, 2, 256}, {"blk.0.attn_v.weight", q6k, 1, 256}}},
		{"Q5_0", "Q5_0 that was wanted stays", []part{{"blk.0.attn_q.weight", q50, 8, 256}, {"blk.0.attn_v.weight", q4k, 2, 256}}},
		{"Q4_0", "without layers all weights count", []part{{"token_embd.weight", q40, 8, 32}}},
		{"", "nothing", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := &gguftest.File{}
			file.Set("general.file_type", uint32(7)) // "mostly Q8_0", which none of them is
			for _, p := range test.parts {
				elements := max(p.rows, 1) * p.row
				tensor := gguftest.Tensor{Name: p.name, Dimensions: []uint64{p.row}, Type: p.kind,
					GhostBytes: elements / block[p.kind][0] * block[p.kind][1]}
				if p.rows > 0 {
					tensor.Dimensions = append(tensor.Dimensions, p.rows)
				}
				file.Tensors = append(file.Tensors, tensor)
			}
			if got := read(t, write(t, file)).Quantisation; got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestSharesOfTensorTypesAddUpToTheWeights(t *testing.T) {
	f := read(t, gguftest.Draft(t))
	var bytes uint64
	tensors := 0
	for i, s := range f.TensorTypes {
		bytes += s.Bytes
		tensors += s.Tensors
		if i > 0 && s.Bytes > f.TensorTypes[i-1].Bytes {
			t.Errorf("%s has more bytes than %s before it", s.Type, f.TensorTypes[i-1].Type)
		}
	}
	if bytes != f.WeightsBytes || tensors != f.TensorCount || len(f.TensorTypes) != 2 {
		t.Errorf("%d bytes of %d in %d tensors of %d", bytes, f.WeightsBytes, tensors, f.TensorCount)
	}
}

func TestPrintableEscapesWhatWouldMoveTheCursorOrTurnTheText(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"plain text stays", "Llama 3.1 (8B)", "Llama 3.1 (8B)"},
		{"other scripts stay", "模型 שלום नमस्ते 🦙", "模型 שלום नमस्ते 🦙"},
		{"emoji joined by a joiner stay", "👩\u200d🔬", "👩\u200d🔬"},
		{"ANSI colour", "\x1b[31mred", `\x1b[31mred`},
		{"a C1 control", "a\u009bb", `a\u009bb`},
		{"lines and tabs", "a\n\tb\r", `a\n\tb\x0d`},
		{"NUL", "a\x00b", `a\x00b`},
		{"bidi override", "gguf\u202efdp", `gguf\u202efdp`},
		{"bidi isolate", "\u2066x\u2069", `\u2066x\u2069`},
		{"right-to-left mark", "a\u200fb", `a\u200fb`},
		{"a line separator", "a\u2028b", `a\u2028b`},
		{"a byte order mark", "\ufeffa", `\ufeffa`},
		{"a tag character", "a\U000e0041b", `a\U000e0041b`},
		{"broken UTF-8", "a\xffb\xc3", `a\xffb\xc3`},
		{"a replacement character stays", "a\ufffdb", "a\ufffdb"},
		{"nothing", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := gguf.Printable(test.text)
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if !utf8.ValidString(got) {
				t.Errorf("%q is not UTF-8", got)
			}
		})
	}
}
