package models

import (
	"slices"

	"fyne.io/fyne/v2"
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
	widgets.RowMarks
	table *table
	at    int
	row   *Row

	line    fyne.CanvasObject
	cells   [columnCount]*widgets.TextLabel
	badges  []*widgets.Badge
	more    *widgets.TextLabel // badges there is no room for
	parts   *widgets.Badge     // how many files it has
	icon    *widgets.Icon
	problem *widgets.TextLabel
	files   *widgets.Button    // shows which files there are of an incomplete set
	fits    *widgets.TextLabel // why a companion is where it is
	elbow   [2]*widgets.Fill   // from the model to a row under it
	box     *fyne.Container
}

// badgesShown is the most badges a row ever shows.
const badgesShown = 4

func newRowView(t *table) *rowView {
	r := &rowView{
		RowMarks: widgets.NewRowMarks(),
		table:    t, at: -1, row: &Row{},
		line:    widgets.Line(),
		more:    widgets.Text(widgets.Hint, ""),
		parts:   widgets.NewBadge("", ""),
		icon:    widgets.NewIcon(theme.IconRefuseRing, theme.Refuse, theme.IconSizeText),
		problem: widgets.Text(widgets.Quiet, "").Ellipsis().Colour(theme.Refuse),
		fits:    widgets.Text(widgets.Quiet, "").Ellipsis(),
		elbow:   [2]*widgets.Fill{widgets.NewFill(theme.Disabled, "", 0), widgets.NewFill(theme.Disabled, "", 0)},
	}
	r.files = widgets.NewRowButton(words.T("models.showFiles"), "", widgets.Edged, func() {
		r.table.choose(r.at)
		r.table.act.files()
	})
	objects := []fyne.CanvasObject{r.Fill, r.line, r.elbow[0], r.elbow[1]}
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
	r.box = container.New(rowLayout{r}, append(objects, r.more, r.parts, r.icon, r.problem, r.files, r.fits, r.Ring)...)
	r.ExtendBaseWidget(r)
	return r
}

// set gives the view a row.
func (r *rowView) set(at int, row *Row, selected, ringed bool) {
	if r.at == at && r.row.looksLike(row) && r.Marked(selected, ringed) {
		return
	}
	if r.at != at {
		r.Moved()
	}
	r.at, r.row = at, row
	r.Mark(selected, ringed)
	r.fillCells()
	r.box.Refresh()
}

// looksLike says whether two rows have the same cells.
func (r *Row) looksLike(other *Row) bool {
	return r == other || r.same(other) && r.cells() == other.cells() && r.Problem == other.Problem && r.Fits == other.Fits &&
		r.Companion == other.Companion && slices.Equal(r.Badges, other.Badges) &&
		len(r.Model.Files) == len(other.Model.Files) && len(r.Model.Missing) == len(other.Model.Missing)
}

// cells are a row's texts by column.
func (r *Row) cells() [columnCount]string {
	return [columnCount]string{r.Name, r.Architecture, r.Parameters, r.Quantisation, r.Size, r.Context, "", r.Where}
}

func (r *rowView) fillCells() {
	row := r.row
	for c, text := range row.cells() {
		role, colour := widgets.Body, theme.Text
		column := Column(c)
		switch {
		case row.Under != "":
			role, colour = widgets.Quiet, theme.TextQuiet
		case column == ColumnWhere:
			role, colour = widgets.Quiet, theme.TextQuiet
		case column == ColumnArchitecture || row.Problem != "" || row.Companion:
			colour = theme.TextQuiet
		}
		if column == ColumnName && r.Chosen() {
			role, colour = bold(role), theme.Text
		}
		r.cells[c].SetRole(role)
		r.cells[c].Colour(colour)
		r.cells[c].SetText(text)
	}
	r.parts.Hidden = len(row.Model.Files) < 2
	r.parts.Set(words.T("models.files", map[string]any{"Count": len(row.Model.Files)}), "")
	r.problem.SetText(row.Problem)
	r.fits.SetText(row.Fits)
}

func bold(role widgets.Role) widgets.Role {
	if role == widgets.Quiet {
		return widgets.QuietBold
	}
	return widgets.Bold
}

// Refresh follows a change of the theme.
func (r *rowView) Refresh() {
	r.Paint()
	r.BaseWidget.Refresh()
}

// CreateRenderer draws the row.
func (r *rowView) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(r.box) }

// MouseDown chooses the row at once: a tap would wait to see whether it becomes a
// double tap. The other button shows what else can be done with it.
func (r *rowView) MouseDown(ev *desktop.MouseEvent) {
	switch ev.Button {
	case desktop.MouseButtonPrimary:
		r.table.choose(r.at)
	case desktop.MouseButtonSecondary:
		r.table.choose(r.at)
		r.table.act.menu(ev.AbsolutePosition)
	}
}

// MouseUp does nothing.
func (r *rowView) MouseUp(*desktop.MouseEvent) {}

// DoubleTapped opens the row's model in Set up and load.
func (r *rowView) DoubleTapped(*fyne.PointEvent) { r.table.open() }

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
