package document

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"path"
	"strings"

	"golang.org/x/net/html/charset"
)

func charsetReader(label string, r io.Reader) (io.Reader, error) {
	return charset.NewReaderLabel(label, r)
}

var errNoSpine = errors.New("the book does not say which pages it has")

// readEPUB reads the pages of a book in their order.
func readEPUB(d *Document, y yield) error {
	a, err := d.openZip()
	if err != nil {
		return err
	}
	parts, err := spine(a)
	if err != nil {
		return err
	}
	locked, err := lockedParts(a)
	if err != nil {
		return err
	}
	offset, stopped := int64(0), false
	p := page{}
	p.emit = func(piece Piece) bool {
		piece.Start, piece.End = offset, offset+int64(len(piece.Text))
		piece.Line, piece.Exact = 0, true
		offset = piece.End
		stopped = !y(piece, nil)
		return !stopped
	}
	for at, name := range parts {
		if locked[name] {
			return &Error{Problem: Encrypted}
		}
		r, err := a.open(name)
		if err != nil {
			return err
		}
		if r == nil {
			if !y(Piece{}, &Error{Problem: PageFailed, Page: at + 1, Err: errors.New("the book has no " + name)}) {
				return nil
			}
			continue
		}
		next := page{headings: p.headings, emit: p.emit, part: name}
		err = readPart(&next, r)
		r.Close()
		if err != nil {
			return err
		}
		if stopped {
			return nil
		}
		p.headings = next.headings
	}
	return nil
}

func readPart(p *page, r io.Reader) error {
	decoded, err := charset.NewReader(r, "application/xhtml+xml")
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if decoded == nil {
		return nil
	}
	return p.read(decoded)
}

// spine is the names of the book's pages, in order.
func spine(a *archive) ([]string, error) {
	container, err := a.part("META-INF/container.xml")
	if err != nil {
		return nil, err
	}
	root := ""
	err = tokens(bytes.NewReader(container), func(token xml.Token) bool {
		if t, ok := token.(xml.StartElement); ok && t.Name.Local == "rootfile" && root == "" {
			root = attribute(t, "full-path")
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	data, err := a.part(root)
	if err != nil {
		return nil, err
	}
	hrefs := map[string]string{}
	var order []string
	err = tokens(bytes.NewReader(data), func(token xml.Token) bool {
		t, ok := token.(xml.StartElement)
		if !ok {
			return true
		}
		switch t.Name.Local {
		case "item":
			if kind := attribute(t, "media-type"); kind == "application/xhtml+xml" || kind == "text/html" {
				hrefs[attribute(t, "id")] = attribute(t, "href")
			}
		case "itemref":
			if href := hrefs[attribute(t, "idref")]; href != "" {
				order = append(order, inBook(root, href))
			}
		}
		return true
	})
	if err == nil && len(order) == 0 {
		err = &Error{Problem: Broken, Err: errNoSpine}
	}
	return order, err
}

// inBook is the name in the archive of what a file of it refers to.
func inBook(from, href string) string {
	href, _, _ = strings.Cut(href, "#")
	if plain, err := url.PathUnescape(href); err == nil {
		href = plain
	}
	return path.Join(path.Dir(from), href)
}

// lockedParts are the files that are encrypted; fonts that are only scrambled are
// among them and do not matter.
func lockedParts(a *archive) (map[string]bool, error) {
	locked := map[string]bool{}
	data, err := a.part("META-INF/encryption.xml")
	if err != nil || data == nil {
		return locked, err
	}
	err = tokens(bytes.NewReader(data), func(token xml.Token) bool {
		if t, ok := token.(xml.StartElement); ok && t.Name.Local == "CipherReference" {
			locked[inBook("", attribute(t, "URI"))] = true
		}
		return true
	})
	return locked, err
}
