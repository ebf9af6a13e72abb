package gguf

// shape fills in the sizes of the network.
func (f *Facts) shape(m metadata, names census) {
	prefix := f.Architecture + "."
	if f.Kind == Projector {
		prefix = encoderPrefix(m)
	}
	f.ContextTokens = m.count(prefix + "context_length")
	f.EmbeddingLength = m.count(prefix + "embedding_length")
	f.Layers = m.count(prefix + "block_count")
	if f.Layers == 0 {
		f.Layers = names.layers
	}
	f.Heads = m.counts(prefix + "attention.head_count")
	f.KVHeads = m.counts(prefix + "attention.head_count_kv")
	if f.KVHeads == nil {
		f.KVHeads = f.Heads
	}
	f.HeadSizeK = f.headSize(m, prefix+"attention.key_length")
	f.HeadSizeV = f.headSize(m, prefix+"attention.value_length")
	f.Experts = m.count(prefix + "expert_count")
	f.ExpertsUsed = m.count(prefix + "expert_used_count")
	f.NextNLayers = names.nextN
	f.DeclaredNextN = m.count(prefix + "nextn_predict_layers")
	f.DeepstackLayers = m.count(prefix + "n_deepstack_layers")
	f.Pooling = pooling(m, prefix+"pooling_type")
}

// encoderPrefix is where a projector's header keeps the encoder's sizes.
func encoderPrefix(m metadata) string {
	for _, prefix := range []string{"clip.vision.", "clip.audio."} {
		if m.has(prefix + "block_count") {
			return prefix
		}
	}
	return "clip."
}

// headSize is the key's value, the largest where layers differ; without the key
// the embedding is cut evenly among the heads, as the engine does.
func (f *Facts) headSize(m metadata, key string) int {
	if n := m.count(key); n > 0 {
		return n
	}
	for _, heads := range f.Heads {
		if heads > 0 {
			return f.EmbeddingLength / heads
		}
	}
	return 0
}

// pooling names the value as llama-server's --pooling does (enum
// llama_pooling_type in llama.h).
func pooling(m metadata, key string) string {
	types := []string{"none", "mean", "cls", "last", "rank"}
	v, set := m.values[key]
	if !set || v.kind == typeString || v.number >= uint64(len(types)) {
		return ""
	}
	return types[v.number]
}
