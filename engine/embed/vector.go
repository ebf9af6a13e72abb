package embed

import (
	"encoding/binary"
	"math"

	"paddock/engine/vector"
)

// shape makes a vector as the settings want it of one as the engine gives it, in
// place where it can. A whole vector stays exactly as it came.
func (s Settings) shape(v []float32) []float32 {
	if s.Dimensions == 0 || s.Dimensions >= len(v) {
		return v
	}
	if s.LayerNorm {
		layerNorm(v)
	}
	v = v[:s.Dimensions:s.Dimensions]
	if s.Normalise == L2 {
		toLength1(v)
	}
	return v
}

// layerNorm takes a vector's values to mean 0 and variance 1. Without the small
// number that training adds to the variance, so that the length it comes with makes
// no difference.
func layerNorm(v []float32) {
	var sum, squares float64
	for _, x := range v {
		sum += float64(x)
	}
	mean := sum / float64(len(v))
	for _, x := range v {
		squares += (float64(x) - mean) * (float64(x) - mean)
	}
	deviation := math.Sqrt(squares / float64(len(v)))
	if deviation == 0 {
		return
	}
	for i, x := range v {
		v[i] = float32((float64(x) - mean) / deviation)
	}
}

func toLength1(v []float32) {
	if l := vector.Length(v); l > 0 {
		for i, x := range v {
			v[i] = float32(float64(x) / l)
		}
	}
}

// toBytes are a vector's values one after the other, little-endian, as sqlite-vec
// and numpy have them.
func toBytes(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func fromBytes(b []byte) []float32 {
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}
