package chat

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"paddock/app/widgets"
)

// The rows of the conversation list can have the focus. Up and Down move a mark,
// on which the other keys act.
type rows struct {
	widget.List
	list    *conversationList
	focused bool
	marked  int
	shift   func() bool // the key is held
}

func newRows(l *conversationList) *rows {
	r := &rows{list: l, shift: shiftHeld}
	r.Length = func() int { return len(l.items) }
	r.CreateItem = func() fyne.CanvasObject { return newRowItem(l) }
	r.UpdateItem = l.draw
	r.HideSeparators = true
	r.ExtendBaseWidget(r)
	return r
}

// shiftHeld says whether the shift key is held now.
func shiftHeld() bool {
	d, ok := fyne.CurrentApp().Driver().(desktop.Driver)
	return ok && d.CurrentKeyModifiers()&fyne.KeyModifierShift != 0
}

// marks tells whether keys act on a row.
func (r *rows) marks(i int) bool { return r.focused && i == r.marked }

// mark marks the row nearest to one that is a conversation, and brings it into
// sight.
func (r *rows) mark(i, step int) {
	items := r.list.items
	i = max(0, min(i, len(items)-1))
	for j := i; j >= 0 && j < len(items); j += step {
		if items[j].heading == "" {
			r.marked = j
			r.ScrollTo(j)
			r.Refresh()
			return
		}
	}
	if step < 0 { // the heading at the top comes into sight with its first row
		r.ScrollToTop()
	}
}

// FocusGained marks the conversation on view.
func (r *rows) FocusGained() {
	r.focused = true
	r.List.FocusGained()
	if i := r.list.indexOf(r.list.shown.Current); i >= 0 {
		r.mark(i, 1)
		return
	}
	r.mark(0, 1)
}

// FocusLost takes the mark away.
func (r *rows) FocusLost() {
	r.focused = false
	r.List.FocusLost()
	r.Refresh()
}

// pageOfRows is how far the page keys move the mark.
const pageOfRows = 10

// TypedKey moves the mark, acts on the row it is on, and gives the window every
// other key.
func (r *rows) TypedKey(ev *fyne.KeyEvent) {
	if r.marked >= len(r.list.items) || r.list.items[r.marked].heading != "" {
		r.mark(r.marked, 1)
		if r.marked >= len(r.list.items) {
			widgets.PassKey(r, ev)
			return
		}
	}
	if by, ok := widgets.RowStep(ev.Name, pageOfRows, len(r.list.items)); ok {
		step := 1
		if by < 0 {
			step = -1
		}
		if by < -1 { // from the top down to the first that is no heading
			step = 1
		} else if by > 1 {
			step = -1
		}
		r.mark(r.marked+by, step)
		return
	}
	id := r.list.items[r.marked].summary.ID
	switch ev.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		r.list.choose(r.marked)
	case fyne.KeyDelete:
		r.list.hooks.remove(id)
		r.mark(r.marked, 1)
	case fyne.KeyF2:
		r.list.rename(id)
	case desktop.KeyMenu:
		r.menu(id)
	case fyne.KeyF10:
		if r.shift() {
			r.menu(id)
		}
	default:
		widgets.PassKey(r, ev)
	}
}

// menu opens the marked row's menu below it.
func (r *rows) menu(id int) {
	place := fyne.CurrentApp().Driver().AbsolutePositionForObject(r)
	y := float32(0)
	for i := 0; i < r.marked; i++ {
		height := float32(headingHeight)
		if r.list.items[i].heading == "" {
			height = rowHeight{}.MinSize(nil).Height
		}
		y += height + 4 // Fyne's room between rows
	}
	y -= r.GetScrollOffset()
	r.list.hooks.menu(id, place.AddXY(24, max(0, min(y+30, r.Size().Height-30))))
}

// TypedRune opens what is marked on a space, and writes in the composer.
func (r *rows) TypedRune(typed rune) {
	if typed == ' ' {
		r.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		return
	}
	r.list.hooks.typed(typed)
}
