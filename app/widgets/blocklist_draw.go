package widgets

import (
	"strings"

	"paddock/app/theme"
)

// drawRow draws a row with a gap above it and returns its height.
func (l *BlockList) drawRow(r *row, gap, x, width float32) float32 {
	r.sheet.reveal = func(y, height float32) { l.reveal(r, y, height) }
	r.sheet.begin()
	p := pen{sheet: r.sheet, ruler: &l.ruler, x: x, y: gap, width: width, growing: r.growing, hooks: &l.hooks, list: l}
	p.quiet = r.message.Quiet
	var height float32
	switch r.kind {
	case bubbleRow:
		height = p.bubble(r)
	case foldRow:
		height = p.fold(r.message, func() { l.unfold(r.message) })
	case thoughtRow:
		p.quiet = true
		p.rect(p.x, 0, 1, gap, theme.Separator, "", 0)
		edge := p.rect(p.x, p.y, 1, 0, theme.Separator, "", 0)
		p.x += 12
		p.width -= 12
		height = p.block(r.block, l.lexed)
		setAt(edge, x, gap, 1, height)
	case statusRow:
		p.text(p.x, p.y, p.width, r.message.Status, hintFace, 0, theme.TextQuiet)
		height = hintFace.line
	case labelRow:
		p.text(p.x, p.y, p.width, r.message.Label, hintFace, 0, theme.TextQuiet)
		height = hintFace.line
	case factsRow:
		height = p.facts(r.message)
	case noteRow:
		height = p.note(r.message)
	default:
		height = p.block(r.block, func(c *codeText) { l.lex(c, r.growing) })
	}
	r.sheet.end()
	return gap + height
}

// fold draws the pill that opens and closes the reasoning.
func (p pen) fold(m *shownMessage, tapped func()) float32 {
	const height = 28
	f := face{theme.TextLabel, height}
	textWidth := ceil(p.ruler.of(f)(m.ThoughtLabel, 0))
	width := textWidth + 62
	p.rect(p.x, p.y, width, height, "", theme.Separator, theme.RadiusControl)
	chevron := theme.IconChevronRight
	if m.unfolded {
		chevron = theme.IconChevronDown
	}
	p.icon(p.x+8, p.y+7, theme.IconSizeText, chevron, theme.TextQuiet)
	p.icon(p.x+30, p.y+7, theme.IconSizeText, theme.IconThought, theme.TextQuiet)
	p.text(p.x+50, p.y, textWidth, m.ThoughtLabel, f, 0, theme.TextQuiet)
	p.link(p.x, p.y, width, height, m.ThoughtLabel, tapped)
	return height
}

// facts draws the numbers below an answer, and its tools. Numbers for which there
// is no room go on another line.
func (p pen) facts(m *shownMessage) float32 {
	const height = theme.ControlHeightSmall
	right := p.tools(m, p.x+p.width, p.y)
	f := face{theme.TextHint, height}
	x, y, colour := p.x, p.y, theme.Text
	for _, fact := range m.Facts {
		width := ceil(p.ruler.of(f)(fact, 0))
		if x > p.x && x+width > right-8 {
			x, y = p.x, y+hintFace.line
			right = p.x + p.width
		}
		p.text(x, y, width, fact, f, 0, colour)
		x += width + 14
		colour = theme.TextQuiet
	}
	return y - p.y + height
}

// note draws the marked row below a message that did not end as it should.
func (p pen) note(m *shownMessage) float32 {
	const room, textX = 12, 36
	right := p.x + p.width - 8
	top := p.y + 8
	fill := p.rect(p.x, p.y, p.width, 0, "", theme.Separator, theme.RadiusCard)
	label := face{theme.TextLabel, theme.ControlHeightSmall}
	for i := len(m.Note.Actions) - 1; i >= 0; i-- {
		a := m.Note.Actions[i]
		if a.Off != "" {
			width := ceil(p.ruler.of(label)(a.Off, 0))
			right -= width
			p.text(right, top, width, a.Off, label, 0, theme.TextQuiet)
			right -= 8
		}
		b := p.button(a.ID, func() *Button { return NewSmallButton(a.Label, a.Icon, Edged, nil) })
		b.SetEnabled(a.Off == "")
		b.SetTapped(func() { p.hooks.Act(m.ID, a.ID) })
		size := b.MinSize()
		right -= size.Width
		setAt(b, right, top, size.Width, size.Height)
		right -= 8
	}
	icon, colour := theme.IconTriangle, theme.Caution
	if m.Note.Calm {
		icon, colour = theme.IconInfoRing, theme.TextQuiet
	}
	p.icon(p.x+13, p.y+14, theme.IconSizeText, icon, colour)
	inner := p
	inner.x, inner.y = p.x+textX, p.y+room
	inner.width = max(right-inner.x, 120)
	inner.y += inner.runs([]run{{text: visible(m.Note.Text)}}, bodyFace)
	if m.Note.Remedy != "" {
		inner.y += inner.runs([]run{{text: visible(m.Note.Remedy), tint: quietTint}}, bodyFace)
	}
	height := max(inner.y-p.y+room, theme.ControlHeightSmall+16)
	setAt(fill, p.x, p.y, p.width, height)
	return height
}

func (l *BlockList) unfold(m *shownMessage) {
	m.unfolded = !m.unfolded
	for i, other := range l.messages {
		if other == m {
			l.rebuild(i)
		}
	}
	l.lay()
}

func (l *BlockList) lexed(c *codeText) { l.lex(c, false) }

// lex colours code elsewhere, and draws its rows again when that is done.
func (l *BlockList) lex(c *codeText, growing bool) {
	if !c.wantsLexing(growing) {
		return
	}
	c.lexing = true
	language, text := c.language, c.text
	l.hooks.Busy(func() {
		lines := lex(language, text)
		l.hooks.Do(func() { l.takeColours(c, text, lines) })
	})
}

// takeColours gives a code box its colours. The box may have been parsed again
// while it was lexed: then the one in its place takes them.
func (l *BlockList) takeColours(c *codeText, text string, lines [][]run) {
	drawn := false
	for _, r := range l.live {
		if r.block == nil || r.block.code == nil {
			continue
		}
		current := r.block.code
		if current != c && !(current.lexing && strings.HasPrefix(current.text, text)) {
			continue
		}
		current.take(text, lines)
		r.stale, drawn = true, true
	}
	c.take(text, lines)
	if drawn {
		l.lay()
	}
}
