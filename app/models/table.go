package models

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
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
	open   func() // the chosen model, in Set up and load
	filter func() // go to the filter box
	file   func() // pick a file
}

func newTable(act actions) *table {
	t := &table{act: act}
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

// show draws a state.
func (t *table) show(s State) {
	selected, rows := t.state.Selected.Path, len(t.state.Rows)
	t.state = s
	for c, p := range t.titles {
		sorted := s.Sort.Column == Column(c)
		p.mark.Hidden = !sorted
		p.mark.Set(theme.IconChevronUp, theme.Text)
		if s.Sort.Descending {
			p.mark.Set(theme.IconChevronDown, theme.Text)
		}
		p.choose(sorted)
		p.Refresh()
	}
	if len(s.Rows) != rows {
		t.scroll.Refresh()
	}
	if s.Selected.Path != selected {
		t.reveal(s.At)
	}
	t.fill()
}

// reveal scrolls until a row is on the screen.
func (t *table) reveal(at int) {
	if at < 0 {
		return
	}
	top, bottom := float32(at)*theme.RowHeight, float32(at+1)*theme.RowHeight
	height := t.scroll.Size().Height
	switch {
	case top < t.scroll.Offset.Y:
		t.scroll.ScrollToOffset(fyne.NewPos(0, top))
	case bottom > t.scroll.Offset.Y+height:
		t.scroll.ScrollToOffset(fyne.NewPos(0, bottom-height))
	}
}

// fill gives the views the rows that are on the screen. Row i always goes to the
// same view, so that scrolling by a row changes one view only.
func (t *table) fill() {
	size := t.scroll.Size()
	if size.Height <= 0 {
		return
	}
	need := int(size.Height/theme.RowHeight) + 2
	for len(t.views) < need {
		v := newRowView(t)
		t.views = append(t.views, v)
		t.body.Objects = append(t.body.Objects, v)
	}
	first := max(0, int(t.scroll.Offset.Y/theme.RowHeight))
	for i := first; i < first+len(t.views); i++ {
		v := t.views[i%len(t.views)]
		if i >= len(t.state.Rows) {
			v.at = -1
			v.Hide()
			continue
		}
		selected := i == t.state.At
		v.set(i, t.state.Rows[i], selected, selected && t.focused && t.keyboard)
		v.Resize(fyne.NewSize(t.body.Size().Width, theme.RowHeight))
		v.Move(fyne.NewPos(0, float32(i)*theme.RowHeight))
		v.Show()
	}
}

// choose is a click on a row.
func (t *table) choose(at int) {
	t.keyboard = false
	if c := fyne.CurrentApp().Driver().CanvasForObject(t); c != nil {
		c.Focus(t)
	}
	t.act.choose(at)
	t.fill()
}

func (t *table) open() { t.act.open() }

// page is how many rows a Page key moves by.
func (t *table) page() int { return max(1, int(t.scroll.Size().Height/theme.RowHeight)-1) }

// TypedKey moves the choice and opens what is chosen.
func (t *table) TypedKey(ev *fyne.KeyEvent) {
	by := 0
	switch ev.Name {
	case fyne.KeyUp:
		by = -1
	case fyne.KeyDown:
		by = 1
	case fyne.KeyPageUp:
		by = -t.page()
	case fyne.KeyPageDown:
		by = t.page()
	case fyne.KeyHome:
		by = -len(t.state.Rows)
	case fyne.KeyEnd:
		by = len(t.state.Rows)
	case fyne.KeyReturn, fyne.KeyEnter:
		t.act.open()
		return
	default:
		passKey(t, ev)
		return
	}
	t.keyboard = true
	t.act.move(by)
	t.fill()
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

func (l bodyLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(0, float32(len(l.t.state.Rows))*theme.RowHeight+hintHeight)
}

func (l bodyLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	l.t.hint.Resize(fyne.NewSize(size.Width-2*theme.PaneMargin, hintHeight))
	l.t.hint.Move(fyne.NewPos(theme.PaneMargin, float32(len(l.t.state.Rows))*theme.RowHeight))
	l.t.fill()
}

var _ fyne.Focusable = (*table)(nil)
