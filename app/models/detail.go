package models

import (
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/budget"
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

// detailHooks are what the pane asks of the tab.
type detailHooks struct {
	setUp      func(library.Model)
	best       func(library.Model) // nil for none
	menu       func(under fyne.CanvasObject)
	copy       func(string)
	openFolder func(path string) // the folder a file is in
	hash       func(path string)
	stopHash   func(path string)
	choose     func(path string) // another row
	rescan     func()
	do         func(func())
}

// A detail is the pane that says what the selected row is.
type detail struct {
	hooks detailHooks

	row    Row
	hashes map[string]Hash
	shown  bool
	tab    detailTab
	tabs   [detailTabs]*press
	keys   bool // the facts page lists all of the header
	lines  []*fileLine

	card *fyne.Container // whether the model fits
	fits Card            // in card

	head   *fyne.Container // title, badges, button, tabs
	scroll *container.Scroll
	page   *fyne.Container // in scroll
	box    fyne.CanvasObject
}

func newDetail(hooks detailHooks) *detail {
	d := &detail{hooks: hooks, head: container.NewStack(), card: container.NewStack(), page: container.NewStack()}
	for t, key := range []string{"facts", "tensors", "template", "files"} {
		d.tabs[t] = newPress(tabTop, words.T("models.tab."+key), func() { d.turnTo(detailTab(t)) })
	}
	d.scroll = container.NewVScroll(widgets.Inset(16, 12, 16, 16, d.page))
	pane := widgets.Borders(nil, nil, widgets.Line(), nil, widgets.Borders(d.head, nil, nil, nil, d.scroll))
	d.box = widgets.Background(theme.Surface, pane)
	d.card.Hide()
	d.fill()
	return d
}

// show draws a row and what is known of its files. The page that is open stays
// open.
func (d *detail) show(r Row, hashes map[string]Hash, fits Card) {
	d.hashes = hashes
	d.showCard(fits)
	if d.shown && reflect.DeepEqual(d.row, r) {
		for _, line := range d.lines {
			line.show(hashes[line.path])
		}
		return
	}
	if !d.row.same(&r) {
		d.keys = false
		d.scroll.ScrollToTop()
	}
	d.row, d.shown = r, true
	d.fill()
}

func (d *detail) turnTo(t detailTab) {
	d.tab = t
	d.scroll.ScrollToTop()
	d.fillPage()
}

func (d *detail) fill() {
	d.head.RemoveAll()
	d.page.RemoveAll()
	d.lines = nil
	switch {
	case !d.row.Known():
		d.head.Add(widgets.Inset(16, 20, 16, 16, widgets.Paragraph(widgets.Quiet, words.T("models.detail.none"))))
	case d.row.Folder:
		d.head.Add(d.folderHead())
	default:
		d.head.Add(d.makeHead())
		d.fillPage()
	}
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
	load := widgets.NewButton(words.T("models.setUp"), "", widgets.Filled, func() { d.hooks.setUp(d.row.Model) })
	load.SetEnabled(r.Off == "")
	start := widgets.HGap(theme.GapControl, widgets.Grow(load))
	if d.hooks.best != nil {
		best := widgets.NewButton(words.T("models.best"), theme.IconBolt, widgets.Edged, func() { d.hooks.best(d.row.Model) })
		best.SetEnabled(r.Off == "")
		start.Add(best)
	}
	kind := widgets.Off
	if r.Problem != "" {
		kind = widgets.Bad
	}
	more := widgets.NewButton("", theme.IconDots, widgets.Plain, nil).Label(words.T("models.more"))
	more.SetTapped(func() { d.hooks.menu(more) })
	top := widgets.Inset(16, 16, 16, 12, widgets.VGap(8,
		widgets.HGapTop(4, widgets.Grow(widgets.Inset(0, 3, 0, 0, widgets.Paragraph(widgets.Title, clip(r.Name, 120)))), more),
		badges,
		about,
		d.card,
		widgets.Inset(0, 4, 0, 0, start),
		widgets.NewReason(kind, r.Off),
		widgets.NewReason(widgets.Info, noTemplate(r)),
	))
	tabs := container.New(&flow{gap: 16, start: 16})
	for _, t := range d.tabs {
		tabs.Add(t)
	}
	return widgets.VGap(0, top, widgets.Line(), tabs, widgets.Line())
}

// showCard says whether the model fits. While that is not known there is no card.
func (d *detail) showCard(c Card) {
	if c == d.fits {
		return
	}
	d.fits = c
	d.card.RemoveAll()
	d.card.Hidden = c.Title == ""
	if c.Title != "" {
		icon, ink, fill := cardLook(c.Fit)
		mark := widgets.Inset(0, 2, 0, 0, widgets.NewIcon(icon, ink, theme.IconSizeText))
		d.card.Add(widgets.Stack(
			widgets.NewFill(fill, "", theme.RadiusCard),
			widgets.Inset(12, 10, 12, 10, widgets.HGapTop(8, mark, widgets.Grow(widgets.VGap(4,
				widgets.Paragraph(widgets.Bold, c.Title).Colour(ink),
				widgets.Paragraph(widgets.Quiet, c.Detail),
			)))),
		))
	}
	d.head.Refresh()
	d.box.Refresh()
}

// cardLook is how a verdict looks: never by colour alone.
func cardLook(fit budget.Fit) (icon theme.IconName, ink, fill fyne.ThemeColorName) {
	switch fit {
	case budget.DoesNotFit:
		return theme.IconRefuseRing, theme.Refuse, theme.RefuseFill
	case budget.Tight:
		return theme.IconTriangle, theme.Caution, theme.CautionFill
	}
	return theme.IconCheckRing, theme.OK, theme.OKFill
}

// folderHead is all there is to say about a folder that can't be read.
func (d *detail) folderHead() fyne.CanvasObject {
	path := d.row.Path
	more := widgets.NewButton("", theme.IconDots, widgets.Plain, nil).Label(words.T("models.more"))
	more.SetTapped(func() { d.hooks.menu(more) })
	return widgets.Inset(16, 16, 16, 12, widgets.VGap(8,
		widgets.Paragraph(widgets.Title, clip(gguf.Printable(filepath.Base(path)), 120)), // the sentence has all of the path
		widgets.NewReason(widgets.Bad, d.row.Off),
		widgets.Inset(0, 4, 0, 0, widgets.HGap(theme.GapControl,
			widgets.NewButton(words.T("models.rescan"), theme.IconRefresh, widgets.Filled, d.hooks.rescan),
			widgets.NewButton(words.T("models.files.copy"), theme.IconCopy, widgets.Edged, func() { d.hooks.copy(path) }),
			layout.NewSpacer(),
			more,
		)),
	))
}

// noTemplate says that a model can't be expected to chat, empty when it can.
func noTemplate(r Row) string {
	if r.Off != "" || !slices.Contains(r.Badges, library.Chat) || r.Model.Facts.ChatTemplate != "" {
		return ""
	}
	return words.T("models.noTemplate")
}

func (d *detail) fillPage() {
	d.lines = nil
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
	d.page.Objects = []fyne.CanvasObject{page}
	d.page.Refresh()
	d.scroll.Refresh()
}

// copyButton is an icon that copies a text and shows a tick for a moment.
func (d *detail) copyButton(label, text string) *widgets.Button {
	b := widgets.NewRowButton("", theme.IconCopy, widgets.Plain, nil).Label(label)
	b.SetTapped(func() {
		d.hooks.copy(text)
		b.SetIcon(theme.IconCheck)
		time.AfterFunc(copiedFor, func() { d.hooks.do(func() { b.SetIcon(theme.IconCopy) }) })
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
func factLine(label string, value fyne.CanvasObject) fyne.CanvasObject {
	const labelWidth = 104
	return widgets.HGapTop(8,
		widgets.Inset(0, 2, 0, 0, widgets.Fixed(labelWidth, 0, widgets.Text(widgets.Quiet, label).Ellipsis())),
		widgets.Grow(value),
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

// codeBox is monoText on the ground of code.
func codeBox(text string) fyne.CanvasObject {
	return widgets.Stack(widgets.NewFill(theme.Code, theme.Separator, theme.RadiusControl), widgets.Inset(4, 2, 4, 2, monoText(text)))
}
