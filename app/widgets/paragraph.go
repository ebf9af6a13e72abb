package widgets

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
)

// A ParagraphText is text wrapped at the width it is given. Its height follows:
// give it its width first, then ask MinSize.
type ParagraphText struct {
	widget.BaseWidget
	text   string
	role   Role
	colour fyne.ThemeColorName
	align  fyne.TextAlign
}

// Paragraph makes wrapped text in the role's colour.
func Paragraph(role Role, s string) *ParagraphText {
	p := &ParagraphText{text: s, role: role, colour: roleStyles[role].colour}
	p.ExtendBaseWidget(p)
	return p
}

// Colour sets the text's colour and returns the paragraph.
func (p *ParagraphText) Colour(name fyne.ThemeColorName) *ParagraphText {
	if p.colour != name {
		p.colour = name
		p.Refresh()
	}
	return p
}

// Align sets the side the lines stand at, and returns the paragraph.
func (p *ParagraphText) Align(a fyne.TextAlign) *ParagraphText {
	p.align = a
	p.Refresh()
	return p
}

// SetText changes the text.
func (p *ParagraphText) SetText(s string) {
	if p.text != s {
		p.text = s
		p.Refresh()
	}
}

// String is the text.
func (p *ParagraphText) String() string { return p.text }

// NaturalWidth is the width in which the text needs no wrapping.
func (p *ParagraphText) NaturalWidth() float32 {
	w := float32(0)
	for line := range strings.SplitSeq(p.text, "\n") {
		w = max(w, ceil(roleStyles[p.role].measure(line).Width))
	}
	return w
}

// HeightFor is the height the text needs at a width.
func (p *ParagraphText) HeightFor(width float32) float32 {
	st := roleStyles[p.role]
	return st.line * float32(len(wrapText(p.text, width, st)))
}

// AccessibilityLabel is the text.
func (p *ParagraphText) AccessibilityLabel() string { return p.text }

// AccessibilityRole is that of text.
func (p *ParagraphText) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleText }

// CreateRenderer draws the paragraph.
func (p *ParagraphText) CreateRenderer() fyne.WidgetRenderer {
	r := &renderer{}
	fill := func() {
		st, size := roleStyles[p.role], p.Size()
		r.objects = nil
		for i, line := range wrapText(p.text, size.Width, st) {
			t := st.text(line, p.colour)
			t.Alignment = p.align
			putText(t, 0, float32(i)*st.line, size.Width, st.line)
			r.objects = append(r.objects, t)
		}
		canvas.Refresh(p)
	}
	r.layout = atNewSize(fill)
	r.refresh = fill
	r.min = func() fyne.Size {
		width := ellipsisWidth + trace(p.NaturalWidth())
		if p.Size().Width <= 0 {
			return fyne.NewSize(width, roleStyles[p.role].line)
		}
		return fyne.NewSize(width, p.HeightFor(p.Size().Width))
	}
	return r
}

// wrapText breaks text into lines at most width wide: at spaces, and inside a word
// only when the word alone is too wide.
func wrapText(text string, width float32, st roleStyle) []string {
	var lines []string
	for para := range strings.SplitSeq(text, "\n") {
		lines = append(lines, wrapLine(para, width, st)...)
	}
	return lines
}

func wrapLine(text string, width float32, st roleStyle) []string {
	if width <= 0 || st.measure(text).Width <= width+0.5 {
		return []string{text}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		longer := word
		if line != "" {
			longer = line + " " + word
		}
		if st.measure(longer).Width <= width+0.5 {
			line = longer
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		pieces := breakWord(word, width, st)
		lines = append(lines, pieces[:len(pieces)-1]...)
		line = pieces[len(pieces)-1]
	}
	return append(lines, line)
}

func breakWord(word string, width float32, st roleStyle) []string {
	var pieces []string
	runes := []rune(word)
	for st.measure(string(runes)).Width > width+0.5 && len(runes) > 1 {
		n := len(runes) - 1
		for n > 1 && st.measure(string(runes[:n])).Width > width+0.5 {
			n--
		}
		pieces = append(pieces, string(runes[:n]))
		runes = runes[n:]
	}
	return append(pieces, string(runes))
}

// heightFor is implemented by what is as high as its width makes it.
type heightFor interface {
	HeightFor(width float32) float32
}

var _ heightFor = (*ParagraphText)(nil)
