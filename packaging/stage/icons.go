package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"

	"github.com/fyne-io/oksvg"
	"github.com/srwiley/rasterx"
)

// iconSizes are the squares desktops ask for, in pixels.
var iconSizes = []int{16, 22, 24, 32, 48, 64, 128, 256, 512}

// smallSize is up to which size the simpler drawing is used, whose lines lie on
// the pixels of the smallest.
const smallSize = 24

// icons draws the program's icon in every size, and keeps the drawing.
func icons(in inputs, app tree) error {
	large, err := os.ReadFile(filepath.Join(in.source, "assets", "app.svg"))
	if err != nil {
		return err
	}
	small, err := os.ReadFile(filepath.Join(in.source, "packaging", "linux", "small.svg"))
	if err != nil {
		return err
	}
	const folder, name = "usr/share/icons/hicolor/", "/apps/" + id
	if err := app.write(folder+"scalable"+name+".svg", large); err != nil {
		return err
	}
	for _, size := range iconSizes {
		drawing := large
		if size <= smallSize {
			drawing = small
		}
		picture, err := drawn(drawing, size)
		if err != nil {
			return fmt.Errorf("the icon of %d pixels: %w", size, err)
		}
		if err := app.write(fmt.Sprintf("%s%dx%d%s.png", folder, size, size, name), picture); err != nil {
			return err
		}
	}
	return nil
}

// drawn is an SVG as a PNG of so many pixels square.
func drawn(svg []byte, size int) ([]byte, error) {
	icon, err := oksvg.ReadIconStream(bytes.NewReader(svg), oksvg.StrictErrorMode)
	if err != nil {
		return nil, err
	}
	icon.SetTarget(0, 0, float64(size), float64(size))
	picture := image.NewRGBA(image.Rect(0, 0, size, size))
	scanner := rasterx.NewScannerGV(size, size, picture, picture.Bounds())
	icon.Draw(rasterx.NewDasher(size, size, scanner), 1)
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err = encoder.Encode(&out, picture)
	return out.Bytes(), err
}
