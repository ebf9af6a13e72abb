package document

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
)

// readDocx reads the paragraphs of a Word document, then its notes.
func readDocx(d *Document, y yield) error {
	a, err := d.openZip()
	if err != nil {
		return err
	}
	styles, err := readStyles(a)
	if err != nil {
		return err
	}
	w := &word{styles: styles, emit: func(p Piece) bool { return y(p, nil) }}
	for _, name := range []string{"word/document.xml", "word/footnotes.xml", "word/endnotes.xml"} {
		r, err := a.open(name)
		if err != nil {
			return err
		}
		if r == nil {
			continue
		}
		err = w.read(r)
		r.Close()
		if err != nil || w.ended {
			return err
		}
		w.headings = headings{} // notes are under none
	}
	return nil
}

// xmlDepth bounds how deep elements may be inside others.
const xmlDepth = 1000

// tokens calls each for the tokens of XML until it returns false. Names of the
// file's own entities are not known, so that none can grow.
func tokens(r io.Reader, each func(xml.Token) bool) error {
	decoder := xml.NewDecoder(r)
	decoder.Strict = false
	decoder.CharsetReader = charsetReader
	for depth := 0; ; {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) {
			if depth > 0 {
				return &Error{Problem: Broken, Err: io.ErrUnexpectedEOF}
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch token.(type) {
		case xml.StartElement:
			if depth++; depth > xmlDepth {
				return &Error{Problem: TooDeep, Limit: xmlDepth}
			}
		case xml.EndElement:
			depth--
		}
		if !each(token) {
			return nil
		}
	}
}

// A word reads word/document.xml as a stream.
type word struct {
	headings
	styles map[string]int // heading level by style ID
	emit   func(Piece) bool
	offset int64 // in the text

	text      strings.Builder
	level     int
	continues bool
	inText    bool
	skipped   int // depth inside of what is not read
	ended     bool
}

func (w *word) read(r io.Reader) error {
	return tokens(r, func(token xml.Token) bool {
		switch t := token.(type) {
		case xml.StartElement:
			w.start(t)
		case xml.EndElement:
			w.end(t.Name.Local)
		case xml.CharData:
			if w.inText && w.skipped == 0 {
				w.text.Write(t)
			}
		}
		if w.text.Len() >= lineBytes {
			w.flush(false)
		}
		return !w.ended
	})
}

func (w *word) start(t xml.StartElement) {
	if w.skipped > 0 || t.Name.Local == "Fallback" || t.Name.Local == "del" || t.Name.Local == "moveFrom" {
		w.skipped++ // an older way to draw the same, or what was deleted
		return
	}
	switch t.Name.Local {
	case "p":
		if w.text.Len() > 0 { // a text box inside of a paragraph
			w.flush(true)
		}
	case "t":
		w.inText = true
	case "tab":
		if w.text.Len() > 0 {
			w.text.WriteByte('\t')
		}
	case "br", "cr":
		w.text.WriteByte('\n')
	case "noBreakHyphen":
		w.text.WriteByte('-')
	case "pStyle":
		if level := w.styles[attribute(t, "val")]; level > 0 {
			w.level = level
		}
	case "outlineLvl":
		if n, err := strconv.Atoi(attribute(t, "val")); err == nil && n >= 0 && n < 9 {
			w.level = n + 1
		}
	}
}

func (w *word) end(name string) {
	if w.skipped > 0 {
		w.skipped--
		return
	}
	switch name {
	case "t":
		w.inText = false
	case "p":
		w.flush(true)
		w.level = 0
	}
}

func (w *word) flush(paragraph bool) {
	text := w.text.String()
	w.text.Reset()
	if paragraph {
		text = strings.TrimRight(text, " \t\n")
	}
	if blank(text) && !w.continues {
		return
	}
	p := Piece{Level: w.level, Paragraph: paragraph, Continues: w.continues, Exact: true}
	if w.continues {
		p.Level = 0
	}
	p.Heading = w.path(p.Level, text)
	if paragraph {
		text += "\n\n"
	}
	p.Text = text
	p.Start, p.End = w.offset, w.offset+int64(len(text))
	w.offset = p.End
	w.continues = !paragraph
	w.ended = !w.emit(p)
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// readStyles is the heading level by style, which may be given by the style it is
// based on. The IDs are in the language of the program that wrote it.
func readStyles(a *archive) (map[string]int, error) {
	levels := map[string]int{}
	for n := 1; n < 10; n++ {
		levels["Heading"+strconv.Itoa(n)] = n
	}
	levels["Title"] = 1
	data, err := a.part("word/styles.xml")
	if err != nil || data == nil {
		return levels, err
	}
	based := map[string]string{}
	id := ""
	err = tokens(bytes.NewReader(data), func(token xml.Token) bool {
		t, ok := token.(xml.StartElement)
		if !ok {
			return true
		}
		value := attribute(t, "val")
		switch t.Name.Local {
		case "style":
			id = attribute(t, "styleId")
		case "name":
			if level, ok := strings.CutPrefix(strings.ToLower(value), "heading "); ok && id != "" {
				if n, err := strconv.Atoi(level); err == nil && n > 0 && n < 10 {
					levels[id] = n
				}
			}
		case "basedOn":
			based[id] = value
		case "outlineLvl":
			if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < 9 && id != "" {
				levels[id] = n + 1
			}
		}
		return true
	})
	for style, parent := range based {
		for range 10 { // they may go in a circle
			if levels[style] > 0 || parent == "" {
				break
			}
			if level := levels[parent]; level > 0 {
				levels[style] = level
			}
			parent = based[parent]
		}
	}
	return levels, err
}
