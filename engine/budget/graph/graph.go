// Package graph works out how much memory the engine's computation needs, by
// doing what the engine does before it allocates anything: it lays out the graph
// of one batch as sizes, decides which device computes what, and lets an
// allocator place the results. The rules are those of ggml (ggml-alloc.c and
// ggml-backend.cpp).
package graph

// A Tensor is a number for a tensor of one graph.
type Tensor int32

// None is no tensor.
const None Tensor = -1

// Sizes are a tensor's dimensions and the distance of its rows, in elements: 0
// when they follow each other. A result can take the place of an operand only
// when both agree.
type Sizes struct{ a, b, c, stride int }

type tensor struct {
	bytes   uint64
	sizes   Sizes
	sources [7]Tensor
	view    Tensor // the tensor this one shows a part of
	atStart bool   // the view begins where that one does
	writes  bool   // into what it shows

	op       bool
	inPlace  bool // the result may take an operand's place
	batched  bool // a device may compute it with weights that lie in RAM
	external bool // weights and caches: their memory is not the allocator's
	weights  bool
	input    bool // filled in from outside
	kept     bool // never given back
	home     int  // device of what is external; else -1
	device   int  // who computes it; -1 until that is decided
}

// A Graph is one batch's computation, its operations in order.
type Graph struct {
	tensors []tensor
	order   []Tensor // operations, views among them
	devices int      // the processor is the last one
	limits  []uint64 // the largest tensor of each device, 0 for none
}

// New is an empty graph for some devices and, after them, the processor. limits
// are the largest tensors the devices can work on, in bytes; 0 is no limit.
func New(limits []uint64) *Graph {
	return &Graph{devices: len(limits) + 1, limits: append(append([]uint64{}, limits...), 0)}
}

func (g *Graph) processor() int { return g.devices - 1 }

func (g *Graph) add(t tensor) Tensor {
	g.tensors = append(g.tensors, t)
	return Tensor(len(g.tensors) - 1)
}

func blank(bytes uint64, sizes Sizes) tensor {
	t := tensor{bytes: bytes, sizes: sizes, view: None, home: -1, device: -1}
	for i := range t.sources {
		t.sources[i] = None
	}
	return t
}

// input adds a tensor that is filled in before the computation.
func (g *Graph) input(bytes int) Tensor {
	t := blank(numbers(bytes, 1, 1), Sizes{a: bytes})
	t.input = true
	t.device = g.processor()
	return g.add(t)
}

// leaf adds an input that no operation of this graph takes.
func (g *Graph) leaf(bytes int) {
	g.tensors[g.input(bytes)].kept = true
}

// held adds weights or a cache on a device.
func (g *Graph) held(device int, bytes uint64, weights bool) Tensor {
	t := blank(bytes, Sizes{})
	t.external, t.weights, t.home, t.device = true, weights, device, device
	return g.add(t)
}

// op adds an operation with a result of a by b by c numbers of four bytes.
func (g *Graph) op(a, b, c int, sources ...Tensor) Tensor {
	t := blank(4*numbers(a, b, c), Sizes{a: a, b: b, c: c})
	t.op = true
	t.batched = b >= batchedRows || c >= batchedRows
	copy(t.sources[:], sources)
	id := g.add(t)
	g.order = append(g.order, id)
	return id
}

// numbers is a product; what no file of a real model leads to counts as nothing,
// or as more than any machine has.
func numbers(a, b, c int) uint64 {
	product := uint64(1)
	for _, n := range []int{a, b, c} {
		if n <= 0 {
			return 0
		}
		if product *= uint64(min(n, mostNumbers)); product > mostNumbers {
			product = mostNumbers
		}
	}
	return product
}

const mostNumbers = 1 << 30 * 1024

// batchedRows is how many tokens make it worthwhile to copy weights to a device
// for one operation.
const batchedRows = 32

// over is op for an operation whose result may take the place of an operand.
func (g *Graph) over(a, b, c int, sources ...Tensor) Tensor {
	id := g.op(a, b, c, sources...)
	g.tensors[id].inPlace = true
	return id
}

// rowsOf looks rows up in a table. That is never worth copying the table.
func (g *Graph) rowsOf(table Tensor, a, b int, ids Tensor) Tensor {
	id := g.op(a, b, 1, table, ids)
	g.tensors[id].batched = false
	return id
}

// show adds a view of a tensor.
func (g *Graph) show(of Tensor, a, b, c, stride int, atStart bool) Tensor {
	t := blank(0, Sizes{a, b, c, stride})
	source := of
	if from := &g.tensors[of]; from.view != None {
		atStart = atStart && from.atStart
		of = from.view
	}
	t.view, t.atStart = of, atStart
	t.op = true
	t.sources[0] = source
	id := g.add(t)
	g.order = append(g.order, id)
	return id
}

// store writes rows into a cache.
func (g *Graph) store(cache Tensor, sources ...Tensor) {
	t := blank(0, Sizes{})
	t.op, t.writes, t.view = true, true, cache
	copy(t.sources[:], sources)
	t.sources[len(sources)] = cache
	id := g.add(t)
	g.order = append(g.order, id)
}
