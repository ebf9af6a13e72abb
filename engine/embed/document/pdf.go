package document

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// pageLimit is how long one page may take. An ordinary one takes milliseconds; a
// file made to keep a reader busy must not for ever.
const pageLimit = 30 * time.Second

// maxPages bounds how many pages a file is believed to have.
const maxPages = 100_000

// noReader says whether an error is the reader's and not the file's.
func noReader(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Problem == NoReader
}

var errSlowPage = errors.New("it took too long")

// A pdf is an open PDF. One that did not answer in time is of no more use.
type pdf struct {
	d        *Document
	instance pdfium.Pdfium
	document references.FPDF_DOCUMENT
	limit    time.Duration
	reader   *pdfReader
}

func readPDF(d *Document, y yield) error { return pdfs.read(d, y) }

// read reads the text of every page. A page without text that shows something
// is reported; when no page has any, the file is one of pictures.
func (r *pdfReader) read(d *Document, y yield) error {
	p := &pdf{d: d, limit: pageLimit, reader: r}
	pages, err := p.open()
	if err != nil {
		return err
	}
	defer p.close()
	if pages > maxPages {
		return &Error{Problem: Broken, Err: fmt.Errorf("%d pages", pages)}
	}
	d.Pages = pages
	offset, read := int64(0), false
	var failures []*Error
	for number := 1; number <= pages; number++ {
		text, shows, err := p.page(number)
		if d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		var failure *Error
		switch {
		case noReader(err):
			return err
		case err != nil:
			failure = &Error{Problem: PageFailed, Page: number, Err: err}
		case blank(text) && shows:
			failure = &Error{Problem: NoText, Page: number}
		}
		if failure != nil {
			// Kept until there is text: a file of none is one problem, not many.
			if failures = append(failures, failure); !read {
				continue
			}
		}
		read = read || !blank(text)
		if read {
			for _, f := range failures {
				if !y(Piece{}, f) {
					return nil
				}
			}
			failures = nil
		}
		for _, part := range paragraphs(text) {
			piece := Piece{Text: part, Exact: true, Paragraph: true, Place: Place{Start: offset, End: offset + int64(len(part)), Page: number}}
			offset = piece.End
			if !y(piece, nil) {
				return nil
			}
		}
	}
	if !read && pages > 0 && len(failures) > 0 && failures[0].Problem == PageFailed {
		return &Error{Problem: Broken, Page: failures[0].Page, Err: failures[0].Err}
	}
	return nil // without text, Pieces says so
}

// paragraphs are the parts of a page's text, each with its end. PDF knows lines
// only; a blank one is the end of a paragraph, and so is the page's.
func paragraphs(text string) []string {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	var parts []string
	for {
		end := strings.Index(text, "\n\n")
		if end < 0 || end > lineBytes {
			end = len(text)
		}
		if end > lineBytes {
			end = wordEnd([]byte(text[:lineBytes]))
			parts, text = append(parts, text[:end]), text[end:]
			continue
		}
		parts = append(parts, strings.TrimRight(text[:end], "\n ")+"\n\n")
		if text = strings.TrimLeft(text[end:], "\n"); text == "" {
			return parts
		}
	}
}

func (p *pdf) open() (pages int, err error) {
	if p.instance, err = p.reader.instance(p.d.ctx); err != nil {
		return 0, err
	}
	type document struct {
		references.FPDF_DOCUMENT
		pages int
	}
	got, err := within(p, func(instance pdfium.Pdfium) (document, error) {
		file := io.NewSectionReader(bounded{p.d.ctx, p.d.src.at}, 0, p.d.src.size)
		opened, err := instance.OpenDocument(&requests.OpenDocument{FileReader: file, FileReaderSize: p.d.src.size})
		if err != nil {
			return document{}, err
		}
		count, err := instance.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: opened.Document})
		if err != nil {
			return document{}, err
		}
		return document{opened.Document, count.PageCount}, nil
	})
	if err == nil {
		p.document = got.FPDF_DOCUMENT
		return got.pages, nil
	}
	p.close()
	switch {
	case errors.Is(err, pdferrors.ErrPassword), errors.Is(err, pdferrors.ErrSecurity):
		return 0, &Error{Problem: Encrypted, Err: err}
	case p.d.ctx.Err() != nil:
		return 0, p.d.ctx.Err()
	}
	return 0, &Error{Problem: Broken, Err: err}
}

// page is the text of a page, and whether it shows anything.
func (p *pdf) page(number int) (text string, shows bool, err error) {
	if p.instance == nil { // the page before it was given up
		if _, err := p.open(); err != nil {
			return "", false, err
		}
	}
	type contents struct {
		text  string
		shows bool
	}
	document := p.document
	got, err := within(p, func(instance pdfium.Pdfium) (contents, error) {
		loaded, err := instance.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: document, Index: number - 1})
		if err != nil {
			return contents{}, err
		}
		defer instance.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page})
		page := requests.Page{ByReference: &loaded.Page}
		objects, err := instance.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: page})
		if err != nil {
			return contents{}, err
		}
		shows := objects.Count > 0
		opened, err := instance.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: page})
		if err != nil {
			return contents{}, err
		}
		defer instance.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: opened.TextPage})
		count, err := instance.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: opened.TextPage})
		if err != nil || count.Count <= 0 {
			return contents{shows: shows}, err
		}
		got, err := instance.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: opened.TextPage, Count: count.Count})
		if err != nil {
			return contents{}, err
		}
		return contents{tidyPage(got.Text), shows}, nil
	})
	return got.text, got.shows, err
}

// tidyPage gives lines one kind of end, and joins words that were parted at one:
// pdfium marks their hyphen with U+FFFE or U+0002.
func tidyPage(text string) string {
	return strings.NewReplacer("\ufffe\r\n", "", "\ufffe", "", "\x02\r\n", "", "\x02", "",
		"\r\n", "\n", "\r", "\n", "\x00", "", "\u00ad\r\n", "").Replace(text)
}

// within lets the library work, for as long as a page may take. When the time is
// over its instance is ended, which stops what it computes: work may go on for a
// moment after within has returned, and what it gives then goes nowhere.
func within[T any](p *pdf, work func(pdfium.Pdfium) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	instance := p.instance
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if cause := recover(); cause != nil {
				r.err = fmt.Errorf("panic: %v", cause)
			}
			done <- r
		}()
		r.value, r.err = work(instance)
	}()
	timer := time.NewTimer(p.limit)
	defer timer.Stop()
	var r result
	select {
	case r = <-done:
		if r.err == nil || !trapped(r.err) {
			return r.value, r.err
		}
	case <-timer.C:
		r.err = errSlowPage
	case <-p.d.ctx.Done():
		r.err = p.d.ctx.Err()
	}
	p.instance = nil
	instance.Kill() //nolint:errcheck // it is broken already
	return r.value, r.err
}

// trapped is whether the library's own machine stopped, out of memory or by a
// mistake in it: nothing it holds can be trusted then.
func trapped(err error) bool {
	text := err.Error()
	return strings.Contains(text, "wasm") || strings.Contains(text, "panic") || strings.Contains(text, "memory")
}

func (p *pdf) close() {
	if p.instance != nil {
		p.instance.Close() //nolint:errcheck // only memory is freed
		p.instance = nil
	}
}

// bounded reads until ctx ends.
type bounded struct {
	ctx context.Context
	at  io.ReaderAt
}

func (b bounded) ReadAt(data []byte, offset int64) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.at.ReadAt(data, offset)
}
