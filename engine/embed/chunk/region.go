package chunk

import (
	"sort"
	"strings"
	"unicode"

	"paddock/engine/embed/document"
)

// A region is a run of a document's text that may become one chunk or several,
// and where its pieces stand.
type region struct {
	text  []byte
	marks []mark
	split bool // a part of it is already cut off
}

type mark struct {
	at    int // in the region's text
	piece document.Piece
}

func (r *region) add(p document.Piece) {
	m := mark{at: len(r.text), piece: p}
	r.text = append(r.text, p.Text...)
	m.piece.Text = ""
	r.marks = append(r.marks, m)
}

// from is the region without its start.
func (r *region) from(at int) region {
	rest := region{split: true}
	first := r.mark(at)
	for i, m := range r.marks[first:] {
		if i == 0 {
			if m.piece.Exact {
				m.piece.Start += int64(at - m.at)
			}
			m.at = 0
		} else {
			m.at -= at
		}
		rest.marks = append(rest.marks, m)
	}
	rest.text = append(rest.text, r.text[at:]...)
	return rest
}

// mark is the index of the piece that the byte at a position is of.
func (r *region) mark(at int) int {
	return sort.Search(len(r.marks), func(i int) bool { return r.marks[i].at > at }) - 1
}

// chunk is a part of the region, without blanks around it. ok is false when there
// is nothing else.
func (r *region) chunk(from, to int) (c Chunk, ok bool) {
	text := string(r.text[from:to])
	left := strings.TrimLeftFunc(text, trimmed)
	from += len(text) - len(left)
	text = strings.TrimRightFunc(left, trimmed)
	if text == "" {
		return Chunk{}, false
	}
	to = from + len(text)
	first, last := r.marks[r.mark(from)], r.marks[r.mark(to-1)]
	c = Chunk{Place: first.piece.Place, EndPage: last.piece.Page, Text: text}
	if first.piece.Exact {
		c.Start += int64(from - first.at)
	}
	c.End = last.piece.End
	if last.piece.Exact {
		c.End = last.piece.Start + int64(to-last.at)
	}
	return c, true
}

func trimmed(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' || r == 0 }
