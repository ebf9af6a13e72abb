package vector

import (
	"math"
	"testing"
)

func TestVectorsOfTwoTextsAreJudged(t *testing.T) {
	text := []float32{3, 4, 0}
	for name, c := range map[string]struct {
		other, again []float32
		want         Verdict
	}{
		"different texts, and one twice":      {[]float32{0, 4, 3}, []float32{3, 4, 0}, Sound},
		"one text that differs by rounding":   {[]float32{0, 4, 3}, []float32{3, 4.01, 0}, Sound},
		"one text with two vectors":           {[]float32{0, 4, 3}, []float32{3, 4.2, 0}, Unsteady},
		"two texts with one vector":           {[]float32{3, 4, 0}, []float32{3, 4, 0}, Alike},
		"two texts as near as one to itself":  {[]float32{3, 4.01, 0}, []float32{3, 4.02, 0}, Alike},
		"two texts that differ by a rounding": {[]float32{3, 4.001, 0}, []float32{3, 4, 0}, Alike},
	} {
		if got := Judge(text, c.other, c.again); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestLengthDistanceAndEnd(t *testing.T) {
	if l := Length([]float32{3, 4}); l != 5 {
		t.Errorf("length %v", l)
	}
	if d := Apart([]float32{3, 4}, []float32{3, 9}); d != 1 {
		t.Errorf("apart %v", d)
	}
	if !Finite([]float32{1, -2}) || Finite([]float32{1, float32(math.NaN())}) || Finite([]float32{float32(math.Inf(-1))}) {
		t.Error("a value without end is taken for a number")
	}
}
