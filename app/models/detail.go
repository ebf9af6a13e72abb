package models

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/words"
)

// A detailTab is one page of the detail pane.
type detailTab int

const (
	factsTab detailTab = iota
	tensorsTab
	templateTab
	filesTab
	detailTabs
)

// A detail is the pane that says what the selected row is.
type detail struct {
	setUp  func(library.Model)
	forget func(Row)
	copy   func(string)
	do     func(func())

	row   Row
	shown bool
	tab   detailTab
	tabs  [detailTabs]*press

	head *fyne.Container // title, badges, button, tabs
	page *fyne.Container
	box  fyne.CanvasObject
}

func newDetail(setUp func(library.Model), forget func(Row), copy func(string), do func(func())) *detail {
	d := &detail{setUp: setUp, forget: forget, copy: copy, do: do, head: container.NewStack(), page: container.NewStack()}
	for t, key := range []string{"facts", "tensors", "template", "files"} {
		d.tabs[t] = newPress(tabTop, words.T("models.tab."+key), func() { d.turnTo(detailTab(t)) })
	}
	pane := widgets.Borders(nil, nil, widgets.Line(), nil, widgets.Borders(d.head, nil, nil, nil, d.page))
	d.box = widgets.Background(theme.Surface, pane)
	d.fill()
	return d
}

// show draws a row. The page that is open stays open.
func (d *detail) show(r Row) {
	same := d.shown && d.row.Path == r.Path && d.row.Off == r.Off && d.row.Size == r.Size && d.row.Source == r.Source
	d.row = r
	if !same {
		d.shown = true
		d.fill()
	}
}

func (d *detail) turnTo(t detailTab) {
	d.tab = t
	d.fillPage()
}

func (d *detail) fill() {
	d.head.RemoveAll()
	d.page.RemoveAll()
	if !d.row.Known() {
		text := widgets.Paragraph(widgets.Quiet, words.T("models.detail.none"))
		d.head.Add(widgets.Inset(16, 20, 16, 16, text))
		return
	}
	d.head.Add(d.makeHead())
	d.fillPage()
}

func (d *detail) makeHead() fyne.CanvasObject {
	r := d.row
	badges := container.New(&flow{gap: 6})
	for _, capability := range r.Badges {
		badges.Add(widgets.NewBadge(badge(capability)))
	}
	badges.Hidden = len(r.Badges) == 0
	about := widgets.NewReason(widgets.Info, "")
	if r.Source == sourceBuiltIn {
		about = widgets.NewReason(widgets.Info, words.T("models.guide.about"))
	}
	load := widgets.NewButton(words.T("models.setUp"), "", widgets.Filled, func() { d.setUp(d.row.Model) })
	load.SetEnabled(r.Off == "")
	kind := widgets.Off
	if r.Problem != "" {
		kind = widgets.Bad
	}
	top := widgets.Inset(16, 16, 16, 12, widgets.VGap(8,
		widgets.Paragraph(widgets.Title, clip(r.Name, 120)),
		badges,
		about,
		widgets.Inset(0, 4, 0, 0, load),
		widgets.NewReason(kind, r.Off),
		widgets.NewReason(widgets.Info, noTemplate(r)),
	))
	tabs := container.New(&flow{gap: 16, start: 16})
	for _, t := range d.tabs {
		tabs.Add(t)
	}
	return widgets.VGap(0, top, widgets.Line(), tabs, widgets.Line())
}

// noTemplate says that a model can't be expected to chat, empty when it can.
func noTemplate(r Row) string {
	if r.Off != "" || r.Model.Facts.Kind != gguf.Model || r.Model.Facts.ChatTemplate != "" {
		return ""
	}
	return words.T("models.noTemplate")
}

func (d *detail) fillPage() {
	for t, p := range d.tabs {
		p.choose(detailTab(t) == d.tab)
	}
	var page fyne.CanvasObject
	switch d.tab {
	case factsTab:
		page = d.factsPage()
	case tensorsTab:
		page = d.tensorsPage()
	case templateTab:
		page = d.templatePage()
	case filesTab:
		page = d.filesPage()
	}
	d.page.Objects = []fyne.CanvasObject{container.NewVScroll(widgets.Inset(16, 12, 16, 16, page))}
	d.page.Refresh()
}

// copyButton is an icon that copies a text and shows a tick for a moment.
func (d *detail) copyButton(label, text string) *widgets.Button {
	b := widgets.NewRowButton("", theme.IconCopy, widgets.Plain, nil).Label(label)
	b.SetTapped(func() {
		d.copy(text)
		b.SetIcon(theme.IconCheck)
		time.AfterFunc(copiedFor, func() { d.do(func() { b.SetIcon(theme.IconCopy) }) })
	})
	return b
}

const copiedFor = 1500 * time.Millisecond

// clip keeps a text of a file from filling the pane.
func clip(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-1]) + "…"
}

// factLine is a label and its value, which wraps.
func factLine(label, value string) fyne.CanvasObject {
	const labelWidth = 104
	return widgets.HGapTop(8,
		widgets.Inset(0, 2, 0, 0, widgets.Fixed(labelWidth, 0, widgets.Text(widgets.Quiet, label).Ellipsis())),
		widgets.Grow(widgets.Paragraph(widgets.Body, value)),
	)
}

// monoText is text of a file in which lines and spaces stay as they are, and
// which can be selected.
func monoText(text string) fyne.CanvasObject {
	l := widget.NewLabelWithStyle(text, fyne.TextAlignLeading, fyne.TextStyle{Monospace: true})
	l.Wrapping = fyne.TextWrapBreak
	l.Selectable = true
	l.SizeName = monoSize
	return l
}
