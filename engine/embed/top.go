package embed

import (
	"cmp"
	"slices"
)

// A scored is a row with its score.
type scored struct {
	number int64
	score  float64
}

// topOf keeps the best of many rows.
type topOf struct {
	most int
	best []scored
}

// add takes a row in. What is kept is cut back when it has grown to twice as much.
func (t *topOf) add(number int64, score float64) {
	t.best = append(t.best, scored{number, score})
	if len(t.best) >= 2*t.most+64 {
		t.best = t.sorted()
	}
}

// sorted are the best, the very best first.
func (t *topOf) sorted() []scored {
	slices.SortFunc(t.best, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.number, b.number))
	})
	return t.best[:min(t.most, len(t.best))]
}
