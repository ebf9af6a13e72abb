package picture

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

// A format is how pictures of a kind are read. Without decode they are not.
type format struct {
	header func(bounded) header // nil: there is nothing to know
	config func(bounded) (image.Config, error)
	decode func(bounded) (image.Image, error)
}

var formats = map[Kind]format{
	PNG:  {pngHeader, streamed(png.DecodeConfig), streamed(png.Decode)},
	JPEG: {jpegHeader, streamed(jpeg.DecodeConfig), streamed(jpeg.Decode)},
	GIF:  {gifHeader, streamed(gif.DecodeConfig), streamed(gif.Decode)}, // only the first frame
	BMP:  {nil, streamed(bmp.DecodeConfig), streamed(bmp.Decode)},
	TIFF: {tiffHeader, random(tiff.DecodeConfig), random(tiff.Decode)}, // only the first page
	WebP: {webpHeader, streamed(webp.DecodeConfig), decodeWebP},
	HEIC: {heicHeader, heicConfig, decodeHEIC},
}

// readBytes are read of a file at once.
const readBytes = 64 << 10

// streamed is a decoder that reads from the start to the end.
func streamed[T any](decode func(io.Reader) (T, error)) func(bounded) (T, error) {
	return func(r bounded) (T, error) { return decode(bufio.NewReaderSize(r, readBytes)) }
}

// random is a decoder that jumps.
func random[T any](decode func(io.Reader) (T, error)) func(bounded) (T, error) {
	return func(r bounded) (T, error) { return decode(r) }
}

// modelBytes is what a pixel takes, by its colour model.
func modelBytes(model color.Model) uint64 {
	if _, ok := model.(color.Palette); ok {
		return 1
	}
	switch model {
	case color.GrayModel:
		return 1
	case color.Gray16Model:
		return 2
	case color.YCbCrModel:
		return 3
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	}
	return 4
}

var errFrame = errors.New("a frame outside of its picture")

// decodeWebP reads a WebP file, of an animation the first frame: the decoder knows
// none, so it is given a file with just that.
func decodeWebP(r bounded) (image.Image, error) {
	var canvas, frame *riffChunk
	riffChunks(r, riffStart, r.Size(), func(c riffChunk) bool {
		switch c.name {
		case "VP8X":
			canvas = &c
		case "ANMF":
			frame = &c
		}
		return frame == nil
	})
	if frame == nil {
		return webp.Decode(bufio.NewReaderSize(r, readBytes))
	}
	const animationHeader = 16
	position := at(r, frame.offset, animationHeader)
	if canvas == nil || position == nil {
		return nil, io.ErrUnexpectedEOF
	}
	extended := at(r, canvas.offset, 10)
	if extended == nil || frame.length < animationHeader {
		return nil, io.ErrUnexpectedEOF
	}
	where := image.Pt(2*uint24(position), 2*uint24(position[3:]))
	size := image.Pt(uint24(position[6:])+1, uint24(position[9:])+1)
	bounds := image.Rectangle{where, where.Add(size)}
	if !bounds.In(image.Rect(0, 0, uint24(extended[4:])+1, uint24(extended[7:])+1)) {
		return nil, errFrame
	}
	from, to := frame.offset+animationHeader, frame.offset+frame.length
	hasAlpha := byte(0)
	riffChunks(r, from, to, func(c riffChunk) bool {
		if c.name == "ALPH" {
			hasAlpha = 1 << 4
		}
		return true
	})
	head := []byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00")
	binary.LittleEndian.PutUint32(head[4:], uint32(4+8+10+to-from))
	head = append(head, hasAlpha, 0, 0, 0)
	head = append(head, position[6:12]...)
	img, err := webp.Decode(io.MultiReader(bytes.NewReader(head), io.NewSectionReader(r, from, to-from)))
	if err != nil {
		return nil, err
	}
	// Positions are even, so the planes of colours can be moved too.
	switch img := img.(type) {
	case *image.YCbCr:
		img.Rect = img.Rect.Add(where)
	case *image.NYCbCrA:
		img.Rect = img.Rect.Add(where)
	case *image.NRGBA:
		img.Rect = img.Rect.Add(where)
	}
	return img, nil
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
