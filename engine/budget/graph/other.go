package graph

// encoder is a model that reads all tokens at once and has no cache.
func (m *model) encoder() {
	n := m.Tokens
	m.Outputs = n
	m.inputs()
	x := m.embeddings()
	m.shape, m.device = m.net.Input, m.processor()
	if types, has := m.net.Input.Find("token_types.weight"); has {
		x = m.over(m.width, n, 1, x, m.weight(types))
	}
	if places, has := m.net.Input.Find("position_embd.weight"); has {
		x = m.over(m.width, n, 1, m.rowsOf(m.weight(places), m.width, n, m.positions), x)
	}
	m.shape, m.device = m.net.Output, m.Layer(0)
	if m.shape.Has("token_embd_norm.weight") {
		x = m.norm("token_embd_norm", x)
	}
	size := 4
	if m.Flash {
		size = 2
	}
	m.mask = m.input(size * n * n)
	for i := range m.net.Blocks {
		m.enter(i)
		x = m.encoderLayer(x)
	}
	m.op(m.width, m.Slots, 1, x, m.input(4*m.Slots)) // the vector of each text
}

func (m *model) encoderLayer(x Tensor) Tensor {
	n, heads, size := m.Tokens, m.block.Heads, m.block.HeadSizeK
	y := x
	if m.shape.Has("attn_norm.weight") {
		y = m.norm("attn_norm", x)
	}
	var query, key, value Tensor
	if m.shape.Has("attn_qkv.weight") {
		all := m.times("attn_qkv", y)
		wide := m.tensors[all].sizes.a
		query, key, value = m.show(all, size, heads, n, wide, true), m.show(all, size, heads, n, wide, false), m.show(all, size, heads, n, wide, false)
	} else {
		query, key, value = m.times("attn_q", y), m.times("attn_k", y), m.times("attn_v", y)
	}
	var weighed Tensor
	if m.Flash {
		half := func(t Tensor) Tensor { // padded, then copied as half precision
			padded := m.op(size, heads, n, t)
			return m.op(size*heads/2, n, 1, m.show(padded, size, n, heads, 1, true))
		}
		k := half(key)
		v := half(value)
		weighed = m.reshaped(m.op(size, heads, n, m.show(query, size, n, heads, 1, true), k, v, m.mask), m.width, n, 1)
	} else {
		transposed := m.op(n, size, heads, m.show(value, n, size, heads, 1, true))
		scores := m.op(n, n, heads, m.show(key, size, n, heads, 1, true), m.show(query, size, n, heads, 1, true))
		scores = m.over(n, n, heads, scores, m.mask)
		weighed = m.op(m.width, n, 1, m.show(m.op(size, n, heads, transposed, scores), size, heads, n, 1, true))
	}
	y = m.plus(m.times("attn_output", weighed), x)
	if m.shape.Has("attn_output_norm.weight") {
		y = m.norm("attn_output_norm", y)
	}
	inner := y
	if m.shape.Has("ffn_norm.weight") {
		y = m.norm("ffn_norm", y)
	}
	y = m.plus(m.feedForward(y), inner)
	if m.shape.Has("layer_output_norm.weight") {
		y = m.norm("layer_output_norm", y)
	}
	return y
}

// prediction are the layers for multi-token prediction: they take the embedding
// of the newest token beside the state that led to it.
func (m *model) prediction() {
	n := m.Tokens
	first := len(m.net.Blocks) - m.net.NextN
	if first < 0 || m.net.NextN == 0 {
		return
	}
	m.inputs()
	table, _ := m.net.Input.Find("token_embd.weight")
	token := m.rowsOf(m.held(m.processor(), table.Bytes, true), m.width, n, m.input(4*n))
	hidden := m.input(4 * m.width * n)
	m.enter(first) // one layer at a time is computed
	a, b := m.norm("nextn.enorm", token), m.norm("nextn.hnorm", hidden)
	x := m.times("nextn.eh_proj", m.op(2*m.width, n, 1, a, b))
	x = m.norm("nextn.shared_head_norm", m.decoderLayer(x, None))
	if m.Outputs < n {
		x = m.op(m.width, m.Outputs, 1, x, m.input(4*m.Outputs))
	}
	output, _ := m.output()
	m.device = m.Output
	scores := m.op(m.vocabulary(), m.rows(x), 1, m.weight(output), x)
	m.op(m.vocabulary(), m.rows(x)+1, 1, scores)
}
