package app

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
)

// A rail is the column at the left with an item for every page.
type rail struct {
	content fyne.CanvasObject
	items   []*railItem
}

func newRail(pages []*page, goTo func(*page)) *rail {
	r := &rail{}
	l := &railLayout{logo: widgets.NewIcon(theme.IconLogo, theme.Accent, railLogo)}
	objs := []fyne.CanvasObject{l.logo}
	for _, p := range pages {
		if p.under != "" {
			continue
		}
		item := newRailItem(p, func() { goTo(p) })
		r.items = append(r.items, item)
		if p.last {
			l.last = item
		} else {
			l.items = append(l.items, item)
		}
		objs = append(objs, item)
	}
	column := container.New(l, objs...)
	r.content = widgets.Borders(nil, nil, nil, widgets.Line(),
		widgets.Background(theme.Window, column))
	return r
}

// show marks the item of the page on view.
func (r *rail) show(p *page) {
	for _, item := range r.items {
		item.setChosen(item.page == p || item.page.id == p.under)
	}
}

const (
	railLogo  = 36
	railFirst = 56 // where the first item begins
	railPitch = 56
	railLast  = 10 // under the last item
)

type railLayout struct {
	logo  *widgets.Icon
	items []*railItem
	last  *railItem
}

func (l *railLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	l.logo.Move(fyne.NewPos((theme.RailWidth-railLogo)/2, 6))
	l.logo.Resize(fyne.NewSquareSize(railLogo))
	place := func(item *railItem, y float32) {
		item.Move(fyne.NewPos(0, y))
		item.Resize(fyne.NewSize(size.Width, theme.RailItemHeight))
	}
	for i, item := range l.items {
		place(item, railFirst+float32(i)*railPitch)
	}
	if l.last != nil {
		place(l.last, size.Height-railLast-theme.RailItemHeight)
	}
}

func (l *railLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(theme.RailWidth-theme.SeparatorWidth, railFirst+float32(len(l.items)+1)*railPitch)
}

// A railItem goes to one page.
type railItem struct {
	widget.BaseWidget
	page                     *page
	tapped                   func()
	chosen, hovered, focused bool
}

func newRailItem(p *page, tapped func()) *railItem {
	i := &railItem{page: p, tapped: tapped}
	i.ExtendBaseWidget(i)
	return i
}

func (i *railItem) setChosen(on bool) {
	if i.chosen != on {
		i.chosen = on
		i.Refresh()
	}
}

// AccessibilityLabel is the page's title.
func (i *railItem) AccessibilityLabel() string { return i.page.title }

// AccessibilityRole is that of a button.
func (i *railItem) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleButton }

func (i *railItem) Tapped(*fyne.PointEvent)        { i.tapped() }
func (i *railItem) MouseIn(*desktop.MouseEvent)    { i.hovered = true; i.Refresh() }
func (i *railItem) MouseMoved(*desktop.MouseEvent) {}
func (i *railItem) MouseOut()                      { i.hovered = false; i.Refresh() }
func (i *railItem) FocusGained()                   { i.focused = true; i.Refresh() }
func (i *railItem) FocusLost()                     { i.focused = false; i.Refresh() }
func (i *railItem) TypedRune(rune)                 {}

func (i *railItem) TypedKey(ev *fyne.KeyEvent) {
	switch ev.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		i.tapped()
	default:
		widgets.PassKey(i, ev)
	}
}

// CreateRenderer draws the item: the mark at the window's edge, the fill, the
// icon and the title below it.
func (i *railItem) CreateRenderer() fyne.WidgetRenderer {
	mark := &canvas.Rectangle{TopRightCornerRadius: 2, BottomRightCornerRadius: 2}
	fill := &canvas.Rectangle{CornerRadius: theme.RadiusCard}
	icon := widgets.NewIcon(i.page.icon, theme.TextQuiet, theme.IconSizeRail)
	title := widgets.Text(widgets.Hint, i.page.title).Align(fyne.TextAlignCenter)
	r := &railItemRenderer{item: i, mark: mark, fill: fill, icon: icon, title: title}
	r.Refresh()
	return r
}

type railItemRenderer struct {
	item       *railItem
	mark, fill *canvas.Rectangle
	icon       *widgets.Icon
	title      *widgets.TextLabel
}

func (r *railItemRenderer) Destroy() {}

func (r *railItemRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.mark, r.fill, r.icon, r.title}
}

func (r *railItemRenderer) MinSize() fyne.Size {
	return fyne.NewSize(theme.RailWidth-theme.SeparatorWidth, theme.RailItemHeight)
}

func (r *railItemRenderer) Layout(size fyne.Size) {
	const mark = 28
	r.mark.Move(fyne.NewPos(0, (size.Height-mark)/2))
	r.mark.Resize(fyne.NewSize(3, mark))
	r.fill.Move(fyne.NewPos(6, 0))
	r.fill.Resize(fyne.NewSize(theme.RailItemWidth-1, size.Height))
	r.icon.Move(fyne.NewPos(0, 8))
	r.icon.Resize(fyne.NewSize(size.Width, theme.IconSizeRail))
	r.title.Move(fyne.NewPos(0, 29))
	r.title.Resize(fyne.NewSize(size.Width, theme.LineHint))
}

func (r *railItemRenderer) Refresh() {
	i := r.item
	r.mark.FillColor = theme.Color(theme.Accent)
	r.mark.Hidden = !i.chosen
	r.fill.StrokeWidth = 0
	r.fill.Hidden = !i.chosen && !i.hovered && !i.focused
	ink := theme.TextQuiet
	switch {
	case i.chosen:
		ink = theme.Accent
		r.fill.FillColor = theme.Color(theme.Selected)
	case i.hovered:
		r.fill.FillColor = theme.Color(theme.Hover)
	default:
		r.fill.FillColor = theme.Color(theme.Window)
	}
	if i.focused {
		r.fill.StrokeColor, r.fill.StrokeWidth = theme.Color(theme.Focus), theme.FocusRingWidth
	}
	r.icon.Set(i.page.icon, ink)
	r.title.Colour(ink)
	canvas.Refresh(i)
}
