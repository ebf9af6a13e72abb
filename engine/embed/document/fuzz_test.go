package document

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"

	"paddock/engine/embed/document/documenttest"
)

// readBytes reads a document of bytes, and fails when anything of it can't be.
func readBytes(t *testing.T, name string, data []byte) {
	size := int64(len(data))
	d, err := read(t.Context(), &source{
		path: name, at: bytes.NewReader(data), size: size,
		stat: func() (fs.FileInfo, error) { return sized{size: size}, nil },
	}, Options{})
	var e *Error
	if err != nil {
		if !errors.As(err, &e) || strings.Contains(err.Error(), "panic") {
			t.Fatalf("%s: %v", name, err)
		}
		return
	}
	total := 0
	for p, err := range d.Pieces() {
		if err != nil {
			if !errors.As(err, &e) || strings.Contains(err.Error(), "panic") {
				t.Fatalf("%s: %v", name, err)
			}
			continue
		}
		if p.Text == "" || p.End < p.Start || p.Start < 0 || !utf8.ValidString(p.Text) {
			t.Fatalf("%s: %q at %d to %d", name, p.Text, p.Start, p.End)
		}
		if total += len(p.Text); total > 100*len(data)+100_000 {
			t.Fatalf("%s: %d bytes of text of %d", name, total, len(data))
		}
	}
}

func FuzzTextsAreReadOrRefused(f *testing.F) {
	for _, seed := range []string{
		"a\nb\n", "# A\n\nb\n===\n", "<html><p>a<br>b</p>", "id,text\n1,\"a\n2,b\"\"\n", `[{"text":"a"},{"b":[1,null,"c"]}]`,
		"{\"text\":\"a\"}\n{", "\xef\xbb\xbfa", "\xff\xfea\x00b\x00", "Gr\xfc\xdfe", "\x93\x8c\x8b\x9e", "---\na\n---\n", "\f\f", "\"", "a\tb\n\"\tc",
		"<!doctype html><svg><p hidden><body>x", "\x1b$B", "\xfe\xff\x00", `{"a":{"b":"c"},"d":[`, "<?xml encoding=\"x\"?>\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range []string{"a", "a.txt", "a.md", "a.html", "a.csv", "a.tsv", "a.json", "a.jsonl"} {
			readBytes(t, name, data)
		}
	})
}

func FuzzArchivesAreReadOrRefused(f *testing.F) {
	for _, seed := range []string{
		documenttest.Paragraph("Heading1", "a"), "<w:p><w:r><w:t>a", "</w:p></w:p>", "<w:del><w:p>", documenttest.Styles, "<!DOCTYPE a [<!ENTITY b \"c\">]>&b;",
		"<h1>a</h1>", "<a b=c", "<w:tab/><w:br/>", "&#0;&#x110000;", "<?xml encoding='utf-16'?>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		readBytes(t, "a.docx", documenttest.Docx(t, text, documenttest.Entry{Name: "word/styles.xml", Text: text}))
		readBytes(t, "a.docx", documenttest.Zip(t, documenttest.Entry{Name: "word/document.xml", Text: text}))
		readBytes(t, "a.epub", documenttest.EPUB(t, []string{text, text}, documenttest.Entry{Name: "META-INF/encryption.xml", Text: text}))
	})
}

func FuzzZipsAreReadOrRefused(f *testing.F) {
	f.Add(documenttest.Docx(f, documenttest.Paragraph("", "a")))
	f.Add(documenttest.EPUB(f, []string{"<p>a</p>"}))
	f.Fuzz(func(t *testing.T, data []byte) { readBytes(t, "a.docx", data) })
}
