package graph

import "paddock/engine/gguf"

// A Batch is what one computation of a model depends on.
type Batch struct {
	Tokens      int // in one physical batch
	Outputs     int // tokens whose logits are wanted
	Slots       int
	Streams     int // caches: one for each slot, or 1 where they share one
	Cells       int // of a layer's cache in one stream
	WindowCells int // of a layer with a sliding window
	Flash       bool
	Snapshots   int  // states kept of each slot beside the newest (recurrent layers, while speculating)
	MTP         bool // the layers for multi-token prediction alone, not the others
	Assistant   bool // an MTP assistant, which reads the target's cache; its layers are all of them

	Cache func(layer int) (keys, values uint64) // bytes; nil when they do not matter
	// CacheHome is the device a layer's cache is on; nil where that is the layer's own.
	CacheHome func(layer int) int

	Layer  func(layer int) int // the device each layer is on
	Output int                 // the device of what follows the layers
	Limits []uint64            // the largest tensor of each device, 0 for none; the processor is the device after them
	Chunks []uint64            // the largest buffer of each device, 0 for none
	Copies int                 // batches under way at a time
}

// Compute is the size of the compute buffer on each device and, last, in RAM.
func Compute(f gguf.Facts, b Batch) []uint64 {
	m := &model{Graph: New(b.Limits), Batch: b, facts: f, net: f.Network, width: f.EmbeddingLength}
	switch {
	case b.Assistant:
		m.assistant()
	case b.MTP:
		m.prediction()
	case !f.Network.Causal:
		m.encoder()
	default:
		m.decoder()
	}
	return m.Bytes(b.Chunks, max(b.Copies, 1))
}

// A model is a graph being built.
type model struct {
	*Graph
	Batch
	facts gguf.Facts
	net   gguf.Network
	width int

	layer      int
	block      gguf.Block
	shape      gguf.BlockShape
	device     int // of the layer
	positions  Tensor
	mask       Tensor
	windowMask Tensor
	keys       Tensor // where the cache takes the new ones
	windowKeys Tensor
	states     Tensor // which slots' states are used

	embedded      Tensor // what goes into the first layer
	perLayerTable Tensor // the tokens' own embeddings for every layer
	perLayer      Tensor // made of both, when the first layer wants it
}

// vocabulary is the number of tokens there are.
func (m *model) vocabulary() int {
	if matrix, has := m.output(); has {
		return matrix.Dimensions[1]
	}
	return m.facts.Vocabulary.Tokens
}

// output is the matrix that makes scores: its own, or the embeddings.
func (m *model) output() (gguf.Weight, bool) {
	if matrix, has := m.net.Output.Find("output.weight"); has {
		return matrix, true
	}
	return m.net.Input.Find("token_embd.weight")
}

// weight is a matrix of the layer, on the layer's device unless it is too large
// for it.
func (m *model) weight(matrix gguf.Weight) Tensor {
	return m.held(Home(matrix, m.device, m.Graph.limits, m.processor()), matrix.Bytes, true)
}

// Home is where a matrix meant for a device ends up: in RAM when it is larger
// than the device's largest buffer.
func Home(matrix gguf.Weight, device int, limits []uint64, processor int) int {
	if device < processor && limits[device] > 0 && matrix.Bytes > limits[device] {
		return processor
	}
	return device
}

// times multiplies by a matrix of the layer and adds its bias. Without the
// matrix it returns x.
func (m *model) times(name string, x Tensor) Tensor {
	matrix, has := m.shape.Find(name + ".weight")
	if !has {
		return x
	}
	return m.biased(name, m.op(matrix.Dimensions[1], m.rows(x), 1, m.weight(matrix), x))
}

func (m *model) rows(x Tensor) int {
	s := m.tensors[x].sizes
	return s.b * s.c
}

func (m *model) biased(name string, x Tensor) Tensor {
	if bias, has := m.shape.Find(name + ".bias"); has {
		s := m.tensors[x].sizes
		return m.over(s.a, s.b, s.c, x, m.weight(bias))
	}
	return x
}

// norm normalises and scales. Without the layer's weight it only normalises.
func (m *model) norm(name string, x Tensor) Tensor {
	s := m.tensors[x].sizes
	var y Tensor
	if m.shape.Has(name + ".bias") { // the older kind, about the mean, needs room
		y = m.op(s.a, s.b, s.c, x)
	} else {
		y = m.over(s.a, s.b, s.c, x)
	}
	if scale, has := m.shape.Find(name + ".weight"); has {
		y = m.over(s.a, s.b, s.c, y, m.weight(scale))
	}
	return m.biased(name, y)
}

// plus adds two results of the model's width.
func (m *model) plus(x, y Tensor) Tensor { return m.over(m.width, m.rows(x), 1, x, y) }

// reshaped is the same numbers in other dimensions.
func (m *model) reshaped(x Tensor, a, b, c int) Tensor { return m.show(x, a, b, c, 0, true) }

// inputs are what a batch brings: tokens, positions, masks.
func (m *model) inputs() {
	n := m.Tokens
	m.positions = m.input(4 * n * m.positionsPerToken())
	m.keys, m.windowKeys, m.mask, m.windowMask, m.states = None, None, None, None, None
}

// positionsPerToken is 4 for models that place pictures in two dimensions.
func (m *model) positionsPerToken() int {
	switch m.facts.Architecture {
	case "qwen2vl", "qwen3vl", "qwen3vlmoe", "qwen35", "qwen35moe", "qwen3next":
		return 4
	}
	return 1
}

// cacheMask is the mask of a layer's cache, and where new keys go in it.
func (m *model) cacheMask() (mask, keys Tensor) {
	cells, mask, keys := m.Cells, m.mask, m.keys
	if m.block.Windowed {
		cells, mask, keys = m.WindowCells, m.windowMask, m.windowKeys
	}
	if mask == None {
		size := 4
		if m.Flash {
			size = 2
		}
		keys, mask = m.input(8*m.Tokens), m.input(size*cells*m.Tokens)
	}
	if m.block.Windowed {
		m.windowMask, m.windowKeys = mask, keys
	} else {
		m.mask, m.keys = mask, keys
	}
	return mask, keys
}

// embeddings look the tokens up. The engine also prepares for batches in which
// some tokens are pictures.
func (m *model) embeddings() Tensor {
	n := m.Tokens
	matrix, _ := m.net.Input.Find("token_embd.weight")
	table := m.held(m.processor(), matrix.Bytes, true)
	m.leaf(4 * m.width * n) // for batches of nothing but pictures
	x := m.rowsOf(table, m.width, n, m.input(4*n))
	other := m.rowsOf(table, m.width, n, m.input(4*n))
	pictures := m.op(m.width, n, 1, m.input(4*m.width*n))
	m.store(pictures, other, m.input(8*n))
	return x
}

// scalesEmbeddings are the architectures that multiply embeddings first.
func (m *model) scalesEmbeddings() bool {
	switch m.facts.Architecture {
	case "gemma", "gemma2", "gemma3", "gemma3n", "gemma4", "granite", "granitemoe", "granitehybrid", "minicpm", "minicpm3":
		return true
	}
	return false
}

// decoder is a model that writes.
func (m *model) decoder() {
	m.perLayerTable, m.perLayer = None, None
	if m.net.PerLayer > 0 {
		m.perLayerTable = m.perLayerEmbeddings()
	}
	x := m.embeddings()
	m.inputs()
	if m.scalesEmbeddings() {
		x = m.over(m.width, m.Tokens, 1, x)
	}
	m.embedded = x
	trunk := len(m.net.Blocks) - m.net.NextN
	wanted := None
	for i := range trunk {
		m.enter(i)
		last := i == trunk-1 && m.Outputs < m.Tokens
		if last {
			wanted = m.input(4 * m.Outputs)
		}
		x = m.decoderLayer(x, wanted)
	}
	m.logits(x)
}

func (m *model) enter(layer int) {
	m.layer, m.block = layer, m.net.Blocks[layer]
	m.shape, m.device = m.net.Shapes[m.block.Shape], m.Layer(layer)
}

// pick keeps the rows of the wanted tokens only.
func (m *model) pick(x, wanted Tensor) Tensor {
	if wanted == None {
		return x
	}
	return m.op(m.width, m.Outputs, 1, x, wanted)
}

// logits are the scores of every token.
func (m *model) logits(x Tensor) {
	m.shape, m.device = m.net.Output, m.Output
	if m.shape.Has("output_norm.weight") {
		x = m.norm("output_norm", x)
	} else {
		x = m.norm("token_embd_norm", x) // LFM2's name for it
	}
	output, _ := m.output()
	scores := m.op(m.vocabulary(), m.rows(x), 1, m.weight(output), x)
	switch m.facts.Architecture {
	case "gemma2", "gemma3n", "gemma4", "granite", "granitemoe", "granitehybrid", "cohere2", "command-r", "grok":
		m.over(m.vocabulary(), m.rows(x), 1, scores)
	}
}
