package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"

	"paddock/app/theme"
)

// RowMarks say how a row of a list stands out: chosen, under the pointer, or with
// the keyboard. A row embeds them and lays out Fill and Ring.
type RowMarks struct {
	Fill *Fill
	Ring *canvas.Rectangle // inside the row's edge

	chosen, hovered, ringed bool
}

// NewRowMarks marks nothing.
func NewRowMarks() RowMarks {
	return RowMarks{
		Fill: NewFill("", "", 0),
		Ring: &canvas.Rectangle{StrokeWidth: theme.FocusRingWidth, CornerRadius: theme.RadiusBadge},
	}
}

// Marked says whether the row stands out in this way already.
func (m *RowMarks) Marked(chosen, ringed bool) bool { return m.chosen == chosen && m.ringed == ringed }

// Mark changes how it stands out.
func (m *RowMarks) Mark(chosen, ringed bool) {
	m.chosen, m.ringed = chosen, ringed
	m.Paint()
}

// Moved is for a view that was given another row: the pointer is over another one
// now, and will say so.
func (m *RowMarks) Moved() { m.hovered = false }

// Chosen says whether the row is the chosen one.
func (m *RowMarks) Chosen() bool { return m.chosen }

// Paint follows a change of the theme.
func (m *RowMarks) Paint() {
	fill := fyne.ThemeColorName("")
	switch {
	case m.chosen:
		fill = theme.Selected
	case m.hovered:
		fill = theme.Hover
	}
	m.Fill.SetColours(fill, "")
	m.Ring.StrokeColor, m.Ring.FillColor = theme.Color(theme.Focus), theme.Unfilled(theme.Focus)
	m.Ring.Hidden = !m.ringed
	m.Ring.Refresh()
}

// MouseIn marks the row under the pointer.
func (m *RowMarks) MouseIn(*desktop.MouseEvent) { m.hovered = true; m.Paint() }

// MouseMoved does nothing.
func (m *RowMarks) MouseMoved(*desktop.MouseEvent) {}

// MouseOut takes the mark away.
func (m *RowMarks) MouseOut() { m.hovered = false; m.Paint() }

// RowStep is how far a key moves the choice in a list of so many rows of which a
// page shows some; false for keys that don't.
func RowStep(key fyne.KeyName, page, rows int) (int, bool) {
	switch key {
	case fyne.KeyUp:
		return -1, true
	case fyne.KeyDown:
		return 1, true
	case fyne.KeyPageUp:
		return -page, true
	case fyne.KeyPageDown:
		return page, true
	case fyne.KeyHome:
		return -rows, true
	case fyne.KeyEnd:
		return rows, true
	}
	return 0, false
}
