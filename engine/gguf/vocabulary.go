package gguf

import (
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
)

const tokensKey = "tokenizer.ggml.tokens"

// A Vocab is the tokenizer a file carries.
type Vocab struct {
	Model  string // tokenizer.ggml.model: "llama", "gpt2", "bert" …
	Pre    string
	Tokens int

	BOS, EOS       int  // ids of the tokens a text begins and ends with; -1 when the file names none
	AddBOS, AddEOS bool // they are put around every prompt

	Head uint32 // print of the first tokens: vocabularies that agree have the same; 0 below 1,152 tokens
	Ends string // prints of the tokens up to each of the last ones, in hexadecimal
}

// What the engine compares of a draft's vocabulary and its target's
// (common/speculative.cpp): the text of every token from firstCompared on, and
// their number, which may differ by maxSizeDifference.
const (
	firstCompared     = 5
	maxSizeDifference = 128
	headTokens        = 1024
)

// prints are checksums of a vocabulary's tokens from firstCompared on. To tell
// whether two vocabularies agree up to the end of the shorter one, the longer
// one's print at that place must be known: so there is one for each of the last
// tokens.
type prints struct {
	head uint32
	ends []byte // printBytes each
}

// printBytes is the length of a print in hexadecimal.
const printBytes = 8

// castagnoli is computed by the processor itself, faster than memory delivers.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// printTexts steps over the tokens of a vocabulary and sums them up on the way.
func (s *source) printTexts(count uint64) (prints, error) {
	var p prints
	var sum uint32
	walked := uint64(0)
	to := func(end uint64, sum *uint32) error {
		if end <= walked {
			return nil
		}
		err := s.walkTexts(end-walked, sum)
		walked = end
		return err
	}
	if count > s.remaining()/8 {
		return p, s.short(8 * count)
	}
	if err := to(min(count, firstCompared), nil); err != nil {
		return p, err
	}
	// A short vocabulary has no head: one that agrees with it may be a longer one,
	// with another head.
	if count >= headTokens+maxSizeDifference {
		if err := to(headTokens, &sum); err != nil {
			return p, err
		}
		p.head = sum
	}
	if count > maxSizeDifference {
		if err := to(count-maxSizeDifference, &sum); err != nil {
			return p, err
		}
	}
	p.ends = appendPrint(make([]byte, 0, printBytes*(maxSizeDifference+1)), sum)
	for walked < count {
		if err := to(walked+1, &sum); err != nil {
			return p, err
		}
		p.ends = appendPrint(p.ends, sum)
	}
	return p, nil
}

func appendPrint(to []byte, sum uint32) []byte {
	var bytes [printBytes / 2]byte
	binary.BigEndian.PutUint32(bytes[:], sum)
	return hex.AppendEncode(to, bytes[:])
}

// sumText adds the length of the string that comes next, and its text unless it
// is larger than the buffer. It steps over nothing.
func (s *source) sumText(n uint64, sum *uint32) error {
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], n)
	*sum = crc32.Update(*sum, castagnoli, length[:])
	if n > nextReadBytes || n > s.remaining() {
		return nil
	}
	if err := s.fill(int(n)); err != nil {
		return err
	}
	*sum = crc32.Update(*sum, castagnoli, s.window[:n])
	return nil
}

// vocabulary reads the tokenizer's keys. What a file leaves out is what the
// engine then takes (src/llama-vocab.cpp).
func vocabulary(m metadata) Vocab {
	v := Vocab{Model: m.text("tokenizer.ggml.model"), Pre: m.text("tokenizer.ggml.pre"), BOS: -1, EOS: -1}
	if tokens := m.values[tokensKey]; tokens.kind == typeArray {
		v.Tokens = int(tokens.length)
		v.Head, v.Ends = tokens.prints.head, string(tokens.prints.ends)
	}
	switch v.Model {
	case "llama":
		v.BOS, v.EOS, v.AddBOS = 1, 2, true
	case "gpt2":
		v.BOS, v.EOS, v.AddBOS = 11, 11, beginsPrompts[v.Pre]
	case "bert":
		v.AddBOS, v.AddEOS = true, true
	}
	if key := "tokenizer.ggml.bos_token_id"; m.has(key) {
		v.BOS = m.count(key)
	}
	if key := "tokenizer.ggml.eos_token_id"; m.has(key) {
		v.EOS = m.count(key)
	}
	if key := "tokenizer.ggml.add_bos_token"; m.has(key) {
		v.AddBOS = m.count(key) != 0
	}
	if key := "tokenizer.ggml.add_eos_token"; m.has(key) {
		v.AddEOS = m.count(key) != 0
	}
	return v
}

// beginsPrompts are the byte-level vocabularies that put a BOS before a prompt
// without being told to.
var beginsPrompts = map[string]bool{
	"llama3": true, "llama-v3": true, "llama-bpe": true, "falcon3": true, "falcon-h1": true, "pixtral": true,
	"midm-2.0": true, "lfm2": true, "tekken": true, "jina-v1-en": true, "jina-v2-code": true, "roberta-bpe": true,
}

// Agrees says whether the engine takes a draft with this vocabulary for a target
// with the other: same kind, same BOS and EOS where they are put around a prompt,
// sizes within 128, and the same text of every token from the fifth on that both
// have. Stricter than the engine, one of fewer than 1,152 tokens agrees with none
// that has as many or more: the smallest a model is made with has thousands.
func (v Vocab) Agrees(other Vocab) bool {
	if v.Tokens == 0 || v.Model != other.Model || v.Head != other.Head ||
		v.AddBOS != other.AddBOS || v.AddBOS && v.BOS != other.BOS ||
		v.AddEOS != other.AddEOS || v.AddEOS && v.EOS != other.EOS {
		return false
	}
	if v.Tokens > other.Tokens {
		v, other = other, v
	}
	// The prints of the longer one end before and at each of its last tokens.
	apart := other.Tokens - v.Tokens
	end := len(other.Ends) - printBytes*apart
	return apart <= maxSizeDifference && end >= printBytes && len(v.Ends) >= printBytes &&
		v.Ends[len(v.Ends)-printBytes:] == other.Ends[end-printBytes:end]
}
