package document

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"

	"paddock/engine/embed/document/documenttest"
)

// BenchmarkRead reads documents of every kind, opening included. The rate is that
// of the file's bytes.
func BenchmarkRead(b *testing.B) {
	sentence := "Some words of a text that is neither long nor short, and has commas. "
	repeat := func(text string) []byte { return []byte(strings.Repeat(text, (8<<20)/len(text))) }
	page := strings.Repeat(sentence+"\n", 40)
	var pages []string
	for range 300 {
		pages = append(pages, page)
	}
	tests := []struct {
		name string
		data []byte
	}{
		{"a.txt", repeat(sentence + "\n")},
		{"umlauts.txt", repeat("Ein Satz, in dem ein paar Wörter größer sind als andere.\n")},
		{"latin1.txt", repeat("Ein Satz, in dem ein paar W\xf6rter gr\xf6\xdfer sind als andere.\n")},
		{"a.md", repeat("# " + sentence + "\n\n" + sentence + sentence + "\n\n")},
		{"a.go", repeat("\tif err := read(path); err != nil {\n\t\treturn err\n\t}\n")},
		{"a.html", []byte("<!doctype html>" + string(repeat("<div class=\"text\"><h2>"+sentence[:20]+"</h2><p>"+sentence+"<a href=\"x\">"+sentence+"</a></p></div>\n")))},
		{"a.csv", []byte("id,text\n" + string(repeat("17,\""+sentence+sentence+"\"\n")))},
		{"a.jsonl", repeat(`{"id":17,"text":"` + sentence + sentence + "\"}\n")},
		{"a.json", []byte("[" + string(repeat(`{"id":17,"text":"`+sentence+sentence+"\"},\n")) + `{"text":"end"}]`)},
		{"a.docx", documenttest.Docx(b, string(repeat(documenttest.Paragraph("", sentence+sentence))))},
		{"a.epub", documenttest.EPUB(b, []string{string(repeat("<p>" + sentence + sentence + "</p>"))})},
		{"a.pdf", documenttest.PDF(pages...)},
	}
	if _, err := pdfs.opened(); err != nil { // is made once a process
		b.Fatal(err)
	}
	for _, test := range tests {
		b.Run(test.name, func(b *testing.B) {
			b.SetBytes(int64(len(test.data)))
			b.ReportAllocs()
			size, texts := int64(len(test.data)), 0
			for b.Loop() {
				d, err := read(b.Context(), &source{
					path: test.name, at: bytes.NewReader(test.data), size: size,
					stat: func() (fs.FileInfo, error) { return sized{size: size}, nil },
				}, Options{})
				if err != nil {
					b.Fatal(err)
				}
				texts = 0
				for p, err := range d.Pieces() {
					if err != nil {
						b.Fatal(err)
					}
					texts += len(p.Text)
				}
			}
			b.ReportMetric(float64(texts)/(1<<20), "MiB-text")
		})
	}
}
