package documenttest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"
)

// A Sample is a file of a Tree.
type Sample struct {
	Name string // below the folder, with slashes
	Data []byte
	// Problem is what the reader says of the file, "" when all of it can be read.
	// With Partial the rest of it can be.
	Problem string
	Partial bool
}

// Samples are files of every kind and every fault, more than sixty, with texts
// that are all different and the same every time.
func Samples(t testing.TB) []Sample {
	s := sampler{t: t, random: rand.New(rand.NewPCG(7, 7))}
	s.texts()
	s.tables()
	s.books()
	s.faults()
	return s.all
}

// Tree writes Samples into a folder.
func Tree(t testing.TB, folder string) []Sample {
	t.Helper()
	samples := Samples(t)
	for _, s := range samples {
		path := filepath.Join(folder, filepath.FromSlash(s.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, s.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return samples
}

type sampler struct {
	t      testing.TB
	random *rand.Rand
	all    []Sample
}

func (s *sampler) add(name, text string) {
	s.all = append(s.all, Sample{Name: name, Data: []byte(text)})
}

func (s *sampler) broken(name, problem, data string) {
	s.all = append(s.all, Sample{Name: name, Data: []byte(data), Problem: problem})
}

func (s *sampler) partly(name, problem, data string) {
	s.all = append(s.all, Sample{Name: name, Data: []byte(data), Problem: problem, Partial: true})
}

var vocabulary = strings.Fields("harbour winter lantern copper meadow engine violin market granite letter river silence orchard signal bridge " +
	"falcon ladder morning pepper shadow timber voyage window yellow anchor basket candle desert ember forest garden hollow island jacket kettle")

// sentences are some sentences that no other call gives.
func (s *sampler) sentences(n int) string {
	var text strings.Builder
	for i := range n {
		if i > 0 {
			text.WriteByte(' ')
		}
		fmt.Fprintf(&text, "Number %d", s.random.IntN(1_000_000))
		for range 6 + s.random.IntN(6) {
			text.WriteString(" " + vocabulary[s.random.IntN(len(vocabulary))])
		}
		text.WriteByte('.')
	}
	return text.String()
}

func (s *sampler) encoded(name, text string) string {
	enc, err := htmlindex.Get(name)
	if err != nil {
		s.t.Fatal(err)
	}
	data, err := enc.NewEncoder().String(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return data
}

func (s *sampler) texts() {
	for i := range 6 {
		s.add(fmt.Sprintf("notes/note %d.txt", i), s.sentences(3+10*i)+"\n\n"+s.sentences(4)+"\n")
		s.add(fmt.Sprintf("notes/page %d.md", i), "# Part "+fmt.Sprint(i)+"\n\n"+s.sentences(4)+"\n\n## Below\n\n"+s.sentences(8)+"\n")
	}
	german := "Grüße aus Köln, wo es schön und grün ist. " + s.sentences(2)
	s.add("encodings/marked.txt", "\xef\xbb\xbf"+german)
	s.add("encodings/utf16le.txt", s.encoded("utf-16le", "\ufeff"+german+" le"))
	s.add("encodings/utf16be.txt", s.encoded("utf-16be", german+" be"))
	s.add("encodings/windows.txt", s.encoded("windows-1252", german+" w"))
	s.add("encodings/japanese.txt", s.encoded("shift_jis", "東京は日本の首都です。これは日本語の文章です。カタカナもあります。"))
	s.add("encodings/russian.txt", s.encoded("windows-1251", "Это русский текст. Москва является столицей России."))
	for _, code := range [][2]string{{"main.go", "package main\n\n// "}, {"tool.py", "# "}, {"query.sql", "-- "}, {"run.sh", "#!/bin/sh\n# "}, {"Makefile", "all: # "}} {
		s.add("code/"+code[0], code[1]+s.sentences(3)+"\n")
	}
	for i := range 4 {
		s.add(fmt.Sprintf("web/page %d.html", i), "<!doctype html><html><head><title>t</title><script>no()</script></head><body><h1>Part</h1><p>"+
			s.sentences(5)+"</p><h2>Below</h2><ul><li>"+s.sentences(1)+"<li>"+s.sentences(1)+"</ul></body></html>")
	}
}

func (s *sampler) tables() {
	rows := func(n int, row func(i int) string) string {
		var all strings.Builder
		for i := range n {
			all.WriteString(row(i))
		}
		return all.String()
	}
	for i := range 3 {
		s.add(fmt.Sprintf("tables/table %d.csv", i), "id,text,score\n"+rows(5+40*i, func(r int) string { return fmt.Sprintf("t%d-%d,\"%s, and\nmore\",%d\n", i, r, s.sentences(1), r) }))
		s.add(fmt.Sprintf("tables/lines %d.jsonl", i), rows(5+10*i, func(r int) string { return fmt.Sprintf("{\"id\":\"l%d-%d\",\"text\":%q}\n", i, r, s.sentences(2)) }))
	}
	s.add("tables/table.tsv", "id\ttext\n"+rows(6, func(r int) string { return fmt.Sprintf("v%d\t%s\n", r, s.sentences(1)) }))
	s.add("tables/semicolons.csv", "Nr;Beschreibung\n"+rows(6, func(r int) string { return fmt.Sprintf("%d;%s\n", r, s.sentences(2)) }))
	s.add("tables/list.json", fmt.Sprintf(`[{"text":%q},{"text":%q}]`, s.sentences(2), s.sentences(2)))
	s.add("tables/object.json", fmt.Sprintf(`{"title":%q,"items":[{"text":%q}]}`, s.sentences(1), s.sentences(2)))
}

func (s *sampler) books() {
	for i := range 4 {
		body := Paragraph("Heading1", "Part")
		for range 3 + 10*i {
			body += Paragraph("", s.sentences(2))
		}
		s.add(fmt.Sprintf("office/report %d.docx", i), string(Docx(s.t, body)))
		lines := func() string { return strings.ReplaceAll(s.sentences(3), ". ", ".\n") }
		s.add(fmt.Sprintf("office/paper %d.pdf", i), string(PDF(lines(), lines())))
	}
	for i := range 3 {
		s.add(fmt.Sprintf("books/book %d.epub", i), string(EPUB(s.t, []string{"<h1>One</h1><p>" + s.sentences(4) + "</p>", "<p>" + s.sentences(6) + "</p>"})))
	}
}

func (s *sampler) faults() {
	whole := Docx(s.t, Paragraph("", s.sentences(200)))
	s.broken("faults/locked.pdf", "encrypted", string(EncryptedPDF("secret", "text")))
	s.broken("faults/scanned.pdf", "noText", string(PDF(Picture, Picture)))
	s.broken("faults/begun.pdf", "broken", "%PDF-1.7\n1 0 obj\n")
	s.partly("faults/half scanned.pdf", "noText", string(PDF(s.sentences(1), Picture)))
	s.broken("faults/bomb.docx", "bomb", string(Bomb(s.t, 32<<20)))
	s.broken("faults/locked.docx", "encrypted", string(EncryptedDocx()))
	s.broken("faults/cut.docx", "broken", string(whole[:len(whole)/2]))
	s.broken("faults/old.doc", "unsupported", string(OldWord()))
	s.broken("faults/sheet.xlsx", "unsupported", string(Zip(s.t, Entry{"xl/workbook.xml", "<a/>"})))
	s.broken("faults/archive.zip", "binary", string(Zip(s.t, Entry{"a.txt", "a"})))
	s.broken("faults/empty.txt", "empty", "")
	s.broken("faults/blank.txt", "noText", " \n\n")
	s.broken("faults/picture.txt", "binary", "\x89PNG\r\n\x1a\n0000")
	s.broken("faults/noise.bin", "binary", "\x00\x01\x02\x03\xff")
	s.broken("faults/mixed.txt", "mixed", strings.Repeat("Grüße aus Köln, für alle.\n", 20)+"Stra\xdfe\n")
	s.broken("faults/cut.json", "broken", fmt.Sprintf(`[{"text":%q},{"te`, s.sentences(1)))
	s.partly("faults/row.csv", "brokenRow", "id,text\nf1,"+s.sentences(1)+"\nf2,\"open\nf3,"+s.sentences(1)+"\n")
	s.partly("faults/line.jsonl", "brokenRow", fmt.Sprintf("{\"text\":%q}\n{\"text\":\n", s.sentences(1)))
}
