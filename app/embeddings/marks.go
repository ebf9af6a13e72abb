package embeddings

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// A mark is a sign of the map, for its legend: drawn as there.
type mark struct {
	widget.BaseWidget
	paint func(img *image.NRGBA, centre, pixel float64)
}

// markSide is the side of a mark, as wide as a ring on the map.
const markSide = 13

func newMark(paint func(img *image.NRGBA, centre, pixel float64)) *mark {
	m := &mark{paint: paint}
	m.ExtendBaseWidget(m)
	return m
}

// CreateRenderer draws the mark.
func (m *mark) CreateRenderer() fyne.WidgetRenderer {
	raster := canvas.NewRaster(func(w, h int) image.Image {
		img := image.NewNRGBA(image.Rect(0, 0, w, h))
		m.paint(img, float64(w)/2, float64(w)/markSide)
		return img
	})
	raster.SetMinSize(fyne.NewSquareSize(markSide))
	return widget.NewSimpleRenderer(raster)
}

// ring is around a passage that was found, or is chosen.
func ring(img *image.NRGBA, x, y, pixel float64, colour fyne.ThemeColorName) {
	disc(img, x, y, 4.2*pixel, 5.8*pixel, theme.Color(colour))
}

// plus is where the question is.
func plus(img *image.NRGBA, x, y, pixel float64) {
	cross(img, x, y, 6*pixel, pixel, theme.Color(theme.Text))
}

// newMarks says what the marks are, below the map.
func newMarks() (row, found, asked fyne.CanvasObject) {
	named := func(key string, paint func(img *image.NRGBA, centre, pixel float64)) fyne.CanvasObject {
		return widgets.HGap(5, widgets.Fixed(markSide, markSide, newMark(paint)), widgets.Text(widgets.Hint, words.T(key)))
	}
	found = named("embeddings.map.found", func(img *image.NRGBA, centre, pixel float64) { ring(img, centre, centre, pixel, theme.Text) })
	asked = named("embeddings.map.asked", func(img *image.NRGBA, centre, pixel float64) { plus(img, centre, centre, pixel) })
	return widgets.HGap(12, found, asked), found, asked
}

// outline draws a rectangle's edge.
func outline(img *image.NRGBA, left, top, right, bottom float64, thick int, c color.Color) {
	edge := image.Rect(int(left), int(top), int(right)+thick, int(bottom)+thick)
	for _, side := range []image.Rectangle{
		{edge.Min, image.Pt(edge.Max.X, edge.Min.Y+thick)}, {image.Pt(edge.Min.X, edge.Max.Y-thick), edge.Max},
		{edge.Min, image.Pt(edge.Min.X+thick, edge.Max.Y)}, {image.Pt(edge.Max.X-thick, edge.Min.Y), edge.Max},
	} {
		draw.Draw(img, side, image.NewUniform(c), image.Point{}, draw.Src)
	}
}

// disc draws a ring, or with an inner radius of 0 a disc.
func disc(img *image.NRGBA, x, y, inner, outer float64, c color.Color) {
	for py := int(y - outer); py <= int(y+outer)+1; py++ {
		for px := int(x - outer); px <= int(x+outer)+1; px++ {
			if d := math.Hypot(float64(px)+0.5-x, float64(py)+0.5-y); d >= inner && d <= outer {
				img.Set(px, py, c)
			}
		}
	}
}

func cross(img *image.NRGBA, x, y, arm, half float64, c color.Color) {
	for d := -arm; d <= arm; d++ {
		for t := -half; t <= half; t++ {
			img.Set(int(x+d), int(y+t), c)
			img.Set(int(x+t), int(y+d), c)
		}
	}
}
