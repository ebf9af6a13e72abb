// Package vector is what vectors of texts are measured and judged by.
package vector

import "math"

// How far apart vectors are, as a share of their length. Equal texts beside others in a
// batch differ by rounding only; what is closer than Other is one text.
const (
	Same  = 0.02
	Other = 0.001
)

// Length is a vector's, in the metric of its values.
func Length(v []float32) float64 { return math.Sqrt(Dot(v, v)) }

// Dot is the product of two vectors of one size.
func Dot(a, b []float32) float64 {
	var sum float64
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

// Apart is the distance between two vectors of one size, as a share of the first one's
// length.
func Apart(a, b []float32) float64 {
	var sum float64
	for i, x := range a {
		d := float64(x) - float64(b[i])
		sum += d * d
	}
	return math.Sqrt(sum) / Length(a)
}

// Finite says whether all values are numbers with an end.
func Finite(v []float32) bool {
	for _, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return false
		}
	}
	return true
}

// A Verdict is on the vectors of a text, of another one, and of the first again.
type Verdict int

// The verdicts.
const (
	Sound    Verdict = iota
	Unsteady         // one text has two vectors
	Alike            // two texts have one
)

// Judge holds the vectors of a text, of another one, and of the first again against each
// other. They are of one size, and none is of zeros.
func Judge(text, other, again []float32) Verdict {
	between, same := Apart(text, other), Apart(text, again)
	switch {
	case same > Same:
		return Unsteady
	case between < Other || between <= same:
		return Alike
	}
	return Sound
}
