package picture

import (
	"context"
	"image"
)

// MaxThumbnailSide is the largest side a thumbnail can have, in pixels.
const MaxThumbnailSide = 1024

// Thumbnail is a picture at most side pixels wide and high, turned the right way
// and on white. A smaller one keeps its size. It returns at once when ctx ends.
// The error is a *Error, or ctx's.
func Thumbnail(ctx context.Context, source Source, side int) (*image.RGBA, error) {
	return run(ctx, source, func(f *file) (*image.RGBA, error) {
		seen, err := f.decode(max(1, min(side, MaxThumbnailSide)))
		return seen.img, err
	})
}
