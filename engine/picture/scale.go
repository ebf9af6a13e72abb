package picture

import (
	"context"
	"image"
	"image/draw"
)

// A scale makes a picture small in two steps: blocks of whole pixels become their
// mean while it is put on white, band by band, then what is left, by less than
// half, is resampled. So a huge picture is never there a second time, and takes
// little longer than it takes to look at each pixel once.
type scale struct {
	from   image.Point
	block  int         // pixels of a side that become one
	middle image.Point // size after that
	to     image.Point
}

func newScale(from image.Point, side int) scale {
	s := scale{from: from, block: 1, to: from}
	if long := max(from.X, from.Y); long > side {
		s.to = image.Pt(scaled(from.X, side, long), scaled(from.Y, side, long))
		s.block = max(1, long/side)
	}
	s.middle = image.Pt((from.X+s.block-1)/s.block, (from.Y+s.block-1)/s.block)
	return s
}

// scaled is n * side / long, rounded, and never nothing.
func scaled(n, side, long int) int { return max(1, (n*side+long/2)/long) }

func (s scale) smaller() bool { return s.to != s.from }

// bandBytes is about how large the band is that is put on white at once.
const bandBytes = 1 << 20

// memory is what scaling takes, in bytes.
func (s scale) memory() uint64 {
	area := func(p image.Point) uint64 { return 4 * uint64(p.X) * uint64(p.Y) }
	const copies = 3 // in both steps of resampling, and turned
	return area(s.middle) + copies*area(image.Pt(s.to.X, s.middle.Y)) + area(image.Pt(s.from.X, s.bandRows()))
}

// bandRows is the height of a band, in whole blocks.
func (s scale) bandRows() int {
	return max(1, bandBytes/(4*s.from.X*s.block)) * s.block
}

// apply scales a picture. It may be smaller than the size it belongs to, like the
// first frame of an animation: around it is white.
func (s scale) apply(ctx context.Context, img image.Image) (*image.RGBA, error) {
	middle := image.NewRGBA(image.Rectangle{Max: s.middle})
	band := middle
	if s.block > 1 {
		band = image.NewRGBA(image.Rect(0, 0, s.from.X, s.bandRows()))
	}
	for y := 0; y < s.from.Y; y += s.bandRows() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows := min(s.bandRows(), s.from.Y-y)
		if s.block == 1 {
			onWhite(band, image.Rect(0, y, s.from.X, y+rows), img, y)
			continue
		}
		onWhite(band, image.Rect(0, 0, s.from.X, rows), img, y)
		s.merge(middle, y/s.block, band, rows)
	}
	if s.middle == s.to {
		return middle, nil
	}
	return resample(ctx, middle, s.to)
}

// onWhite puts the rows of a picture from y on into rect.
func onWhite(to *image.RGBA, rect image.Rectangle, img image.Image, y int) {
	draw.Draw(to, rect, image.White, image.Point{}, draw.Src)
	draw.Draw(to, rect, img, image.Pt(0, y), draw.Over)
}

// merge puts the means of the blocks of so many rows of the band into middle, from
// a row on.
func (s scale) merge(middle *image.RGBA, at int, band *image.RGBA, rows int) {
	sums := make([]uint32, 3*s.middle.X)
	for top := 0; top < rows; top += s.block {
		bottom := min(top+s.block, rows)
		clear(sums)
		for row := top; row < bottom; row++ {
			s.sum(sums, band.Pix[row*band.Stride:][:4*s.from.X])
		}
		s.mean(middle.Pix[(at+top/s.block)*middle.Stride:], sums, uint32(bottom-top))
	}
}

// sum adds a row of pixels to the sums of its blocks.
func (s scale) sum(sums []uint32, row []uint8) {
	for len(row) > 0 {
		n := min(4*s.block, len(row))
		var r, g, b uint32
		for p := row[:n]; len(p) >= 4; p = p[4:] {
			r += uint32(p[0])
			g += uint32(p[1])
			b += uint32(p[2])
		}
		sums[0] += r
		sums[1] += g
		sums[2] += b
		sums, row = sums[3:], row[n:]
	}
}

// mean makes pixels of the sums of blocks of so many rows.
func (s scale) mean(pixels []uint8, sums []uint32, rows uint32) {
	for x := range s.middle.X {
		n := rows * uint32(min(s.block, s.from.X-x*s.block))
		for c := range 3 {
			pixels[4*x+c] = uint8((sums[3*x+c] + n/2) / n)
		}
		pixels[4*x+3] = 0xff
	}
}

// turn turns and mirrors a picture the way EXIF says it is stored.
func turn(img *image.RGBA, orientation int) *image.RGBA {
	if orientation <= 1 {
		return img
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	turned := image.NewRGBA(size)
	for y := range h {
		for x := range w {
			var to image.Point
			switch orientation {
			case 2:
				to = image.Pt(w-1-x, y)
			case 3:
				to = image.Pt(w-1-x, h-1-y)
			case 4:
				to = image.Pt(x, h-1-y)
			case 5:
				to = image.Pt(y, x)
			case 6:
				to = image.Pt(h-1-y, x)
			case 7:
				to = image.Pt(h-1-y, w-1-x)
			case 8:
				to = image.Pt(y, w-1-x)
			}
			copy(turned.Pix[turned.PixOffset(to.X, to.Y):][:4], img.Pix[img.PixOffset(x, y):][:4])
		}
	}
	return turned
}

// pad gives a picture with a side below PaddedSide a white border.
func pad(img *image.RGBA) (padded *image.RGBA, done bool) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	width, height := max(w, PaddedSide), max(h, PaddedSide)
	if width == w && height == h {
		return img, false
	}
	padded = image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(padded, padded.Rect, image.White, image.Point{}, draw.Src)
	where := img.Rect.Add(image.Pt((width-w)/2, (height-h)/2))
	draw.Draw(padded, where, img, image.Point{}, draw.Src)
	return padded, true
}
