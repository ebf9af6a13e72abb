package widgets

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// A Plate looks like a Fill with a radius and an edge, for where there are many that
// move. It is computed once for a size and drawn as a picture: where software draws the
// window, a pixel of a rounded rectangle takes three times as long as one of a picture.
// Scrolling the cards of Images took 27 to 33 ms of processor a frame with a Fill and 23
// to 27 with this: on two cores what lies between 51 and 60 frames a second.
type Plate struct {
	widget.BaseWidget
	fill, edge fyne.ThemeColorName
	radius     float32
}

// NewPlate makes a plate of two opaque colours.
func NewPlate(fill, edge fyne.ThemeColorName, radius float32) *Plate {
	p := &Plate{fill: fill, edge: edge, radius: radius}
	p.ExtendBaseWidget(p)
	return p
}

// CreateRenderer draws the plate.
func (p *Plate) CreateRenderer() fyne.WidgetRenderer {
	fill, edge := theme.Color(p.fill), theme.Color(p.edge)
	raster := canvas.NewRaster(func(width, height int) image.Image {
		scale := float64(width) / float64(max(1, p.Size().Width))
		return plate(width, height, float64(p.radius)*scale, int(math.Round(scale)), fill, edge)
	})
	raster.ScaleMode = canvas.ImageScalePixels
	return &renderer{
		objects: []fyne.CanvasObject{raster},
		layout:  raster.Resize,
		min:     func() fyne.Size { return fyne.Size{} },
		refresh: func() {
			if f, e := theme.Color(p.fill), theme.Color(p.edge); f != fill || e != edge {
				fill, edge = f, e
				raster.Refresh()
			}
		},
	}
}

// plate is a rectangle with rounded corners and an edge inside its bounds; all sizes
// are in pixels.
func plate(width, height int, radius float64, line int, fill, edge color.Color) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Rect, image.NewUniform(edge), image.Point{}, draw.Src)
	draw.Draw(img, img.Rect.Inset(line), image.NewUniform(fill), image.Point{}, draw.Src)
	outer, inner := color.RGBA64Model.Convert(edge).(color.RGBA64), color.RGBA64Model.Convert(fill).(color.RGBA64)
	corner := min(int(math.Ceil(radius)), width/2, height/2)
	for y := range corner {
		for x := range corner {
			far := math.Hypot(radius-float64(x)-0.5, radius-float64(y)-0.5) - radius // of the pixel's middle from the outer arc
			in, within := covered(far), covered(far+float64(line))
			mix := func(o, i uint16) uint8 { return uint8((float64(o)*(in-within) + float64(i)*within) / 0x101) }
			c := color.RGBA{mix(outer.R, inner.R), mix(outer.G, inner.G), mix(outer.B, inner.B), uint8(0xff * in)}
			for _, at := range [4]image.Point{{x, y}, {width - 1 - x, y}, {x, height - 1 - y}, {width - 1 - x, height - 1 - y}} {
				img.SetRGBA(at.X, at.Y, c)
			}
		}
	}
	return img
}

// covered is how much of a pixel lies within an edge so many pixels from its middle.
func covered(far float64) float64 { return min(1, max(0, 0.5-far)) }
