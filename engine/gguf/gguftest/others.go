package gguftest

import (
	"fmt"
	"slices"
	"strings"
)

// loraNetwork is an adapter for the dense llama, of rank 4.
func loraNetwork() *network {
	const rank, layers = 4, 4
	n := &network{seed: 7, width: width, kind: F16}
	n.general("llama", "Test Adapter")
	n.Set("general.type", "adapter")
	n.Set("adapter.type", "lora")
	n.Set("adapter.lora.alpha", float32(rank))
	for i := range layers {
		n.matrix(block(i, "attn_q.weight.lora_a"), 1, width, rank)
		n.matrix(block(i, "attn_q.weight.lora_b"), push, rank, width)
	}
	return n
}

// imatrixNetwork is an importance matrix of the dense llama.
func imatrixNetwork() *network {
	n := &network{seed: 8, width: width, kind: F32}
	n.Set("general.type", "imatrix")
	n.Set("imatrix.datasets", []string{"speech.txt"})
	n.Set("imatrix.chunk_count", uint32(1))
	n.Set("imatrix.chunk_size", uint32(512))
	for i := range 4 {
		n.vector(block(i, "attn_q.weight.in_sum2"), 1, width)
		n.vector(block(i, "attn_q.weight.counts"), 1, 1)
	}
	return n
}

// vocabularyNetwork has no weights at all.
func vocabularyNetwork() *network {
	n := llamaNetwork(dense)
	n.Set("general.name", "Test Vocabulary")
	n.Tensors = nil
	return n
}

// withoutNextN takes away the layer for multi-token prediction, and leaves the
// header as it is: what some tools for cutting models down do.
func withoutNextN(n *network) *network {
	last := ""
	for _, t := range n.Tensors {
		if before, _, ok := strings.Cut(t.Name, "nextn."); ok {
			last = before
		}
	}
	n.Tensors = slices.DeleteFunc(n.Tensors, func(t Tensor) bool { return strings.HasPrefix(t.Name, last) })
	return n
}

// renameToken gives one token another text.
func renameToken(f *File, id int) {
	for _, key := range f.Keys {
		if tokens, ok := key.Value.([]string); ok && key.Name == "tokenizer.ggml.tokens" {
			tokens[id] += "x"
		}
	}
}

// split cuts a model into parts of about the same number of tensors; with
// metadataFirst the first part has none, as llama-gguf-split
// --no-tensor-first-split makes it.
func split(whole *File, parts int, metadataFirst bool) []*File {
	files := make([]*File, parts)
	holders := files
	if metadataFirst {
		holders = files[1:]
	}
	for i := range files {
		files[i] = &File{}
		if i == 0 {
			files[i].Keys = append(files[i].Keys, whole.Keys...)
		}
		files[i].Set("split.no", uint16(i))
		files[i].Set("split.count", uint16(parts))
		files[i].Set("split.tensors.count", int32(len(whole.Tensors)))
	}
	for i, f := range holders {
		from, to := i*len(whole.Tensors)/len(holders), (i+1)*len(whole.Tensors)/len(holders)
		f.Tensors = whole.Tensors[from:to]
	}
	return files
}

// Large is the header of a real-sized model: the given number of layers of width
// 4096 in Q4_K and Q6_K, and a byte-level vocabulary of the given number of
// tokens with as many merges. Its weights are holes, so it takes a few megabytes
// on disk and says it has gigabytes; the engine would load it, and find zeroes.
func Large(tokens, layers int) *File {
	const wide, feed, keys = 4096, 12288, 1024
	n := &network{width: wide}
	n.general("qwen3", fmt.Sprintf("Test Large %d", layers))
	n.shape("qwen3", layers, 32, 8, 128)
	n.Set("qwen3.feed_forward_length", uint32(feed))
	v := &vocabulary{model: "gpt2", pre: "qwen2", begin: -1}
	for i := range tokens {
		// Words of 12 letters, each once, which makes a header of 7.4 MB for 152k
		// tokens, like that of Qwen 3.
		word := []rune("Ġ")
		for rest := uint64(i+1) * 0x9E3779B97F4A7C15; len(word) < 13; rest /= 26 {
			word = append(word, rune('a'+rest%26))
		}
		v.tokens = append(v.tokens, string(word))
		v.merges = append(v.merges, string(word[:4])+" "+string(word[4:]))
		v.types = append(v.types, normal)
	}
	v.write(&n.File)
	n.Set("tokenizer.chat_template", chatTemplate)
	n.ghost("token_embd.weight", Q6_K, wide, tokens)
	n.ghost("output.weight", Q6_K, wide, tokens)
	n.ghost("output_norm.weight", F32, wide)
	for i := range layers {
		n.ghost(block(i, "attn_norm.weight"), F32, wide)
		n.ghost(block(i, "attn_q.weight"), Q4_K, wide, wide)
		n.ghost(block(i, "attn_k.weight"), Q4_K, wide, keys)
		n.ghost(block(i, "attn_v.weight"), Q6_K, wide, keys)
		n.ghost(block(i, "attn_output.weight"), Q4_K, wide, wide)
		n.ghost(block(i, "attn_q_norm.weight"), F32, 128)
		n.ghost(block(i, "attn_k_norm.weight"), F32, 128)
		n.ghost(block(i, "ffn_norm.weight"), F32, wide)
		n.ghost(block(i, "ffn_gate.weight"), Q4_K, wide, feed)
		n.ghost(block(i, "ffn_up.weight"), Q4_K, wide, feed)
		n.ghost(block(i, "ffn_down.weight"), Q6_K, feed, wide)
	}
	return &n.File
}
