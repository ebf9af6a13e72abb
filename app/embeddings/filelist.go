package embeddings

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"paddock/app/widgets"
)

// A fileList is a list that gives keys it has no use for to the tab: after a click it
// has the focus, and the window sees none.
type fileList struct {
	widget.List
	key func(*fyne.KeyEvent) bool
}

func newFileList(key func(*fyne.KeyEvent) bool, length func() int, create func() fyne.CanvasObject, update func(widget.ListItemID, fyne.CanvasObject)) *fileList {
	l := &fileList{key: key}
	l.Length, l.CreateItem, l.UpdateItem = length, create, update
	l.ExtendBaseWidget(l)
	return l
}

// TypedKey moves along the list, or is the tab's or the window's.
func (l *fileList) TypedKey(ev *fyne.KeyEvent) {
	switch ev.Name {
	case fyne.KeyUp, fyne.KeyDown, fyne.KeyLeft, fyne.KeyRight, fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		l.List.TypedKey(ev)
	default:
		if !l.key(ev) {
			widgets.PassKey(l, ev)
		}
	}
}
