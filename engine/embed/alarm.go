package embed

import (
	"strings"
	"unicode"

	"paddock/engine/vector"
)

// What a lookout compares of a vector, and how many vectors it remembers. Texts
// that are cut off come soon, and memory stays the same however long a run is.
const (
	lookoutValues = 64
	lookoutSize   = 1 << 15
)

// A lookout sees that different texts get the same vector. It looks at the first
// values only; vectors of one text differ by rounding.
type lookout struct {
	seen map[uint64]sighting // by the values' signs
}

type sighting struct {
	head  [lookoutValues]float32
	text  uint64
	path  string
	chunk int
}

func newLookout() *lookout { return &lookout{seen: map[uint64]sighting{}} }

// see takes note of a vector, and is what it is wrong with it beside others.
func (l *lookout) see(path string, c Chunk, v []float32) *VectorError {
	var signs uint64
	s := sighting{text: gist(c.Text), path: path, chunk: c.Index}
	n := min(len(v), lookoutValues)
	copy(s.head[:], v[:n])
	for i, x := range v[:n] {
		if x < 0 {
			signs |= 1 << i
		}
	}
	other, there := l.seen[signs]
	if !there && len(l.seen) < lookoutSize {
		l.seen[signs] = s
	}
	if !there || other.text == s.text || vector.Apart(other.head[:n], s.head[:n]) > 1e-5 {
		return nil
	}
	return &VectorError{Problem: Same, Path: path, Chunk: c.Index, Other: other.path, OtherChunk: other.chunk}
}

// gist is the same for texts that a tokenizer may well take for one: of other case,
// blanks and punctuation.
func gist(text string) uint64 {
	var hash uint64 = 14695981039346656037 // FNV-1a
	for _, r := range strings.ToLower(text) {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			hash = (hash ^ uint64(r)) * 1099511628211
		}
	}
	return hash
}
