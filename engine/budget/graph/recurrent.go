package graph

// recurrent is a layer that keeps a state instead of all tokens.
func (m *model) recurrent(x Tensor) Tensor {
	switch {
	case m.shape.Has("shortconv.conv.weight"):
		return m.shortConvolution(x)
	case m.shape.Has("ssm_in.weight") && m.shape.Has("ssm_norm.weight"), m.net.StateGroups > 0 && m.shape.Has("ssm_in.weight"):
		return m.mamba2(x)
	case m.shape.Has("ssm_in.weight"):
		return m.mamba(x)
	case m.shape.Has("ssm_beta_alpha.weight"), m.shape.Has("ssm_beta.weight"), m.shape.Has("ssm_ba.weight"):
		return m.deltaNet(x)
	}
	// Nothing is known of the others but that they are about as wide as this.
	n := m.rows(x)
	y := m.op(4*m.width, n, 1, x)
	y = m.op(m.width, n, 1, y)
	return m.plus(y, x)
}

// remembered are the states of the batch's slots, of so many numbers each, read
// out of the cache.
func (m *model) remembered(numbers int) (cache, states Tensor) {
	if m.states == None {
		m.states = m.input(4 * m.Slots)
	}
	cache = m.held(m.device, 0, false)
	return cache, m.op(numbers, m.sequences(), 1, cache, m.states)
}

// sequences is how many slots one batch is about.
func (m *model) sequences() int { return min(m.Slots, m.Tokens) }

func (m *model) shortConvolution(x Tensor) Tensor {
	n, before := m.rows(x), m.net.ShortConv-1
	three := m.times("shortconv.in_proj", x)
	b := m.show(three, m.width, n, 1, 3*m.width, true)
	c := m.show(three, m.width, n, 1, 3*m.width, false)
	bx := m.over(m.width, n, 1, b, m.show(three, m.width, n, 1, 3*m.width, false))
	cache, state := m.remembered(m.width * before)
	line := m.op(n+before*m.sequences(), m.width, 1, m.reshaped(state, before, m.width, m.sequences()), m.show(bx, n, m.width, 1, 1, true))
	m.store(cache, m.show(line, before, m.width, 1, n+before, false))
	kernel, _ := m.shape.Find("shortconv.conv.weight")
	y := m.op(m.width, n, 1, line, m.weight(kernel))
	y = m.over(m.width, n, 1, c, y)
	return m.times("shortconv.out_proj", y)
}

// convolved runs a short convolution over so many channels, the slots' last
// tokens first.
func (m *model) convolved(x Tensor, channels, n int) Tensor {
	before := m.net.ConvKernel - 1
	cache, state := m.remembered(before * channels)
	line := m.op(n+before*m.sequences(), channels, 1, m.reshaped(state, before, channels, m.sequences()), m.show(x, n, channels, 1, 1, true))
	m.store(cache, m.show(line, before, channels, 1, n+before, false))
	kernel, _ := m.shape.Find("ssm_conv1d.weight")
	return m.biased("ssm_conv1d", m.op(channels, n, 1, line, m.weight(kernel)))
}

// deltaNet is a gated delta net (Qwen 3.5, Qwen 3 Next).
func (m *model) deltaNet(x Tensor) Tensor {
	n, state, keys, values, inner := m.rows(x), m.net.StateSize, m.net.StateGroups, m.net.StateHeads, m.net.InnerSize
	channels := inner + 2*keys*state
	before := m.net.ConvKernel - 1
	cache, last := m.remembered(before * channels)
	mixed := m.times("attn_qkv", x)
	line := m.op(n+before*m.sequences(), channels, 1, m.reshaped(last, before, channels, m.sequences()), m.show(mixed, n, channels, 1, 1, true))
	m.store(cache, m.show(line, before, channels, 1, n+before, false))
	cache, memory := m.remembered(state * inner)
	kernel, _ := m.shape.Find("ssm_conv1d.weight")
	y := m.op(channels, n, 1, line, m.weight(kernel))
	y = m.over(channels, n, 1, y)
	part := func(heads int, first bool) Tensor { return m.show(y, state, heads, n, channels, first) }
	query := m.op(state, keys, n, part(keys, true))
	query = m.over(state, keys, n, query)
	key := m.op(state, keys, n, part(keys, false))
	key = m.over(state, keys, n, key)
	small := func(name string) Tensor {
		t := m.times(name, x)
		return m.over(values, n, 1, t)
	}
	decay := small("ssm_alpha")
	decay = m.over(values, n, 1, m.over(values, n, 1, decay))
	beta := small("ssm_beta")
	snapshots := 1 + m.Snapshots
	out := m.op(inner, n+state*m.sequences()*snapshots, 1, query, key, part(values, false), decay, beta, m.reshaped(memory, state, inner, m.sequences()))
	m.store(cache, m.show(out, inner, state*m.sequences(), 1, 0, false))
	result := m.norm("ssm_norm", m.show(out, state, values, n, 0, true))
	gate := m.times("attn_gate", x)
	gate = m.over(state, values, n, m.reshaped(gate, state, values, n))
	result = m.over(state, values, n, result, gate)
	return m.times("ssm_out", m.reshaped(result, inner, n, 1))
}

// mamba2 is a selective state space model with heads (Granite 4, Nemotron H).
func (m *model) mamba2(x Tensor) Tensor {
	n, state, groups, heads, inner := m.rows(x), m.net.StateSize, max(m.net.StateGroups, 1), m.net.StateHeads, m.net.InnerSize
	channels := inner + 2*groups*state
	all := m.times("ssm_in", x)
	wide := m.tensors[all].sizes.a
	y := m.convolved(m.show(all, channels, n, 1, wide, false), channels, n)
	y = m.over(channels, n, 1, y)
	step := m.op(heads, n, 1, m.show(all, heads, n, 1, wide, false))
	step = m.over(heads, n, 1, step)
	if m.states == None {
		m.states = m.input(4 * m.Slots)
	}
	cache := m.held(m.device, 0, false)
	part := func(first bool) Tensor { return m.show(y, inner, n, 1, channels, first) }
	out := m.op(inner, n+state*m.sequences(), 1, cache, part(true), step, part(false), part(false), m.states)
	m.store(cache, m.show(out, inner, state*m.sequences(), 1, 0, false))
	gate := m.op(inner, n, 1, m.show(all, inner, n, 1, wide, true))
	skip, _ := m.shape.Find("ssm_d")
	through := m.over(inner, n, 1, part(true), m.weight(skip))
	result := m.over(inner, n, 1, m.show(out, inner, n, 1, 0, true), through)
	result = m.op(inner, n, 1, gate, result)
	if m.shape.Has("ssm_norm.weight") {
		result = m.norm("ssm_norm", m.reshaped(result, inner/groups, groups, n))
	}
	return m.times("ssm_out", m.reshaped(result, inner, n, 1))
}

// mamba is the first kind, without heads (Jamba).
func (m *model) mamba(x Tensor) Tensor {
	n, state, inner := m.rows(x), m.net.StateSize, m.net.InnerSize
	all := m.times("ssm_in", x)
	y := m.convolved(m.show(all, inner, n, 1, 2*inner, true), inner, n)
	y = m.over(inner, n, 1, y)
	parts := m.times("ssm_x", y)
	step := m.times("ssm_dt", parts)
	cache, memory := m.remembered(state * inner)
	out := m.op(inner, n+state*m.sequences(), 1, memory, y, step, parts)
	m.store(cache, m.show(out, inner, state*m.sequences(), 1, 0, false))
	skip, _ := m.shape.Find("ssm_d")
	through := m.op(inner, n, 1, y, m.weight(skip))
	result := m.over(inner, n, 1, m.show(out, inner, n, 1, 0, true), through)
	gate := m.op(inner, n, 1, m.show(all, inner, n, 1, 2*inner, false))
	return m.times("ssm_out", m.op(inner, n, 1, gate, result))
}
