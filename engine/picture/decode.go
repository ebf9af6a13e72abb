package picture

import (
	"errors"
	"image"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// A seen picture is one that was decoded, turned and scaled, on white.
type seen struct {
	img         *image.RGBA
	scaled      bool
	transparent bool // before it was put on white
}

// decode reads the picture, with a long side of at most side pixels.
func (f *file) decode(side int) (seen, error) {
	perPixel := f.perPixel
	if perPixel == 0 {
		perPixel = modelBytes(f.stored.ColorModel)
	}
	if f.kind == TIFF {
		perPixel *= 2 // a strip beside the picture, and it may be all of it
	}
	scale := newScale(image.Pt(f.stored.Width, f.stored.Height), side)
	need := uint64(f.stored.Width)*uint64(f.stored.Height)*perPixel + scale.memory()
	if need > MaxDecodeBytes {
		e := f.failed(TooLarge, nil)
		e.Memory, e.Bytes, e.LimitBytes = true, need, MaxDecodeBytes
		return seen{}, e
	}
	free, err := f.reserve(need)
	if err != nil {
		return seen{}, err
	}
	defer free()
	img, err := formats[f.kind].decode(f.reader())
	if err != nil {
		return seen{}, f.undecodable(err)
	}
	small, err := scale.apply(f.ctx, img)
	if err != nil {
		return seen{}, err
	}
	return seen{turn(small, f.orientation), scale.smaller(), !opaque(img)}, nil
}

// undecodable is the error of a picture its decoder doesn't read.
func (f *file) undecodable(err error) *Error {
	var ofJPEG jpeg.UnsupportedError
	var ofPNG png.UnsupportedError
	var ofTIFF tiff.UnsupportedError
	if errors.As(err, &ofJPEG) || errors.As(err, &ofPNG) || errors.As(err, &ofTIFF) ||
		errors.Is(err, bmp.ErrUnsupported) || errors.Is(err, errSystemLibrary) || errors.Is(err, errNarrow) {
		return f.failed(Unsupported, err)
	}
	return f.failed(Broken, err)
}

func opaque(img image.Image) bool {
	o, ok := img.(interface{ Opaque() bool })
	return !ok || o.Opaque()
}
