package widgets

import (
	"slices"
	"sort"
)

// heights are the heights of the rows of a list, top to bottom, and where each
// row starts. Sums are made again only from the first row that changed.
type heights struct {
	each  []float32
	tops  []float64 // tops[i] is the sum of each[:i]; valid up to and with valid
	valid int
}

func (h *heights) len() int { return len(h.each) }

// set changes the height of a row and returns by how much it grew.
func (h *heights) set(i int, height float32) float32 {
	grown := height - h.each[i]
	if grown != 0 {
		h.each[i] = height
		h.valid = min(h.valid, i)
	}
	return grown
}

// replace puts other rows in the place of count rows from i on.
func (h *heights) replace(i, count int, with []float32) {
	h.each = slices.Replace(h.each, i, i+count, with...)
	h.valid = min(h.valid, i)
}

// top is where row i starts. The top of len() is the height of all rows.
func (h *heights) top(i int) float64 {
	if len(h.tops) != len(h.each)+1 {
		h.tops = slices.Grow(h.tops[:min(len(h.tops), h.valid+1)], len(h.each)+1)[:len(h.each)+1]
		h.tops[0] = 0
	}
	for ; h.valid < i; h.valid++ {
		h.tops[h.valid+1] = h.tops[h.valid] + float64(h.each[h.valid])
	}
	return h.tops[i]
}

func (h *heights) total() float64 { return h.top(len(h.each)) }

// at is the row that covers y: the first row above all rows, the last one below.
func (h *heights) at(y float64) int {
	h.total()
	i := sort.Search(len(h.each), func(i int) bool { return h.tops[i+1] > y })
	return max(0, min(i, len(h.each)-1))
}
