package load

import (
	"slices"

	"fyne.io/fyne/v2"

	"paddock/app/widgets"
	"paddock/words"
)

// noteHooks are what the buttons beside notes do.
type noteHooks struct {
	undo  func()
	again func(rule string)
}

// notes are the lines under a control.
type notes struct {
	hooks noteHooks
	box   *fyne.Container
	shown []Note
}

func newNotes(hooks noteHooks) *notes {
	n := &notes{hooks: hooks, box: widgets.VGap(4)}
	n.box.Hide()
	return n
}

// set shows other lines. It says whether they are others.
func (n *notes) set(list []Note) bool {
	if slices.Equal(n.shown, list) {
		return false
	}
	n.shown = list
	n.box.RemoveAll()
	for _, note := range list {
		n.box.Add(n.line(note))
	}
	n.box.Hidden = len(list) == 0
	return true
}

func (n *notes) line(note Note) fyne.CanvasObject {
	reason := widgets.NewReason(note.Kind.reason(), note.Text)
	switch {
	case note.Undo:
		return widgets.HGapTop(8, widgets.Grow(reason), widgets.NewRowButton(words.T("load.undo"), "", widgets.Edged, n.hooks.undo))
	case note.Rule != "":
		again := widgets.NewRowButton(words.T("load.again"), "", widgets.Edged, func() { n.hooks.again(note.Rule) })
		return widgets.HGapTop(8, widgets.Grow(reason), again)
	}
	return reason
}

func (k NoteKind) reason() widgets.ReasonKind {
	switch k {
	case Caution:
		return widgets.Cautious
	case Good:
		return widgets.Good
	case Info:
		return widgets.Info
	case Failed:
		return widgets.Bad
	default:
		return widgets.Off
	}
}
