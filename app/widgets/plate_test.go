package widgets

import (
	"image/color"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"paddock/app/theme"
)

func TestAPlateIsFilledToItsEdgeAndRoundAtEveryCorner(t *testing.T) {
	fill, edge := color.RGBA{20, 30, 40, 255}, color.RGBA{200, 100, 50, 255}
	for name, scale := range map[string]int{"at the usual size": 1, "on a dense screen": 2} {
		t.Run(name, func(t *testing.T) {
			width, height, radius := 60*scale, 40*scale, 10*scale
			img := plate(width, height, float64(radius), scale, fill, edge)
			for _, at := range []struct {
				x, y int
				want color.RGBA
				what string
			}{
				{width / 2, height / 2, fill, "the middle"},
				{width / 2, 0, edge, "the upper edge"},
				{width / 2, height - 1, edge, "the lower edge"},
				{0, height / 2, edge, "the left edge"},
				{width - 1, height / 2, edge, "the right edge"},
				{width / 2, scale, fill, "what is within the upper edge"},
				{width - 1 - scale, height / 2, fill, "what is within the right edge"},
				{0, 0, color.RGBA{}, "outside the corner"},
				{radius, radius, fill, "within the corner"},
			} {
				if got := img.RGBAAt(at.x, at.y); got != at.want {
					t.Errorf("%s is %v instead of %v", at.what, got, at.want)
				}
			}
			for y := range height {
				for x := range width {
					c := img.RGBAAt(x, y)
					if c != img.RGBAAt(width-1-x, y) || c != img.RGBAAt(x, height-1-y) {
						t.Fatalf("the pixel at %d, %d has none like it on the other side", x, y)
					}
					if c.R > c.A || c.G > c.A || c.B > c.A {
						t.Fatalf("the pixel at %d, %d is %v: more than it covers", x, y, c)
					}
				}
			}
		})
	}
}

func TestAPlateSmallerThanItsCornersIsDrawn(t *testing.T) {
	for _, size := range []int{0, 1, 2, 7} {
		if img := plate(size, size, 10, 1, color.Black, color.White); img.Rect.Dx() != size {
			t.Errorf("one of %d pixels has %d", size, img.Rect.Dx())
		}
	}
}

func TestAPlateFollowsTheTheme(t *testing.T) {
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Dark))
	p := NewPlate(theme.Surface, theme.Separator, theme.RadiusCard)
	w := test.NewTempWindow(t, p)
	w.SetPadded(false)
	w.Resize(fyne.NewSize(80, 60))
	for _, name := range []string{theme.Dark, theme.Light} {
		app.Settings().SetTheme(theme.New(name))
		p.Refresh()
		want := color.NRGBAModel.Convert(theme.Color(theme.Surface))
		if got := color.NRGBAModel.Convert(w.Canvas().Capture().At(40, 30)); got != want {
			t.Errorf("in %s it is %v instead of %v", name, got, want)
		}
	}
}
