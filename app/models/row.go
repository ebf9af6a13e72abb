package models

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// A rowView draws one row of the table. The table has as many as fit on the
// screen and gives them other rows while it scrolls.
type rowView struct {
	widget.BaseWidget
	table *table
	at    int
	row   Row

	selected, hovered, ringed bool

	fill    *widgets.Fill
	ring    *canvas.Rectangle
	line    fyne.CanvasObject
	cells   [columnCount]*widgets.TextLabel
	badges  []*widgets.Badge
	more    *widgets.TextLabel // badges there is no room for
	parts   *widgets.Badge     // how many files it has
	icon    *widgets.Icon
	problem *widgets.TextLabel
	box     *fyne.Container
}

// badgesShown is the most badges a row ever shows.
const badgesShown = 4

func newRowView(t *table) *rowView {
	r := &rowView{
		table: t, at: -1,
		fill:    widgets.NewFill("", "", 0),
		ring:    &canvas.Rectangle{StrokeWidth: theme.FocusRingWidth, CornerRadius: theme.RadiusBadge},
		line:    widgets.Line(),
		more:    widgets.Text(widgets.Hint, ""),
		parts:   widgets.NewBadge("", ""),
		icon:    widgets.NewIcon(theme.IconRefuseRing, theme.Refuse, theme.IconSizeText),
		problem: widgets.Text(widgets.Quiet, "").Ellipsis().Colour(theme.Refuse),
	}
	objects := []fyne.CanvasObject{r.fill, r.line}
	for c := range r.cells {
		r.cells[c] = widgets.Text(widgets.Body, "").Ellipsis()
		if rightAligned[Column(c)] {
			r.cells[c].Align(fyne.TextAlignTrailing)
		}
		objects = append(objects, r.cells[c])
	}
	for range badgesShown {
		b := widgets.NewBadge("", "")
		r.badges = append(r.badges, b)
		objects = append(objects, b)
	}
	r.box = container.New(rowLayout{r}, append(objects, r.more, r.parts, r.icon, r.problem, r.ring)...)
	r.ExtendBaseWidget(r)
	return r
}

// set gives the view a row.
func (r *rowView) set(at int, row Row, selected, ringed bool) {
	changed := r.at != at || r.row.Path != row.Path || r.row.Problem != row.Problem || r.row.Size != row.Size
	if !changed && r.selected == selected && r.ringed == ringed {
		return
	}
	r.at, r.row, r.selected, r.ringed = at, row, selected, ringed
	r.fillCells()
	r.paint()
	r.box.Refresh()
}

func (r *rowView) fillCells() {
	row := r.row
	for c, text := range [columnCount]string{
		row.Name, row.Architecture, row.Parameters, row.Quantisation, row.Size, row.Context, "", row.Where,
	} {
		role, colour := widgets.Body, theme.Text
		switch {
		case Column(c) == ColumnName && r.selected:
			role = widgets.Bold
		case Column(c) == ColumnArchitecture || Column(c) == ColumnWhere || row.Problem != "" || row.Companion:
			colour = theme.TextQuiet
		}
		if Column(c) == ColumnWhere {
			role = widgets.Quiet
		}
		r.cells[c].SetRole(role)
		r.cells[c].Colour(colour)
		r.cells[c].SetText(text)
	}
	r.parts.Hidden = len(row.Model.Files) < 2
	r.parts.Set(words.T("models.files", map[string]any{"Count": len(row.Model.Files)}), "")
	r.problem.SetText(row.Problem)
}

func (r *rowView) paint() {
	fill := fyne.ThemeColorName("")
	switch {
	case r.selected:
		fill = theme.Selected
	case r.hovered:
		fill = theme.Hover
	}
	r.fill.SetColours(fill, "")
	r.ring.StrokeColor, r.ring.FillColor = theme.Color(theme.Focus), theme.Unfilled(theme.Focus)
	r.ring.Hidden = !r.ringed
	r.ring.Refresh()
}

// Refresh follows a change of the theme.
func (r *rowView) Refresh() {
	r.paint()
	r.BaseWidget.Refresh()
}

// CreateRenderer draws the row.
func (r *rowView) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(r.box) }

// MouseDown chooses the row at once: a tap would wait to see whether it becomes a
// double tap.
func (r *rowView) MouseDown(ev *desktop.MouseEvent) {
	if ev.Button == desktop.MouseButtonPrimary {
		r.table.choose(r.at)
	}
}

// MouseUp does nothing.
func (r *rowView) MouseUp(*desktop.MouseEvent) {}

// DoubleTapped opens the row's model in Set up and load.
func (r *rowView) DoubleTapped(*fyne.PointEvent) { r.table.open() }

// MouseIn marks the row under the pointer.
func (r *rowView) MouseIn(*desktop.MouseEvent) { r.hovered = true; r.paint() }

// MouseMoved does nothing.
func (r *rowView) MouseMoved(*desktop.MouseEvent) {}

// MouseOut takes the mark away.
func (r *rowView) MouseOut() { r.hovered = false; r.paint() }

type rowLayout struct{ r *rowView }

func (l rowLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(0, theme.RowHeight) }

func (l rowLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	r := l.r
	r.fill.Resize(size)
	r.ring.Move(fyne.NewPos(1, 1))
	r.ring.Resize(size.SubtractWidthHeight(2, 2))
	r.line.Move(fyne.NewPos(0, size.Height-1))
	r.line.Resize(fyne.NewSize(size.Width, 1))
	for _, cell := range r.cells {
		cell.Hide()
	}
	for _, s := range columnsFor(size.Width) {
		cell := r.cells[s.column]
		cell.Show()
		w := s.w
		if s.column == ColumnName {
			w = l.placeParts(s)
		}
		put(cell, s.x, w, theme.LineBody, size.Height)
		if s.column == ColumnCan {
			l.placeBadges(s, size.Height)
		}
	}
	l.placeProblem(size)
}

// placeParts puts "2 files" behind the name and says what is left for the name.
func (l rowLayout) placeParts(s span) float32 {
	r := l.r
	if r.parts.Hidden {
		return s.w
	}
	const gap = 8
	w := r.parts.MinSize().Width
	name := min(r.cells[ColumnName].NaturalWidth(), max(0, s.w-w-gap))
	put(r.parts, s.x+name+gap, w, theme.BadgeHeight, theme.RowHeight)
	return name
}

// placeBadges puts as many badges as there is room for, and the number of the
// others.
func (l rowLayout) placeBadges(s span, height float32) {
	r := l.r
	const gap = 5
	more := r.more.MinSize().Width
	if more == 0 {
		r.more.SetText("+9")
		more = r.more.NaturalWidth()
	}
	x, shown := s.x, 0
	for i, b := range r.badges {
		b.Hide()
		if i >= len(r.row.Badges) || shown < i {
			continue
		}
		b.Set(badge(r.row.Badges[i]))
		w := b.MinSize().Width
		room := s.x + s.w - x
		if i < len(r.row.Badges)-1 {
			room -= more + gap
		}
		if w > room {
			continue
		}
		put(b, x, w, theme.BadgeHeight, height)
		b.Show()
		x += w + gap
		shown++
	}
	rest := len(r.row.Badges) - shown
	r.more.Hidden = rest == 0 || r.row.Problem != ""
	r.more.SetText(fmt.Sprintf("+%d", rest))
	put(r.more, x, r.more.NaturalWidth(), theme.LineHint, height)
}

// placeProblem writes why a row can't be used over the columns behind its
// quantisation.
func (l rowLayout) placeProblem(size fyne.Size) {
	r := l.r
	r.icon.Hidden, r.problem.Hidden = r.row.Problem == "", r.row.Problem == ""
	if r.row.Problem == "" {
		return
	}
	spans := columnsFor(size.Width)
	x, end := theme.PaneMargin, size.Width-theme.PaneMargin
	for _, s := range spans {
		switch {
		case s.column <= ColumnQuantisation && (s.column == ColumnName || r.cells[s.column].String() != ""):
			x = s.x + s.w + columnGap
		case s.column == ColumnWhere:
			end = s.x - columnGap
		default:
			r.cells[s.column].Hide()
		}
	}
	for _, b := range r.badges {
		b.Hide()
	}
	put(r.icon, x, theme.IconSizeText, theme.IconSizeText, size.Height)
	put(r.problem, x+theme.IconSizeText+6, max(0, end-x-theme.IconSizeText-6), theme.LineLabel, size.Height)
}

// put places an object in the middle of a row's height.
func put(o fyne.CanvasObject, x, w, h, height float32) {
	o.Resize(fyne.NewSize(w, h))
	o.Move(fyne.NewPos(x, float32(int((height-h)/2))))
}

// badge is the word and the colour of a capability.
func badge(capability string) (text string, square fyne.ThemeColorName) {
	colours := map[string]fyne.ThemeColorName{
		"chat": theme.Accent, "vision": theme.SliceProjector, "projector": theme.SliceProjector,
		"mtp": theme.SliceDraft, "draft": theme.SliceDraft, "embeddings": theme.SliceKV,
		"rerank": theme.SliceKV, "reasoning": theme.SliceCompute, "lora": theme.SliceHost,
	}
	square, ok := colours[capability]
	if !ok {
		square = theme.SliceOther
	}
	return words.T("models.can." + capability), square
}

var (
	_ desktop.Mouseable   = (*rowView)(nil)
	_ desktop.Hoverable   = (*rowView)(nil)
	_ fyne.DoubleTappable = (*rowView)(nil)
)
