package embeddings

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/embed"
	"paddock/words"
)

// A findPane is the right one: search, and what was found.
type findPane struct {
	tab *Tab
	box fyne.CanvasObject

	entry   *widgets.Entry
	only    *widgets.SelectBox
	paths   []string
	note    *widgets.Reason
	open    *widgets.Button
	hits    *fyne.Container
	shown   []Hit
	chosen  bool   // a point of the map
	passage string // which
	region  []Hit  // or several
	scroll  *container.Scroll
	mapBox  *fyne.Container
	plot    *plot
	mapText *widgets.TextLabel
	about   string // the map, while the mouse is on none of its points
	picker  *widgets.Button
	legend  *fyne.Container
	marks   fyne.CanvasObject
	ringed  fyne.CanvasObject // in marks
	crossed fyne.CanvasObject
	clear   *widgets.Button // lets go of the passages in the rectangle
}

func newFindPane(t *Tab) *findPane {
	p := &findPane{tab: t}
	p.entry = widgets.NewSearch(words.T("embeddings.search"))
	p.entry.OnSubmitted = t.Search
	p.only = widgets.NewSelect(nil, t.SetOnly)
	p.note = widgets.NewReason(widgets.Info, "")
	p.open = widgets.NewSmallButton(words.T("embeddings.index.open"), "", widgets.Edged, func() { t.options.PickIndex(t.OpenIndex) })
	p.clear = widgets.NewRowButton(words.T("embeddings.region.clear"), "", widgets.Plain, func() { t.ChooseRegion(nil) })
	p.picker = widgets.NewButton("", theme.IconFolder, widgets.Edged, func() { t.options.PickIndex(t.OpenIndex) }).Label(words.T("embeddings.index.open"))
	p.hits = widgets.VGap(0)
	p.scroll = container.NewVScroll(p.hits)
	p.plot = newPlot(t.ChoosePoint, t.ChooseRegion, p.showPoint)
	p.mapText = widgets.Text(widgets.Quiet, "").Ellipsis()
	p.legend = widgets.Flow(10)
	p.marks, p.ringed, p.crossed = newMarks()
	p.mapBox = widgets.VGap(0, widgets.Line(), widgets.Inset(16, 10, 16, 12, widgets.VGap(8,
		widgets.HGap(8, widgets.Text(widgets.Bold, words.T("embeddings.map")), widgets.Grow(p.mapText)),
		p.plot, p.legend, p.marks)))
	head := widgets.Inset(16, 11, 16, 8, widgets.VGap(8, widgets.HGap(6, widgets.Grow(barless(p.entry)), p.picker), p.only, widgets.HGapTop(8, widgets.Grow(p.note), p.clear), widgets.HGap(0, p.open)))
	p.box = widgets.Borders(nil, nil, widgets.Line(), nil, widgets.Background(theme.Surface,
		container.New(&short{p}, widgets.VGap(0, head, widgets.Grow(p.scroll), p.mapBox))))
	return p
}

func (p *findPane) show(s State) {
	widgets.SetShown(p.open, s.Index == "")
	widgets.SetShown(p.picker, s.Index != "")
	widgets.SetShown(p.only, s.Index != "" && len(s.Files) > 1)
	p.showFiles(s)
	note, kind := "", widgets.Info
	switch {
	case s.Note.Text != "":
		note, kind = s.Note.Text, widgets.Info
		if s.Note.Bad {
			kind = widgets.Bad
		}
	case s.Index == "":
		note = words.T("embeddings.search.later")
	case s.Region > 0:
		note = words.T("embeddings.region", map[string]any{"Count": s.Region, "Shown": len(s.RegionHits), "Passages": words.Count(s.Region)})
	case !s.Ready:
		note = words.T("embeddings.search.engine", map[string]any{"Name": s.Meta.Model})
	case s.Searching:
		note = words.T("embeddings.searching")
	case s.Query != "" && len(s.Hits) == 0:
		note = words.T("embeddings.search.nothing")
	case len(s.Hits) > 0:
		note = foundText(s)
	default:
		note = words.T("embeddings.search.ready", map[string]any{"File": fileName(s.Index), "Vectors": words.Count(s.Vectors)})
	}
	p.note.Set(kind, note)
	widgets.SetShown(p.clear, s.Region > 0)
	p.showHits(s)
	p.showMap(s)
}

// ringed is how many of the passages that were found are marked on the map.
const ringed = 5

// filterRunes is how much of a file's name the choice of one to search in has.
const filterRunes = 44

func (p *findPane) showFiles(s State) {
	var paths []string
	for _, f := range s.Files {
		paths = append(paths, f.Path)
	}
	if !slices.Equal(paths, p.paths) || len(paths) == 0 {
		p.paths = paths
		options := []widgets.Option{{ID: "", Label: words.T("embeddings.only.all")}}
		for _, f := range s.Files {
			options = append(options, widgets.Option{ID: f.Path, Label: cutMiddle(fileName(f.Path), filterRunes)})
		}
		p.only.SetOptions(options)
	}
	p.only.SetSelected(s.Only)
}

func (p *findPane) showHits(s State) {
	if sameHits(s.Hits, p.shown) && sameHits(s.RegionHits, p.region) && p.chosen == s.PassageOn && p.passage == s.Passage.RowID() {
		return
	}
	p.shown, p.chosen, p.passage, p.region = s.Hits, s.PassageOn, s.Passage.RowID(), s.RegionHits
	p.hits.Objects = nil
	if s.PassageOn {
		p.hits.Add(p.onMap(s.Passage, words.T("embeddings.map.chosen")))
	}
	if s.Region > 0 {
		for _, h := range s.RegionHits {
			h.Row.Text = h.Text
			p.hits.Add(p.onMap(h.Row, ""))
		}
		if len(s.Hits) > 0 { // the note above is about the rectangle
			p.hits.Add(widgets.VGap(0, widgets.Inset(16, 10, 16, 8, widgets.Paragraph(widgets.Quiet, foundText(s))), widgets.Line()))
		}
	}
	for _, h := range s.Hits {
		p.hits.Add(p.hit(h))
	}
	p.scroll.ScrollToTop()
	p.scroll.Refresh()
}

func sameHits(a, b []Hit) bool {
	return slices.EqualFunc(a, b, func(a, b Hit) bool { return a.Number == b.Number && a.Score == b.Score })
}

// foundText says how many passages a search found.
func foundText(s State) string {
	return words.T("embeddings.found", map[string]any{"Count": len(s.Hits), "Vectors": words.Count(s.Vectors), "Time": s.Took.Milliseconds()})
}

func (p *findPane) hit(h Hit) fyne.CanvasObject {
	bar := widgets.NewProgress(34)
	bar.Set(h.Score)
	open := widgets.NewRowButton(words.T("embeddings.hit.open"), "", widgets.Plain, func() { p.tab.OpenSource(h.Path, p.tab.options.OpenPath) })
	return widgets.VGap(0, widgets.Inset(16, 8, 16, 6, widgets.VGap(2,
		widgets.HGapTop(8, widgets.Grow(widgets.Paragraph(widgets.Bold, place(h.Row))), widgets.Inset(0, 7, 0, 0, bar), widgets.Text(widgets.Body, fmt.Sprintf("%.2f", h.Score))),
		widgets.Paragraph(widgets.Quiet, h.Text),
		widgets.HGap(0, open),
	)), widgets.Line())
}

// onMap is a passage that is chosen on the map, with a word about it.
func (p *findPane) onMap(r embed.Row, about string) fyne.CanvasObject {
	open := widgets.NewRowButton(words.T("embeddings.hit.open"), "", widgets.Plain, func() { p.tab.OpenSource(r.Path, p.tab.options.OpenPath) })
	return widgets.Background(theme.Selected, widgets.VGap(0, widgets.Inset(16, 8, 16, 6, widgets.VGap(2,
		widgets.HGapTop(8, widgets.Grow(widgets.Paragraph(widgets.Bold, place(r))), widgets.Text(widgets.Quiet, about)),
		widgets.Paragraph(widgets.Quiet, r.Text),
		widgets.HGap(0, open),
	)), widgets.Line()))
}

// showPoint names the file of a point.
func (p *findPane) showPoint(path string) {
	if path == "" {
		p.mapText.SetText(p.about)
		return
	}
	p.mapText.SetText(fileName(path))
}

// short makes the map smaller in a window with little height.
type short struct{ p *findPane }

func (l *short) MinSize(objects []fyne.CanvasObject) fyne.Size { return fyne.NewSize(220, 200) }

func (l *short) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	height, lines := float32(plotTall), legendTall
	if size.Height < shortBelow {
		height, lines = plotShort, legendShort
	}
	l.p.plot.height = height
	for i, o := range l.p.legend.Objects {
		widgets.SetShown(o, i < lines)
	}
	objects[0].Resize(size)
}

// Under a pane height of shortBelow, the legend names fewer files.
const (
	shortBelow              = 640
	legendTall, legendShort = 6, 2
)

func (p *findPane) showMap(s State) {
	widgets.SetShown(p.mapBox, len(s.Points) > 1 || s.Mapping)
	text := words.T("embeddings.map.about", map[string]any{"Chunks": words.Count(len(s.Points))})
	if s.Mapping {
		text = words.T("embeddings.map.making")
	}
	p.about = text
	p.mapText.SetText(text)
	if s.Region > 0 {
		p.plot.waits = false
	} else {
		p.plot.clearRegion()
	}
	var found []int64
	for _, h := range s.Hits[:min(len(s.Hits), ringed)] {
		found = append(found, h.Number)
	}
	var asked *embed.Point
	if s.AskedThere {
		asked = &s.Asked
	}
	widgets.SetShown(p.ringed, len(found) > 0)
	widgets.SetShown(p.crossed, s.AskedThere)
	widgets.SetShown(p.marks, len(found) > 0 || s.AskedThere)
	if p.plot.set(s.Points, found, asked) {
		p.legend.Objects = nil
		for _, k := range p.plot.legend() {
			p.legend.Add(widgets.NewBadge(k.name, k.colour))
		}
		p.legend.Refresh()
	}
}
