package get

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"paddock/app/widgets"
)

// A list is a column of rows of one height. However many there are, it only has
// views for those on the screen.
type list[T comparable] struct {
	widget.BaseWidget
	height  float32
	newCell func() cell[T]
	act     listActions

	rows     []T
	at       int // the chosen row, -1 for none
	focused  bool
	keyboard bool // the last choice was made with it: the focus ring shows

	scroll *container.Scroll
	body   *fyne.Container
	views  []*rowView[T]
}

// A cell is what a row shows.
type cell[T any] interface {
	Content() fyne.CanvasObject
	Set(T)
}

// listActions are what the user can do in a list.
type listActions struct {
	choose func(at int) // with the mouse
	move   func(by int)
	open   func()                    // Enter, or a double click
	key    func(*fyne.KeyEvent) bool // sees other keys first; nil for none
}

func newList[T comparable](height float32, act listActions, newCell func() cell[T]) *list[T] {
	l := &list[T]{height: height, newCell: newCell, act: act, at: -1}
	l.body = container.New(listBody[T]{l})
	l.scroll = container.NewVScroll(l.body)
	l.scroll.OnScrolled = func(fyne.Position) { l.fill() }
	l.ExtendBaseWidget(l)
	return l
}

// set shows rows, and which of them is chosen.
func (l *list[T]) set(rows []T, at int) {
	count, before := len(l.rows), l.at
	l.rows, l.at = rows, at
	if len(rows) != count {
		l.scroll.Refresh()
	}
	if at != before {
		l.reveal(at)
	}
	l.fill()
}

// reveal scrolls until a row is on the screen.
func (l *list[T]) reveal(at int) {
	if at < 0 {
		l.scroll.ScrollToOffset(fyne.NewPos(0, 0))
		return
	}
	top, bottom, height := float32(at)*l.height, float32(at+1)*l.height, l.scroll.Size().Height
	switch {
	case top < l.scroll.Offset.Y:
		l.scroll.ScrollToOffset(fyne.NewPos(0, top))
	case bottom > l.scroll.Offset.Y+height:
		l.scroll.ScrollToOffset(fyne.NewPos(0, bottom-height))
	}
}

// fill gives the views the rows that are on the screen. Row i always goes to the
// same view, so that scrolling by a row changes one view only.
func (l *list[T]) fill() {
	size := l.scroll.Size()
	if size.Height <= 0 {
		return
	}
	for need := int(size.Height/l.height) + 2; len(l.views) < need; {
		v := newRowView(l)
		l.views = append(l.views, v)
		l.body.Objects = append(l.body.Objects, v)
	}
	first := max(0, int(l.scroll.Offset.Y/l.height))
	for i := first; i < first+len(l.views); i++ {
		v := l.views[i%len(l.views)]
		if i >= len(l.rows) {
			v.at = -1
			v.Hide()
			continue
		}
		v.set(i, l.rows[i], i == l.at, i == l.at && l.focused && l.keyboard)
		v.Resize(fyne.NewSize(l.body.Size().Width, l.height))
		v.Move(fyne.NewPos(0, float32(i)*l.height))
		v.Show()
	}
}

// TypedKey moves the choice and opens what is chosen.
func (l *list[T]) TypedKey(ev *fyne.KeyEvent) {
	page := max(1, int(l.scroll.Size().Height/l.height)-1)
	if by, moves := widgets.RowStep(ev.Name, page, len(l.rows)); moves {
		l.keyboard = true
		l.act.move(by)
		l.fill()
		return
	}
	switch {
	case ev.Name == fyne.KeyReturn, ev.Name == fyne.KeyEnter:
		l.act.open()
	case l.act.key == nil || !l.act.key(ev):
		widgets.PassKey(l, ev)
	}
}

// TypedRune does nothing.
func (l *list[T]) TypedRune(rune) {}

// FocusGained shows where the keyboard is. A click says so at once after.
func (l *list[T]) FocusGained() { l.focused, l.keyboard = true, true; l.fill() }

// FocusLost takes the ring away.
func (l *list[T]) FocusLost() { l.focused = false; l.fill() }

// CreateRenderer draws the list.
func (l *list[T]) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(l.scroll) }

// Resize fills the room there is now.
func (l *list[T]) Resize(size fyne.Size) {
	l.BaseWidget.Resize(size)
	l.fill()
}

// clicked chooses a row with the mouse.
func (l *list[T]) clicked(at int) {
	widgets.Focus(l)
	l.keyboard = false
	l.act.choose(at)
	l.fill()
}

type listBody[T comparable] struct{ l *list[T] }

func (b listBody[T]) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(0, float32(len(b.l.rows))*b.l.height)
}

// Layout is left to fill.
func (b listBody[T]) Layout([]fyne.CanvasObject, fyne.Size) { b.l.fill() }

// A rowView draws one row of a list, and later others.
type rowView[T comparable] struct {
	widget.BaseWidget
	widgets.RowMarks
	list *list[T]
	cell cell[T]
	at   int
	row  T
	box  *fyne.Container
}

func newRowView[T comparable](l *list[T]) *rowView[T] {
	r := &rowView[T]{RowMarks: widgets.NewRowMarks(), list: l, at: -1, cell: l.newCell()}
	line := widgets.Borders(nil, widgets.Line(), nil, nil, nil)
	// The ring leaves room for the scroll bar.
	r.box = container.NewStack(r.Fill, line, r.cell.Content(), widgets.Inset(1, 1, 7, 1, r.Ring))
	r.ExtendBaseWidget(r)
	return r
}

func (r *rowView[T]) set(at int, row T, chosen, ringed bool) {
	if r.at == at && r.row == row && r.Marked(chosen, ringed) {
		return
	}
	if r.at != at || r.row != row {
		r.cell.Set(row)
	}
	if r.at != at {
		r.Moved()
	}
	r.at, r.row = at, row
	r.Mark(chosen, ringed)
	r.box.Refresh()
}

// Refresh follows a change of the theme.
func (r *rowView[T]) Refresh() {
	r.Paint()
	r.BaseWidget.Refresh()
}

// CreateRenderer draws the row.
func (r *rowView[T]) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(r.box) }

// MouseDown chooses the row at once: a tap would wait to see whether it becomes a
// double tap.
func (r *rowView[T]) MouseDown(ev *desktop.MouseEvent) {
	if ev.Button == desktop.MouseButtonPrimary && r.at >= 0 {
		r.list.clicked(r.at)
	}
}

// MouseUp does nothing.
func (r *rowView[T]) MouseUp(*desktop.MouseEvent) {}
