package picturetest

import (
	"bytes"
	"embed"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// files are of the formats Go has no encoder for: Quadrants of 48 by 32 pixels,
// made by ImageMagick 6.9. Of alpha.webp the lower half is transparent,
// quadrants.heic has 200 by 150 pixels, turned.heic is the same with a box irot put
// in by hand, ycck.jpg has four components.
//
//go:embed files
var files embed.FS

// File is one of the files in the folder files.
func File(t testing.TB, name string) []byte {
	t.Helper()
	data, err := files.ReadFile("files/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The colours of Quadrants.
var (
	TopLeft     = color.RGBA{0xf0, 0, 0, 0xff}
	TopRight    = color.RGBA{0, 0xa0, 0, 0xff}
	BottomLeft  = color.RGBA{0, 0, 0xf0, 0xff}
	BottomRight = color.RGBA{0xf0, 0xf0, 0, 0xff}
)

// Quadrants has a colour in each corner.
func Quadrants(width, height int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			colours := [2][2]color.RGBA{{TopLeft, TopRight}, {BottomLeft, BottomRight}}
			img.SetRGBA(x, y, colours[2*y/height][2*x/width])
		}
	}
	return img
}

// Photo has a different colour in every pixel, nearly.
func Photo(width, height int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	noise := uint32(1)
	for y := range height {
		row := img.Pix[y*img.Stride:][:4*width]
		for x := range width {
			noise = noise*1664525 + 1013904223
			n := uint8(noise >> 29)
			row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = uint8(x*200/width)+n, uint8(y*200/height)+n, uint8((x+y)*200/(width+height))+n, 0xff
		}
	}
	return img
}

// Encode makes a file of a picture: "png", "jpeg", "gif", "bmp" or "tiff".
func Encode(t testing.TB, kind string, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch kind {
	case "png":
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img)
	case "jpeg":
		err = jpeg.Encode(&b, img, &jpeg.Options{Quality: 95})
	case "gif":
		err = gif.Encode(&b, img, nil)
	case "bmp":
		err = bmp.Encode(&b, img)
	case "tiff":
		err = tiff.Encode(&b, img, &tiff.Options{Compression: tiff.Deflate})
	default:
		t.Fatalf("no encoder for %s", kind)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// EXIF is a block that says how a picture has to be turned, and where it was
// taken: in the words of place.
func EXIF(orientation uint16, place string) []byte {
	const ifd, entries = 8, 2
	order := binary.BigEndian
	b := append([]byte("MM\x00*"), order.AppendUint32(nil, ifd)...)
	b = order.AppendUint16(b, entries)
	text := ifd + 2 + 12*entries + 4
	b = order.AppendUint32(order.AppendUint32(append(b, 0x01, 0x0e, 0, 2), uint32(len(place)+1)), uint32(text)) // ImageDescription
	b = order.AppendUint32(append(b, 0x01, 0x12, 0, 3), 1)
	b = order.AppendUint16(order.AppendUint16(b, orientation), 0)
	b = order.AppendUint32(b, 0) // no more directories
	return append(append(b, place...), 0)
}

// WithEXIF puts a block into a JPEG, a PNG or a WebP file without one.
func WithEXIF(t testing.TB, file, exif []byte) []byte {
	t.Helper()
	switch {
	case bytes.HasPrefix(file, []byte("\xff\xd8")):
		segment := append([]byte{0xff, 0xe1}, binary.BigEndian.AppendUint16(nil, uint16(len(exif)+8))...)
		segment = append(append(segment, "Exif\x00\x00"...), exif...)
		return append(append([]byte("\xff\xd8"), segment...), file[2:]...)
	case bytes.HasPrefix(file, []byte("\x89PNG")):
		const afterHeader = 8 + 25
		return append(append(bytes.Clone(file[:afterHeader]), Chunk("eXIf", exif)...), file[afterHeader:]...)
	case bytes.HasPrefix(file, []byte("RIFF")):
		file = append(bytes.Clone(file), "EXIF"...)
		file = append(binary.LittleEndian.AppendUint32(file, uint32(len(exif))), exif...)
		if len(exif)%2 == 1 {
			file = append(file, 0)
		}
		binary.LittleEndian.PutUint32(file[4:], uint32(len(file)-8))
		return file
	}
	t.Fatal("no place for EXIF")
	return nil
}

// Animation is a GIF of 64 by 64 pixels with two frames. The first is a red square
// in the upper left quarter, and nothing around it.
func Animation(t testing.TB) []byte {
	t.Helper()
	colours := color.Palette{TopLeft, BottomRight}
	first := image.NewPaletted(image.Rect(8, 8, 32, 32), colours)
	second := image.NewPaletted(image.Rect(0, 0, 64, 64), colours)
	for i := range second.Pix {
		second.Pix[i] = 1
	}
	var b bytes.Buffer
	err := gif.EncodeAll(&b, &gif.GIF{
		Image: []*image.Paletted{first, second}, Delay: []int{10, 10},
		Config: image.Config{ColorModel: colours, Width: 64, Height: 64},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
