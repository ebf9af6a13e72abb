package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// A TextPart is a piece of a line.
type TextPart struct {
	Text   string
	Marked bool // what was looked for
}

// A MarkedText is one line of text in which some words stand out. It is shortened
// where there is no room.
type MarkedText struct {
	widget.BaseWidget
	role  Role
	parts []TextPart
}

// NewMarkedText makes an empty line.
func NewMarkedText(role Role) *MarkedText {
	m := &MarkedText{role: role}
	m.ExtendBaseWidget(m)
	return m
}

// Set shows a text. A role of its own is that of the marked words.
func (m *MarkedText) Set(role Role, parts []TextPart) {
	m.role, m.parts = role, parts
	m.Refresh()
}

// String is the whole text.
func (m *MarkedText) String() string {
	whole := ""
	for _, p := range m.parts {
		whole += p.Text
	}
	return whole
}

// AccessibilityLabel is the whole text.
func (m *MarkedText) AccessibilityLabel() string { return m.String() }

// AccessibilityRole is that of text.
func (m *MarkedText) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleText }

// CreateRenderer draws the line.
func (m *MarkedText) CreateRenderer() fyne.WidgetRenderer {
	r := &renderer{min: func() fyne.Size { return fyne.NewSize(ellipsisWidth, roleStyles[m.role].line) }}
	draw := func(size fyne.Size) {
		objects, x := []fyne.CanvasObject{}, float32(0)
		for i, p := range m.parts {
			st := roleStyles[m.role]
			colour := st.colour
			if p.Marked {
				colour = theme.Accent
				st.style.Bold = true
			}
			room := size.Width - x
			if i < len(m.parts)-1 { // for the ellipsis behind it
				room -= 2
			}
			if room < ellipsisWidth/2 {
				break
			}
			value := shorten(p.Text, room, st)
			t := st.text(value, colour)
			width := st.measure(value).Width
			putText(t, x, 0, width, size.Height)
			objects = append(objects, t)
			x += width
			if value != p.Text {
				break
			}
		}
		r.objects = objects
	}
	r.layout = atNewSize(func() { draw(m.Size()) })
	r.refresh = func() {
		draw(m.Size())
		canvas.Refresh(m)
	}
	return r
}
