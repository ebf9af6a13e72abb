package widgets

import (
	"math"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"paddock/app/theme"
)

const (
	columnMargin = 24 // beside the message column, at least
	endRoom      = 16 // below the last row
	maxRounds    = 8  // of drawing rows whose true heights bring others into sight
)

// column is where messages stand.
func (l *BlockList) column() (x, width float32) {
	width = min(l.Size().Width-2*columnMargin, theme.MessageColumnWidth)
	return round((l.Size().Width - width) / 2), width
}

// replaceRows puts other rows in the place of count rows from i on.
func (l *BlockList) replaceRows(i, count int, with []*row) {
	old := l.rows[i : i+count]
	each := make([]float32, len(with))
	_, width := l.column()
	for n, r := range with {
		if r.known && n < len(old) {
			each[n] = l.heights.each[i+n]
		} else {
			each[n] = r.estimate(width)
		}
	}
	for _, r := range old {
		r.message = nil // marks it as gone, for dropLive
	}
	l.rows = slices.Replace(l.rows, i, i+count, with...)
	before := l.heights.top(i + count)
	l.heights.replace(i, count, each)
	if !l.follow && before <= l.offset {
		l.offset += l.heights.top(i+len(with)) - before
	}
	l.dropLive(func(r *row) bool { return r.message == nil })
	for _, r := range with {
		if r.sheet != nil {
			l.live = append(l.live, r)
		}
	}
}

// dropLive takes the sheets off the rows that gone says.
func (l *BlockList) dropLive(gone func(*row) bool) {
	kept := l.live[:0]
	for _, r := range l.live {
		if gone(r) {
			r.sheet = nil
			continue
		}
		kept = append(kept, r)
	}
	clear(l.live[len(kept):])
	l.live = kept
}

func (l *BlockList) scrollTo(offset float64) {
	l.offset = max(0, min(offset, l.lastOffset()))
	l.follow = l.offset >= l.lastOffset()-1
	l.lay()
}

// lastOffset is the offset at which the end is in sight.
func (l *BlockList) lastOffset() float64 {
	return max(0, l.heights.total()+endRoom-float64(l.Size().Height))
}

// lay draws the rows in sight and puts them in their places. Rows drawn for the
// first time take their true height; what grows above the reader moves the offset
// and not the text.
func (l *BlockList) lay() {
	size := l.Size()
	x, width := l.column()
	if size.Height <= 0 || width <= 0 {
		return
	}
	if width != l.width {
		l.setWidth(width)
	}
	var from, to int // rows in sight, half a screen more on each side
	for range maxRounds {
		if l.follow {
			l.offset = l.lastOffset()
		}
		l.offset = max(0, min(l.offset, l.lastOffset()))
		half := float64(size.Height) / 2
		from, to = l.heights.at(l.offset-half), min(l.heights.at(l.offset+3*half)+1, len(l.rows))
		if !l.draw(from, to, x, width) {
			break
		}
	}
	l.keep(from, to)
	for i := from; i < to; i++ {
		y := float32(math.Round(l.heights.top(i) - l.offset))
		setAt(l.rows[i].sheet.box, 0, y, size.Width, l.heights.each[i])
	}
	setAt(l.content, 0, 0, size.Width, size.Height)
	l.bar.lay(size, l.offset, l.heights.total()+endRoom)
	l.layToEnd(size)
	canvas.Refresh(l.bar.thumb) // Fyne repaints for what it has seen before, not for new objects
}

// draw draws the rows that need it and returns whether a height changed.
func (l *BlockList) draw(from, to int, x, width float32) bool {
	changed := false
	for i := from; i < to; i++ {
		r := l.rows[i]
		unseen := r.sheet == nil
		if unseen {
			r.sheet = newSheet()
			r.stale = true
			l.live = append(l.live, r)
		}
		if !r.stale {
			continue
		}
		// Of a row that nobody has seen yet, the part in sight is what stays.
		above := l.heights.top(i+1) <= l.offset || unseen && l.heights.top(i) < l.offset
		height := l.drawRow(r, l.gapAbove(i), x, width)
		r.stale, r.known = false, true
		if grown := l.heights.set(i, height); grown != 0 {
			changed = true
			if above && !l.follow {
				l.offset += float64(grown)
			}
		}
	}
	return changed
}

// keep takes the sheets off all rows but some and shows those.
func (l *BlockList) keep(from, to int) {
	inSight := make(map[*row]bool, to-from)
	objects := make([]fyne.CanvasObject, 0, to-from)
	for _, r := range l.rows[from:to] {
		inSight[r] = true
		objects = append(objects, r.sheet.box)
	}
	l.dropLive(func(r *row) bool { return !inSight[r] })
	l.content.Objects = objects
}

// setWidth makes all heights estimates again, and keeps the row at the top of the
// view there.
func (l *BlockList) setWidth(width float32) {
	l.width = width
	top, within := 0, float64(0)
	if len(l.rows) > 0 {
		top = l.heights.at(l.offset)
		within = l.offset - l.heights.top(top)
	}
	for i, r := range l.rows {
		r.known, r.stale = false, true
		l.heights.set(i, r.estimate(width))
	}
	l.offset = l.heights.top(top) + within
}

func (l *BlockList) layToEnd(size fyne.Size) {
	if l.follow {
		l.toEnd.Hide()
		return
	}
	b := l.toEnd.MinSize()
	l.toEnd.Show()
	setAt(l.toEnd, (size.Width-b.Width)/2, size.Height-b.Height-8, b.Width, b.Height)
}

// gapAbove is the room above a row, which is part of its height.
func (l *BlockList) gapAbove(i int) float32 {
	r := l.rows[i]
	switch {
	case i == 0:
		return 12
	case r.first && r.kind == bubbleRow:
		return 20
	case r.first || r.kind == noteRow:
		return 12
	case r.kind == factsRow:
		return 8
	case r.block == nil:
		return 8
	case r.block.joined:
		return 0
	case r.block.compact:
		return 4
	case r.block.level > 0:
		return 14
	}
	return 8
}

// estimate guesses the height of a row at a width from how much text is in it.
func (r *row) estimate(width float32) float32 {
	const gap, letter = 8, 6.6 // an average letter of body text
	b := r.block
	switch {
	case b == nil && r.kind == noteRow:
		return 44 + gap
	case b == nil:
		return theme.ControlHeightSmall + gap
	case b.kind == codeLines:
		return float32(b.to-b.from)*codeFace.line + gap
	case b.kind == codeHead:
		return codeHeadHeight + gap
	case b.kind == tableRow:
		return bodyFace.line + 2*cellEdge
	}
	letters := 0
	for _, run := range b.runs {
		letters += len(run.text)
	}
	if r.kind == bubbleRow {
		width = min(width, bubbleWidth) - 2*bubblePadding
	}
	lines := 1 + int(float32(letters)*letter/max(width, 1))
	return float32(lines)*headingFace(b.level).line + gap
}
