// Icon writes the program's icon in the format of Windows or macOS:
//
//	go run ./packaging/icon FILE.ico|FILE.icns
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"

	"golang.org/x/image/draw"

	"paddock/assets"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: icon FILE.ico|FILE.icns")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "icon:", err)
		os.Exit(1)
	}
}

func write(path string) error {
	picture, err := png.Decode(bytes.NewReader(assets.AppIcon))
	if err != nil {
		return err
	}
	var data []byte
	switch ext := filepath.Ext(path); ext {
	case ".ico":
		data, err = ico(picture)
	case ".icns":
		data, err = icns(picture)
	default:
		err = fmt.Errorf("%s: .ico and .icns are written, not %q", path, ext)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// icoSides are the sizes Windows asks for, in pixels.
var icoSides = []int{16, 24, 32, 48, 64, 128, 256}

// ico is the picture in the sizes of an icon of Windows, as PNGs, which it takes
// since Vista. Source: "Icons", Microsoft Learn, ICONDIR and ICONDIRENTRY.
func ico(picture image.Image) ([]byte, error) {
	const header, entry = 6, 16
	var index, pictures bytes.Buffer
	little := func(values ...any) {
		for _, v := range values {
			_ = binary.Write(&index, binary.LittleEndian, v) // to a buffer
		}
	}
	little(uint16(0), uint16(1), uint16(len(icoSides)))
	for _, side := range icoSides {
		data, err := scaled(picture, side)
		if err != nil {
			return nil, err
		}
		offset := header + entry*len(icoSides) + pictures.Len()
		// 256 is written as 0: it is a byte. Then colours, reserved, planes, bits.
		little(uint8(side%256), uint8(side%256), uint8(0), uint8(0), uint16(1), uint16(32), uint32(len(data)), uint32(offset))
		pictures.Write(data)
	}
	return append(index.Bytes(), pictures.Bytes()...), nil
}

// icnsKinds are the types of PNGs in an icon of macOS. Source: the file icns of
// Apple's iconutil, as Wikipedia's "Apple Icon Image format" lists them.
var icnsKinds = []struct {
	name string
	side int // in pixels
}{
	{"icp4", 16}, {"icp5", 32}, {"ic11", 32}, {"icp6", 64}, {"ic12", 64}, {"ic07", 128}, {"ic08", 256}, {"ic13", 256},
}

// icns is the picture in the sizes of an icon of macOS. Each part, and the whole,
// has a name of four letters and its length with these eight bytes.
func icns(picture image.Image) ([]byte, error) {
	part := func(name string, data []byte) []byte {
		return append(binary.BigEndian.AppendUint32([]byte(name), uint32(len(data)+8)), data...)
	}
	var parts []byte
	for _, kind := range icnsKinds {
		data, err := scaled(picture, kind.side)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part(kind.name, data)...)
	}
	return part("icns", parts), nil
}

// scaled is a picture as a square PNG.
func scaled(picture image.Image, side int) ([]byte, error) {
	square := image.NewNRGBA(image.Rect(0, 0, side, side))
	draw.CatmullRom.Scale(square, square.Bounds(), picture, picture.Bounds(), draw.Src, nil)
	var data bytes.Buffer
	err := png.Encode(&data, square)
	return data.Bytes(), err
}
