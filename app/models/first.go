package models

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// firstPage is what a person sees who has no models yet.
func firstPage(guideBytes uint64, setUpGuide, openFile, addFolder func()) fyne.CanvasObject {
	logo := canvas.NewImageFromResource(theme.Logo())
	logo.FillMode = canvas.ImageFillContain
	head := widgets.HGap(18,
		widgets.Fixed(62, 62, logo),
		widgets.Grow(widgets.VGap(2,
			widgets.Text(widgets.Empty, words.T("models.first.title")),
			widgets.Paragraph(widgets.Body, words.T("models.first.about")).Colour(theme.TextQuiet),
		)),
	)
	try := widgets.NewButton(words.T("models.first.guide.button"), "", widgets.Filled, setUpGuide)
	file := widgets.NewButton(words.T("models.first.file.button"), "", widgets.Edged, openFile)
	folder := widgets.NewButton(words.T("models.first.folder.button"), "", widgets.Edged, addFolder)
	return container.New(centred{720}, widgets.VGap(12,
		widgets.Inset(0, 0, 0, 8, head),
		firstCard(theme.IconBolt, theme.Accent, words.T("models.first.guide"),
			words.T("models.first.guide.about", map[string]any{"Size": words.MiB(guideBytes)}), try),
		firstCard(theme.IconFile, theme.Separator, words.T("models.first.file"), words.T("models.first.file.about"), file),
		firstCard(theme.IconFolder, theme.Separator, words.T("models.first.folder"), words.T("models.first.folder.about"), folder),
	))
}

// firstCard is one way to begin.
func firstCard(icon theme.IconName, edge fyne.ThemeColorName, title, about string, button fyne.CanvasObject) fyne.CanvasObject {
	tile := widgets.Fixed(40, 40, widgets.Stack(
		widgets.NewFill(theme.Selected, "", theme.RadiusControl),
		widgets.NewIcon(icon, theme.Accent, theme.IconSize),
	))
	return widgets.Stack(
		widgets.NewFill(theme.Surface, edge, theme.RadiusCard),
		widgets.Inset(16, 16, 16, 16, widgets.HGap(16,
			tile,
			widgets.Grow(widgets.VGap(2,
				widgets.Text(widgets.Section, title),
				widgets.Paragraph(widgets.Quiet, about),
			)),
			button,
		)),
	)
}

// emptyPage says why the table is empty, in its place.
func emptyPage(title, about string, buttons ...fyne.CanvasObject) fyne.CanvasObject {
	return container.New(centred{420}, widgets.VGap(8,
		widgets.Text(widgets.Title, title),
		widgets.Paragraph(widgets.Quiet, about),
		widgets.Inset(0, 8, 0, 0, widgets.HGap(8, buttons...)),
	))
}

// nothingFound is the page for folders without a GGUF file.
func nothingFound(s State, openFile, addFolder func()) fyne.CanvasObject {
	var folders []string
	for _, source := range s.Sources {
		if source.ID != sourceAll && source.ID != sourceOpened {
			folders = append(folders, source.Label)
		}
	}
	return emptyPage(words.T("models.nothing.title"),
		words.T("models.nothing.about", map[string]any{"Folders": strings.Join(folders, ", ")}),
		widgets.NewButton(words.T("models.first.folder.button"), theme.IconFolder, widgets.Filled, addFolder),
		widgets.NewButton(words.T("models.first.file.button"), "", widgets.Edged, openFile),
	)
}

// noMatch is the page for a filter that hides everything.
func noMatch(s State, clear func()) fyne.CanvasObject {
	hidden := s.Total.Models + s.Total.Companions
	return emptyPage(words.T("models.noMatch.title"),
		words.T("models.noMatch.about", map[string]any{"Count": words.Count(hidden)}),
		widgets.NewButton(words.T("models.filter.clear"), "", widgets.Filled, clear),
	)
}
