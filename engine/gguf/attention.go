package gguf

// attention says of every layer what it keeps of the tokens before.
func (f *Facts) attention(m metadata, n *Network) {
	prefix := f.Architecture + "."
	windowed := windows(f.Architecture, m, prefix, len(n.Blocks), n.Window)
	ownKV := len(n.Blocks) - m.count(prefix+"attention.shared_kv_layers")
	if f.Architecture == "gemma3n" {
		ownKV = 20 // hard-coded in llama.cpp
	}
	keys, values := f.headSizes(m, prefix+"attention.key_length"), f.headSizes(m, prefix+"attention.value_length")
	windowKeys, windowValues := m.count(prefix+"attention.key_length_swa"), m.count(prefix+"attention.value_length_swa")
	for i := range n.Blocks {
		b, shape := &n.Blocks[i], n.Shapes[n.Blocks[i].Shape]
		b.Heads, b.KVHeads = at(f.Heads, i), at(f.KVHeads, i)
		b.HeadSizeK, b.HeadSizeV = at(keys, i), at(values, i)
		b.Windowed = windowed[i]
		if b.Windowed && windowKeys > 0 {
			b.HeadSizeK = windowKeys
		}
		if b.Windowed && windowValues > 0 {
			b.HeadSizeV = windowValues
		}
		b.Recurrent = shape.Has("ssm_a") || shape.Has("ssm_conv1d.weight") || shape.Has("shortconv.conv.weight") ||
			shape.Has("time_mix_key.weight") || shape.Has("ssm_conv1d_q.weight")
		attends := shape.Has("attn_k.weight") || shape.Has("attn_kv_a_mqa.weight") || shape.Has("attn_q.weight") ||
			!b.Recurrent && shape.Has("attn_qkv.weight")
		b.SharesKV = attends && i >= ownKV && i < len(n.Blocks)-n.NextN
		b.Attention = attends && b.KVHeads > 0 && !b.SharesKV
	}
}

// headSizes is the key's value for every layer, or the width cut evenly among
// the heads, as the engine does without the key.
func (f *Facts) headSizes(m metadata, key string) []int {
	if sizes := m.counts(key); len(sizes) > 0 && sizes[0] > 0 {
		return sizes
	}
	return []int{f.headSize(m, key)}
}

// at is the entry of a layer in a list with one entry for all or one for each.
func at(list []int, layer int) int {
	switch {
	case len(list) == 1:
		return list[0]
	case layer < len(list):
		return list[layer]
	}
	return 0
}

// periods are how often a layer sees everything, where a file does not say it:
// every so many layers the last one does (set_swa_pattern in llama.cpp, which
// has them by architecture). 0 is never.
var periods = map[string]int{
	"gemma2": 2, "gemma3": 6, "gemma3n": 5, "gemma-embedding": 6, "gpt-oss": 2, "cohere2": 4, "llama4": 4,
	"olmo2": 4, "exaone4": 4, "exaone-moe": 4, "plamo3": 8, "afmoe": 4, "smallthinker": 4, "gemma4": 6,
	"mimo2": 6, "step35": 4, "laguna": 4, "modern-bert": 3,
}

// denseFirst are the architectures where of each period the first layer sees
// everything, not the last.
var denseFirst = map[string]bool{"smallthinker": true, "modern-bert": true}

// windows says which layers only see the last tokens. An architecture that is
// not among the ones with windows has none, whatever its file says: so does the
// engine.
func windows(architecture string, m metadata, prefix string, layers, window int) []bool {
	list := make([]bool, layers)
	period, has := periods[architecture]
	pattern, given := m.values[prefix+"attention.sliding_window_pattern"]
	if !has && !(given && pattern.kind == typeArray) || window == 0 && architecture != "llama4" {
		return list
	}
	if given && pattern.kind == typeArray {
		for i := range list {
			if len(pattern.elements) > 0 {
				list[i] = pattern.elements[i%len(pattern.elements)].number != 0
			}
		}
		return list
	}
	if given {
		period = pattern.count()
	}
	for i := range list {
		switch {
		case period == 0:
			list[i] = true
		case denseFirst[architecture]:
			list[i] = i%period != 0
		default:
			list[i] = i%period < period-1
		}
	}
	return list
}
