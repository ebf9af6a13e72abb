// Package documenttest makes documents of every kind for tests, whole ones and
// such as nobody should be able to break a reader with.
package documenttest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// An Entry is a file in an archive.
type Entry struct{ Name, Text string }

// Zip packs entries.
func Zip(t testing.TB, entries ...Entry) []byte {
	t.Helper()
	var buffer bytes.Buffer
	z := zip.NewWriter(&buffer)
	for _, e := range entries {
		w, err := z.Create(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.Text); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

const wordSpace = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`

// Paragraph is a paragraph of a docx. A style may be "".
func Paragraph(style, text string) string {
	properties := ""
	if style != "" {
		properties = `<w:pPr><w:pStyle w:val="` + style + `"/></w:pPr>`
	}
	return "<w:p>" + properties + `<w:r><w:t xml:space="preserve">` + text + "</w:t></w:r></w:p>"
}

// Styles is a word/styles.xml with a heading named in German, one based on it, and
// two that are based on each other.
const Styles = `<?xml version="1.0"?><w:styles ` + wordSpace + `>
<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:styleId="Kapitel"><w:name w:val="Kapitel"/><w:basedOn w:val="berschrift1"/></w:style>
<w:style w:styleId="A"><w:name w:val="A"/><w:basedOn w:val="B"/></w:style>
<w:style w:styleId="B"><w:name w:val="B"/><w:basedOn w:val="A"/></w:style>
<w:style w:styleId="Outlined"><w:name w:val="Outlined"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>`

// Docx is a Word document of what its body has, made with Paragraph, and of more
// files.
func Docx(t testing.TB, body string, more ...Entry) []byte {
	return Zip(t, append([]Entry{
		{"[Content_Types].xml", `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`},
		{"word/document.xml", `<?xml version="1.0" encoding="UTF-8"?><w:document ` + wordSpace + `><w:body>` + body + `</w:body></w:document>`},
	}, more...)...)
}

// Bomb is a docx of some hundred kilobytes that unpacks to size bytes.
func Bomb(t testing.TB, size int) []byte {
	t.Helper()
	var buffer bytes.Buffer
	z := zip.NewWriter(&buffer)
	w, err := z.Create("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	begin := `<w:document ` + wordSpace + `><w:body><w:p><w:r><w:t>`
	if _, err := io.WriteString(w, begin); err != nil {
		t.Fatal(err)
	}
	block := bytes.Repeat([]byte("a "), 1<<19)
	for ; size > 0; size -= len(block) {
		if _, err := w.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.WriteString(w, "</w:t></w:r></w:p></w:body></w:document>"); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// EncryptedDocx is the start of what Word writes with a password: no zip.
func EncryptedDocx() []byte {
	data := make([]byte, 4096)
	copy(data, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	copy(data[1024:], strings.Join(strings.Split("EncryptedPackage", ""), "\x00"))
	return data
}

// OldWord is the start of a .doc.
func OldWord() []byte {
	data := make([]byte, 4096)
	copy(data, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	copy(data[1024:], strings.Join(strings.Split("WordDocument", ""), "\x00"))
	return data
}

// EPUB is a book with a page for each body, in their order, and of more files. In
// the archive the pages stand the other way round.
func EPUB(t testing.TB, bodies []string, more ...Entry) []byte {
	entries := []Entry{
		{"mimetype", "application/epub+zip"},
		{"META-INF/container.xml", `<?xml version="1.0"?><container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`},
	}
	manifest, spine := "", ""
	for i := range bodies {
		manifest += fmt.Sprintf(`<item id="p%d" href="page%%20%d.xhtml" media-type="application/xhtml+xml"/>`, i, i)
		spine += fmt.Sprintf(`<itemref idref="p%d"/>`, i)
	}
	entries = append(entries, Entry{"OEBPS/book.opf", `<?xml version="1.0"?><package><manifest>` + manifest + `</manifest><spine>` + spine + `</spine></package>`})
	for i := len(bodies) - 1; i >= 0; i-- {
		entries = append(entries, Entry{fmt.Sprintf("OEBPS/page %d.xhtml", i),
			`<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>` + bodies[i] + `</body></html>`})
	}
	return Zip(t, append(entries, more...)...)
}
