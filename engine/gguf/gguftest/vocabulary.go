package gguftest

import (
	"fmt"
	"strings"
)

// What the chat models answer. Every word stands in it once, so that the next
// word follows from the last alone.
const speech = "Hello! I am a very small model, made for tests, so my words always come in this same order. " +
	"Grass grows near the old wooden fence; horses graze there every quiet morning. " +
	"When rain falls, they rest under big trees until evening turns cool. " +
	"Nobody taught me anything else, yet one day someone might. " +
	"Ask again if you like: nothing will change. Goodbye."

const chatTemplate = "{% for message in messages %}<|im_start|>{{ message['role'] }}\n" +
	"{{ message['content'] }}<|im_end|>\n{% endfor %}" +
	"{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"

// Token types (enum llama_token_type in llama.h).
const (
	normal  int32 = 1
	unknown int32 = 2
	control int32 = 3
	byteOne int32 = 6
)

// A vocabulary is a small but whole one: every byte has a token, so any text
// tokenises, and the words of the speech have one each.
type vocabulary struct {
	model  string
	pre    string
	tokens []string
	types  []int32
	scores []float32
	merges []string
	index  map[string]int

	begin, end, unknown int // token ids; begin is -1 when there is none
	newline             int
	words               []int // the tokens of the speech in order
}

func (v *vocabulary) add(token string, kind int32) int {
	if id, there := v.index[token]; there {
		return id
	}
	if v.index == nil {
		v.index = map[string]int{}
	}
	v.index[token] = len(v.tokens)
	v.tokens = append(v.tokens, token)
	v.types = append(v.types, kind)
	return len(v.tokens) - 1
}

// sentencePiece is a vocabulary of the kind Llama 2 and Gemma have.
func sentencePiece() *vocabulary {
	v := &vocabulary{model: "llama", pre: "default"}
	v.unknown = v.add("<unk>", unknown)
	v.begin = v.add("<s>", control)
	v.add("</s>", control)
	for b := range 256 {
		v.add(fmt.Sprintf("<0x%02X>", b), byteOne)
	}
	v.newline = v.index["<0x0A>"]
	v.add("<|im_start|>", control)
	v.end = v.add("<|im_end|>", control)
	for c := ' ' + 1; c < 127; c++ {
		v.add(string(c), normal)
	}
	v.learn("▁")
	// The engine joins the pair with the best score first: shorter pieces.
	v.scores = make([]float32, len(v.tokens))
	for i := range v.scores {
		v.scores[i] = -float32(i)
	}
	return v
}

// bytePair is a byte-level vocabulary of the kind GPT-2 and Qwen have.
func bytePair(pre string) *vocabulary {
	v := &vocabulary{model: "gpt2", pre: pre, begin: -1}
	for b := range 256 {
		v.add(string(byteRune(byte(b))), normal)
	}
	v.newline = v.index[string(byteRune('\n'))]
	v.unknown = v.add("<|endoftext|>", control)
	v.add("<|im_start|>", control)
	v.end = v.add("<|im_end|>", control)
	v.learn(string(byteRune(' ')))
	return v
}

// learn gives every word of the speech a token, and one to each of its
// beginnings, by which a tokenizer arrives at it.
func (v *vocabulary) learn(space string) {
	for i, word := range strings.Fields(speech) {
		if i > 0 {
			word = space + word
		}
		runes := []rune(word)
		v.add(string(runes[:1]), normal)
		for n := 2; n <= len(runes); n++ {
			before := len(v.tokens)
			v.add(string(runes[:n]), normal)
			if len(v.tokens) > before {
				v.merges = append(v.merges, string(runes[:n-1])+" "+string(runes[n-1]))
			}
		}
		v.words = append(v.words, v.index[word])
	}
}

// byteRune is the letter byte-level vocabularies write for a byte: itself where
// it can be seen, else one from U+0100 on, in order.
func byteRune(b byte) rune {
	visible := func(b int) bool { return b >= '!' && b <= '~' || b >= 0xA1 && b != 0xAD }
	if visible(int(b)) {
		return rune(b)
	}
	r := rune(0x100)
	for i := range int(b) {
		if !visible(i) {
			r++
		}
	}
	return r
}

// write puts the vocabulary into a file.
func (v *vocabulary) write(f *File) {
	f.Set("tokenizer.ggml.model", v.model)
	f.Set("tokenizer.ggml.pre", v.pre)
	f.Set("tokenizer.ggml.tokens", v.tokens)
	f.Set("tokenizer.ggml.token_type", v.types)
	if v.scores != nil {
		f.Set("tokenizer.ggml.scores", v.scores)
	}
	if v.merges != nil && v.model == "gpt2" {
		f.Set("tokenizer.ggml.merges", v.merges)
	}
	if v.begin >= 0 {
		f.Set("tokenizer.ggml.bos_token_id", uint32(v.begin))
	}
	f.Set("tokenizer.ggml.add_bos_token", v.begin >= 0)
	f.Set("tokenizer.ggml.eos_token_id", uint32(v.end))
	f.Set("tokenizer.ggml.unknown_token_id", uint32(v.unknown))
	f.Set("tokenizer.ggml.padding_token_id", uint32(v.unknown))
}
