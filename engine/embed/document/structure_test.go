package document_test

import (
	"slices"
	"strings"
	"testing"

	"paddock/engine/embed/document"
	"paddock/engine/embed/document/documenttest"
)

// paths are the headings above each text that is none itself.
func paths(pieces []document.Piece) []string {
	var all []string
	for _, p := range pieces {
		if text := strings.TrimSpace(p.Text); text != "" && p.Level == 0 {
			all = append(all, strings.Join(p.Heading, " > ")+": "+text)
		}
	}
	return all
}

func TestHeadingsAreThePathToAText(t *testing.T) {
	p := documenttest.Paragraph
	styles := documenttest.Entry{Name: "word/styles.xml", Text: documenttest.Styles}
	tests := []struct {
		name, file, data string
		want             []string
	}{
		{"Markdown", "a.md", "a\n# One #\nb\n## Two\nc\n### Three\nd\n# Four\ne\n", []string{": a", "One: b", "One > Two: c", "One > Two > Three: d", "Four: e"}},
		{"a level left out", "a.md", "# One\n### Three\na\n## Two\nb\n", []string{"One > Three: a", "One > Two: b"}},
		{"underlined ones", "a.md", "One\n===\na\n\nTwo\n---\nb\n\nc\n", []string{"One: ===", "One: a", "One > Two: ---", "One > Two: b", "One > Two: c"}},
		{"none in code", "a.md", "# One\n```\n# no\n```\n~~~~\n# no\n```\n~~~~\n    # no\n#no\n#\ta\nb\n", []string{
			"One: ```", "One: # no", "One: ```", "One: ~~~~", "One: # no", "One: ```", "One: ~~~~", "One: # no", "One: #no", "a: b"}},
		{"none in the settings before it", "a.md", "---\ntitle: x\n# no\n---\n# One\na\n", []string{": ---", ": title: x", ": # no", ": ---", "One: a"}},
		{"HTML", "a.html", "<p>a<h1>One</h1>b<h2>Two <i>x</i></h2><div>c</div><h1>Three</h1><ul><li>d<li>e</ul>", []string{": a", "One: b", "One > Two x: c", "Three: d", "Three: e"}},
		{"docx", "a.docx", string(documenttest.Docx(t, p("berschrift1", "One")+p("", "a")+p("Outlined", "Two")+p("A", "b")+p("Kapitel", "Three")+p("", "c"), styles)), []string{"One: a", "One > Two: b", "Three: c"}},
		{"docx without styles", "a.docx", string(documenttest.Docx(t, p("Title", "T")+p("Heading2", "One")+p("", "a"))), []string{"T > One: a"}},
		{"epub", "a.epub", string(documenttest.EPUB(t, []string{"<h1>One</h1>a", "b<h2>Two</h2>c"})), []string{"One: a", "One: b", "One > Two: c"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, pieces, problems := readAll(t, write(t, test.file, []byte(test.data)), document.Options{})
			if got := paths(pieces); !slices.Equal(got, test.want) || len(problems) > 0 {
				t.Errorf("%q, %v", got, problems)
			}
		})
	}
}

func TestOfHTMLOnlyWhatIsShownIsRead(t *testing.T) {
	tests := []struct{ name, html, want string }{
		{"blanks are one", "<p> a\n\t b  <b> c</b> </p>", "a b c"},
		{"but not where they are kept", "<pre>a\n  b</pre>", "a\n  b"},
		{"a line break", "<p>a<br>b<br/>c", "a\nb\nc"},
		{"words inside a word's tags", "<p>ta<b>ble</b>s", "tables"},
		{"cells of a table", "<table><tr><th>a</th><th>b</th></tr><tr><td>c<td>d</table>", "a\tb|c\td"},
		{"hidden elements", `<div hidden>no<div>no</div></div><p style="color:red; display: none">no<p>yes<span hidden>no</span>`, "yes"},
		{"scripts, styles, templates, pictures", "<script>if(a<b)</script>a<style>p>b{}</style><template>no</template><svg><text>no</text></svg><noscript>no</noscript>b", "ab"},
		{"comments", "a<!-- no <p> no -->b", "ab"},
		{"a title, above the text, of a head without an end", "<head><title>its title</title><body>yes", "its title|yes"},
		{"a title that says what the text begins with", "<head><title>its\ntitle</title></head><body><h1>its title</h1><p>yes", "its title|yes"},
		{"the title of a picture", "<svg><title>no</title></svg>yes", "yes"},
		{"tags that are never closed", "<div><p>a<p>b<section>c", "a|b|c"},
		{"what is no tag", "<p>1 < 2 &lt; 3 &copy; &#x20ac; &nope;", "1 < 2 < 3 © € &nope;"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, pieces, problems := readAll(t, write(t, "a.html", []byte("<html>"+test.html)), document.Options{})
			if textOf(pieces) != test.want || len(problems) > 0 {
				t.Errorf("%q, %v", textOf(pieces), problems)
			}
		})
	}
}

func TestOfAWordDocumentOnlyWhatStandsThereIsRead(t *testing.T) {
	p := documenttest.Paragraph
	body := `<w:p><w:del><w:r><w:delText>no</w:delText><w:t>no</w:t></w:r></w:del><w:r><w:t>kept</w:t></w:r><w:r><w:instrText>PAGE</w:instrText></w:r></w:p>` +
		`<w:p><mc:AlternateContent><mc:Choice><w:txbxContent>` + p("", "in a box") + `</w:txbxContent></mc:Choice><mc:Fallback>` + p("", "in a box") + `</mc:Fallback></mc:AlternateContent></w:p>` +
		p("", "") + `<w:tbl><w:tr><w:tc>` + p("", "cell &amp; one") + `</w:tc></w:tr></w:tbl>`
	notes := documenttest.Entry{Name: "word/footnotes.xml", Text: `<w:footnotes>` + p("", "a note") + `</w:footnotes>`}
	_, pieces, problems := readAll(t, write(t, "a.docx", documenttest.Docx(t, body, notes)), document.Options{})
	if textOf(pieces) != "kept|in a box|cell & one|a note" || len(problems) > 0 {
		t.Errorf("%q, %v", textOf(pieces), problems)
	}
}

func TestPagesOfAPDFAreKnown(t *testing.T) {
	path := write(t, "a.pdf", documenttest.PDF("first\nline two", documenttest.Picture, "", "fourth"))
	info, pieces, problems := readAll(t, path, document.Options{})
	if len(problems) != 1 || problems[0].Problem != document.NoText || problems[0].Page != 2 || !problems[0].Partial {
		t.Errorf("%v", problems)
	}
	if textOf(pieces) != "first\nline two|fourth" || pieces[0].Page != 1 || pieces[1].Page != 4 {
		t.Errorf("%+v", pieces)
	}
	if info.Kind != document.PDF {
		t.Error(info)
	}
}

func TestAPDFCanBeReadAgainAndBesideAnother(t *testing.T) {
	path := write(t, "a.pdf", documenttest.PDF(strings.Repeat("page\n", 40), "end"))
	done := make(chan string, 6)
	for range cap(done) {
		go func() {
			d, err := document.Read(t.Context(), path, document.Options{})
			if err != nil {
				done <- err.Error()
				return
			}
			defer d.Close()
			text := ""
			for p, err := range d.Pieces() {
				if err != nil {
					text += err.Error()
				}
				text += p.Text
			}
			done <- text
		}()
	}
	for range cap(done) {
		if text := <-done; !strings.HasSuffix(strings.TrimSpace(text), "end") {
			t.Errorf("%q", text)
		}
	}
}

func TestAVeryLongLineComesInParts(t *testing.T) {
	text := strings.Repeat("wörd ", 100_000) + "\nnext\n" + strings.Repeat("ä", 100_000)
	for _, name := range []string{"a.txt", "a.md", "a.html"} {
		data := text
		if name == "a.html" {
			data = "<html>" + text
		}
		_, pieces, problems := readAll(t, write(t, name, []byte(data)), document.Options{})
		joined := ""
		for i, p := range pieces {
			if len(p.Text) > 140_000 || !strings.HasPrefix(name, "a.h") && p.Continues != (i > 0 && !strings.HasSuffix(pieces[i-1].Text, "\n")) {
				t.Errorf("%s: piece %d has %d bytes, continues %t", name, i, len(p.Text), p.Continues)
			}
			joined += p.Text
		}
		if len(problems) > 0 || strings.Join(strings.Fields(joined), "") != strings.Join(strings.Fields(text), "") {
			t.Errorf("%s: %v", name, problems)
		}
	}
}
