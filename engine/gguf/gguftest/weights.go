package gguftest

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// How far a layer may push the residual stream, which starts at 1. So little
// keeps the embedding of the last token dominant all the way up, and models that
// share embeddings agree on the next token whatever their layers are: that makes
// speculation testable with random weights.
const push = 0.05

// A network is a file being filled with weights. Each tensor's numbers follow
// from its name and the seed alone, so two networks of one seed and width share
// embeddings.
type network struct {
	File
	seed  uint64
	width int
	vocab *vocabulary
	kind  uint32 // type of the matrices: F16 or Q8_0
}

func (n *network) random(name string) *rand.Rand {
	hash := fnv.New64a()
	hash.Write([]byte(name))
	return rand.New(rand.NewPCG(n.seed, hash.Sum64()))
}

// matrix adds a random matrix that turns an input of size 1 into an output of
// size scale. The last of more than two dimensions counts matrices.
func (n *network) matrix(name string, scale float64, dimensions ...int) {
	random := n.random(name)
	deviation := scale / math.Sqrt(float64(dimensions[0]))
	values := make([]float32, count(dimensions))
	for i := range values {
		values[i] = float32(random.NormFloat64() * deviation)
	}
	n.add(name, n.kind, values, dimensions...)
}

// vector adds a vector of one value: a norm's weight, a bias.
func (n *network) vector(name string, value float32, length int) {
	values := make([]float32, length)
	for i := range values {
		values[i] = value
	}
	n.add(name, F32, values, length)
}

func (n *network) add(name string, kind uint32, values []float32, dimensions ...int) {
	n.Tensors = append(n.Tensors, tensorOf(name, kind, values, dimensions...))
}

func tensorOf(name string, kind uint32, values []float32, dimensions ...int) Tensor {
	t := Tensor{Name: name, Type: kind}
	for _, d := range dimensions {
		t.Dimensions = append(t.Dimensions, uint64(d))
	}
	switch kind {
	case F32:
		for _, v := range values {
			t.Data = binary.LittleEndian.AppendUint32(t.Data, math.Float32bits(v))
		}
	case F16:
		for _, v := range values {
			t.Data = binary.LittleEndian.AppendUint16(t.Data, half(v))
		}
	case Q8_0:
		t.Data = quantise(values)
	}
	return t
}

// quantise packs blocks of 32 values into a common scale and a byte each.
func quantise(values []float32) []byte {
	var data []byte
	for ; len(values) > 0; values = values[32:] {
		var largest float64
		for _, v := range values[:32] {
			largest = max(largest, math.Abs(float64(v)))
		}
		scale := largest / 127
		data = binary.LittleEndian.AppendUint16(data, half(float32(scale)))
		for _, v := range values[:32] {
			q := 0.0
			if scale > 0 {
				q = math.Round(float64(v) / scale)
			}
			data = append(data, byte(int8(q)))
		}
	}
	return data
}

// half is the value as an IEEE half, rounded to nearest; what is too small for a
// normal one becomes 0, which weights can bear.
func half(v float32) uint16 {
	bits := math.Float32bits(v)
	sign := uint16(bits >> 16 & 0x8000)
	exponent := int(bits>>23&0xFF) - 127 + 15
	if exponent <= 0 {
		return sign
	}
	if exponent >= 31 {
		return sign | 0x7C00
	}
	rounded := uint32(exponent)<<10 | bits>>13&0x3FF
	return sign + uint16(rounded+bits>>12&1)
}

func count(dimensions []int) int {
	n := 1
	for _, d := range dimensions {
		n *= d
	}
	return n
}

// embeddings adds the random token embeddings, and with them the output matrix
// that makes the network recite the speech.
func (n *network) embeddings() {
	table := n.tokenTable()
	n.add("token_embd.weight", n.kind, table, n.width, len(n.vocab.tokens))
	n.add("output.weight", n.kind, n.recital(table), n.width, len(n.vocab.tokens))
}

// recital is an output matrix: the row of a word is the embedding of the word
// before it. All other tokens lead to some word of the speech, more weakly.
func (n *network) recital(table []float32) []float32 {
	output := make([]float32, len(table))
	lead := func(from, to int, weight float32) {
		for i := range n.width {
			output[to*n.width+i] += weight * table[from*n.width+i]
		}
	}
	v := n.vocab
	spoken := map[int]bool{v.newline: true}
	last := v.newline
	for _, word := range v.words {
		lead(last, word, 1)
		last = word
		spoken[word] = true
	}
	lead(last, v.end, 1)
	for token := range v.tokens {
		if !spoken[token] {
			lead(token, v.words[token%len(v.words)], 0.5)
		}
	}
	// Logits then reach about 20, with noise of about 2.
	for i := range output {
		output[i] *= 20 / float32(n.width)
	}
	return output
}

// scaleTokenTable makes the embeddings what an engine that multiplies them by the
// root of their width expects.
func (n *network) scaleTokenTable() {
	table := n.tokenTable()
	for i := range table {
		table[i] /= float32(math.Sqrt(float64(n.width)))
	}
	for i, t := range n.Tensors {
		if t.Name == "token_embd.weight" {
			n.Tensors[i] = tensorOf(t.Name, t.Type, table, n.width, len(n.vocab.tokens))
		}
	}
}

// tokenTable is the random embedding of every token, of size 1 each.
func (n *network) tokenTable() []float32 {
	random := n.random("token_embd.weight")
	table := make([]float32, n.width*len(n.vocab.tokens))
	for i := range table {
		table[i] = float32(random.NormFloat64())
	}
	return table
}
