package chat

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"paddock/app/widgets"
)

// The rows of the conversation list can have the focus. Up and Down move a mark,
// on which Enter and Delete act.
type rows struct {
	widget.List
	list    *conversationList
	hooks   listHooks
	focused bool
	marked  int
}

func newRows(l *conversationList, h listHooks) *rows {
	r := &rows{list: l, hooks: h}
	r.Length = func() int { return len(l.shown) }
	r.CreateItem = newListRow
	r.UpdateItem = l.draw
	r.HideSeparators = true
	r.ExtendBaseWidget(r)
	return r
}

// marks tells whether keys act on a row.
func (r *rows) marks(i int) bool { return r.focused && i == r.marked }

// mark marks a row and brings it into sight.
func (r *rows) mark(i int) {
	r.marked = max(0, min(i, len(r.list.shown)-1))
	r.ScrollTo(r.marked)
	r.Refresh()
}

// FocusGained marks the conversation on view.
func (r *rows) FocusGained() {
	r.focused = true
	r.List.FocusGained()
	for i, c := range r.list.shown {
		if c.ID == r.list.current {
			r.mark(i)
		}
	}
}

// FocusLost takes the mark away.
func (r *rows) FocusLost() {
	r.focused = false
	r.List.FocusLost()
	r.Refresh()
}

// TypedKey moves the mark, opens or deletes what it is on, and gives the window
// every other key.
func (r *rows) TypedKey(ev *fyne.KeyEvent) {
	if r.marked >= len(r.list.shown) {
		return
	}
	switch id := r.list.shown[r.marked].ID; ev.Name {
	case fyne.KeyUp:
		r.mark(r.marked - 1)
	case fyne.KeyDown:
		r.mark(r.marked + 1)
	case fyne.KeyReturn, fyne.KeyEnter:
		r.hooks.choose(id)
	case fyne.KeyDelete:
		r.hooks.remove(id)
		r.mark(r.marked)
	default:
		widgets.PassKey(r, ev)
	}
}

// TypedRune opens what is marked on a space, and writes in the composer.
func (r *rows) TypedRune(typed rune) {
	if typed == ' ' {
		r.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		return
	}
	r.hooks.typed(typed)
}
