package main

import (
	"errors"
	"image"
	"image/jpeg"
	"os"
)

// writePhoto writes a JPEG with a different colour in nearly every pixel, which is
// as hard to encode as a photo of leaves.
func writePhoto(path string, noise uint32) error {
	img := image.NewRGBA(image.Rect(0, 0, photoWidth, photoHeight))
	for y := range photoHeight {
		row := img.Pix[y*img.Stride:][:4*photoWidth]
		for x := range photoWidth {
			noise = noise*1664525 + 1013904223
			n := uint8(noise >> 29)
			row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = uint8(x*200/photoWidth)+n, uint8(y*200/photoHeight)+n, uint8((x+y)*100/photoWidth)+n, 0xff
		}
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(jpeg.Encode(file, img, &jpeg.Options{Quality: 92}), file.Close())
}
