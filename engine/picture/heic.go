package picture

import (
	"errors"
	"image"

	"github.com/gen2brain/heic"
)

// HEIC is read by libheif and libde265, translated to WebAssembly: foreign C code
// for hostile files, in a box of its own. The library would rather use a libheif of
// the system, without the box, which the build tag nodynamic forbids. Where a
// program was built without the tag and there is one, HEIC is not read.
//
// libheif turns the picture itself; the EXIF beside it must not turn it again.

var (
	errSystemLibrary = errors.New("built without the tag nodynamic, and there is a libheif on this system")
	errNarrow        = errors.New("HEIC pictures this narrow are not read")
)

// heicNarrowest is the width from where on HEIC is read, in pixels. libheif pads
// the rows of narrower planes, and the library reckons with rows that are not.
const heicNarrowest = 128

// heicMemory is what decoding takes for a pixel, in bytes, as measured at 12, 24
// and 48 million pixels: the memory of the box is copied each time it grows.
const heicMemory = 24

func heicHeader(bounded) header { return header{perPixel: heicMemory} }

func heicConfig(r bounded) (image.Config, error) {
	if heic.Dynamic() == nil {
		return image.Config{}, errSystemLibrary
	}
	config, err := heic.DecodeConfig(r)
	if err == nil && config.Width < heicNarrowest {
		err = errNarrow
	}
	return config, err
}

func decodeHEIC(r bounded) (image.Image, error) { return heic.Decode(r) }
