package embeddings

import (
	"image"

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
