// Package embedtest holds what runs wrote against each other.
package embedtest

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// A Row is a line of a JSONL output.
type Row struct {
	ID, Path, Text            string
	Chunk, Start, End, Tokens int
	Vector                    []float64
}

// Rows are those of a JSONL output.
func Rows(t testing.TB, path string) (rows []Row) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		var r Row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// rounding is how far apart two vectors of one text may be: an engine rounds otherwise
// when it computes other texts beside it.
const rounding = 0.02

// Same wants rows to be those of another run, vectors but for their rounding.
func Same(t testing.TB, got, want []Row) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if len(g.Vector) != len(w.Vector) {
			t.Fatalf("%d numbers for %s, want %d", len(g.Vector), w.ID, len(w.Vector))
		}
		var sum float64
		for n := range w.Vector {
			sum += (w.Vector[n] - g.Vector[n]) * (w.Vector[n] - g.Vector[n])
		}
		if apart := math.Sqrt(sum); apart > rounding {
			t.Errorf("the vector of %s is another: %v apart", w.ID, apart)
		}
		g.Vector, w.Vector = nil, nil
		if fmt.Sprint(g) != fmt.Sprint(w) {
			t.Errorf("row %d is %+v, want %+v", i, g, w)
		}
	}
}
