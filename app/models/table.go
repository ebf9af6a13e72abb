package models

import (
	"sort"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// A table is the list of rows under its header. However many rows there are, it
// only has views for those on the screen.
type table struct {
	widget.BaseWidget
	act actions

	state    State
	tops     []float32 // where each row begins, and where the last one ends
	focused  bool
	keyboard bool // the last choice was made with it: the focus ring shows

	titles [columnCount]*press
	scroll *container.Scroll
	body   *fyne.Container
	views  []*rowView
	hint   *fyne.Container
	box    *fyne.Container
}

// actions are what the user can do in the table.
type actions struct {
	choose func(at int)
	move   func(by int)
	sort   func(Column)
	open   func()              // the chosen model, in Set up and load
	files  func()              // the chosen model's, in the detail pane
	menu   func(fyne.Position) // what else can be done with the chosen row
	filter func()              // go to the filter box
	file   func()              // pick a file
	shift  func() bool         // whether the shift key is held
}

func newTable(act actions) *table {
	t := &table{act: act, tops: []float32{0}}
	var titles []fyne.CanvasObject
	for c := range t.titles {
		t.titles[c] = newPress(title, columnTitle(Column(c)), func() { act.sort(Column(c)) })
		t.titles[c].right = rightAligned[Column(c)]
		titles = append(titles, t.titles[c])
	}
	header := container.New(headerLayout{t}, titles...)
	t.hint = widgets.HGap(10,
		widgets.NewIcon(theme.IconDownload, theme.TextQuiet, theme.IconSizeText),
		widgets.Text(widgets.Quiet, words.T("models.drop")).Ellipsis(),
		widgets.NewSmallButton(words.T("models.first.file.button"), "", widgets.Plain, act.file),
	)
	t.body = container.New(bodyLayout{t}, t.hint)
	t.scroll = container.NewVScroll(t.body)
	t.scroll.OnScrolled = func(fyne.Position) { t.fill() }
	t.box = widgets.Borders(widgets.VGap(0, widgets.Line(), header, widgets.Line()), nil, nil, nil, t.scroll)
	t.ExtendBaseWidget(t)
	return t
}

// height is how high a row is.
func (r *Row) height() float32 {
	if r.Under != "" {
		return theme.SubRowHeight
	}
	return theme.RowHeight
}

// show draws a state.
func (t *table) show(s State) {
	before := t.state.Selected
	t.state = s
	t.showTitles(s.Sort)
	end := t.tops[len(t.tops)-1]
	t.tops = append(t.tops[:0], 0)
	y := float32(0)
	for _, r := range s.Rows {
		y += r.height()
		t.tops = append(t.tops, y)
	}
	if y != end {
		t.scroll.Refresh()
	}
	if !s.Selected.same(&before) {
		t.reveal(s.At)
	}
	t.fill()
}

// showTitles marks the column that the rows are sorted by.
func (t *table) showTitles(by Sort) {
	for c, p := range t.titles {
		sorted := by.Column == Column(c)
		mark := theme.IconChevronUp
		if by.Descending {
			mark = theme.IconChevronDown
		}
		note := ""
		if Column(c) == ColumnName && by.Column == RecentFirst {
			note = words.T("models.column.recent")
		}
		if p.mark.Hidden == !sorted && p.count.String() == note && p.chosen == sorted && p.way == mark {
			continue
		}
		p.way = mark
		p.mark.Hidden = !sorted
		p.mark.Set(mark, theme.Text)
		p.count.SetText(note)
		p.chosen = sorted
		p.Refresh()
	}
}

// reveal scrolls until a row is on the screen.
func (t *table) reveal(at int) {
	if at < 0 || at+1 >= len(t.tops) {
		return
	}
	top, bottom := t.tops[at], t.tops[at+1]
	height := t.scroll.Size().Height
	switch {
	case top < t.scroll.Offset.Y:
		t.scroll.ScrollToOffset(fyne.NewPos(0, top))
	case bottom > t.scroll.Offset.Y+height:
		t.scroll.ScrollToOffset(fyne.NewPos(0, bottom-height))
	}
}

// rowAt is the row at a height of the whole list.
func (t *table) rowAt(y float32) int {
	at := sort.Search(len(t.tops), func(i int) bool { return t.tops[i] > y })
	return max(0, at-1)
}

// fill gives the views the rows that are on the screen. Row i always goes to the
// same view, so that scrolling by a row changes one view only.
func (t *table) fill() {
	size := t.scroll.Size()
	if size.Height <= 0 {
		return
	}
	need := int(size.Height/theme.SubRowHeight) + 2
	for len(t.views) < need {
		v := newRowView(t)
		t.views = append(t.views, v)
		t.body.Objects = append(t.body.Objects, v)
	}
	first := t.rowAt(t.scroll.Offset.Y)
	for i := first; i < first+len(t.views); i++ {
		v := t.views[i%len(t.views)]
		if i >= len(t.state.Rows) {
			v.at = -1
			v.Hide()
			continue
		}
		r := t.state.Rows[i]
		selected := i == t.state.At
		v.set(i, r, selected, selected && t.focused && t.keyboard)
		v.Resize(fyne.NewSize(t.body.Size().Width, r.height()))
		v.Move(fyne.NewPos(0, t.tops[i]))
		v.Show()
	}
}

// choose is a click on a row.
func (t *table) choose(at int) {
	t.keyboard = false
	widgets.Focus(t)
	t.act.choose(at)
	t.fill()
}

func (t *table) open() { t.act.open() }

// menu shows the menu of the chosen row under it.
func (t *table) menu() {
	at := t.state.At
	if at < 0 {
		return
	}
	t.reveal(at)
	origin := fyne.CurrentApp().Driver().AbsolutePositionForObject(t.scroll)
	t.act.menu(origin.AddXY(theme.PaneMargin, t.tops[at+1]-t.scroll.Offset.Y))
}

// page is how many rows a Page key moves by.
func (t *table) page() int { return max(1, int(t.scroll.Size().Height/theme.RowHeight)-1) }

// TypedKey moves the choice and opens what is chosen.
func (t *table) TypedKey(ev *fyne.KeyEvent) {
	if by, moves := widgets.RowStep(ev.Name, t.page(), len(t.state.Rows)); moves {
		t.keyboard = true
		t.act.move(by)
		t.fill()
		return
	}
	switch {
	case ev.Name == fyne.KeyReturn, ev.Name == fyne.KeyEnter:
		t.act.open()
	case ev.Name == desktop.KeyMenu, ev.Name == fyne.KeyF10 && t.act.shift():
		t.menu()
	default:
		widgets.PassKey(t, ev)
	}
}

// TypedRune goes to the filter box on a slash.
func (t *table) TypedRune(r rune) {
	if r == '/' {
		t.act.filter()
	}
}

// FocusGained shows where the keyboard is.
func (t *table) FocusGained() { t.focused = true; t.fill() }

// FocusLost takes the ring away.
func (t *table) FocusLost() { t.focused = false; t.fill() }

// CreateRenderer draws the table.
func (t *table) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(t.box) }

// Resize fills the room there is now.
func (t *table) Resize(size fyne.Size) {
	t.BaseWidget.Resize(size)
	t.fill()
}

// headerLayout puts the titles over their columns.
type headerLayout struct{ t *table }

func (headerLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(0, theme.TableHeaderHeight)
}

func (l headerLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	for _, p := range l.t.titles {
		p.Hide()
	}
	for _, s := range columnsFor(size.Width) {
		p := l.t.titles[s.column]
		p.Resize(fyne.NewSize(s.w, size.Height))
		p.Move(fyne.NewPos(s.x, 0))
		p.Show()
	}
}

// bodyLayout is as high as all rows; fill places the views.
type bodyLayout struct{ t *table }

const hintHeight = 40

func (l bodyLayout) end() float32 { return l.t.tops[len(l.t.tops)-1] }

func (l bodyLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(0, l.end()+hintHeight)
}

func (l bodyLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	l.t.hint.Resize(fyne.NewSize(size.Width-2*theme.PaneMargin, hintHeight))
	l.t.hint.Move(fyne.NewPos(theme.PaneMargin, l.end()))
	l.t.fill()
}

var _ fyne.Focusable = (*table)(nil)
