package images

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
	job "paddock/engine/images"
)

const (
	cardThumb  = 96
	cardLines  = 3
	cardMargin = 11
)

// A card draws one picture of the grid, and later others.
type card struct {
	widget.BaseWidget
	widgets.RowMarks
	grid *grid
	at   int
	item *job.Item
	wide float32 // of the text, when it was cut

	thumb *widgets.Thumb
	name  *widgets.TextLabel
	text  *widgets.ParagraphText
	mark  *widgets.Icon
	state *widgets.TextLabel
	box   *fyne.Container
}

func newCard(g *grid) *card {
	c := &card{
		RowMarks: widgets.NewRowMarks(), grid: g, at: -1,
		thumb: widgets.NewThumb(g.thumbs, cardThumb, cardThumb, theme.IconFile),
		name:  widgets.Text(widgets.Bold, "").Ellipsis(),
		text:  widgets.Paragraph(widgets.Quiet, ""),
		mark:  widgets.NewIcon(theme.IconFile, theme.TextQuiet, theme.IconSizeText),
		state: widgets.Text(widgets.Quiet, "").Ellipsis(),
	}
	c.Fill = widgets.NewFill("", "", theme.RadiusCard)
	c.Ring.CornerRadius = theme.RadiusCard
	right := widgets.VGap(2, c.name, c.text, layout.NewSpacer(), widgets.HGap(6, c.mark, widgets.Grow(c.state)))
	inner := widgets.Inset(cardMargin, cardMargin, cardMargin, cardMargin, widgets.Borders(nil, nil,
		widgets.Inset(0, 0, 10, 0, c.thumb), nil, right))
	c.box = container.NewStack(widgets.NewPlate(theme.Surface, theme.Separator, theme.RadiusCard), c.Fill, inner, c.Ring)
	c.ExtendBaseWidget(c)
	return c
}

func (c *card) set(at int, item *job.Item, chosen, ringed bool) {
	wide := c.Size().Width - 2*cardMargin - cardThumb - 10
	if c.at == at && c.item == item && c.wide == wide && c.name.String() == nameOf(item, c.grid.names) && c.Marked(chosen, ringed) {
		return
	}
	if name := nameOf(item, c.grid.names); name != c.name.String() {
		c.name.SetText(name)
	}
	if c.item != item || c.wide != wide {
		c.draw(item, wide)
	}
	if c.at != at {
		c.Moved()
	}
	c.at, c.item, c.wide = at, item, wide
	c.Mark(chosen, ringed)
	c.box.Refresh()
}

func (c *card) draw(item *job.Item, wide float32) {
	c.thumb.SetPath(item.Path)
	look := lookOf(item)
	c.text.Colour(theme.Text)
	switch {
	case item.Phase == job.Failed:
		c.text.Colour(theme.Refuse)
	case shownText(item) == "":
		c.text.Colour(theme.TextQuiet)
	}
	c.text.SetText(c.grid.cut(cardText(item), wide))
	c.mark.Set(look.icon, look.colour)
	c.state.SetText(look.text)
	c.state.Colour(look.colour)
}

// cut shortens a text to the lines of a card.
func (g *grid) cut(text string, wide float32) string {
	g.measure.SetText("x")
	most := cardLines*g.measure.HeightFor(wide) + 1
	fits := func(s string) bool {
		g.measure.SetText(s)
		return g.measure.HeightFor(wide) <= most
	}
	runes := []rune(text)
	runes = runes[:min(len(runes), 240)]
	if len(runes) == len([]rune(text)) && fits(text) {
		return text
	}
	low, high := 0, len(runes)
	for low < high {
		middle := (low + high + 1) / 2
		if fits(string(runes[:middle]) + "…") {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return string(runes[:low]) + "…"
}

// Refresh follows a change of the theme.
func (c *card) Refresh() {
	c.Paint()
	c.BaseWidget.Refresh()
}

// CreateRenderer draws the card.
func (c *card) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(c.box) }

// MouseDown chooses the card at once.
func (c *card) MouseDown(ev *desktop.MouseEvent) {
	if ev.Button == desktop.MouseButtonPrimary && c.at >= 0 {
		c.grid.clicked(c.at)
	}
}

// MouseUp does nothing.
func (c *card) MouseUp(*desktop.MouseEvent) {}
