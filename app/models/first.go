package models

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// A firstView is what a person sees who has no models yet.
type firstView struct {
	hooks  firstHooks
	notice *widgets.Reason
	looked *widgets.ParagraphText
	places belowTitle
	usual  belowTitle // folders of the user's to add
	again  *widgets.Button
	bold   *widgets.TextLabel
	room   *widgets.ParagraphText
	holds  *fyne.Container // the line with room
	apps   []AppPlace
	known  []UsualPlace
	drawn  bool
	box    fyne.CanvasObject
}

// firstHooks are the ways to begin.
type firstHooks struct {
	guide, file, folder, look func()
	add                       func(folder string)
	get                       func() // nil when models can't be fetched
	hardware                  func() // nil when there is no page of the machine
}

func newFirstView(guideBytes uint64, hooks firstHooks) *firstView {
	f := &firstView{
		hooks:  hooks,
		notice: widgets.NewReason(widgets.Bad, ""),
		looked: widgets.Paragraph(widgets.Quiet, ""),
		places: newBelowTitle(container.New(twoColumns{gap: 16})),
		usual:  newBelowTitle(widgets.VGap(6)),
		room:   widgets.Paragraph(widgets.Quiet, ""),
		again:  widgets.NewButton(words.T("models.rescan"), theme.IconRefresh, widgets.Edged, hooks.look),
	}
	logo := canvas.NewImageFromResource(theme.Logo())
	logo.FillMode = canvas.ImageFillContain
	head := widgets.HGap(18,
		widgets.Fixed(62, 62, logo),
		widgets.Grow(widgets.VGap(2,
			widgets.Text(widgets.Empty, words.T("models.first.title")),
			widgets.Paragraph(widgets.Body, words.T("models.first.about")).Colour(theme.TextQuiet),
		)),
	)
	try := widgets.NewButton(words.T("models.first.guide.button"), "", widgets.Filled, hooks.guide)
	file := widgets.NewButton(words.T("models.first.file.button"), "", widgets.Plain, hooks.file)
	folder := widgets.NewButton(words.T("models.first.folder.button"), "", widgets.Edged, hooks.folder)
	page := widgets.VGap(12,
		f.notice,
		widgets.Inset(0, 0, 0, 8, head),
		firstCard(theme.IconBolt, theme.Accent, words.T("models.first.guide"),
			widgets.Paragraph(widgets.Quiet, words.T("models.first.guide.about", map[string]any{"Size": words.MiB(guideBytes)})), try, nil),
		firstCard(theme.IconFolder, theme.Separator, words.T("models.first.folder"),
			widgets.Paragraph(widgets.Quiet, words.T("models.first.folder.about")), widgets.HGap(8, file, folder), f.usual.box),
		firstCard(theme.IconSearch, theme.Separator, words.T("models.first.apps"), f.looked, f.again, f.places.box),
	)
	if hooks.get != nil {
		get := widgets.NewSmallButton(words.T("models.get"), theme.IconDownload, widgets.Plain, hooks.get)
		page.Add(widgets.HGap(8, widgets.Grow(widgets.Paragraph(widgets.Quiet, words.T("models.first.get"))), get))
	}
	f.bold = widgets.Text(widgets.Bold, "")
	line := []fyne.CanvasObject{
		widgets.NewIcon(theme.IconCheckRing, theme.OK, theme.IconSize), widgets.Grow(widgets.VGap(2, f.bold, f.room)),
	}
	if hooks.hardware != nil {
		line = append(line, widgets.NewSmallButton(words.T("models.first.hardware"), "", widgets.Plain, hooks.hardware))
	}
	f.holds = widgets.HGap(8, line...)
	f.holds.Hide()
	page.Add(f.holds)
	f.box = widgets.Background(theme.Window, container.NewVScroll(container.New(centred{720}, page)))
	return f
}

// show draws what a state says of other apps.
func (f *firstView) show(s State) {
	f.notice.SetText(s.Notice)
	f.looked.SetText(lookedFor(s))
	bold, rest := roomText(s.Room)
	if f.holds.Hidden != (bold == "") || rest != f.room.String() {
		f.bold.SetText(bold)
		f.room.SetText(rest)
		f.holds.Hidden = bold == ""
		f.box.Refresh()
	}
	f.again.SetEnabled(!s.Scanning)
	f.showUsual(s.Usual)
	if f.drawn && slices.Equal(f.apps, s.Apps) {
		return
	}
	f.drawn, f.apps = true, s.Apps
	f.places.content.RemoveAll()
	half := (len(s.Apps) + 1) / 2
	for i, app := range s.Apps {
		column := s.Apps[:half]
		if i >= half {
			column = s.Apps[half:]
		}
		f.places.content.Add(placeLine(app, nameColumn(column)))
	}
	f.places.box.Hidden = len(s.Apps) == 0
	f.box.Refresh()
}

// showUsual offers folders of the user's that have models.
func (f *firstView) showUsual(places []UsualPlace) {
	if slices.Equal(f.known, places) && f.usual.box.Hidden == (len(places) == 0) {
		return
	}
	f.known = places
	f.usual.content.RemoveAll()
	for _, place := range places[:min(len(places), usualShown)] {
		f.usual.content.Add(usualLine(place, f.hooks.add))
	}
	f.usual.box.Hidden = len(places) == 0
	f.box.Refresh()
}

// usualShown is how many folders are offered: there is a button for any other.
const usualShown = 4

// nameColumn is how wide the names of apps are.
func nameColumn(apps []AppPlace) float32 {
	width := float32(0)
	for _, app := range apps {
		width = max(width, widgets.Text(widgets.Quiet, app.Name).NaturalWidth())
	}
	return width
}

// placeLine says where an app keeps models, and whether that place is there.
func placeLine(app AppPlace, nameWidth float32) fyne.CanvasObject {
	mark, note := theme.IconClose, ""
	if app.There {
		mark, note = theme.IconCheck, words.T("models.first.apps.there")
	}
	return widgets.HGap(8,
		widgets.NewIcon(mark, theme.TextQuiet, theme.IconSizeText),
		widgets.Fixed(nameWidth+8, 0, widgets.Text(widgets.Quiet, app.Name).Colour(theme.Text)),
		widgets.Grow(widgets.Text(widgets.Mono, app.Folder).Colour(theme.TextQuiet).EllipsisAhead()),
		widgets.Text(widgets.Hint, note),
	)
}

// lookedFor says what came of looking for models of other apps.
func lookedFor(s State) string {
	there := 0
	for _, app := range s.Apps {
		if app.There {
			there++
		}
	}
	switch {
	case s.Scanning || s.Apps == nil:
		return words.T("models.first.apps.looking")
	case len(s.Apps) == 0:
		return words.T("models.first.apps.off")
	case there == 0:
		return words.T("models.first.apps.nothing")
	case there == 1:
		return words.T("models.first.apps.empty")
	}
	return words.T("models.first.apps.allEmpty", map[string]any{"Count": words.Count(there)})
}

// tileSize and tileGap are of the square before a title.
const tileSize, tileGap = 40, 16

// belowTitle is what stands under the title of a card, and leaves no gap while it
// is hidden.
type belowTitle struct{ content, box *fyne.Container }

func newBelowTitle(content *fyne.Container) belowTitle {
	return belowTitle{content, widgets.Inset(tileSize+tileGap, 0, 0, 0, content)}
}

// firstCard is one way to begin, with more below it where there is more to say.
func firstCard(icon theme.IconName, edge fyne.ThemeColorName, title string, about, button, more fyne.CanvasObject) fyne.CanvasObject {
	tile := widgets.Fixed(tileSize, tileSize, widgets.Stack(
		widgets.NewFill(theme.Selected, "", theme.RadiusControl),
		widgets.NewIcon(icon, theme.Accent, theme.IconSize),
	))
	content := widgets.VGap(12, widgets.HGap(tileGap,
		tile,
		widgets.Grow(widgets.VGap(2, widgets.Text(widgets.Section, title), about)),
		button,
	))
	if more != nil {
		content.Add(more)
	}
	return widgets.Stack(
		widgets.NewFill(theme.Surface, edge, theme.RadiusCard),
		widgets.Inset(16, 16, 16, 16, content),
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
	hidden := s.Total.Rows()
	return emptyPage(words.T("models.noMatch.title"),
		words.T("models.noMatch.about", map[string]any{"Count": words.Count(hidden)}),
		widgets.NewButton(words.T("models.filter.clear"), "", widgets.Filled, clear),
	)
}
