package widgets

import (
	"sort"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// A Role is a kind of text: its size, line height and weight.
type Role int

// The roles of the design.
const (
	Body      Role = iota // 13
	Bold                  // 13 bold
	Quiet                 // 12, in quiet text: labels, reasons, sub rows
	QuietBold             // 12 bold
	Hint                  // 11, in quiet text: hints, stats, badges
	Section               // 15 bold
	Title                 // 18 bold
	Empty                 // 24 bold: empty states, numbers on small cards
	Big                   // 34 bold: numbers on large cards
	Mono                  // monospace 12: code, paths, logs
)

type roleStyle struct {
	size, line float32
	style      fyne.TextStyle
	colour     fyne.ThemeColorName
}

var roleStyles = [...]roleStyle{
	Body:      {theme.TextBody, theme.LineBody, fyne.TextStyle{}, theme.Text},
	Bold:      {theme.TextBody, theme.LineBody, fyne.TextStyle{Bold: true}, theme.Text},
	Quiet:     {theme.TextLabel, theme.LineLabel, fyne.TextStyle{}, theme.TextQuiet},
	QuietBold: {theme.TextLabel, theme.LineLabel, fyne.TextStyle{Bold: true}, theme.TextQuiet},
	Hint:      {theme.TextHint, theme.LineHint, fyne.TextStyle{}, theme.TextQuiet},
	Section:   {theme.TextSection, theme.LineSection, fyne.TextStyle{Bold: true}, theme.Text},
	Title:     {theme.TextTitle, theme.LineTitle, fyne.TextStyle{Bold: true}, theme.Text},
	Empty:     {theme.TextEmpty, theme.LineEmpty, fyne.TextStyle{Bold: true}, theme.Text},
	Big:       {theme.TextBig, theme.LineBig, fyne.TextStyle{Bold: true}, theme.Text},
	Mono:      {theme.TextMono, theme.LineMono, fyne.TextStyle{Monospace: true}, theme.Text},
}

func (r roleStyle) measure(s string) fyne.Size {
	return fyne.MeasureText(s, r.size, r.style)
}

func (r roleStyle) text(s string, colour fyne.ThemeColorName) *canvas.Text {
	t := canvas.NewText(s, theme.Color(colour))
	t.TextSize, t.TextStyle = r.size, r.style
	return t
}

// putText puts a line of text into the box at x, y, in the middle of its height.
// Whole pixels above and below the baseline, by Noto Sans' proportions, keep the
// baselines of neighbours of different sizes together.
func putText(t *canvas.Text, x, y, w, h float32) {
	t.Move(fyne.NewPos(round(x), y+textTop(t.TextSize, h)))
	t.Resize(fyne.NewSize(w, t.MinSize().Height))
}

const fontAscent, fontDescent = 1.069, 0.293

// textTop is where text of a size begins in a line of a height.
func textTop(size, height float32) float32 {
	return floor((height - round(fontAscent*size) - round(fontDescent*size)) / 2)
}

// A TextLabel is one line of text. It is as wide as its text; with Ellipsis it
// gives way and shortens the text with "…" where there is less room.
type TextLabel struct {
	widget.BaseWidget
	text     string
	role     Role
	colour   fyne.ThemeColorName
	align    fyne.TextAlign
	ellipsis bool
	end      bool // where it is shortened, its end stays
	minWidth float32
}

// Text makes a line of text in the role's colour.
func Text(role Role, s string) *TextLabel {
	l := &TextLabel{text: s, role: role, colour: roleStyles[role].colour}
	l.ExtendBaseWidget(l)
	return l
}

// Colour sets the text's colour and returns the label.
func (l *TextLabel) Colour(name fyne.ThemeColorName) *TextLabel {
	if l.colour != name {
		l.colour = name
		l.Refresh()
	}
	return l
}

// Align sets where the text stands in a label wider than it, and returns the
// label.
func (l *TextLabel) Align(a fyne.TextAlign) *TextLabel {
	l.align = a
	l.Refresh()
	return l
}

// Ellipsis lets the label be narrower than its text, and returns the label.
func (l *TextLabel) Ellipsis() *TextLabel {
	l.ellipsis = true
	l.Refresh()
	return l
}

// EllipsisAhead is Ellipsis for a path: its end, with the file's name, stays.
func (l *TextLabel) EllipsisAhead() *TextLabel {
	l.end = true
	return l.Ellipsis()
}

// Reserve keeps the label at least as wide as the sample, so that a number that
// changes doesn't move its neighbours. It returns the label.
func (l *TextLabel) Reserve(sample string) *TextLabel {
	l.minWidth = ceil(roleStyles[l.role].measure(sample).Width)
	l.Refresh()
	return l
}

// SetText changes the text.
func (l *TextLabel) SetText(s string) {
	if l.text != s {
		l.text = s
		l.Refresh()
	}
}

// SetRole changes the role and takes the role's colour.
func (l *TextLabel) SetRole(role Role) {
	if l.role != role {
		l.role, l.colour = role, roleStyles[role].colour
		l.Refresh()
	}
}

// String is the whole text, also when it is shown shortened.
func (l *TextLabel) String() string { return l.text }

// NaturalWidth is the width the whole text needs.
func (l *TextLabel) NaturalWidth() float32 {
	return max(l.minWidth, ceil(roleStyles[l.role].measure(l.text).Width))
}

// AccessibilityLabel is the text.
func (l *TextLabel) AccessibilityLabel() string { return l.text }

// AccessibilityRole is that of text.
func (l *TextLabel) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleText }

// CreateRenderer draws the label.
func (l *TextLabel) CreateRenderer() fyne.WidgetRenderer {
	t := roleStyles[l.role].text(l.text, l.colour)
	layout := func(size fyne.Size) {
		st := roleStyles[l.role]
		t.Text = l.text
		switch {
		case l.end:
			t.Text = shortenAhead(l.text, size.Width, st)
		case l.ellipsis:
			t.Text = shorten(l.text, size.Width, st)
		}
		t.Alignment = l.align
		putText(t, 0, 0, size.Width, size.Height)
		t.Refresh()
	}
	return &renderer{
		objects: []fyne.CanvasObject{t},
		layout:  layout,
		min: func() fyne.Size {
			w := l.NaturalWidth()
			if l.ellipsis {
				w = max(l.minWidth, min(w, ellipsisWidth)) + trace(w)
			}
			return fyne.NewSize(w, roleStyles[l.role].line)
		},
		refresh: func() {
			st := roleStyles[l.role]
			t.Color, t.TextSize, t.TextStyle = theme.Color(l.colour), st.size, st.style
			layout(l.Size())
		},
	}
}

// ellipsisWidth is what a shortened label keeps of itself when there is no room.
const ellipsisWidth = 24

// shorten cuts the text so that it fits into width with an ellipsis behind it.
func shorten(s string, width float32, st roleStyle) string {
	if st.measure(s).Width <= width+0.5 {
		return s
	}
	runes := []rune(s)
	low, high := 0, len(runes)
	for low < high {
		mid := (low + high + 1) / 2
		if st.measure(string(runes[:mid])+"…").Width <= width {
			low = mid
		} else {
			high = mid - 1
		}
	}
	if low == 0 {
		return "…"
	}
	return string(runes[:low]) + "…"
}

// shortenAhead cuts the text so that it fits into width with an ellipsis before
// it.
func shortenAhead(s string, width float32, st roleStyle) string {
	if st.measure(s).Width <= width+0.5 {
		return s
	}
	runes := []rune(s)
	from := sort.Search(len(runes), func(i int) bool { return st.measure("…"+string(runes[i:])).Width <= width })
	return "…" + string(runes[from:])
}
