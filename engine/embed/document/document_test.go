package document_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"

	"paddock/engine/embed/document"
	"paddock/engine/embed/document/documenttest"
)

// write makes a file.
func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// readAll reads a file to its end.
func readAll(t testing.TB, path string, opts document.Options) (document.Info, []document.Piece, []*document.Error) {
	t.Helper()
	d, err := document.Read(t.Context(), path, opts)
	if err != nil {
		return document.Info{}, nil, []*document.Error{asError(t, path, err)}
	}
	defer d.Close()
	var pieces []document.Piece
	var problems []*document.Error
	for p, err := range d.Pieces() {
		if err != nil {
			problems = append(problems, asError(t, path, err))
			continue
		}
		pieces = append(pieces, p)
	}
	return d.Info, pieces, problems
}

func asError(t testing.TB, path string, err error) *document.Error {
	t.Helper()
	var e *document.Error
	if !errors.As(err, &e) || e.Path != path || e.Error() == "" {
		t.Fatalf("no error of %s: %v", path, err)
	}
	return e
}

// textOf is the text of pieces, without blanks around each.
func textOf(pieces []document.Piece) string {
	var all []string
	for _, p := range pieces {
		if text := strings.TrimSpace(p.Text); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "|")
}

func encode(t testing.TB, name, text string) []byte {
	t.Helper()
	enc, err := htmlindex.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	data, err := enc.NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestFilesOfEveryKindAreReadAsText(t *testing.T) {
	p := documenttest.Paragraph
	tests := []struct {
		name string
		data string
		kind document.Kind
		want string
	}{
		{"notes.txt", "one\r\ntwo\n\nthree", document.Text, "one|two|three"},
		{"no suffix", "just a text", document.Text, "just a text"},
		{"page.md", "# A\ntext\n", document.Markdown, "# A|text"},
		{"main.go", "package main\n\nfunc main() {}\n", document.Code, "package main|func main() {}"},
		{"Makefile", "all:\n\tgo build\n", document.Code, "all:|go build"},
		{"script", "#!/bin/sh\necho\n", document.Code, "#!/bin/sh|echo"},
		{"page.html", "<html><head><title>About  letters</title><style>p{}</style></head><body><h1>A &amp; B</h1><p>one <b>two</b>\n three<script>no()</script></p>four</body>",
			document.HTML, "About letters|A & B|one two three|four"},
		{"page.txt", "<!DOCTYPE html><p>a web page with another name</p>", document.HTML, "a web page with another name"},
		{"table.csv", "id,text\n1,\"a, b\"\n2,\"c \"\"d\"\"\ne\"\n", document.CSV, "a, b|c \"d\"\ne"},
		{"table.tsv", "id\ttext\n1\ta \"quoted\" word\n2\t\"in\" the beginning\n", document.CSV, "a \"quoted\" word|\"in\" the beginning"},
		{"excel.csv", "Nr;Beschreibung;Preis\n1;Ein langer Text;1,50\n2;Noch einer;2,00\n", document.CSV, "Ein langer Text|Noch einer"},
		{"list.json", `[{"id":1,"text":"one"},{"id":2,"text":"two"}]`, document.JSON, "one|two"},
		{"object.json", `{"name":"n","items":[{"text":"one"}],"deep":{"a":["b"]}}`, document.JSON, "one|n\nb"},
		{"lines.jsonl", "{\"text\":\"one\"}\n\n{\"text\":\"two\"}\n", document.JSONLines, "one|two"},
		{"lines.json", "{\"text\":\"one\"}\n{\"text\":\"two\"}\n", document.JSONLines, "one|two"},
		{"lines", "{\"text\":\"one\"}\n{\"text\":\"two\"}\n", document.JSONLines, "one|two"},
		{"a.docx", string(documenttest.Docx(t, p("Heading1", "Title")+p("", "one")+`<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>`)), document.Docx, "Title|one|a\tb\nc"},
		{"another name.bin", string(documenttest.Docx(t, p("", "one"))), document.Docx, "one"},
		{"book.epub", string(documenttest.EPUB(t, []string{"<h1>First</h1><p>one</p>", "<p>two</p>"})), document.EPUB, "First|one|two"},
		{"a.pdf", string(documenttest.PDF("Hello world", "second (page)")), document.PDF, "Hello world|second (page)"},
		{"a.txt", string(documenttest.PDF("a PDF with another name")), document.PDF, "a PDF with another name"},
		{"late.pdf", "\n\n" + string(documenttest.PDF("a late header")), document.PDF, "a late header"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			info, pieces, problems := readAll(t, write(t, test.name, []byte(test.data)), document.Options{})
			if info.Kind != test.kind || textOf(pieces) != test.want || len(problems) > 0 {
				t.Errorf("%s, %q, %v", info.Kind, textOf(pieces), problems)
			}
			if len(info.Identity.SHA256) != 64 || info.Identity.SizeBytes != uint64(len(test.data)) {
				t.Errorf("%+v", info.Identity)
			}
			checkPlaces(t, test.data, info, pieces)
		})
	}
}

func textAsItIs(pieces []document.Piece) string {
	var all strings.Builder
	for _, p := range pieces {
		all.WriteString(p.Text)
	}
	return all.String()
}

// checkPlaces checks what holds of the places of all pieces.
func checkPlaces(t *testing.T, data string, info document.Info, pieces []document.Piece) {
	t.Helper()
	end := int64(0)
	joined := textAsItIs(pieces)
	for _, p := range pieces {
		if p.Start < end && !(info.Kind == document.JSON && p.Row > 1) || p.End <= p.Start {
			t.Errorf("%q is at %d to %d, behind %d", p.Text, p.Start, p.End, end)
		}
		end = p.End
		switch {
		case !p.Exact:
		case info.InFile && data[p.Start:p.End] != p.Text:
			t.Errorf("%q is not at %d to %d", p.Text, p.Start, p.End)
		case !info.InFile && info.Encoding == "" && joined[p.Start:p.End] != p.Text:
			t.Errorf("%q is not at %d to %d of the text", p.Text, p.Start, p.End)
		}
	}
}

func TestEncodingsAreFoundOut(t *testing.T) {
	const german = "Grüße aus Köln: „schön“ – und für 5 € das Stück.\nDie Straße ist naß.\n"
	const japanese = "東京は日本の首都です。これは日本語の文章です。\n文字コードを調べます。カタカナもあります。\n"
	const chinese = "这是一个中文的文本。我们在这里写一些句子,来检查编码。\n北京是中国的首都。\n"
	const traditional = "這是一個中文的文本。我們在這裡寫一些句子,來檢查編碼。\n台北是一個城市。\n"
	const korean = "이것은 한국어 문장입니다. 서울은 한국의 수도입니다.\n"
	const russian = "Это русский текст. Москва является столицей России.\nЕщё одна строка.\n"
	late := strings.Repeat("A line of plain letters.\n", 20000) + "Grüße aus Köln\n"
	tests := []struct {
		name, encoding, text, want string
	}{
		{"UTF-8", "utf-8", german, "utf-8"}, {"Windows-1252", "windows-1252", german, "windows-1252"},
		{"Latin-1 far behind the start", "windows-1252", late, "windows-1252"},
		{"UTF-16 from a Windows machine", "utf-16le", german, "utf-16le"}, {"UTF-16 the other way round", "utf-16be", german, "utf-16be"},
		{"Shift-JIS", "shift_jis", japanese, "shift_jis"}, {"EUC-JP", "euc-jp", japanese, "euc-jp"},
		{"GBK", "gbk", chinese, "gbk"}, {"Big5", "big5", traditional, "big5"}, {"EUC-KR", "euc-kr", korean, "euc-kr"},
		{"Windows-1251", "windows-1251", russian, "windows-1251"}, {"KOI8-R", "koi8-r", russian, "koi8-r"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, mark := range []string{"", "\ufeff"} {
				if mark != "" && !strings.HasPrefix(test.encoding, "utf") {
					continue
				}
				data := encode(t, test.encoding, mark+test.text)
				info, pieces, problems := readAll(t, write(t, "a.txt", data), document.Options{})
				text := textAsItIs(pieces)
				if info.Encoding != test.want || text != test.text || len(problems) > 0 {
					t.Errorf("%q as %s, %.100q, %v", mark, info.Encoding, text, problems)
				}
				if info.InFile != (test.want == "utf-8") {
					t.Errorf("places in the file: %t", info.InFile)
				}
				if info.InFile {
					checkPlaces(t, string(data), info, pieces)
				}
			}
		})
	}
}

func TestAChosenEncodingIsUsed(t *testing.T) {
	path := write(t, "a.txt", []byte("na\xefve"))
	for name, want := range map[string]string{"windows-1252": "naïve", "Latin1": "naïve", "windows-1251": "naпve"} {
		_, pieces, problems := readAll(t, path, document.Options{Encoding: name})
		if textOf(pieces) != want || len(problems) > 0 {
			t.Errorf("%s: %q, %v", name, textOf(pieces), problems)
		}
	}
	_, _, problems := readAll(t, path, document.Options{Encoding: "klingon"})
	if len(problems) != 1 || problems[0].Problem != document.BadEncoding {
		t.Error(problems)
	}
	_, _, problems = readAll(t, path, document.Options{Encoding: "utf-8"})
	if len(problems) != 1 || problems[0].Problem != document.Mixed || problems[0].Line != 1 {
		t.Error(problems)
	}
}

func TestAWebPagesOwnWordOnItsEncodingIsTaken(t *testing.T) {
	data := encode(t, "iso-8859-2", `<html><head><meta charset="iso-8859-2"></head><body><p>Łódź</p></body></html>`)
	info, pieces, problems := readAll(t, write(t, "a.html", data), document.Options{})
	if info.Encoding != "iso-8859-2" || textOf(pieces) != "Łódź" || len(problems) > 0 {
		t.Errorf("%s, %q, %v", info.Encoding, textOf(pieces), problems)
	}
}

func TestWhatCanNotBeReadSaysWhy(t *testing.T) {
	p := documenttest.Paragraph
	german := "Grüße aus Köln, für alle.\n"
	locked := documenttest.Entry{Name: "META-INF/encryption.xml", Text: `<encryption><EncryptedData><CipherData><CipherReference URI="OEBPS/page%200.xhtml"/></CipherData></EncryptedData></encryption>`}
	truncated := documenttest.Docx(t, p("", strings.Repeat("text ", 1000)))
	tests := []struct {
		name, file, data string
		want             document.Problem
		looks            string
	}{
		{"a file of no bytes", "a.txt", "", document.Empty, ""},
		{"a file of blanks", "a.txt", " \n\t\n", document.NoText, ""},
		{"a page of nothing that is shown", "a.html", "<html><script>x</script></html>", document.NoText, ""},
		{"a picture named as a text", "a.txt", "\x89PNG\r\n\x1a\n0000", document.Binary, "picture"},
		{"a program", "a", "\x7fELF\x02\x01\x01\x00", document.Binary, "program"},
		{"noise", "a.txt", "ab\x00\x01\x02\xff\xfe", document.Binary, ""},
		{"control characters", "a.txt", "\x01\x02\x03\x04 text", document.Binary, ""},
		{"UTF-8 with a little Latin-1", "a.txt", strings.Repeat(german, 20) + "Stra\xdfe\n" + german, document.Mixed, ""},
		{"Latin-1 with some UTF-8", "a.txt", strings.Repeat("Stra\xdfe, sch\xf6n und gr\xfcn\n", 5) + german, document.Mixed, ""},
		{"an encrypted PDF", "a.pdf", string(documenttest.EncryptedPDF("secret", "text")), document.Encrypted, ""},
		{"a PDF of pictures", "a.pdf", string(documenttest.PDF(documenttest.Picture, documenttest.Picture)), document.NoText, ""},
		{"a PDF of empty pages", "a.pdf", string(documenttest.PDF("", "")), document.NoText, ""},
		{"a PDF that only begins", "a.pdf", "%PDF-1.7\n1 0 obj\n", document.Broken, ""},
		{"an encrypted docx", "a.docx", string(documenttest.EncryptedDocx()), document.Encrypted, "encrypted"},
		{"an old doc", "a.doc", string(documenttest.OldWord()), document.Unsupported, "doc"},
		{"a docx that ends too early", "a.docx", string(truncated[:len(truncated)/2]), document.Broken, ""},
		{"a docx whose XML ends too early", "a.docx", string(documenttest.Zip(t, documenttest.Entry{Name: "word/document.xml", Text: "<w:document><w:body><w:p>"})), document.Broken, ""},
		{"a docx bomb", "a.docx", string(documenttest.Bomb(t, 100<<20)), document.Bomb, ""},
		{"a docx of elements in elements", "a.docx", string(documenttest.Docx(t, strings.Repeat("<w:a>", 5000))), document.TooDeep, ""},
		{"an archive of very many files", "a.docx", string(documenttest.Zip(t, make([]documenttest.Entry, 20_001)...)), document.TooMany, ""},
		{"an RTF", "a.rtf", `{\rtf1 text}`, document.Unsupported, "rtf"},
		{"a spreadsheet", "a.xlsx", string(documenttest.Zip(t, documenttest.Entry{Name: "xl/workbook.xml", Text: "<a/>"})), document.Unsupported, "xlsx"},
		{"an OpenDocument text", "a.odt", string(documenttest.Zip(t, documenttest.Entry{Name: "mimetype", Text: "application/vnd.oasis.opendocument.text"})), document.Unsupported, "odf"},
		{"a zip of other files", "a.zip", string(documenttest.Zip(t, documenttest.Entry{Name: "a.txt", Text: "a"})), document.Binary, "archive"},
		{"a book with a shop's lock", "a.epub", string(documenttest.EPUB(t, []string{"<p>x</p>"}, locked)), document.Encrypted, ""},
		{"a book without pages", "a.epub", string(documenttest.EPUB(t, nil)), document.Broken, ""},
		{"a table whose first row does not end", "a.csv", strings.Repeat("a quote \" is opened, ", 10_000), document.TooLarge, ""},
		{"JSON that ends too early", "a.json", `[{"text":"one"},{"te`, document.Broken, ""},
		{"JSON with a mistake", "a.json", `[{"text":"one"},{"text":two}]`, document.Broken, ""},
		{"JSON with more behind it", "a.json", `{"a":"b"} and more`, document.Broken, ""},
		{"a value of JSON beyond measure", "a.json", `["` + strings.Repeat("x", 5<<20) + `"]`, document.TooLarge, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, test.file, []byte(test.data))
			_, _, problems := readAll(t, path, document.Options{})
			if len(problems) == 0 {
				t.Fatal("it was read")
			}
			if got := problems[len(problems)-1]; got.Problem != test.want || got.Looks != test.looks || got.Partial {
				t.Errorf("%v", problems)
			}
		})
	}
}

func TestWhatCanNotBeOpenedSaysWhy(t *testing.T) {
	folder := t.TempDir()
	_, _, problems := readAll(t, folder, document.Options{})
	if problems[0].Problem != document.NotAFile {
		t.Error(problems)
	}
	_, _, problems = readAll(t, filepath.Join(folder, "gone.txt"), document.Options{})
	if problems[0].Problem != document.Missing {
		t.Error(problems)
	}
}

func TestABrokenRowIsReportedAndTheRestGoesOn(t *testing.T) {
	tests := []struct {
		name, file, data, want string
		problem                document.Problem
		rows, lines            []int
	}{
		{"too many columns", "a.csv", "id,text\n1,one\n2,two,three\n3,four\n", "one|four", document.BrokenRow, []int{2}, []int{3}},
		{"too few columns", "a.csv", "id,text\n1,one\n2\n3,four\n", "one|four", document.BrokenRow, []int{2}, []int{3}},
		{"a quote that is not closed", "a.csv", "id,text\n1,\"one\ntwo\"\n2,\"three\n3,four\n4,five\n", "one\ntwo|four|five", document.BrokenRow, []int{2}, []int{4}},
		{"text behind a quote", "a.csv", "id,text\n1,\"one\" more\n2,two\n", "two", document.BrokenRow, []int{1}, []int{2}},
		{"a line that is no JSON", "a.jsonl", "{\"text\":\"one\"}\n{\"text\":\n{\"text\":\"two\"}\nnull\n", "one|two", document.BrokenRow, []int{2}, []int{2}},
		{"a line without the field", "a.jsonl", "{\"text\":\"one\"}\n{\"other\":\"x\"}\n{\"text\":null}\n", "one", document.NoField, []int{2, 3}, []int{2, 3}},
		{"an item without the field", "a.json", `[{"text":"one"},{"other":1},{"text":"two"}]`, "one|two", document.NoField, []int{2}, []int{0}},
		{"a line beyond measure", "a.jsonl", "{\"text\":\"one\"}\n{\"text\":\"" + strings.Repeat("x", 5<<20) + "\"}\n{\"text\":\"two\"}\n", "one|two", document.TooLarge, []int{2}, []int{2}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, pieces, problems := readAll(t, write(t, test.file, []byte(test.data)), document.Options{})
			var rows, lines []int
			for _, p := range problems {
				if p.Problem != test.problem || !p.Partial {
					t.Error(p)
				}
				rows, lines = append(rows, p.Row), append(lines, p.Line)
			}
			if textOf(pieces) != test.want || !slices.Equal(rows, test.rows) || !slices.Equal(lines, test.lines) {
				t.Errorf("%q, rows %v, lines %v", textOf(pieces), rows, lines)
			}
		})
	}
}

func TestColumnsAreChosenOrGuessed(t *testing.T) {
	const table = "doc,topic,essay\nA7,sea,a long text about the sea\nB2,sky,another one about the sky\n"
	tests := []struct {
		name, file, data   string
		opts               document.Options
		want, text, column string // the last one is the ID's
		id                 string // of the first row
	}{
		{"the longest is the text", "a.csv", table, document.Options{}, "a long text about the sea|another one about the sky", "essay", "", "1"},
		{"by name", "a.csv", table, document.Options{TextColumn: "topic", IDColumn: "doc"}, "sea|sky", "topic", "doc", "A7"},
		{"by name, whatever the case", "a.csv", table, document.Options{TextColumn: "Topic"}, "sea|sky", "topic", "", "1"},
		{"by number", "a.csv", table, document.Options{TextColumn: "2", IDColumn: "1"}, "sea|sky", "topic", "doc", "A7"},
		{"no header", "a.csv", "1,the first text\n2,the second text\n", document.Options{}, "the first text|the second text", "2", "", "1"},
		{"no header, by number", "a.csv", "7,the first text\n8,the second text\n", document.Options{IDColumn: "1"}, "the first text|the second text", "2", "1", "7"},
		{"one column", "a.csv", "text\none\ntwo\n", document.Options{}, "one|two", "text", "", "1"},
		{"fields of JSON", "a.jsonl", `{"uuid":"x1","title":"t","body":"b"}` + "\n", document.Options{}, "b", "body", "uuid", "x1"},
		{"a chosen field of JSON", "a.json", `[{"n":5,"title":"t","body":"b"}]`, document.Options{TextColumn: "title", IDColumn: "n"}, "t", "title", "n", "5"},
		{"a field in a field", "a.json", `[{"id":1,"a":{"b":["c","d"]}}]`, document.Options{TextColumn: "a.b"}, "c\nd", "a.b", "id", "1"},
		{"all fields where none is known", "a.json", `[{"id":1,"b":"x","a":"y"}]`, document.Options{}, "y\nx", "", "id", "1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			info, pieces, problems := readAll(t, write(t, test.file, []byte(test.data)), test.opts)
			if len(problems) > 0 || len(pieces) == 0 {
				t.Fatal(problems)
			}
			if textOf(pieces) != test.want || info.TextColumn != test.text || info.IDColumn != test.column || pieces[0].ID != test.id || len(info.Columns) == 0 {
				t.Errorf("%q, text %q, id %q, %q of %q", textOf(pieces), info.TextColumn, info.IDColumn, pieces[0].ID, info.Columns)
			}
		})
	}
	_, _, problems := readAll(t, write(t, "a.csv", []byte(table)), document.Options{TextColumn: "novel"})
	if len(problems) != 1 || problems[0].Problem != document.NoColumn || problems[0].Column != "novel" || len(problems[0].Columns) != 3 {
		t.Error(problems)
	}
}

func TestATreeOfEverythingIsReadAndEveryFaultIsSaid(t *testing.T) {
	root := t.TempDir()
	samples := documenttest.Tree(t, root)
	if len(samples) < 60 {
		t.Errorf("%d files", len(samples))
	}
	seen := map[string]string{}
	for _, s := range samples {
		_, pieces, problems := readAll(t, filepath.Join(root, filepath.FromSlash(s.Name)), document.Options{})
		switch {
		case s.Problem == "" && (len(problems) > 0 || len(pieces) == 0):
			t.Errorf("%s: %v", s.Name, problems)
		case s.Problem != "" && (len(problems) != 1 || string(problems[0].Problem) != s.Problem || problems[0].Partial != s.Partial):
			t.Errorf("%s: %v", s.Name, problems)
		case s.Partial && len(pieces) == 0:
			t.Errorf("%s: the rest was not read", s.Name)
		}
		if text := textOf(pieces); text != "" && s.Problem == "" {
			if other, twice := seen[text]; twice {
				t.Errorf("%s has the text of %s", s.Name, other)
			}
			seen[text] = s.Name
		}
	}
}
