package graph

// run places every tensor as ggml_gallocr_alloc_graph does: inputs first, then
// each step's result, giving back what no later step needs.
func (p *planner) run() {
	p.state = make([]state, len(p.tensors))
	for _, leaf := range p.leaves {
		p.put(leaf)
	}
	for _, id := range p.steps {
		t := &p.tensors[id]
		if t.view != None && t.op {
			p.state[t.view].views++
		}
		for _, source := range t.sources {
			if source != None {
				p.state[source].children++
			}
		}
	}
	for _, id := range p.steps {
		t := &p.tensors[id]
		p.put(id)
		for _, source := range t.sources {
			if source == None {
				continue
			}
			s := &p.state[source]
			s.children--
			if s.children > 0 || s.views > 0 {
				continue
			}
			if view := p.tensors[source].view; view != None {
				v := &p.state[view]
				v.views--
				if v.views == 0 && v.children == 0 && v.placed {
					p.free(view)
				}
			} else if s.placed {
				p.free(source)
			}
		}
	}
}

func (p *planner) free(id Tensor) {
	s, t := &p.state[id], &p.tensors[id]
	if t.kept {
		return
	}
	p.pools[s.device].give(s.place, t.bytes)
	s.placed = false
}

func (p *planner) put(id Tensor) {
	t, s := &p.tensors[id], &p.state[id]
	if s.placed || t.external || t.view != None {
		return
	}
	s.placed = true
	if t.inPlace && p.overOperand(id) {
		return
	}
	s.device = t.device
	s.place = p.pools[t.device].take(t.bytes)
}

// overOperand lets a result take the place of an operand that nobody else needs.
func (p *planner) overOperand(id Tensor) bool {
	t, s := &p.tensors[id], &p.state[id]
	for _, source := range t.sources {
		if source == None {
			continue
		}
		from, held := &p.tensors[source], &p.state[source]
		if from.sizes != t.sizes || held.children != 1 || held.views != 0 {
			continue
		}
		if from.view == None {
			if from.external || from.kept || !held.placed {
				continue
			}
			s.device, s.place = held.device, held.place
			held.placed = false
			return true
		}
		root, rooted := &p.tensors[from.view], &p.state[from.view]
		if root.external || root.kept || !rooted.placed || rooted.views != 1 || rooted.children != 0 || !from.atStart {
			continue
		}
		s.device, s.place = rooted.device, rooted.place
		rooted.placed = false
		if spare := aligned(root.bytes) - aligned(t.bytes); spare > 0 {
			p.pools[s.device].give(place{s.place.chunk, s.place.offset + aligned(t.bytes)}, spare)
		}
		return true
	}
	return false
}
