package graph

// attention reads the cache of the layer, or of an earlier one, and writes what
// the new tokens add to it.
func (m *model) attention(x Tensor) Tensor {
	if m.shape.Has("attn_kv_a_mqa.weight") {
		return m.latent(x)
	}
	n, heads, size := m.rows(x), m.block.Heads, m.block.HeadSizeK
	mask, at := m.cacheMask()
	query, key, value, gate := None, None, None, None
	if fused, has := m.shape.Find("attn_qkv.weight"); has {
		all := m.times("attn_qkv", x)
		wide := fused.Dimensions[1]
		query = m.rotated(m.show(all, size, heads, n, wide, true), heads, size, "attn_q_norm")
		value = m.show(all, m.block.HeadSizeV, m.block.KVHeads, n, wide, false)
		key = m.rotated(m.show(all, size, m.block.KVHeads, n, wide, false), m.block.KVHeads, size, "attn_k_norm")
	} else {
		query = m.times("attn_q", x)
		if wide := m.tensors[query].sizes.a; wide == 2*heads*size { // makes a gate too
			gate = m.show(query, size, heads, n, 2*size, false)
			query = m.show(query, size, heads, n, 2*size, true)
		} else {
			query = m.reshaped(query, size, heads, n)
		}
		query = m.rotated(query, heads, size, "attn_q_norm")
		if m.block.Attention {
			value = m.times("attn_v", x)
			key = m.rotated(m.reshaped(m.times("attn_k", x), size, m.block.KVHeads, n), m.block.KVHeads, size, "attn_k_norm")
			if !m.shape.Has("attn_v.weight") {
				value = m.over(size, m.block.KVHeads, n, key)
			}
		}
	}
	keys, values := m.caches()
	if m.block.Attention {
		m.store(keys, m.reshaped(key, size*m.block.KVHeads, n, 1), at)
		m.store(values, m.reshaped(value, m.block.HeadSizeV*m.block.KVHeads, n, 1), at)
	}
	y := m.weigh(query, keys, values, mask, heads, m.block.HeadSizeV)
	if gate != None {
		open := m.op(heads*size, n, 1, gate)
		open = m.over(heads*size, n, 1, open)
		y = m.over(heads*size, n, 1, m.reshaped(y, heads*size, n, 1), open)
	}
	return m.times("attn_output", y)
}

// caches are the layer's keys and values.
func (m *model) caches() (keys, values Tensor) {
	var keyBytes, valueBytes uint64
	if m.Cache != nil {
		keyBytes, valueBytes = m.Cache(m.layer)
	}
	home := m.device
	if m.CacheHome != nil {
		home = m.CacheHome(m.layer)
	}
	return m.held(home, keyBytes, false), m.held(home, valueBytes, false)
}

// rotated are queries or keys, normalised where the layer does so, with their
// positions.
func (m *model) rotated(x Tensor, heads, size int, norm string) Tensor {
	if m.shape.Has(norm + ".weight") {
		x = m.norm(norm, x)
	}
	return m.over(size, heads, m.tensors[x].sizes.c, x, m.positions)
}

// weigh is the attention itself: in one operation, or step by step with the
// scores of all tokens against all cells in memory.
func (m *model) weigh(query, keys, values, mask Tensor, heads, size int) Tensor {
	n := m.tensors[query].sizes.c
	seen := m.show(query, m.tensors[query].sizes.a, n, heads, 1, true)
	if m.Flash {
		y := m.op(size, heads, n, seen, keys, values, mask)
		return m.reshaped(y, size*heads, n, 1)
	}
	cells := m.Cells
	if m.block.Windowed {
		cells = m.WindowCells
	}
	scores := m.op(cells, n, heads, keys, seen)
	scores = m.over(cells, n, heads, scores, mask)
	y := m.op(size, n, heads, values, scores)
	return m.op(size*heads, n, 1, m.show(y, size, heads, n, 1, true))
}

// latent is attention with compressed keys and values (DeepSeek).
func (m *model) latent(x Tensor) Tensor {
	n, heads, rank, rope := m.rows(x), m.block.Heads, m.net.LatentRank, m.net.RopeDimension
	mask, at := m.cacheMask()
	size := m.net.LatentKeys
	if size == 0 {
		size = m.block.HeadSizeK
	}
	plain := size - rope
	query := x
	if m.shape.Has("attn_q_a.weight") {
		query = m.times("attn_q_b", m.norm("attn_q_a_norm", m.times("attn_q_a", x)))
	} else {
		query = m.times("attn_q", x)
	}
	unturned := m.show(query, plain, n, heads, size, true)
	turned := m.show(query, rope, heads, n, size, false)
	if m.net.LatentKeys == 0 {
		return m.uncompressed(x, unturned, turned, mask, at, size, plain)
	}
	absorb, _ := m.shape.Find("attn_k_b.weight")
	absorbed := m.op(rank, n, heads, m.weight(absorb), unturned)
	turned = m.over(rope, heads, n, turned, m.positions)
	query = m.op(rank+rope, heads, n, m.show(absorbed, rank, heads, n, 1, true), turned)
	both := m.times("attn_kv_a_mqa", x)
	latent := m.norm("attn_kv_a_norm", m.show(both, rank, n, 1, rank+rope, true))
	place := m.over(rope, 1, n, m.show(both, rope, 1, n, rank+rope, false), m.positions)
	key := m.op(rank+rope, 1, n, m.reshaped(latent, rank, 1, n), place)
	keys, _ := m.caches()
	again, _ := m.caches() // the part that serves as values; copied once more where it has to be
	m.store(keys, m.reshaped(key, rank+rope, n, 1), at)
	y := m.show(query, rank+rope, n, heads, 1, true)
	expand, _ := m.shape.Find("attn_v_b.weight")
	values := expand.Dimensions[1]
	if m.Flash {
		y = m.op(rank, heads, n, y, keys, again, mask)
		y = m.op(values, n, heads, m.weight(expand), m.show(y, rank, n, heads, 1, true))
	} else {
		scores := m.op(m.Cells, n, heads, keys, y)
		scores = m.over(m.Cells, n, heads, scores, mask)
		y = m.op(rank, n, heads, again, scores)
		y = m.op(values, n, heads, m.weight(expand), y)
	}
	y = m.op(values*heads, n, 1, m.show(y, values, heads, n, 1, true))
	return m.times("attn_output", y)
}

// uncompressed is latent attention of older files, which keep whole keys and
// values.
func (m *model) uncompressed(x, unturned, turned, mask, at Tensor, size, plain int) Tensor {
	n, heads, rank, rope, values := m.rows(x), m.block.Heads, m.net.LatentRank, m.net.RopeDimension, m.block.HeadSizeV
	both := m.times("attn_kv_a_mqa", x)
	latent := m.norm("attn_kv_a_norm", m.show(both, rank, n, 1, rank+rope, true))
	turned = m.over(rope, heads, n, turned, m.positions)
	place := m.over(rope, 1, n, m.show(both, rope, 1, n, rank+rope, false), m.positions)
	all := m.times("attn_kv_b", latent)
	value := m.op(values, heads, n, m.show(all, values, heads, n, plain+values, false))
	query := m.op(size, heads, n, unturned, turned)
	key := m.op(size, heads, n, m.show(all, plain, heads, n, plain+values, true), m.op(rope, heads, n, place))
	keys, stored := m.caches()
	m.store(keys, m.reshaped(key, size*heads, n, 1), at)
	m.store(stored, m.reshaped(value, values*heads, n, 1), at)
	return m.times("attn_output", m.weigh(query, keys, stored, mask, heads, values))
}
