package widgets

import "strings"

// A rowKind is a kind of row.
type rowKind uint8

const (
	blockRow   rowKind = iota // a block of an answer
	thoughtRow                // a block of its reasoning
	bubbleRow                 // some of what the user wrote
	foldRow                   // opens and closes the reasoning
	statusRow                 // what an answer that isn't there yet waits for
	factsRow                  // numbers below an answer
	noteRow                   // what went wrong
	labelRow                  // a quiet line above the message
)

// A row is one row of a BlockList.
type row struct {
	message *shownMessage
	kind    rowKind
	block   *block // of blockRow, thoughtRow and bubbleRow
	first   bool   // of its message
	last    bool   // of the rows of a bubble
	growing bool

	sheet *sheet // nil while out of sight
	stale bool   // the sheet shows something older
	known bool   // the height is the drawn one
}

// A shownMessage is a message with the rows it became.
type shownMessage struct {
	Message
	answer, thought written
	unfolded        bool
	first, count    int // its rows
}

// A written is Markdown that may still grow, parsed as far as it is final.
type written struct {
	text   string
	final  int // where the unfinished block starts
	blocks []*block
	open   int // blocks from here on are of the unfinished block
	whole  bool
}

// set brings the blocks up to a text.
func (w *written) set(text string, growing bool) []*block {
	switch {
	case !growing:
		if !w.whole || w.text != text {
			w.blocks = parseMarkdown(text)
			w.open, w.final, w.whole = len(w.blocks), len(text), true
		}
	case w.whole || !strings.HasPrefix(text, w.text[:w.final]):
		*w = written{}
		fallthrough
	default:
		var earlier *codeText
		if w.open < len(w.blocks) {
			earlier = w.blocks[len(w.blocks)-1].code
		}
		w.blocks = w.blocks[:w.open:w.open]
		if final := finalBefore(text, w.final, maxOpenBytes); final > w.final {
			w.blocks = append(w.blocks, parseMarkdown(text[w.final:final])...)
			w.open, w.final = len(w.blocks), final
		}
		w.blocks = append(w.blocks, parseMarkdown(text[w.final:])...)
		if w.open < len(w.blocks) {
			if c := w.blocks[len(w.blocks)-1].code; c != nil {
				c.adopt(earlier)
			}
		}
	}
	w.text = text
	return w.blocks
}

// build makes the rows of a message.
func (m *shownMessage) build() []*row {
	var rows []*row
	add := func(kind rowKind, b *block) *row {
		r := &row{message: m, kind: kind, block: b, first: len(rows) == 0}
		rows = append(rows, r)
		return r
	}
	if m.Label != "" {
		add(labelRow, nil)
	}
	if m.User {
		parts := cutRuns([]run{{text: visible(m.Text)}}, maxRowBytes)
		for i, part := range parts {
			add(bubbleRow, &block{runs: part, joined: i > 0}).last = i == len(parts)-1
		}
	} else {
		if m.Thought != "" {
			add(foldRow, nil)
		}
		if m.unfolded {
			for _, b := range m.thought.set(m.Thought, m.Growing && m.Text == "") {
				add(thoughtRow, b)
			}
		}
		for i, b := range m.answer.set(m.Text, m.Growing) {
			add(blockRow, b).growing = m.Growing && i >= m.answer.open
		}
	}
	if m.Status != "" {
		add(statusRow, nil)
	}
	if m.Note != nil {
		add(noteRow, nil)
	}
	if len(m.Facts) > 0 || len(m.Tools) > 0 && !m.User {
		add(factsRow, nil)
	}
	return rows
}

// alike tells whether two rows are drawn alike.
func (r *row) alike(o *row) bool {
	return r.kind == o.kind && r.kind != bubbleRow && r.first == o.first && r.last == o.last && r.block != nil && o.block != nil &&
		!r.growing && !o.growing && (r.block == o.block || r.block.same(o.block))
}

// add puts messages below the others.
func (l *BlockList) add(messages ...Message) {
	first := len(l.rows)
	var rows []*row
	for _, m := range messages {
		s := &shownMessage{Message: m, first: first + len(rows)}
		l.messages = append(l.messages, s)
		rows = append(rows, s.build()...)
		s.count = first + len(rows) - s.first
	}
	l.replaceRows(first, 0, rows)
}

// rebuild makes the rows of a message again. Rows of blocks that are final stay.
// Others keep the sheet of the row that stood there, to be drawn over, and its
// height while it is the same.
func (l *BlockList) rebuild(i int) {
	m := l.messages[i]
	old := l.rows[m.first : m.first+m.count]
	rows := m.build()
	same := 0
	for same < len(rows) && same < len(old) && rows[same].is(old[same]) {
		same++
	}
	for n := same; n < len(rows) && n < len(old); n++ {
		r, before := rows[n], old[n]
		r.sheet, before.sheet = before.sheet, nil
		r.known = r.alike(before) && before.known
		r.stale = true
	}
	l.replaceRows(m.first+same, m.count-same, rows[same:])
	shift := len(rows) - m.count
	m.count = len(rows)
	for _, later := range l.messages[i+1:] {
		later.first += shift
	}
}

// is tells whether a row is one that was there before.
func (r *row) is(o *row) bool {
	return r.block != nil && r.block == o.block && r.kind == o.kind && r.growing == o.growing
}
