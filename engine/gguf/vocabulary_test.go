package gguf_test

import (
	"fmt"
	"slices"
	"testing"

	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
)

// tokens are words each of which stands there once.
func tokens(count int) []string {
	all := make([]string, count)
	for i := range all {
		all[i] = fmt.Sprintf("word%d", i)
	}
	return all
}

// withTokens is the vocabulary of a file that has these, and keys changed by
// pairs of name and value.
func withTokens(t *testing.T, tokens []string, pairs ...any) gguf.Vocab {
	t.Helper()
	f := small()
	f.Set("tokenizer.ggml.model", "gpt2")
	f.Set("tokenizer.ggml.tokens", tokens)
	for i := 0; i < len(pairs); i += 2 {
		f.Set(pairs[i].(string), pairs[i+1])
	}
	return read(t, write(t, f)).Vocabulary
}

func TestVocabulariesAgreeAsTheEngineComparesThem(t *testing.T) {
	const bos, addBOS, eos, addEOS = "tokenizer.ggml.bos_token_id", "tokenizer.ggml.add_bos_token", "tokenizer.ggml.eos_token_id", "tokenizer.ggml.add_eos_token"
	renamed := func(count, id int) []string {
		all := tokens(count)
		all[id] += "x"
		return all
	}
	tests := []struct {
		name  string
		a, b  []string
		pairs []any // of b
		agree bool
	}{
		{"the same", tokens(3000), tokens(3000), nil, true},
		{"the same, and small", tokens(600), tokens(600), nil, true},
		{"another first token, which does not count", tokens(3000), renamed(3000, 4), nil, true},
		{"another fifth token", tokens(3000), renamed(3000, 5), nil, false},
		{"another token in the middle", tokens(3000), renamed(3000, 1700), nil, false},
		{"another token near the end", tokens(3000), renamed(3000, 2950), nil, false},
		{"another last token", tokens(3000), renamed(3000, 2999), nil, false},
		{"another token in a small one", tokens(600), renamed(600, 300), nil, false},
		{"128 more", tokens(3000), tokens(3128), nil, true},
		{"129 more", tokens(3000), tokens(3129), nil, false},
		{"one more", tokens(3000), tokens(3001), nil, true},
		{"more, and one of those both have is another", tokens(3000), renamed(3100, 2999), nil, false},
		{"more, and one of those is another that only one has", tokens(3000), renamed(3100, 3050), nil, true},
		{"two small ones of different size", tokens(500), tokens(600), nil, true},
		{"one small and one not", tokens(1100), tokens(1200), nil, false},
		{"tiny ones", tokens(7), tokens(7), nil, true},
		{"tiny ones that differ", tokens(7), renamed(7, 6), nil, false},
		{"another kind", tokens(3000), tokens(3000), []any{"tokenizer.ggml.model", "bert"}, false},
		{"another BOS, put before nothing", tokens(3000), tokens(3000), []any{bos, uint32(77)}, true},
		{"a BOS before every prompt", tokens(3000), tokens(3000), []any{addBOS, true}, false},
		{"an EOS after every prompt", tokens(3000), tokens(3000), []any{addEOS, true}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, b := withTokens(t, test.a), withTokens(t, test.b, test.pairs...)
			if a.Agrees(b) != test.agree || b.Agrees(a) != test.agree {
				t.Errorf("agree: %v and %v, want %v", a.Agrees(b), b.Agrees(a), test.agree)
			}
		})
	}
	t.Run("two BOS of different ids before every prompt", func(t *testing.T) {
		a := withTokens(t, tokens(3000), addBOS, true, bos, uint32(1))
		if b := withTokens(t, tokens(3000), addBOS, true, bos, uint32(2)); a.Agrees(b) {
			t.Error("they agree")
		}
		if b := withTokens(t, tokens(3000), addBOS, true, bos, uint32(1), eos, uint32(9)); !a.Agrees(b) {
			t.Error("they don't agree, though the EOS is put nowhere")
		}
	})
	if none := (gguf.Vocab{}); none.Agrees(none) {
		t.Error("two files without a vocabulary agree")
	}
}

func TestATokenLargerThanTheBufferIsNoProblem(t *testing.T) {
	large := func(tail string) []string {
		all := tokens(3000)
		all[1500] = string(make([]byte, 300_000)) + tail
		all[2000] = string(make([]byte, 200_000)) + tail
		return all
	}
	a := withTokens(t, large(""))
	if !a.Agrees(withTokens(t, large(""))) || a.Agrees(withTokens(t, large("x"))) || a.Tokens != 3000 {
		t.Errorf("%d tokens", a.Tokens)
	}
}

func TestTheEnginesDefaultsStandForWhatAFileLeavesOut(t *testing.T) {
	tests := []struct {
		model, pre string
		begins     bool
	}{{"llama", "", true}, {"gpt2", "qwen2", false}, {"gpt2", "llama-bpe", true}, {"bert", "", true}, {"t5", "", false}}
	for _, test := range tests {
		left := withTokens(t, tokens(100), "tokenizer.ggml.model", test.model, "tokenizer.ggml.pre", test.pre)
		if left.AddBOS != test.begins {
			t.Errorf("%s %s: BOS before a prompt: %v", test.model, test.pre, left.AddBOS)
		}
	}
}

func TestGeneratedVocabularies(t *testing.T) {
	llama := read(t, gguftest.Llama(t)).Vocabulary
	for name, want := range map[string]bool{"llama-draft": true, "llama-eagle3": true, "llama-draft-moved": false, "llama-bpe": false} {
		path, err := spec(t, name).Write(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, path).Vocabulary.Agrees(llama); got != want {
			t.Errorf("%s agrees: %v", name, got)
		}
	}
}

func TestWhatATemplateKnows(t *testing.T) {
	tests := []struct {
		name, template string
		want           []string
	}{
		{"nothing", "", nil},
		{"blanks", " \n", nil},
		{"messages", "{% for m in messages %}{{ m.content }}{% endfor %}", []string{"chat"}},
		{"tools", "{% if tools %}{{ tools }}{% endif %}", []string{"chat", "tools"}},
		{"thinking", "{% if enable_thinking %}<think>{% endif %}", []string{"chat", "thinking"}},
		{"pictures", "{% if part.type == 'image' %}<|image_pad|>{% endif %}", []string{"chat", "images"}},
		{"all", "{{ tools }}<think>{% if c['type'] == \"image\" %}", []string{"chat", "tools", "thinking", "images"}},
		{"words that only look like it", "You are a thinking machine that imagines images.", []string{"chat"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := small()
			f.Set("tokenizer.chat_template", test.template)
			if got := read(t, write(t, f)).TemplateKnows; !slices.Equal(got, test.want) {
				t.Errorf("knows %v, want %v", got, test.want)
			}
		})
	}
}
