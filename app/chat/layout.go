package chat

import (
	"fyne.io/fyne/v2"

	"paddock/app/theme"
	"paddock/app/widgets"
)

const (
	columnMargin = 24 // beside the message column, at least
	belowColumn  = 14
)

// column puts an object where messages stand: in the middle, as wide as text is
// easy to read.
type column struct{}

func (column) Layout(objs []fyne.CanvasObject, size fyne.Size) {
	width := max(0, min(size.Width-2*columnMargin, theme.MessageColumnWidth))
	for _, o := range objs {
		o.Move(fyne.NewPos((size.Width-width)/2, 0))
		o.Resize(fyne.NewSize(width, size.Height-belowColumn))
	}
}

func (column) MinSize(objs []fyne.CanvasObject) fyne.Size {
	m := fyne.Size{}
	for _, o := range objs {
		m = m.Max(o.MinSize())
	}
	return m.AddWidthHeight(2*columnMargin, belowColumn)
}

// panes puts the conversations left of the chat. They are narrower in a narrow
// window.
type panes struct {
	turned func(narrow bool)
}

func (p *panes) Layout(objs []fyne.CanvasObject, size fyne.Size) {
	left := theme.ConversationsWidth
	narrow := size.Width+theme.RailWidth < theme.NarrowBelow
	if narrow {
		left = theme.ConversationsNarrow
	}
	p.turned(narrow)
	objs[0].Move(fyne.Position{})
	objs[0].Resize(fyne.NewSize(left, size.Height))
	objs[1].Move(fyne.NewPos(left, 0))
	objs[1].Resize(fyne.NewSize(size.Width-left, size.Height))
}

func (p *panes) MinSize(objs []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(theme.ConversationsNarrow+objs[1].MinSize().Width, objs[1].MinSize().Height)
}

var _ widgets.Tab = (*Tab)(nil)
