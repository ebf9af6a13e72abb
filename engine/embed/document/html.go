package document

import (
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// readHTML reads what a browser would show of a page, a block at a time.
func readHTML(d *Document, y yield) error {
	r, skipped, err := d.text()
	if err != nil {
		return err
	}
	p := page{emit: func(p Piece) bool { return y(p, nil) }, offset: skipped, line: 1}
	if d.doubtful() {
		p.check = garbled
	}
	return p.read(r)
}

// A page goes through HTML without building a tree of it, so that a page of any
// size takes the same memory.
type page struct {
	headings
	emit  func(Piece) bool
	check func(string) bool // of text in an encoding that may be wrong, nil for none

	offset int64 // of the next tag or text, in UTF-8
	line   int
	part   string

	block     strings.Builder
	start     int64 // of the block's text
	startLine int
	space     bool // one is due before the next word
	level     int  // of the heading that is open
	pre       int
	continues bool

	hidden []atom.Atom // elements that are not shown, and what is open in them
	title  strings.Builder
	named  Place // of the title
	titled bool  // it is open
	ended  bool
}

// tokenBytes bounds one tag or text between tags: pictures can be inside a tag.
const tokenBytes = 64 << 20

func (p *page) read(r io.Reader) error {
	z := html.NewTokenizer(r)
	z.SetMaxBuf(tokenBytes)
	for !p.ended {
		kind := z.Next()
		raw := z.Raw()
		at, line := p.offset, p.line
		p.offset += int64(len(raw))
		for _, c := range raw {
			if c == '\n' {
				p.line++
			}
		}
		switch kind {
		case html.ErrorToken:
			err := z.Err()
			if errors.Is(err, io.EOF) {
				p.flush(true, at)
				return nil
			}
			if errors.Is(err, html.ErrBufferExceeded) {
				return &Error{Problem: TooLarge, LimitBytes: tokenBytes, Line: line}
			}
			return err
		case html.TextToken:
			if p.titled && p.title.Len() < titleBytes {
				if p.title.Len() == 0 {
					p.named = Place{Start: at, Line: line}
				}
				p.named.End = p.offset
				p.title.Write(z.Text())
			} else if len(p.hidden) == 0 {
				text := string(z.Text())
				if p.check != nil && p.check(text) {
					return &Error{Problem: Mixed, Line: line}
				}
				p.text(text, at, line)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			p.open(z, atom.Lookup(name), more, kind == html.SelfClosingTagToken, at)
		case html.EndTagToken:
			name, _ := z.TagName()
			p.close(atom.Lookup(name), at)
		}
	}
	return nil
}

// never shown, with all that is in them.
func unseen(tag atom.Atom) bool {
	switch tag {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Head, atom.Svg, atom.Math, atom.Iframe,
		atom.Object, atom.Canvas, atom.Audio, atom.Video, atom.Select, atom.Datalist, atom.Title:
		return true
	}
	return false
}

// without an end tag.
func void(tag atom.Atom) bool {
	switch tag {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta,
		atom.Param, atom.Source, atom.Track, atom.Wbr:
		return true
	}
	return false
}

func blockLevel(tag atom.Atom) bool {
	switch tag {
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Aside, atom.Header, atom.Footer, atom.Nav, atom.Main,
		atom.Ul, atom.Ol, atom.Li, atom.Dl, atom.Dt, atom.Dd, atom.Table, atom.Tr, atom.Thead, atom.Tbody, atom.Tfoot,
		atom.Caption, atom.Blockquote, atom.Pre, atom.Figure, atom.Figcaption, atom.Form, atom.Fieldset, atom.Legend,
		atom.Address, atom.Hr, atom.Details, atom.Summary, atom.Body, atom.Html, atom.H1, atom.H2, atom.H3, atom.H4,
		atom.H5, atom.H6, atom.Option, atom.Hgroup:
		return true
	}
	return false
}

func headingLevel(tag atom.Atom) int {
	switch tag {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return int(tag.String()[1] - '0')
	}
	return 0
}

func (p *page) open(z *html.Tokenizer, tag atom.Atom, attributes, closed bool, at int64) {
	if tag == atom.Title && p.part == "" && (len(p.hidden) == 0 || p.hidden[0] == atom.Head) {
		p.titled = p.title.Len() == 0 && !closed
	}
	if len(p.hidden) > 0 {
		switch {
		case tag == atom.Body, p.hidden[0] == atom.P && blockLevel(tag): // their end tags may be left out
			p.hidden = nil
		case tag == p.hidden[0] && !closed && !void(tag):
			p.hidden = append(p.hidden, tag)
			return
		default:
			return
		}
	}
	hide := unseen(tag)
	for attributes && !hide {
		var key, value []byte
		key, value, attributes = z.TagAttr()
		style := strings.ReplaceAll(strings.ToLower(string(value)), " ", "")
		hide = string(key) == "hidden" || string(key) == "style" && strings.Contains(style, "display:none")
	}
	// A tag nobody knows, hidden, would hide the rest: it may never be closed.
	if hide && !closed && !void(tag) && tag != 0 {
		p.hidden = append(p.hidden, tag)
		if blockLevel(tag) {
			p.flush(true, at)
		}
		return
	}
	switch {
	case tag == atom.Br:
		p.newline()
	case tag == atom.Td, tag == atom.Th:
		if p.block.Len() > 0 {
			p.block.WriteString("\t")
			p.space = false
		}
	case blockLevel(tag):
		p.flush(true, at)
		p.level = headingLevel(tag)
		if tag == atom.Pre && !closed {
			p.pre++
		}
	}
}

func (p *page) close(tag atom.Atom, at int64) {
	if tag == atom.Title {
		p.titled = false
	}
	if n := len(p.hidden); n > 0 {
		if tag == p.hidden[0] {
			p.hidden = p.hidden[:n-1]
		}
		return
	}
	if blockLevel(tag) {
		p.flush(true, at)
		p.level = 0
		if tag == atom.Pre && p.pre > 0 {
			p.pre--
		}
	}
}

func (p *page) newline() {
	if p.block.Len() > 0 {
		p.block.WriteString("\n")
		p.space = false
	}
}

// text adds text to the block, with blanks as a browser shows them.
func (p *page) text(text string, at int64, line int) {
	for len(text) > lineBytes && !p.ended {
		end := wordEnd([]byte(text[:lineBytes]))
		p.text(text[:end], at, line)
		text, at = text[end:], at+int64(end)
	}
	if p.block.Len() == 0 {
		p.start, p.startLine = at, line
	}
	if p.pre > 0 {
		p.block.WriteString(text)
	} else {
		p.words(text)
	}
	if p.block.Len() >= lineBytes {
		p.flush(false, at+int64(len(text)))
	}
}

func (p *page) words(text string) {
	for text != "" {
		rest := strings.TrimLeft(text, " \t\r\n\f")
		if len(rest) < len(text) {
			p.space = p.block.Len() > 0 || p.continues
		}
		if rest == "" {
			return
		}
		end := strings.IndexAny(rest, " \t\r\n\f")
		if end < 0 {
			end = len(rest)
		}
		if p.space && !strings.HasSuffix(p.block.String(), "\n") {
			p.block.WriteByte(' ')
		}
		p.space = false
		p.block.WriteString(rest[:end])
		text = rest[end:]
	}
}

// giveTitle gives the title of the page as the heading above all others, before the
// first text unless that says the same.
func (p *page) giveTitle(first string) {
	title := clip(p.title.String())
	p.title.Reset()
	if title == "" || title == clip(first) {
		return
	}
	piece := Piece{Text: title + "\n\n", Level: 1, Paragraph: true, Place: p.named}
	piece.Heading = p.path(1, title)
	p.ended = !p.emit(piece)
}

// flush ends the block. It goes on after one that only was too long.
func (p *page) flush(paragraph bool, at int64) {
	text := p.block.String()
	p.block.Reset()
	if paragraph {
		p.space = false
	}
	if blank(text) {
		if paragraph {
			p.continues = false
		}
		return
	}
	p.giveTitle(text)
	if p.ended {
		return
	}
	end := ""
	if paragraph {
		end = "\n\n"
		text = strings.TrimRight(text, " \t\r\n")
	}
	piece := Piece{
		Text: text + end, Level: p.level, Paragraph: paragraph, Continues: p.continues,
		Place: Place{Start: p.start, End: at, Line: p.startLine, Part: p.part},
	}
	if piece.Continues {
		piece.Level = 0
	}
	piece.Heading = p.path(piece.Level, text)
	p.continues = !paragraph
	p.ended = !p.emit(piece)
}
