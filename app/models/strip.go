package models

import (
	"fyne.io/fyne/v2"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// A strip is a sentence above the table that can be dismissed.
type strip struct {
	reason *widgets.Reason
	box    *fyne.Container
}

// newStrip makes a hidden strip. action is what its button does, nil for none.
func newStrip(kind widgets.ReasonKind, label string, action, dismiss func()) *strip {
	s := &strip{reason: widgets.NewReason(kind, "")}
	row := widgets.HGapTop(8, widgets.Grow(widgets.Inset(0, 3, 0, 0, s.reason)))
	if action != nil {
		row.Add(widgets.NewRowButton(label, "", widgets.Edged, action))
	}
	row.Add(widgets.NewRowButton("", theme.IconClose, widgets.Plain, dismiss).Label(words.T("models.dismiss")))
	s.box = widgets.Inset(theme.PaneMargin, 0, theme.PaneMargin, 0, row)
	s.box.Hide()
	return s
}

// show draws a sentence, or hides the strip, and says whether that is new.
func (s *strip) show(text string) bool {
	if s.reason.String() == text {
		return false
	}
	s.reason.SetText(text)
	s.box.Hidden = text == ""
	return true
}
