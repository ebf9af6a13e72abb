package widgets

import (
	"strings"

	"fyne.io/fyne/v2"

	"paddock/app/theme"
)

const (
	indentWidth = 24
	quoteWidth  = 16
	quoteBar    = 3
)

var tintColours = [...]fyne.ThemeColorName{
	plainTint:   theme.Text,
	quietTint:   theme.TextQuiet,
	linkTint:    theme.Accent,
	keywordTint: theme.SliceCompute,
	nameTint:    theme.SliceWeights,
	typeTint:    theme.SliceKV,
	literalTint: theme.SliceHost,
}

// A pen draws blocks on a sheet, in the place and width it is given.
type pen struct {
	*sheet
	ruler   *ruler
	x, y    float32
	width   float32
	quiet   bool // everything in quiet text
	growing bool // more words will come: keep those of the last line apart
	hooks   *BlockListHooks
	list    *BlockList
}

// block draws a block and returns its height.
func (p pen) block(b *block, lexed func(*codeText)) float32 {
	inset := float32(b.indent*indentWidth + b.quotes*quoteWidth)
	inner := p
	inner.x += inset
	inner.width = max(p.width-inset, 60)
	var height float32
	switch b.kind {
	case ruleBlock:
		inner.rect(inner.x, inner.y+8, inner.width, 1, theme.Separator, "", 0)
		height = 17
	case codeHead:
		height = inner.codeHead(b.code)
	case codeLines:
		lexed(b.code)
		height = inner.codeLines(b)
	case tableRow:
		height = inner.tableRow(b)
	default:
		height = inner.paragraph(b)
	}
	for i := range b.quotes {
		p.rect(p.x+float32(i*quoteWidth), p.y, quoteBar, height, theme.ButtonEdge, "", 1.5)
	}
	return height
}

func (p pen) paragraph(b *block) float32 {
	f := bodyFace
	runs := b.runs
	if b.level > 0 {
		f = headingFace(b.level)
		runs = make([]run, len(b.runs))
		for i, r := range b.runs {
			r.style |= bold
			runs[i] = r
		}
	}
	if b.marker != "" {
		width := p.ruler.of(f)(b.marker, 0)
		p.text(p.x-width-8, p.y, width, b.marker, f, 0, theme.TextQuiet)
	}
	return p.runs(runs, f)
}

// runs draws wrapped text and returns its height.
func (p pen) runs(runs []run, f face) float32 {
	m := p.ruler.of(f)
	lines := wrapRuns(runs, p.width, m)
	for i, line := range lines {
		p.line(runs, joinSpans(line, p.growing && i == len(lines)-1), f, p.y+float32(i)*f.line)
	}
	return float32(len(lines)) * f.line
}

// line draws the spans of one line.
func (p pen) line(runs []run, spans []span, f face, y float32) {
	for _, s := range spans {
		r := runs[s.run]
		colour := tintColours[r.tint]
		if p.quiet && r.tint == plainTint {
			colour = theme.TextQuiet
		}
		x := p.x + s.x
		if r.style&chip != 0 {
			p.rect(x-2, y+1, s.width+4, f.line-2, theme.Hover, "", theme.RadiusBadge)
		}
		p.text(x, y, s.width, s.text, f, r.style, colour)
		if r.style&struck != 0 {
			p.rect(x, y+f.line/2, s.width, 1, colour, "", 0)
		}
		if r.link != "" {
			p.rect(x, y+f.line-3, s.width, 1, colour, "", 0)
			address := r.link
			p.link(x, y, s.width, f.line, s.text, func() { p.hooks.Link(address) })
		}
	}
}

// joinSpans joins what stands side by side in one style, so that a line is a few
// objects and not one a word. Words stay apart in a line that still grows: each
// text drawn once keeps its picture for a minute, and a growing line would leave
// one behind for every word.
func joinSpans(spans []span, apart bool) []span {
	var joined []span
	for _, s := range spans {
		if n := len(joined); n > 0 && !apart && joined[n-1].run == s.run {
			joined[n-1].text += s.text
			joined[n-1].width += s.width
			continue
		}
		if strings.TrimLeft(s.text, " ") != "" || len(joined) > 0 && !apart {
			joined = append(joined, s)
		}
	}
	return joined
}

// TextRows is how many lines body text takes at a width. It stops counting some
// lines after most.
func TextRows(text string, width float32, most int) int {
	if limit := most * 400; len(text) > limit {
		text = text[:limit]
	}
	var r ruler
	return len(wrapRuns([]run{{text: visible(text)}}, max(width, 1), r.of(bodyFace)))
}
