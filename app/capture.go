package app

import (
	"image"
	"image/color"
	"image/png"
	"os"

	"fyne.io/fyne/v2"
)

// capture is the window as it is on the screen.
func capture(w fyne.Window) (image.Image, error) {
	if img, err := captureScreen(w); img != nil || err != nil {
		return img, err
	}
	return w.Canvas().Capture(), nil
}

func writePNG(path string, img image.Image) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := png.Encode(file, img); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// fromBGRX makes an image of rows of blue, green, red and an unused byte.
func fromBGRX(data []byte, width, height int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := 0; i+3 < len(data) && i+3 < len(img.Pix); i += 4 {
		img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = data[i+2], data[i+1], data[i], 0xff
	}
	return img
}

// isBlank says whether a picture is of one colour only: a window that has not
// been drawn.
func isBlank(img image.Image) bool {
	b := img.Bounds()
	first := color.NRGBAModel.Convert(img.At(b.Min.X, b.Min.Y))
	for y := b.Min.Y; y < b.Max.Y; y += 7 {
		for x := b.Min.X; x < b.Max.X; x += 7 {
			if color.NRGBAModel.Convert(img.At(x, y)) != first {
				return false
			}
		}
	}
	return true
}
