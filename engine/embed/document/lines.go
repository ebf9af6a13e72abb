package document

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineBytes bounds a piece: a longer line comes in several. It is also how much
// of a text is held at a time.
const lineBytes = 64 << 10

// A lineReader gives the lines of a text with their ends, long ones in parts.
type lineReader struct {
	r      *bufio.Reader
	offset int64 // of the next line
	line   int   // of the line that was given last, from 1
	inside bool  // the next part is of the same line
}

// next is a line or a part of one. The text is empty at the end.
func (l *lineReader) next() (text string, start int64, continues bool, err error) {
	data, err := l.r.Peek(l.r.Buffered()) // what is there already, nothing is moved
	end := bytes.IndexByte(data, '\n') + 1
	if err == nil && end == 0 {
		data, err = l.r.Peek(lineBytes)
		end = bytes.IndexByte(data, '\n') + 1
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", 0, false, err
	}
	complete := end > 0
	switch {
	case complete:
	case len(data) < lineBytes:
		end = len(data)
	default:
		end = wordEnd(data)
	}
	text = string(data[:end])
	if _, err := l.r.Discard(end); err != nil {
		return "", 0, false, err
	}
	start, continues = l.offset, l.inside
	if text != "" && !l.inside {
		l.line++
	}
	l.offset += int64(end)
	l.inside = text != "" && !complete
	return text, start, continues, nil
}

// wordEnd is where a text can be cut: behind its last blank, or where it has none
// behind its last whole character.
func wordEnd(data []byte) int {
	if blank := bytes.LastIndexAny(data, " \t"); blank > len(data)/2 {
		return blank + 1
	}
	end := len(data)
	for i := 1; i <= utf8.UTFMax && i < end; i++ {
		if utf8.RuneStart(data[end-i]) {
			if !utf8.FullRune(data[end-i:]) {
				return end - i
			}
			break
		}
	}
	return end
}

func blank(text string) bool {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' || r == 0 }) == ""
}

// readLines reads plain text, source code and Markdown.
func readLines(d *Document, y yield) error {
	r, skipped, err := d.text()
	if err != nil {
		return err
	}
	lines := lineReader{r: r, offset: skipped}
	page, paged := 1, false
	var marks markdown
	var held Piece // Markdown's, until the line below it is known
	holds := false
	give := func(p Piece) bool {
		p.Heading = marks.path(p.Level, p.Text)
		return y(p, nil)
	}
	for {
		text, start, continues, err := lines.next()
		if err != nil {
			return err
		}
		if text == "" {
			break
		}
		if d.doubtful() && garbled(text) {
			return &Error{Problem: Mixed, Line: lines.line}
		}
		if feeds := strings.Count(text, "\f"); feeds > 0 {
			page, paged = page+feeds, true
		}
		p := Piece{Text: text, Exact: true, Paragraph: blank(text), Continues: continues,
			Place: Place{Start: start, End: lines.offset, Line: lines.line}}
		if paged {
			p.Page = page
		}
		if d.Kind != Markdown {
			if !y(p, nil) {
				return nil
			}
			continue
		}
		if holds {
			held.Level = marks.underlined(held.Text, p.Text)
			if held.Level == 0 {
				held.Level = marks.level(held.Text)
			}
			if !give(held) {
				return nil
			}
		}
		held, holds = p, true
	}
	if holds {
		held.Level = marks.level(held.Text)
		give(held)
	}
	return nil
}
