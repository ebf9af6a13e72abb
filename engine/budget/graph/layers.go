package graph

// decoderLayer is one layer: attention or a recurrent net, then a feed-forward
// net or experts, each added to what came in.
func (m *model) decoderLayer(x, wanted Tensor) Tensor {
	y := m.norm("attn_norm", x)
	switch {
	case m.block.Recurrent && m.block.Attention: // side by side: Falcon H1
		y = m.plus(m.mamba2(y), m.attention(y))
	case m.block.Recurrent:
		y = m.recurrent(y)
	case m.block.Attention || m.block.SharesKV:
		y = m.attention(y)
	default:
		y = m.feedForward(y) // a layer of nothing else: Nemotron H
		return m.plus(m.pick(y, wanted), m.pick(x, wanted))
	}
	after := m.shape.Has("post_attention_norm.weight") && m.shape.Has("ffn_norm.weight") // Gemma
	if !after {
		y, x = m.pick(y, wanted), m.pick(x, wanted)
	}
	if after {
		y = m.norm("post_attention_norm", y)
		y, x = m.pick(y, wanted), m.pick(x, wanted)
	}
	inner := m.plus(y, x)
	if m.shape.Has("ffn_gate_inp.scale") {
		return m.gemmaExperts(inner)
	}
	if !m.shape.Has("ffn_up.weight") && !m.shape.Has("ffn_down.weight") && !m.hasExperts() {
		return inner
	}
	y = inner
	switch {
	case m.shape.Has("ffn_norm.weight"):
		y = m.norm("ffn_norm", inner)
	case m.shape.Has("post_attention_norm.weight"):
		y = m.norm("post_attention_norm", inner)
	}
	y = m.feedForward(y)
	if m.shape.Has("post_ffw_norm.weight") {
		y = m.norm("post_ffw_norm", y)
	}
	y = m.plus(y, inner)
	if m.net.PerLayer > 0 && !m.MTP {
		y = m.perLayerInput(y)
	}
	return m.scaled(y)
}

// scaled multiplies by a number the layer has.
func (m *model) scaled(x Tensor) Tensor {
	if scale, has := m.shape.Find("layer_output_scale.weight"); has {
		return m.over(m.width, m.rows(x), 1, x, m.weight(scale))
	}
	return x
}

func (m *model) hasExperts() bool {
	return m.shape.Has("ffn_gate_inp.weight")
}

func (m *model) feedForward(x Tensor) Tensor {
	if !m.hasExperts() {
		return m.dense(x, "ffn_gate", "ffn_up", "ffn_down")
	}
	y := m.experts(x, x)
	if !m.shape.Has("ffn_up_shexp.weight") {
		return y
	}
	shared := m.dense(x, "ffn_gate_shexp", "ffn_up_shexp", "ffn_down_shexp")
	if gate, has := m.shape.Find("ffn_gate_inp_shexp.weight"); has {
		weight := m.op(1, m.rows(x), 1, m.weight(gate), x)
		weight = m.over(1, m.rows(x), 1, weight)
		shared = m.over(m.width, m.rows(x), 1, shared, weight)
	}
	return m.plus(y, shared)
}

// dense is a feed-forward net, with or without a gate.
func (m *model) dense(x Tensor, gate, up, down string) Tensor {
	n := m.rows(x)
	if m.shape.Has(gate + ".weight") {
		g := m.times(gate, x)
		u := m.times(up, x)
		wide := m.tensors[u].sizes.a
		return m.times(down, m.op(wide, n, 1, g, u))
	}
	u := m.times(up, x)
	wide := m.tensors[u].sizes.a
	if matrix, has := m.shape.Find(down + ".weight"); has && matrix.Dimensions[0]*2 == wide { // the gate is in the same matrix
		return m.times(down, m.op(wide/2, n, 1, u))
	}
	return m.times(down, m.over(wide, n, 1, u))
}

// mostUsedExperts is more than any model uses at a time.
const mostUsedExperts = 256

// experts is a mixture of experts: route chooses them, x goes through them.
func (m *model) experts(route, x Tensor) Tensor {
	n, all := m.rows(x), max(m.facts.Experts, 1)
	used := min(max(m.facts.ExpertsUsed, 1), all, mostUsedExperts)
	scores := m.times("ffn_gate_inp", route)
	late := m.facts.Architecture == "gpt-oss" // weighs the chosen experts' scores only
	if !late {
		scores = m.over(all, n, 1, scores)
	}
	choice := scores
	if bias, has := m.shape.Find("exp_probs_b.bias"); has {
		choice = m.over(all, n, 1, scores, m.weight(bias))
	}
	sorted := m.op(all, n, 1, choice)
	chosen := m.show(sorted, used, n, 1, all, true)
	weights := m.op(1, used, n, m.reshaped(scores, 1, all, n), chosen)
	flat := m.reshaped(weights, used, n, 1)
	if late {
		flat = m.over(used, n, 1, flat)
	} else {
		sum := m.over(1, n, 1, m.op(1, n, 1, flat))
		flat = m.over(used, n, 1, flat, sum)
	}
	weights = m.reshaped(flat, 1, used, n)
	return m.throughExperts(x, chosen, weights, used)
}

func (m *model) throughExperts(x, chosen, weights Tensor, used int) Tensor {
	n := m.rows(x)
	through := func(name string, x Tensor) Tensor {
		matrix, _ := m.shape.Find(name + ".weight")
		wide := matrix.Dimensions[1]
		y := m.op(wide, used, n, m.weight(matrix), x, chosen)
		if bias, has := m.shape.Find(name + ".bias"); has {
			y = m.over(wide, used, n, y, m.weight(bias), chosen)
		}
		return y
	}
	tokens := m.reshaped(x, m.width, 1, n)
	var inner Tensor
	switch {
	case m.shape.Has("ffn_gate_up_exps.weight"):
		both := through("ffn_gate_up_exps", tokens)
		wide := m.tensors[both].sizes.a / 2
		inner = m.op(wide, used, n, m.show(both, wide, used, n, 2*wide, true), m.show(both, wide, used, n, 2*wide, false))
	case m.shape.Has("ffn_gate_exps.weight"):
		gate := through("ffn_gate_exps", tokens)
		up := through("ffn_up_exps", tokens)
		inner = m.op(m.tensors[up].sizes.a, used, n, gate, up)
	default:
		up := through("ffn_up_exps", tokens)
		inner = m.over(m.tensors[up].sizes.a, used, n, up)
	}
	y := through("ffn_down_exps", inner)
	y = m.over(m.width, used, n, y, weights)
	views := make([]Tensor, used)
	for i := range views {
		views[i] = m.show(y, m.width, n, 1, used*m.width, i == 0)
	}
	sum := views[0]
	for _, view := range views[1:] {
		sum = m.over(m.width, n, 1, sum, view)
	}
	return sum
}

// gemmaExperts has a feed-forward net and experts side by side (Gemma 4).
func (m *model) gemmaExperts(x Tensor) Tensor {
	n := m.rows(x)
	scale, _ := m.shape.Find("ffn_gate_inp.scale")
	route := m.over(m.width, n, 1, x)
	route = m.over(m.width, n, 1, route)
	route = m.over(m.width, n, 1, route, m.weight(scale))
	experts := m.experts(route, m.norm("pre_ffw_norm_2", x))
	y := m.norm("post_ffw_norm_1", m.dense(m.norm("ffn_norm", x), "ffn_gate", "ffn_up", "ffn_down"))
	y = m.plus(y, m.norm("post_ffw_norm_2", experts))
	y = m.norm("post_ffw_norm", y)
	return m.scaled(m.plus(y, x))
}

// perLayerEmbeddings look up what each layer adds of its own (Gemma 3n, Gemma 4).
func (m *model) perLayerEmbeddings() Tensor {
	matrix, _ := m.net.Input.Find("per_layer_token_embd.weight")
	table := m.held(m.processor(), matrix.Bytes, true)
	return m.rowsOf(table, m.net.PerLayer*len(m.net.Blocks), m.Tokens, m.input(4*m.Tokens))
}

// projectPerLayer makes of the embeddings what every layer adds.
func (m *model) projectPerLayer() Tensor {
	shape := m.shape
	m.shape = m.net.Output
	defer func() { m.shape = shape }()
	wide, layers, n := m.net.PerLayer, len(m.net.Blocks), m.Tokens
	y := m.times("per_layer_model_proj", m.embedded)
	y = m.over(wide*layers, n, 1, y)
	y = m.reshaped(y, wide, layers, n)
	y = m.norm("per_layer_proj_norm", y)
	own := m.over(wide*layers, n, 1, m.perLayerTable)
	y = m.over(wide, layers, n, y, m.reshaped(own, wide, layers, n))
	y = m.over(wide, layers, n, y)
	return m.op(wide, n, layers, m.show(y, wide, n, layers, wide*layers, true))
}

func (m *model) perLayerInput(x Tensor) Tensor {
	n, wide := m.rows(x), m.net.PerLayer
	y := m.times("inp_gate", x)
	y = m.over(wide, n, 1, y)
	if m.perLayer == None {
		m.perLayer = m.projectPerLayer()
	}
	own := m.show(m.perLayer, wide, m.Tokens, 1, 0, m.layer == 0)
	if n < m.Tokens {
		own = m.op(wide, n, 1, own, m.input(4*n))
	}
	y = m.over(wide, n, 1, y, own)
	y = m.norm("post_norm", m.times("proj", y))
	return m.plus(x, y)
}
