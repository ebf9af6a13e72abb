package gguf

import (
	"strconv"
	"strings"
)

// A census is what a file's tensor names give away.
type census struct {
	tensors    int
	layers     int // highest layer number and one
	trunk      int // layers that are not for multi-token prediction
	nextN      int // layers for multi-token prediction
	embedding  bool
	classifier bool
	lora       bool
	imatrix    bool
	encoder    bool // a vision or audio encoder, or what projects its output
	vision     bool // a vision encoder
	audio      bool // an audio encoder
	output     bool // an output matrix of its own, not that of the embeddings
	deepstack  int  // outputs of a vision encoder beside its last
	assistant  bool // an MTP assistant: its layers run on the target's state
	fusion     bool // takes in hidden states of its target: EAGLE-3, DFlash
}

// survey reads the names. They are llama.cpp's (src/llama-arch.cpp and
// tools/mtmd/clip-impl.h).
func survey(tensors []tensor) census {
	c := census{tensors: len(tensors)}
	nextN, seen, deepstack := map[int]bool{}, map[int]bool{}, map[int]bool{}
	for _, t := range tensors {
		switch {
		case t.name == "token_embd.weight":
			c.embedding = true
		case t.name == "output.weight":
			c.output = true
		case t.name == "cls.weight", t.name == "cls.output.weight":
			c.classifier = true
		case t.name == "fc.weight":
			c.fusion = true
		case strings.HasSuffix(t.name, ".lora_a"), strings.HasSuffix(t.name, ".lora_b"):
			c.lora = true
		case strings.HasSuffix(t.name, ".in_sum2"):
			c.imatrix = true
		case strings.HasPrefix(t.name, "v."), strings.HasPrefix(t.name, "a."),
			strings.HasPrefix(t.name, "mm."), strings.HasPrefix(t.name, "resampler."):
			c.encoder = true
			c.vision = c.vision || t.name[0] == 'v'
			c.audio = c.audio || t.name[0] == 'a'
			if layer, _, ok := numbered(t.name, "v.deepstack."); ok {
				deepstack[layer] = true
			}
		case strings.HasPrefix(t.name, "nextn."):
			c.assistant = true
		}
		if layer, rest, ok := numbered(t.name, "blk."); ok {
			seen[layer] = true
			if strings.HasPrefix(rest, "nextn.") {
				nextN[layer] = true
			}
			c.layers = max(c.layers, layer+1)
		}
	}
	c.nextN = len(nextN)
	c.deepstack = len(deepstack)
	c.trunk = len(seen) - len(nextN)
	if c.assistant {
		c.nextN, c.trunk = len(seen), 0
	}
	return c
}

// numbered cuts "blk.12.attn_q.weight" after "blk." into 12 and "attn_q.weight".
func numbered(name, prefix string) (layer int, rest string, ok bool) {
	name, ok = strings.CutPrefix(name, prefix)
	if !ok {
		return 0, "", false
	}
	number, rest, ok := strings.Cut(name, ".")
	if !ok {
		return 0, "", false
	}
	layer, err := strconv.Atoi(number)
	return layer, rest, err == nil && layer >= 0 && layer < maxTensors
}

// kindOf says what the file is for.
func kindOf(m metadata, c census, s Split) Kind {
	architecture := m.text("general.architecture")
	is := func(what string) bool { return m.text("general.type") == what }
	switch {
	case s.Count > 1 && s.Index > 0:
		return Part
	case c.imatrix, is("imatrix"), m.has("imatrix.chunk_count"):
		return Imatrix
	case c.lora, m.has("adapter.type"), is("adapter"):
		return LoRA
	case c.encoder && !c.embedding, architecture == "clip", is("mmproj"):
		return Projector
	case c.fusion, architecture == "eagle3", architecture == "dflash", m.has(architecture + ".target_layers"):
		return Draft
	case c.nextN > 0 && c.trunk == 0:
		return MTPHead
	case c.tensors == 0 && s.Count > 1:
		return Model // a first part may hold metadata only
	case c.tensors == 0 && m.has("tokenizer.ggml.tokens"):
		return Vocabulary
	case !c.embedding && c.layers == 0:
		return Other
	}
	return Model
}
