package graph

import "slices"

// A hole is free memory within a chunk.
type hole struct{ offset, size uint64 }

// A chunk is one buffer of a pool, its holes in order. The last one reaches to
// the chunk's largest possible end.
type chunk struct {
	holes    []hole
	mostUsed uint64
}

// A pool hands out memory as ggml's planning allocator does (ggml_dyn_tallocr in
// ggml-alloc.c), to learn how much a device needs: the best fitting hole, else
// more at the end.
type pool struct {
	chunks     []chunk
	chunkBytes uint64 // the largest buffer of the device
}

// mostChunks is GGML_VBUFFER_MAX_CHUNKS: the last one takes what is left.
const mostChunks = 16

const (
	alignBytes = 32
	endless    = 1 << 62
)

// A place is where a tensor lies.
type place struct {
	chunk  int
	offset uint64
}

func aligned(bytes uint64) uint64 { return (bytes + alignBytes - 1) &^ (alignBytes - 1) }

func (p *pool) take(bytes uint64) place {
	bytes = aligned(bytes)
	at, best := p.bestHole(bytes)
	if best < 0 {
		at, best = p.bestEnd(bytes)
	}
	if best < 0 {
		at, best = p.addChunk(bytes), 0
	}
	c := &p.chunks[at]
	h := &c.holes[best]
	taken := place{at, h.offset}
	h.offset += bytes
	h.size -= bytes
	if h.size == 0 {
		c.holes = slices.Delete(c.holes, best, best+1)
	}
	c.mostUsed = max(c.mostUsed, taken.offset+bytes)
	return taken
}

// bestHole is the smallest hole that is large enough, but for the last of each
// chunk.
func (p *pool) bestHole(bytes uint64) (at, best int) {
	best = -1
	for i := range p.chunks {
		smallest := uint64(endless)
		holes := p.chunks[i].holes
		for j := 0; j < len(holes)-1; j++ {
			if holes[j].size >= bytes && holes[j].size <= smallest {
				at, best, smallest = i, j, holes[j].size
			}
		}
	}
	return at, best
}

// bestEnd is the last hole of the chunk that grows least by it, or wastes least.
func (p *pool) bestEnd(bytes uint64) (at, best int) {
	best = -1
	reuse := int64(-endless)
	for i, c := range p.chunks {
		if len(c.holes) == 0 {
			continue
		}
		last := c.holes[len(c.holes)-1]
		left := int64(c.mostUsed) - int64(last.offset) - int64(bytes)
		if last.size >= bytes && (reuse < 0 && left > reuse || left >= 0 && left < reuse) {
			at, best, reuse = i, len(c.holes)-1, left
		}
	}
	return at, best
}

func (p *pool) addChunk(bytes uint64) int {
	size := max(bytes, p.chunkBytes)
	if p.chunkBytes == 0 || len(p.chunks) == mostChunks-1 {
		size = endless
	}
	p.chunks = append(p.chunks, chunk{holes: []hole{{0, size}}})
	return len(p.chunks) - 1
}

func (p *pool) give(from place, bytes uint64) {
	bytes = aligned(bytes)
	c := &p.chunks[from.chunk]
	for i := range c.holes {
		h := &c.holes[i]
		if h.offset+h.size == from.offset {
			h.size += bytes
			if i+1 < len(c.holes) && h.offset+h.size == c.holes[i+1].offset {
				h.size += c.holes[i+1].size
				c.holes = slices.Delete(c.holes, i+1, i+2)
			}
			return
		}
		if from.offset+bytes == h.offset {
			h.offset, h.size = from.offset, h.size+bytes
			if i > 0 && c.holes[i-1].offset+c.holes[i-1].size == h.offset {
				c.holes[i-1].size += h.size
				c.holes = slices.Delete(c.holes, i, i+1)
			}
			return
		}
	}
	at := slices.IndexFunc(c.holes, func(h hole) bool { return h.offset > from.offset })
	if at < 0 {
		at = len(c.holes)
	}
	c.holes = slices.Insert(c.holes, at, hole{from.offset, bytes})
}

// mostUsed is what the pool's chunks take together.
func (p *pool) mostUsed() uint64 {
	var sum uint64
	for _, c := range p.chunks {
		sum += c.mostUsed
	}
	return sum
}
