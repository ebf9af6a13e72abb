package embeddings

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
)

// barless shows an entry without the scroll bar that Fyne draws over a text that is
// longer: it covers the text, and the arrow keys move along it.
func barless(entry fyne.CanvasObject) fyne.CanvasObject {
	return container.NewThemeOverride(entry, withoutBars{})
}

// withoutBars is the program's theme, whichever that is, without scroll bars.
type withoutBars struct{}

func now() fyne.Theme { return fyne.CurrentApp().Settings().Theme() }

// Size is the theme's, but for scroll bars.
func (withoutBars) Size(name fyne.ThemeSizeName) float32 {
	switch name {
	case fynetheme.SizeNameScrollBar, fynetheme.SizeNameScrollBarSmall:
		return 0
	}
	return now().Size(name)
}

// Color is the theme's.
func (withoutBars) Color(name fyne.ThemeColorName, variant fyne.ThemeVariant) color.Color {
	return now().Color(name, variant)
}

// Font is the theme's.
func (withoutBars) Font(style fyne.TextStyle) fyne.Resource { return now().Font(style) }

// Icon is the theme's.
func (withoutBars) Icon(name fyne.ThemeIconName) fyne.Resource { return now().Icon(name) }
