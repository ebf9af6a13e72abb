package gguf

import (
	"slices"
	"strings"
)

// A Network is what the memory of a running model follows from: its layers one
// by one, and the sizes they share. Sizes the file does not have are 0.
type Network struct {
	Blocks []Block      // the layers in order, those for multi-token prediction last
	Shapes []BlockShape // the different sets of tensors that layers have
	Input  BlockShape   // embeddings: tensors the engine keeps in RAM
	Output BlockShape   // what comes after the layers
	Shared []Weight     // what several layers use: rope_freqs.weight

	TiedOutput bool // the embeddings serve as output matrix, for want of one
	NextN      int  // layers for multi-token prediction that the file says it has, at the end of Blocks
	Causal     bool // tokens only see those before them; else there is no KV cache

	FeedForward   int // the largest of all layers
	Window        int // tokens a layer with a sliding window sees
	LatentRank    int // of compressed keys and values (MLA): attention.kv_lora_rank
	LatentKeys    int // attention.key_length_mla; 0 where keys are not compressed in the cache
	LatentValues  int
	RopeDimension int
	PerLayer      int // width of the embedding each layer has of its own (Gemma 3n, Gemma 4)

	ConvKernel  int // of Mamba, gated delta nets and the like: ssm.conv_kernel …
	StateSize   int
	StateGroups int
	InnerSize   int
	StateHeads  int
	ShortConv   int // shortconv.l_cache
	HeadKDA     int // kda.head_dim
	WKVHead     int // wkv.head_size, of RWKV
	TokenShifts int
}

// A Block is one layer.
type Block struct {
	Shape        int    // index into Network.Shapes
	WeightsBytes uint64 // of its tensors
	Heads        int
	KVHeads      int // 0 where the layer has no attention
	HeadSizeK    int
	HeadSizeV    int
	Windowed     bool // sees the last Network.Window tokens only
	Attention    bool // keeps keys and values
	SharesKV     bool // uses those of an earlier layer instead
	Recurrent    bool // keeps a state of fixed size
}

// A BlockShape is the set of tensors a layer has, sorted by name.
type BlockShape []Weight

// A Weight is a tensor by its name within the layer ("attn_q.weight"), its
// dimensions and bytes. Missing dimensions are 1.
type Weight struct {
	Name       string
	Dimensions [3]int // the last one is the product of what follows
	Bytes      uint64
}

func (s BlockShape) sort() {
	slices.SortFunc(s, func(a, b Weight) int { return strings.Compare(a.Name, b.Name) })
}

// Find is the tensor of a name, false when the layer has none.
func (s BlockShape) Find(name string) (Weight, bool) {
	i, found := slices.BinarySearchFunc(s, name, func(m Weight, name string) int { return strings.Compare(m.Name, name) })
	if !found {
		return Weight{}, false
	}
	return s[i], true
}

// Has says whether the layer has a tensor of a name.
func (s BlockShape) Has(name string) bool {
	_, found := s.Find(name)
	return found
}

// network works out the layers from metadata and tensors.
func (f *Facts) network(m metadata, tensors []tensor) {
	prefix := f.Architecture + "."
	n := Network{
		NextN:         m.count(prefix + "nextn_predict_layers"),
		Causal:        m.truth(prefix+"attention.causal", !encoders[f.Architecture]),
		FeedForward:   m.count(prefix + "feed_forward_length"),
		Window:        m.count(prefix + "attention.sliding_window"),
		LatentRank:    m.count(prefix + "attention.kv_lora_rank"),
		LatentKeys:    m.count(prefix + "attention.key_length_mla"),
		LatentValues:  m.count(prefix + "attention.value_length_mla"),
		RopeDimension: m.count(prefix + "rope.dimension_count"),
		PerLayer:      m.count(prefix + "embedding_length_per_layer_input"),
		ConvKernel:    m.count(prefix + "ssm.conv_kernel"),
		StateSize:     m.count(prefix + "ssm.state_size"),
		StateGroups:   m.count(prefix + "ssm.group_count"),
		InnerSize:     m.count(prefix + "ssm.inner_size"),
		StateHeads:    m.count(prefix + "ssm.time_step_rank"),
		ShortConv:     m.count(prefix + "shortconv.l_cache"),
		HeadKDA:       m.count(prefix + "kda.head_dim"),
		WKVHead:       m.count(prefix + "wkv.head_size"),
		TokenShifts:   m.count(prefix + "token_shift_count"),
	}
	if n.WKVHead > 0 && n.TokenShifts == 0 {
		n.TokenShifts = 2
	}
	n.tensors(tensors, f.Layers)
	if n.NextN > len(n.Blocks) {
		n.NextN = 0
	}
	f.attention(m, &n)
	f.Network = n
}

// encoders are architectures that read all tokens at once, also where the file
// does not say so.
var encoders = map[string]bool{
	"bert": true, "nomic-bert": true, "nomic-bert-moe": true, "jina-bert-v2": true, "jina-bert-v3": true,
	"neo-bert": true, "modern-bert": true, "eurobert": true, "gemma-embedding": true, "t5encoder": true,
	"llada": true, "llada-moe": true, "dream": true, "wavtokenizer-dec": true,
}

// tensors sorts them into layers and what is around these. A header can claim
// more layers than there are tensors; only as many as tensors are believed.
func (n *Network) tensors(tensors []tensor, layers int) {
	layers = min(layers, len(tensors))
	blocks := make([]BlockShape, layers)
	n.Blocks = make([]Block, layers)
	output := false
	for _, t := range tensors {
		if layer, rest, ok := numbered(t.name, "blk."); ok && layer < layers {
			blocks[layer] = append(blocks[layer], t.matrix(rest))
			n.Blocks[layer].WeightsBytes += t.bytes
			continue
		}
		switch matrix := t.matrix(t.name); {
		case t.name == "rope_freqs.weight", t.name == "rope_factors_long.weight", t.name == "rope_factors_short.weight":
			n.Shared = append(n.Shared, matrix)
		case inputs[t.name]:
			n.Input = append(n.Input, matrix)
		default:
			n.Output = append(n.Output, matrix)
			output = output || t.name == "output.weight"
		}
	}
	n.TiedOutput = !output
	for _, list := range []BlockShape{n.Input, n.Output} {
		list.sort()
	}
	for i, shape := range blocks {
		shape.sort()
		at := slices.IndexFunc(n.Shapes, func(known BlockShape) bool { return slices.Equal(known, shape) })
		if at < 0 {
			at = len(n.Shapes)
			n.Shapes = append(n.Shapes, shape)
		}
		n.Blocks[i].Shape = at
	}
}

// inputs are the tensors llama.cpp keeps in RAM (LLM_TENSOR_LAYER_INPUT in
// llama-arch.cpp).
var inputs = map[string]bool{
	"token_embd.weight": true, "token_types.weight": true, "position_embd.weight": true,
	"per_layer_token_embd.weight": true,
}

func (t tensor) matrix(name string) Weight {
	m := Weight{Name: name, Dimensions: [3]int{1, 1, 1}, Bytes: t.bytes}
	for i, d := range t.sizes[:t.dimensions] {
		m.Dimensions[min(i, 2)] *= int(min(d, 1<<31))
	}
	return m
}
