package picture

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
)

const (
	jpegQuality = 90
	// smallPixels is from where down a PNG is small whatever it shows.
	smallPixels = 128 * 128
	// fewColours are those of drawings.
	fewColours = 256
)

// encode writes a picture as PNG when it has edges that JPEG would smear, like
// text, drawings and what was cut out, and as JPEG when it looks like a photo.
func encode(img *image.RGBA, transparent bool) (data []byte, mime string, err error) {
	var b bytes.Buffer
	if transparent || img.Rect.Dx()*img.Rect.Dy() <= smallPixels || isDrawing(img) {
		encoder := png.Encoder{CompressionLevel: png.BestSpeed}
		err = encoder.Encode(&b, img)
		return b.Bytes(), "image/png", err
	}
	err = jpeg.Encode(&b, img, &jpeg.Options{Quality: jpegQuality})
	return b.Bytes(), "image/jpeg", err
}

// isDrawing reports whether a picture has few colours, or is mostly of even areas
// as a page or a screen is.
func isDrawing(img *image.RGBA) bool {
	colours := make(map[[3]uint8]struct{}, fewColours)
	even, pixels := 0, len(img.Pix)/4
	var last [3]uint8
	for p := img.Pix; len(p) >= 4; p = p[4:] {
		colour := [3]uint8{p[0], p[1], p[2]}
		if colour == last {
			even++
			continue
		}
		last = colour
		if len(colours) <= fewColours {
			colours[colour] = struct{}{}
		}
	}
	return len(colours) <= fewColours || 2*even > pixels
}
