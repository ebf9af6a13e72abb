package hardware

import (
	"reflect"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/layout"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// A cardView draws one card.
type cardView struct {
	content *fyne.Container
	shown   Card
	wide    bool // there is room for who uses the memory beside the rest

	icon   *widgets.Icon
	title  *widgets.TextLabel
	badge  *widgets.Badge
	about  *widgets.TextLabel
	number *widgets.TextLabel
	usable *widgets.TextLabel
	of     *widgets.TextLabel
	head   *fyne.Container // number, bar and legend
	bar    *widgets.MemoryBar
	legend *fyne.Container
	body   *fyne.Container // how it adds up, facts, and who uses it
	note   *widgets.Reason
	raise  *raiseView
	source *fyne.Container
}

func newCardView(copyText func(string)) *cardView {
	c := &cardView{
		icon:   widgets.NewIcon(theme.IconChip, theme.Accent, theme.IconSizeButton),
		title:  widgets.Text(widgets.Section, "").Ellipsis(),
		badge:  widgets.NewBadge("", theme.Accent),
		about:  widgets.Text(widgets.Quiet, "").Ellipsis(),
		number: widgets.Text(widgets.Empty, ""),
		usable: widgets.Text(widgets.Body, "").Ellipsis(),
		of:     widgets.Text(widgets.Quiet, ""),
		bar:    widgets.NewMemoryBar(widgets.Panel),
		legend: widgets.VGap(2),
		body:   widgets.VGap(12),
		note:   widgets.NewReason(widgets.Info, ""),
		raise:  newRaiseView(copyText),
		source: widgets.VGap(2),
	}
	head := widgets.HGap(theme.GapControl+2, c.icon, c.title, c.badge, layout.NewSpacer(), c.about)
	c.head = widgets.VGap(theme.GapControl,
		widgets.HGap(theme.GapControl, c.number, widgets.Grow(c.usable), c.of), c.bar, c.legend)
	c.content = widgets.Card(widgets.VGap(12, head, c.head, c.body, c.note, c.raise.content, c.source))
	return c
}

// show draws a card and says whether it needs another amount of room.
func (c *cardView) show(v Card) (moved bool) {
	if reflect.DeepEqual(v, c.shown) {
		return false
	}
	old := c.shown
	c.shown = v
	c.icon.Set(v.Icon, theme.Accent)
	c.title.SetText(v.Title)
	c.title.Reserve(shortened(v.Title))
	c.badge.Set(v.Badge, theme.Accent)
	c.badge.Hidden = v.Badge == ""
	c.about.SetText(v.About)
	c.head.Hidden = v.Number == ""
	c.number.SetRole(widgets.Empty)
	if v.Big {
		c.number.SetRole(widgets.Big)
	}
	c.number.SetText(v.Number)
	c.usable.SetText(v.Usable)
	c.of.SetText(v.Of)
	c.note.SetText(v.Note)
	c.raise.show(v.Raise)

	var slices []widgets.Slice
	for _, s := range v.Bar {
		slices = append(slices, widgets.Slice{Color: s.Colour, Bytes: s.Bytes})
	}
	c.bar.Set(v.Total, slices, v.Margin, 0)
	c.arrange()
	c.source.Objects = nil
	c.source.Hidden = len(v.Source) == 0
	if !c.source.Hidden {
		c.source.Add(widgets.Text(widgets.QuietBold, words.T("hardware.sources")))
	}
	for _, f := range v.Source {
		c.source.Add(factRow(f, widgets.Quiet))
	}
	c.content.Refresh()
	return len(v.Facts) != len(old.Facts) || len(v.Sum) != len(old.Sum) || len(v.Users) != len(old.Users) ||
		len(v.Source) != len(old.Source) || len(v.Bar) != len(old.Bar) || v.Note != old.Note || v.Raise != old.Raise || v.Number == "" != (old.Number == "")
}

// sideWidth is how wide the column of programs is, and wideCard how wide a card
// has to be to have one.
const (
	sideWidth = 168
	wideCard  = 430
)

// fit makes a card ready for a width.
func (c *cardView) fit(width float32) {
	if wide := width >= wideCard; wide != c.wide {
		c.wide = wide
		c.arrange()
	}
}

// arrange puts the card's lines below each other, or who uses the memory to the
// right of the rest.
func (c *cardView) arrange() {
	v := c.shown
	c.arrangeLegend()
	main := widgets.VGap(theme.Gap)
	if len(v.Sum) > 0 {
		main.Add(widgets.Text(widgets.Quiet, words.T("hardware.sum")))
		for _, t := range v.Sum {
			if t.Result {
				main.Add(widgets.Line())
			}
			main.Add(sumRow(t))
		}
	}
	for _, f := range v.Facts {
		main.Add(factRow(f, widgets.Body))
	}
	c.body.Objects = []fyne.CanvasObject{main}
	if len(v.Users) > 0 {
		side := widgets.VGap(theme.Gap, widgets.Text(widgets.Quiet, words.T("hardware.users")))
		for _, u := range v.Users {
			side.Add(widgets.HGap(theme.GapControl, widgets.Grow(widgets.Text(widgets.Body, u.Name).Ellipsis()), widgets.Text(widgets.Body, u.GiB)))
		}
		if c.wide {
			c.body.Objects = []fyne.CanvasObject{widgets.HGapTop(24, widgets.Grow(main), widgets.Fixed(sideWidth, 0, side))}
		} else {
			c.body.Objects = append(c.body.Objects, side)
		}
	}
	c.body.Hidden = len(v.Sum)+len(v.Facts)+len(v.Users) == 0
	c.body.Refresh()
}

// arrangeLegend puts the legend into a row, or two of a row where that is narrow.
func (c *cardView) arrangeLegend() {
	var parts []fyne.CanvasObject
	for _, s := range c.shown.Bar {
		parts = append(parts, legend(s.Colour, "", s.Text))
	}
	if kept := c.shown.Kept(); kept != "" {
		parts = append(parts, legend(theme.SliceMargin, theme.SliceMarginEdge, kept))
	}
	if c.shown.Free != "" {
		parts = append(parts, legend(theme.Track, "", c.shown.Free))
	}
	each := len(parts)
	if !c.wide {
		each = 2
	}
	c.legend.Objects = nil
	for len(parts) > 0 {
		n := min(each, len(parts))
		c.legend.Objects = append(c.legend.Objects, widgets.HGap(theme.GapGroup, parts[:n]...))
		parts = parts[n:]
	}
	c.legend.Refresh()
}

// shortened is as much of a title as always has to be seen.
func shortened(title string) string {
	const most = 24
	if runes := []rune(title); len(runes) > most {
		return string(runes[:most])
	}
	return title
}

func sumRow(t Term) fyne.CanvasObject {
	nameCell := lower(widgets.Text(widgets.Quiet, t.Name).Ellipsis())
	number := widgets.Text(widgets.Body, t.GiB)
	if t.Result {
		nameCell, number = widgets.Text(widgets.Bold, t.Name).Ellipsis(), widgets.Text(widgets.Bold, t.GiB)
	}
	return widgets.HGapTop(theme.GapGroup,
		widgets.Fixed(128, 0, nameCell), widgets.Fixed(44, 0, number.Align(fyne.TextAlignTrailing)),
		widgets.Grow(lower(widgets.Paragraph(widgets.Quiet, t.Note))))
}

func factRow(f Fact, role widgets.Role) fyne.CanvasObject {
	value := fyne.CanvasObject(widgets.Paragraph(role, f.Value))
	if role == widgets.Quiet {
		value = lower(value)
	}
	return widgets.HGapTop(theme.GapControl,
		widgets.Fixed(128, 0, lower(widgets.Paragraph(widgets.Quiet, f.Name))),
		widgets.Grow(value))
}

// lower puts small text on the line of the body text beside it.
func lower(o fyne.CanvasObject) fyne.CanvasObject {
	return widgets.Inset(0, (theme.LineBody-theme.LineLabel)/2, 0, (theme.LineBody-theme.LineLabel)/2, o)
}

func legend(fill, edge fyne.ThemeColorName, text string) fyne.CanvasObject {
	square := widgets.Fixed(10, 10, widgets.NewFill(fill, edge, 2))
	return widgets.HGap(theme.GapInside, square, widgets.Text(widgets.Hint, text).Ellipsis())
}

// A raiseView is a kernel line to copy.
type raiseView struct {
	content *fyne.Container
	title   *widgets.TextLabel
	text    *widgets.ParagraphText
	line    *widgets.TextLabel
	copy    *widgets.Button
}

func newRaiseView(copyText func(string)) *raiseView {
	r := &raiseView{
		title: widgets.Text(widgets.Bold, ""),
		text:  widgets.Paragraph(widgets.Quiet, ""),
		line:  widgets.Text(widgets.Mono, "").Ellipsis(),
	}
	r.copy = widgets.NewButton(words.T("hardware.raise.copy"), theme.IconCopy, widgets.Edged, func() { copyText(r.line.String()) })
	code := widgets.Stack(widgets.NewFill(theme.Code, theme.Separator, theme.RadiusControl), widgets.Inset(10, 6, 10, 6, r.line))
	r.content = widgets.Stack(widgets.NewFill(theme.Raised, "", theme.RadiusCard), widgets.Inset(12, 12, 12, 12,
		widgets.VGap(theme.GapControl, r.title, r.text, widgets.HGap(theme.GapControl, widgets.Grow(code), r.copy))))
	r.content.Hide()
	return r
}

func (r *raiseView) show(v Raise) {
	widgets.SetShown(r.content, v.Line != "")
	r.title.SetText(v.Title)
	r.text.SetText(v.Text)
	r.line.SetText(v.Line)
}
