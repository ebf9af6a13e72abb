package widgets

import (
	"fyne.io/fyne/v2/canvas"

	"paddock/app/theme"
	"paddock/words"
)

const (
	codeHeadHeight = 30
	codePadding    = 12
	codeEdge       = 8 // above the first and below the last line
)

// codeHead draws the upper end of a code box: its language and its copy button.
func (p pen) codeHead(c *codeText) float32 {
	corners(p.rect(p.x, p.y, p.width, codeHeadHeight, theme.Surface, theme.Separator, 0), theme.RadiusCard, true, false)
	p.text(p.x+codePadding, p.y+5, p.width/2, c.language, face{theme.TextLabel, 20}, 0, theme.TextQuiet)
	b := p.button("copy", func() *Button {
		return NewSmallButton(words.T("chat.copy_code"), theme.IconCopy, Plain, nil)
	})
	b.SetTapped(func() { p.hooks.Copy(c.text) })
	size := b.MinSize()
	setAt(b, p.x+p.width-size.Width-4, p.y+2, size.Width, size.Height)
	return codeHeadHeight
}

// codeLines draws some lines of a code box: those wider than it go on below.
func (p pen) codeLines(b *block) float32 {
	m := p.ruler.of(codeFace)
	edge := p.rect(p.x, p.y, p.width, 0, theme.Separator, "", 0)
	fill := p.rect(p.x+1, p.y, p.width-2, 0, theme.Code, "", 0)
	inner := p
	inner.x += codePadding
	inner.width -= 2 * codePadding
	if b.from == 0 {
		inner.y += codeEdge
	}
	for i := b.from; i < b.to; i++ {
		runs := b.code.line(i)
		growing := p.growing && i == len(b.code.lines)-1
		for _, line := range wrapCode(runs, inner.width, m) {
			inner.line(runs, joinSpans(line, growing), codeFace, inner.y)
			inner.y += codeFace.line
		}
	}
	height := inner.y - p.y
	bottom := float32(0)
	if b.to == len(b.code.lines) {
		height += codeEdge
		bottom = 1
		corners(edge, theme.RadiusCard, false, true)
		corners(fill, theme.RadiusCard-1, false, true)
	}
	setAt(edge, p.x, p.y, p.width, height)
	setAt(fill, p.x+1, p.y, p.width-2, height-bottom)
	return height
}

// wrapCode breaks one line of code, keeping the spaces it starts with.
func wrapCode(runs []run, width float32, m measure) [][]span {
	var spans []span
	x := float32(0)
	for i, r := range runs {
		w := m(r.text, r.style)
		spans = append(spans, span{run: i, text: r.text, x: x, width: w})
		x += w
	}
	if x <= width {
		return [][]span{spans}
	}
	return wrapRuns(runs, width, m)
}

// corners rounds the upper or lower corners of a rectangle.
func corners(r *canvas.Rectangle, radius float32, upper, lower bool) {
	r.CornerRadius = 0
	if upper {
		r.TopLeftCornerRadius, r.TopRightCornerRadius = radius, radius
	}
	if lower {
		r.BottomLeftCornerRadius, r.BottomRightCornerRadius = radius, radius
	}
	canvas.Refresh(r)
}
