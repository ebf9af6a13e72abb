package picture

import (
	"context"
	"image"
	"math"
)

// A tap is how much of the source's pixels from start on is in a pixel: weights in
// parts of one.
type tap struct {
	start   int
	weights []int32
}

const one = 1 << 14

// taps are of a row of from pixels that becomes one of to pixels, by Catmull and
// Rom's filter: sharp, as text needs it.
func taps(from, to int) []tap {
	ratio := float64(from) / float64(to)
	all := make([]tap, to)
	for i := range all {
		centre := (float64(i)+0.5)*ratio - 0.5
		first := max(0, int(math.Ceil(centre-2*ratio)))
		last := min(from-1, int(math.Floor(centre+2*ratio)))
		shares := make([]float64, 0, last-first+1)
		sum := 0.0
		for at := first; at <= last; at++ {
			share := catmullRom(math.Abs(float64(at)-centre) / ratio)
			shares = append(shares, share)
			sum += share
		}
		all[i] = tap{first, make([]int32, len(shares))}
		for j, share := range shares {
			all[i].weights[j] = int32(math.Round(share / sum * one))
		}
	}
	return all
}

func catmullRom(x float64) float64 {
	switch {
	case x < 1:
		return (1.5*x-2.5)*x*x + 1
	case x < 2:
		return ((-0.5*x+2.5)*x-4)*x + 2
	}
	return 0
}

// resample gives an opaque picture another size, first in its rows and then in its
// columns.
func resample(ctx context.Context, img *image.RGBA, to image.Point) (*image.RGBA, error) {
	height := img.Rect.Dy()
	narrow := image.NewRGBA(image.Rect(0, 0, to.X, height))
	across := taps(img.Rect.Dx(), to.X)
	for y := range height {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from, row := img.Pix[y*img.Stride:], narrow.Pix[y*narrow.Stride:]
		for x, t := range across {
			mix(row[4*x:4*x+4], from[4*t.start:], 4, t.weights)
		}
	}
	small := image.NewRGBA(image.Rectangle{Max: to})
	for y, t := range taps(height, to.Y) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row := small.Pix[y*small.Stride:]
		for x := range to.X {
			mix(row[4*x:4*x+4], narrow.Pix[t.start*narrow.Stride+4*x:], narrow.Stride, t.weights)
		}
	}
	return small, nil
}

// mix makes a pixel of those that are stride bytes apart.
func mix(pixel, from []uint8, stride int, weights []int32) {
	var r, g, b int32 = one / 2, one / 2, one / 2
	for i, weight := range weights {
		p := from[i*stride:][:3]
		r += weight * int32(p[0])
		g += weight * int32(p[1])
		b += weight * int32(p[2])
	}
	pixel[0], pixel[1], pixel[2], pixel[3] = byteOf(r), byteOf(g), byteOf(b), 0xff
}

func byteOf(sum int32) uint8 { return uint8(min(max(sum/one, 0), 0xff)) }
