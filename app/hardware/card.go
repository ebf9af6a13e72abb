package hardware

import (
	"reflect"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// A cardView draws one card.
type cardView struct {
	content *fyne.Container
	shown   Card

	icon   *widgets.Icon
	title  *widgets.TextLabel
	badge  *widgets.Badge
	about  *widgets.TextLabel
	number *widgets.TextLabel
	usable *widgets.TextLabel
	of     *widgets.TextLabel
	sum    *fyne.Container
	bar    *widgets.MemoryBar
	legend *fyne.Container
	facts  *fyne.Container
	note   *widgets.Reason
}

func newCardView() *cardView {
	c := &cardView{
		icon:   widgets.NewIcon(theme.IconChip, theme.Accent, theme.IconSizeButton),
		title:  widgets.Text(widgets.Section, "").Ellipsis(),
		badge:  widgets.NewBadge("", theme.Accent),
		about:  widgets.Text(widgets.Quiet, "").Ellipsis(),
		number: widgets.Text(widgets.Empty, ""),
		usable: widgets.Text(widgets.Body, "").Ellipsis(),
		of:     widgets.Text(widgets.Quiet, ""),
		bar:    widgets.NewMemoryBar(widgets.Panel),
		legend: widgets.HGap(theme.GapGroup),
		facts:  widgets.VGap(theme.Gap),
		note:   widgets.NewReason(widgets.Info, ""),
	}
	head := widgets.HGap(theme.GapControl+2, c.icon, c.title, c.badge, layout.NewSpacer(), c.about)
	c.sum = widgets.VGap(theme.GapControl,
		widgets.HGap(theme.GapControl, c.number, widgets.Grow(c.usable), c.of), c.bar, c.legend)
	c.content = widgets.Card(widgets.VGap(12, head, c.sum, c.facts, c.note))
	return c
}

// show draws a card and says whether it needs another amount of room.
func (c *cardView) show(v Card) (moved bool) {
	if reflect.DeepEqual(v, c.shown) {
		return false
	}
	moved = len(v.Facts) != len(c.shown.Facts) || len(v.Bar) != len(c.shown.Bar) || v.Note != c.shown.Note
	c.shown = v
	c.icon.Set(v.Icon, theme.Accent)
	c.title.SetText(v.Title)
	c.badge.Set(v.Badge, theme.Accent)
	c.badge.Hidden = v.Badge == ""
	c.about.SetText(v.About)
	c.sum.Hidden = v.Number == ""
	c.number.SetText(v.Number)
	c.usable.SetText(v.Usable)
	c.of.SetText(v.Of)
	c.note.SetText(v.Note)
	c.facts.Hidden = len(v.Facts) == 0

	var slices []widgets.Slice
	c.legend.Objects = nil
	for _, s := range v.Bar {
		slices = append(slices, widgets.Slice{Color: s.Colour, Bytes: s.Bytes})
		c.legend.Add(legend(s.Colour, "", s.Text))
	}
	if kept := v.Kept(); kept != "" {
		c.legend.Add(legend(theme.SliceMargin, theme.SliceMarginEdge, kept))
	}
	c.bar.Set(v.Total, slices, v.Margin, 0)
	c.facts.Objects = nil
	for _, f := range v.Facts {
		c.facts.Add(widgets.HGap(theme.GapControl,
			widgets.Fixed(128, 0, widgets.Text(widgets.Quiet, f.Name).Ellipsis()),
			widgets.Grow(widgets.Text(widgets.Body, f.Value).Ellipsis())))
	}
	c.content.Refresh()
	return moved
}

func legend(fill, edge fyne.ThemeColorName, text string) fyne.CanvasObject {
	square := widgets.Fixed(10, 10, widgets.NewFill(fill, edge, 2))
	return widgets.HGap(theme.GapInside, square, widgets.Text(widgets.Hint, text))
}

// columns lays cards out in two columns, each card in the shorter one so far; a
// single card takes the whole width.
type columns struct{ width float32 }

const columnGap = 12

func (l *columns) Layout(objs []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	l.place(objs, size.Width, func(o fyne.CanvasObject, pos fyne.Position, s fyne.Size) {
		o.Move(pos)
		o.Resize(s)
	})
}

func (l *columns) MinSize(objs []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(400, l.place(objs, l.width, func(fyne.CanvasObject, fyne.Position, fyne.Size) {}))
}

// place puts the cards into the columns and is the height they need.
func (l *columns) place(objs []fyne.CanvasObject, width float32, put func(fyne.CanvasObject, fyne.Position, fyne.Size)) (height float32) {
	if len(objs) == 1 {
		h := widgets.HeightAt(objs[0], width)
		put(objs[0], fyne.Position{}, fyne.NewSize(width, h))
		return h
	}
	half := (width - columnGap) / 2
	var heights [2]float32
	var lasts [2]fyne.CanvasObject
	var tops [2]float32
	for _, o := range objs {
		at := 0
		if heights[1] < heights[0] {
			at = 1
		}
		if heights[at] > 0 {
			heights[at] += columnGap
		}
		h := widgets.HeightAt(o, half)
		put(o, fyne.NewPos(float32(at)*(half+columnGap), heights[at]), fyne.NewSize(half, h))
		lasts[at], tops[at] = o, heights[at]
		heights[at] += h
	}
	height = max(heights[0], heights[1])
	for at, o := range lasts { // columns end together
		if o != nil {
			put(o, fyne.NewPos(float32(at)*(half+columnGap), tops[at]), fyne.NewSize(half, height-tops[at]))
		}
	}
	return height
}

// A deviceTable draws what the builds call the devices.
type deviceTable struct {
	content *fyne.Container
	rows    *fyne.Container
	asking  *widgets.TextLabel
	problem *widgets.Reason
	shown   Table

	problemBox *fyne.Container // around problem
}

func newDeviceTable() *deviceTable {
	t := &deviceTable{
		rows:    widgets.VGap(0),
		asking:  widgets.Text(widgets.Quiet, ""),
		problem: widgets.NewReason(widgets.Bad, ""),
	}
	t.problemBox = widgets.Inset(16, 4, 16, 12, t.problem)
	t.problemBox.Hide()
	head := widgets.Inset(16, 12, 16, 4, widgets.HGap(theme.GapControl,
		widgets.Text(widgets.Section, words.T("hardware.devices")), widgets.Text(widgets.Quiet, words.T("hardware.devices.about")).Ellipsis(),
		layout.NewSpacer(), t.asking))
	t.content = widgets.Stack(
		widgets.NewFill(theme.Surface, theme.Separator, theme.RadiusCard),
		widgets.VGap(0, head, t.problemBox, widgets.Inset(1, 0, 1, 1, t.rows)))
	return t
}

// show draws the table and says whether it changed.
func (t *deviceTable) show(v Table) bool {
	if reflect.DeepEqual(v, t.shown) {
		return false
	}
	t.shown = v
	t.asking.SetText("")
	if v.Asking {
		t.asking.SetText(words.T("hardware.asking"))
	}
	t.problem.SetText(v.Problem)
	widgets.SetShown(t.problemBox, v.Problem != "")
	t.rows.Objects = nil
	if len(v.Rows) > 0 {
		t.rows.Add(tableRow(theme.TableHeaderHeight, v.Heads, true))
	}
	for _, row := range v.Rows {
		t.rows.Add(widgets.Line())
		t.rows.Add(tableRow(theme.RowHeight, row, false))
	}
	t.content.Refresh()
	return true
}

func tableRow(height float32, cells []string, head bool) fyne.CanvasObject {
	row := container.New(evenCells{})
	for i, cell := range cells {
		role := widgets.Body
		switch {
		case head, i == len(cells)-1:
			role = widgets.Quiet
		case i > 0:
			role = widgets.Mono
		}
		row.Add(widgets.Text(role, cell).Ellipsis())
	}
	return widgets.Fixed(0, height, widgets.Inset(15, 0, 15, 0, row))
}

// evenCells shares a row out evenly, the first cell twice as wide.
type evenCells struct{}

func (evenCells) Layout(objs []fyne.CanvasObject, size fyne.Size) {
	const gap = 12
	unit := (size.Width - gap*float32(len(objs)-1)) / float32(len(objs)+1)
	x := float32(0)
	for i, o := range objs {
		w := unit
		if i == 0 {
			w = 2 * unit
		}
		h := o.MinSize().Height
		o.Move(fyne.NewPos(x, (size.Height-h)/2))
		o.Resize(fyne.NewSize(w, h))
		x += w + gap
	}
}

func (evenCells) MinSize(objs []fyne.CanvasObject) fyne.Size {
	m := fyne.Size{}
	for _, o := range objs {
		s := o.MinSize()
		m.Width += s.Width
		m.Height = max(m.Height, s.Height)
	}
	return m
}
