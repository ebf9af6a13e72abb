// Package document reads the text of files: plain text, Markdown, source code,
// HTML, CSV, JSON, docx, epub and PDF. A file is known by its content first and
// by its name second, its text comes as a stream of pieces that each know their
// place, and what can't be read is a typed error, never left out in silence.
// What a file is taken for is never trusted: archives, pages, rows and lines are
// all bounded in memory.
package document

import (
	"context"
	"io"
	"iter"
)

// A Kind is what a file is read as.
type Kind string

// The kinds.
const (
	Text      Kind = "txt"
	Markdown  Kind = "md"
	Code      Kind = "code"
	HTML      Kind = "html"
	CSV       Kind = "csv" // or TSV, or with semicolons: the delimiter is found out
	JSON      Kind = "json"
	JSONLines Kind = "jsonl"
	Docx      Kind = "docx"
	EPUB      Kind = "epub"
	PDF       Kind = "pdf"
)

// HasHeadings reports whether a file of this kind can have headings.
func (k Kind) HasHeadings() bool {
	return k == Markdown || k == HTML || k == Docx || k == EPUB
}

// Options say how to read a file. The zero value guesses.
type Options struct {
	// TextColumn and IDColumn name the column of a table, or the field of a JSON
	// object, that is the text and the one that is the row's ID. A number is the
	// position of a column, from 1, where none has that name. Empty ones are
	// guessed; a row without an ID has its number as ID.
	TextColumn, IDColumn string
	// Encoding is the name of the encoding, as web pages give it. Empty is found
	// out. It is of no account for files that have one of their own.
	Encoding string
}

// Info is what is known of a document before its text is read.
type Info struct {
	Kind     Kind
	Encoding string // as web pages name it: "utf-8", "shift_jis"; empty of Docx, EPUB and PDF
	Identity Identity
	// InFile is whether Start and End of a Piece count bytes of the file. Else
	// they count bytes of the text, which is all pieces joined, or for HTML, CSV
	// and JSON of another encoding than UTF-8 the file in UTF-8.
	InFile bool
	Pages  int // of PDF, else 0
	// Of CSV, JSON and JSONLines: which column or field is the text and the ID,
	// empty for none, and which there are. Of JSON known after the first row.
	TextColumn, IDColumn string
	Columns              []string
}

// Unread are the columns or fields that are neither the text nor the ID.
func (i Info) Unread() (columns []string) {
	for _, column := range i.Columns {
		if column != i.TextColumn && column != i.IDColumn {
			columns = append(columns, column)
		}
	}
	return columns
}

// A Place is where in a document a text is.
type Place struct {
	Start, End int64    // bytes, see Info.InFile
	Line       int      // from 1, 0 where lines mean nothing
	Row        int      // of a table or list, from 1, 0 of others
	ID         string   // of the row
	Page       int      // from 1, 0 where there are none
	Part       string   // the file inside an epub
	Heading    []string // the headings above, outermost first
}

// A Piece is a part of a document's text: a line, a paragraph, a row or a page's
// text, with the line ends and blank lines that follow it. A very long one comes
// in several.
type Piece struct {
	Text string
	Place
	// Exact is whether Text is byte for byte what stands at Start, so that a place
	// inside it can be counted.
	Exact bool
	// Level is 1 to 9 when this piece is a heading, else 0.
	Level int
	// Paragraph is whether a paragraph ends with this piece.
	Paragraph bool
	// Continues is whether this is the rest of the line, row or paragraph that the
	// piece before it began.
	Continues bool
}

// A Document is a file that is being read. It is read once, by one goroutine.
type Document struct {
	Info
	ctx    context.Context
	path   string
	opts   Options
	src    *source
	facts  facts
	table  table // of CSV
	pieces func(*Document, yield) error
}

// yield hands a piece or a Partial error on, and is false when no more is wanted.
type yield func(Piece, *Error) bool

// Read opens a file and finds out what it is, without reading its text. It goes
// through the file once, for its hash and its encoding. The caller closes the
// document. The error is a *Error, or ctx's.
func Read(ctx context.Context, path string, opts Options) (*Document, error) {
	src, err := openSource(path)
	if err != nil {
		return nil, err
	}
	return read(ctx, src, opts)
}

func read(ctx context.Context, src *source, opts Options) (*Document, error) {
	d := &Document{ctx: ctx, path: src.path, opts: opts, src: src}
	err := d.identify()
	if err != nil {
		src.Close()
		return nil, err
	}
	return d, nil
}

// Close closes the file.
func (d *Document) Close() { d.src.Close() }

// Pieces is the document's text, in order. An error that is a *Error with Partial
// set is about a row or a page, and the rest goes on; any other is the last thing
// the iterator gives: a *Error, or ctx's. When the file was changed since Read,
// the last one says so, and what came before is not to be used.
func (d *Document) Pieces() iter.Seq2[Piece, error] {
	return func(yield func(Piece, error) bool) {
		wanted := true
		texts := 0
		err := d.readPieces(func(p Piece, partial *Error) bool {
			if partial != nil {
				partial.Partial = true
				partial.Path = d.path
				wanted = yield(Piece{}, partial)
				return wanted
			}
			if !blank(p.Text) {
				texts++
			}
			wanted = yield(p, nil)
			return wanted && d.ctx.Err() == nil
		})
		switch {
		case !wanted:
			return
		case d.ctx.Err() != nil:
			yield(Piece{}, d.ctx.Err())
			return
		}
		if changed := d.src.verify(d.ctx, d.Identity); changed != nil {
			yield(Piece{}, changed)
		} else if err != nil {
			yield(Piece{}, d.wrap(err))
		} else if texts == 0 {
			yield(Piece{}, d.failed(NoText, nil))
		}
	}
}

// readPieces calls the kind's reader. A library that panics on a file breaks that
// file only.
func (d *Document) readPieces(y yield) (err error) {
	defer recovered(&err)
	return d.pieces(d, y)
}

// wrap gives an error of a reader its path and its problem.
func (d *Document) wrap(err error) error {
	if e, ok := err.(*Error); ok {
		e.Path, e.Kind = d.path, d.Kind
		return e
	}
	if ended := d.ctx.Err(); ended != nil {
		return ended
	}
	return d.failed(Broken, err)
}

func (d *Document) failed(problem Problem, err error) *Error {
	return &Error{Problem: problem, Path: d.path, Kind: d.Kind, Err: err}
}

// stream reads the file from its start, until ctx ends.
func (d *Document) stream() io.Reader { return d.src.stream(d.ctx) }
