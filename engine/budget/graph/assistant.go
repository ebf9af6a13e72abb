package graph

// assistant are the layers of an MTP assistant (Gemma 4): a small network that
// takes the target's embedding of the newest token beside the target's state,
// narrows both to its own width, and has queries only: keys and values are read
// where the target keeps them. So it has no cache, but masks as large as the
// target's.
func (m *model) assistant() {
	n := m.Tokens
	m.shape = m.net.Output
	narrow, has := m.shape.Find("nextn.pre_projection.weight")
	if !has {
		return
	}
	m.inputs()
	wide := narrow.Dimensions[0] / 2 // the target's width
	table, _ := m.net.Input.Find("token_embd.weight")
	token := m.rowsOf(m.held(m.processor(), table.Bytes, true), wide, n, m.input(4*n))
	token = m.over(wide, n, 1, token) // scaled
	hidden := m.input(4 * wide * n)
	m.device = m.Layer(0)
	x := m.times("nextn.pre_projection", m.op(2*wide, n, 1, token, hidden))
	wanted := None
	for i := range m.net.Blocks {
		m.enter(i)
		m.block.Attention, m.block.SharesKV = false, true
		if i == len(m.net.Blocks)-1 && m.Outputs < n {
			wanted = m.input(4 * m.Outputs)
		}
		x = m.decoderLayer(x, wanted)
	}
	m.shape, m.device = m.net.Output, m.Output
	x = m.norm("output_norm", x)
	output, _ := m.output()
	m.op(m.vocabulary(), m.rows(x), 1, m.weight(output), x)
	m.times("nextn.post_projection", x)
}
