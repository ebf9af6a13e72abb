package graph

// Bytes are the sizes of the compute buffers: of each device and, last, of the
// processor. chunks are the devices' largest buffers, 0 or missing for no limit.
// copies is how many batches are under way at a time: 4 where several devices
// work in a pipeline, else 1.
func (g *Graph) Bytes(chunks []uint64, copies int) []uint64 {
	g.assign()
	p := &planner{Graph: g, copies: copies, pools: make([]pool, g.devices)}
	for i, bytes := range chunks {
		p.pools[i].chunkBytes = bytes
	}
	p.split()
	p.run()
	sizes := make([]uint64, g.devices)
	for i := range p.pools {
		sizes[i] = p.pools[i].mostUsed()
	}
	return sizes
}

// A planner lays a graph out over pools.
type planner struct {
	*Graph
	copies int
	pools  []pool

	steps  []Tensor            // operations with what is copied between devices
	leaves []Tensor            // placed first
	copied map[[2]int32]Tensor // by tensor and device
	state  []state
}

type state struct {
	place    place
	device   int
	placed   bool
	children int
	views    int
}

// mostInputs is GGML_SCHED_MAX_SPLIT_INPUTS.
const mostInputs = 30

// split cuts the operations into runs on one device and adds copies of what a
// run needs from elsewhere.
func (p *planner) split() {
	p.copied = map[[2]int32]Tensor{}
	inputs := make([]bool, len(p.tensors))
	for id := range p.tensors {
		if p.tensors[id].input && p.tensors[id].kept {
			p.leaves = append(p.leaves, Tensor(id))
		}
	}
	for _, id := range p.order {
		for _, source := range p.tensors[id].sources {
			if source != None && p.tensors[source].input && !inputs[source] {
				inputs[source] = true
				p.leaves = append(p.leaves, source)
			}
		}
	}
	if p.copies > 1 {
		for _, input := range p.leaves {
			p.tensors[input].kept = true
			for range p.copies - 1 {
				p.leaves = append(p.leaves, p.keep(input, p.processor()))
			}
		}
	}
	device, held := -1, 0
	var run []Tensor
	flush := func() {
		var before []Tensor
		for _, id := range run {
			if t := &p.tensors[id]; t.view == None || t.writes {
				before = append(before, p.copyOperands(id, device)...)
			}
		}
		p.steps = append(append(p.steps, before...), run...)
		run = nil
	}
	for _, id := range p.order {
		t := &p.tensors[id]
		if t.view != None && !t.writes {
			run = append(run, id) // a view costs nothing and belongs nowhere
			continue
		}
		needed := p.missing(t, t.device)
		if t.device != device || held > 0 && p.wantsWeights(t, device) || held+needed > mostInputs {
			flush()
			device, held = t.device, 0
		}
		held += needed
		run = append(run, id)
	}
	flush()
}

func (p *planner) keep(of Tensor, device int) Tensor {
	t := blank(p.tensors[of].bytes, p.tensors[of].sizes)
	t.device, t.kept = device, true
	return p.add(t)
}

// foreign says whether a device has to be given a copy of a tensor.
func (p *planner) foreign(source Tensor, device int) bool {
	root := p.root(source)
	home := root.device
	// The processor can read what lies in RAM, its own and the devices' host
	// memory.
	return home != device
}

func (p *planner) missing(t *tensor, device int) int {
	n := 0
	for _, source := range t.sources {
		if source != None && p.foreign(source, device) && p.copied[[2]int32{int32(source), int32(device)}] == 0 {
			n++
		}
	}
	return n
}

// wantsWeights says whether an operation needs weights copied to the device: it
// then begins a run of its own, so that the memory can be used again.
func (p *planner) wantsWeights(t *tensor, device int) bool {
	for _, source := range t.sources {
		if source != None && p.tensors[source].weights && p.foreign(source, device) {
			return true
		}
	}
	return false
}

// copyOperands gives an operation copies of its operands from other devices, and
// returns the steps that make them.
func (p *planner) copyOperands(id Tensor, device int) []Tensor {
	var steps []Tensor
	for i, source := range p.tensors[id].sources {
		if source == None || !p.foreign(source, device) {
			continue
		}
		key := [2]int32{int32(source), int32(device)}
		made, known := p.copied[key]
		if !known {
			t := blank(p.sizeOf(source), p.tensors[source].sizes)
			t.device, t.kept = device, p.copies > 1
			made = p.add(t)
			p.copied[key] = made
			if p.copies > 1 {
				p.leaves = append(p.leaves, made)
				for range p.copies - 1 {
					p.leaves = append(p.leaves, p.keep(made, device))
				}
			}
			hold := blank(0, Sizes{})
			hold.view, hold.sources[0], hold.device = source, source, p.root(source).device
			if view := p.tensors[source].view; view != None {
				hold.view = view
			}
			steps = append(steps, p.add(hold), made)
		}
		p.tensors[id].sources[i] = made
	}
	return steps
}

// sizeOf is how much a copy of a tensor takes: a view is copied as what it shows.
func (p *planner) sizeOf(id Tensor) uint64 {
	t := &p.tensors[id]
	if t.view == None {
		return t.bytes
	}
	if t.sizes == (Sizes{}) {
		return p.tensors[t.view].bytes
	}
	return 4 * numbers(t.sizes.a, t.sizes.b, t.sizes.c)
}
