package graph

// assign decides which device computes what (ggml_backend_sched_split_graph):
// where the weights are; what has none goes with its neighbours, rather to a
// device than to the processor.
func (g *Graph) assign() {
	for _, id := range g.order {
		t := &g.tensors[id]
		t.device = g.byOperands(t)
	}
	g.expand(true, false)
	g.expand(false, false)
	g.expand(true, true)
	g.expand(false, true)
	for _, id := range g.order {
		t := &g.tensors[id]
		if t.device < 0 {
			t.device = g.processor()
		}
		if t.view != None && g.tensors[t.view].device < 0 {
			g.tensors[t.view].device = t.device
		}
	}
}

// byOperands is the device an operation's own operands decide on, -1 when they
// do not.
func (g *Graph) byOperands(t *tensor) int {
	if t.view != None && g.tensors[t.view].external {
		return g.tensors[t.view].home
	}
	if t.view != None {
		return -1
	}
	for _, source := range t.sources {
		if source == None || !g.tensors[source].weights {
			continue
		}
		weights := &g.tensors[source]
		if weights.home != g.processor() || !t.batched {
			return weights.home
		}
		for device := range g.processor() {
			if g.fits(device, t) {
				return device
			}
		}
		return weights.home
	}
	return -1
}

// fits says whether a device can compute an operation: none of its operands is
// larger than the largest buffer.
func (g *Graph) fits(device int, t *tensor) bool {
	limit := g.limits[device]
	if limit == 0 {
		return true
	}
	for _, source := range t.sources {
		if source != None && g.root(source).bytes > limit {
			return false
		}
	}
	return t.bytes <= limit
}

func (g *Graph) root(id Tensor) *tensor {
	t := &g.tensors[id]
	if t.view != None {
		return &g.tensors[t.view]
	}
	return t
}

// expand gives operations nobody decided on to the device of the one before, or
// of the one after when backwards; to the processor only with all set.
func (g *Graph) expand(forwards, all bool) {
	current := -1
	for i := range g.order {
		id := g.order[i]
		if !forwards {
			id = g.order[len(g.order)-1-i]
		}
		t := &g.tensors[id]
		if t.view != None && !t.writes {
			continue // views follow what they show
		}
		switch {
		case t.device >= 0:
			current = t.device
			if current == g.processor() && !all {
				current = -1
			}
		case current >= 0 && g.fits(current, t):
			t.device = current
		}
	}
	for _, id := range g.order {
		t := &g.tensors[id]
		if t.device < 0 && t.view != None && g.tensors[t.view].device >= 0 {
			t.device = g.tensors[t.view].device
		}
	}
}
