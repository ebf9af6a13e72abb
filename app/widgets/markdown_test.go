package widgets

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestBlocksAreFinalOnceTheNextOneStarts(t *testing.T) {
	for _, c := range []struct{ name, text, final string }{
		{"nothing yet", "", ""},
		{"one paragraph is open", "one\ntwo", ""},
		{"a blank line alone ends nothing", "one\n\n", ""},
		{"text after a blank line does", "one\n\ntwo", "one\n\n"},
		{"the last of three is open", "one\n\ntwo\n\nthree", "one\n\ntwo\n\n"},
		{"a blank line inside a fence is code", "one\n\n```go\na\n\nb", "one\n\n"},
		{"after the fence closes text goes on", "```\na\n\nb\n```\n\nend", "```\na\n\nb\n```\n\n"},
		{"a longer fence is not closed by a shorter one", "````\n```\n\nb", ""},
		{"tildes don't close backticks", "```\n~~~\n\nb", ""},
		{"a fence in a list item hides blank lines", "- ```\n  a\n\n  b", ""},
		{"code in a line opens no fence", "``` a ```\n\nb", "``` a ```\n\n"},
		{"items after blank lines are one list", "1. a\n\n2. b", ""},
		{"an indented paragraph belongs to the item", "- a\n\n  more", ""},
		{"a paragraph ends a list", "- a\n\n- b\n\nend", "- a\n\n- b\n\n"},
		{"an indented line after a paragraph is code of its own", "a\n\n    code", "a\n\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.text[:finalBefore(c.text, 0, maxOpenBytes)]; got != c.final {
				t.Errorf("final is %q, want %q", got, c.final)
			}
		})
	}
}

func TestALongTableStaysATable(t *testing.T) {
	blocks := parseMarkdown("| a | b |\n|---|---|\n" + strings.Repeat("| one | two |\n", 5000))
	for i, b := range blocks {
		if b.kind != tableRow {
			t.Fatalf("row %d is %s", i, outline(blocks[i:i+1]))
		}
	}
}

func TestAVeryLongOpenParagraphIsCut(t *testing.T) {
	text := strings.Repeat("word ", 2*maxOpenBytes/5)
	if rest := len(text) - finalBefore(text, 0, maxOpenBytes); rest > maxOpenBytes {
		t.Errorf("%d bytes are open, want at most %d", rest, maxOpenBytes)
	}
}

// outline writes blocks down so that tests can compare them.
func outline(blocks []*block) string {
	var lines []string
	for _, b := range blocks {
		s := strings.Repeat(">", b.quotes) + strings.Repeat("  ", b.indent)
		if b.marker != "" {
			s += b.marker + " "
		}
		switch b.kind {
		case ruleBlock:
			s += "---"
		case codeHead:
			s += "[" + b.code.language + "]"
		case codeLines:
			s += "`" + strings.Join(b.code.lines[b.from:b.to], "¶") + "`"
		case tableRow:
			for i, cell := range b.table.rows[b.row] {
				s += "|" + [...]string{"", ">>", "<"}[map[align]int{alignLeft: 0, alignCentre: 1, alignRight: 2}[b.table.alignOf(i)]]
				s += textOf(cell)
			}
		default:
			s += strings.Repeat("#", b.level)
			for _, r := range b.runs {
				mark := ""
				for style, m := range map[runStyle]string{bold: "*", italic: "/", chip: "`", struck: "~"} {
					if r.style&style != 0 {
						mark += m
					}
				}
				s += mark + r.text + mark
				if r.link != "" {
					s += "<" + r.link + ">"
				}
			}
		}
		lines = append(lines, s)
	}
	return strings.Join(lines, "\n")
}

func TestMarkdownBecomesFlatRows(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"a paragraph in styles", "You need **59 posts** and `x` or ~~not~~ *maybe*.",
			"You need *59 posts* and `x` or ~not~ /maybe/."},
		{"headings keep their level", "# A\n\n### B", "#A\n###B"},
		{"soft breaks are spaces, hard ones are lines", "a\nb  \nc", "a b\nc"},
		{"a list in a list", "- a\n  1. b\n  2. c\n- d", "  • a\n    1. b\n    2. c\n  • d"},
		{"numbers start where they were written to", "7) a\n8) b", "  7) a\n  8) b"},
		{"the second paragraph of an item has no marker", "- a\n\n  b", "  • a\n  b"},
		{"tasks", "- [x] done\n- [ ] open", "  ☑ done\n  ☐ open"},
		{"a quote in a quote", "> a\n>\n> > b", ">a\n>>b"},
		{"code with its language", "```go\nx := 1\n\ny()\n```", "[go]\n`x := 1¶¶y()`"},
		{"a fence that never closes", "```py\nx", "[py]\n`x`"},
		{"indented code", "a\n\n    b\n    c", "a\n[]\n`b¶c`"},
		{"tabs in code become columns", "```\na\tb\n```", "[]\n`a   b`"},
		{"a table", "| a | b | c |\n|---|:-:|--:|\n| 1 | 2 | 3 |", "|a|>>b|<c\n|1|>>2|<3"},
		{"a rule", "a\n\n---\n\nb", "a\n---\nb"},
		{"a link keeps its address", "see [this](https://example.org/x)", "see this<https://example.org/x>"},
		{"an address alone is a link", "<https://example.org>", "https://example.org<https://example.org>"},
		{"a picture is its description", "![a llama](https://example.org/l.png)", "a llama<https://example.org/l.png>"},
		{"a picture without one is its address", "![](https://example.org/l.png)", "https://example.org/l.png<https://example.org/l.png>"},
		{"HTML is shown, not obeyed", "a <b>c</b><br>d", "a <b>c</b>\nd"},
		{"an HTML block is shown as code", "<script>\nx\n</script>", "[html]\n`<script>¶x¶</script>`"},
		{"references and escapes", `a &amp; b &lt;c&gt; \*d\* \&amp; &#65; & &nothing;`, "a & b <c> *d* &amp; A & &nothing;"},
		{"control characters are shown", "a\x1b[31mb\x07", "a␛[31mb␇"},
		{"marks that turn writing around are not obeyed", "a\u202eb", "a\ufffdb"},
		{"an empty item is still an item", "- a\n-\n- b", "  • a\n  • \n  • b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := outline(parseMarkdown(c.source)); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestGrowingTextEndsUpAsTheWholeText(t *testing.T) {
	source := "Intro *one*\ntwo.\n\n1. a\n\n2. b\n   ```go\n   x\n\n   y\n   ```\n\n> quote\n\n" +
		"| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nprint(1)\n\n\nprint(2)\n```\nend 日本語 👍🏽"
	var w written
	finals := 0
	for i := range source {
		before := w.blocks[:w.open]
		w.set(source[:i], true)
		for n, b := range before {
			if w.blocks[n] != b {
				t.Fatalf("after %q final block %d was made again", source[:i], n)
			}
		}
		finals = max(finals, w.open)
	}
	if finals < 4 {
		t.Errorf("only %d blocks were final before the end", finals)
	}
	got, want := outline(w.set(source, false)), outline(parseMarkdown(source))
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRowsStaySmall(t *testing.T) {
	for _, c := range []struct{ name, source string }{
		{"one line of a megabyte", strings.Repeat("all work and no play ", 50_000)},
		{"one word of a megabyte", strings.Repeat("x", 1<<20)},
		{"a megabyte of ideographs", strings.Repeat("牧場", 1<<18)},
		{"a megabyte of code", "```go\n" + strings.Repeat("x := 1\n", 150_000) + "```"},
		{"a megabyte of one line of code", "```\n" + strings.Repeat("x", 1<<20) + "\n```"},
		{"a table of 20,000 rows", "| a | b |\n|---|---|\n" + strings.Repeat("| 1 | 2 |\n", 20_000)},
		{"a list of 50,000 items", strings.Repeat("- item\n", 50_000)},
		{"brackets that never close", strings.Repeat("[a](", 1<<18)},
		{"a thousand quotes in each other", strings.Repeat("> ", 20_000) + "deep"},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			blocks := parseMarkdown(c.source)
			if took := time.Since(start); took > 15*time.Second { // half a second on a machine that does nothing else
				t.Errorf("parsing took %v", took)
			}
			for _, b := range blocks {
				if n := len(textOf(b.runs)); n > maxRowBytes {
					t.Fatalf("a row of %d bytes", n)
				}
				if b.to-b.from > maxRowLines {
					t.Fatalf("a row of %d lines", b.to-b.from)
				}
				if b.kind == codeLines && len(strings.Join(b.code.lines[b.from:b.to], "")) > maxRowBytes {
					t.Fatalf("a row of %d bytes of code", len(strings.Join(b.code.lines[b.from:b.to], "")))
				}
				if b.indent > maxDepth || b.quotes > maxDepth {
					t.Fatalf("a row %d lists and %d quotes deep", b.indent, b.quotes)
				}
			}
		})
	}
}

// letters measures every letter as one wide, ideographs and emoji as two.
func letters(text string, _ runStyle) float32 {
	w := float32(0)
	for _, r := range text {
		switch {
		case extends(r):
		case isIdeograph(r):
			w += 2
		default:
			w++
		}
	}
	return w
}

func TestTextIsWrapped(t *testing.T) {
	for _, c := range []struct {
		name  string
		width float32
		text  string // "*" changes the run
		want  string
	}{
		{"at spaces", 9, "one two three", "one two |three"},
		{"a space at the end may stick out", 7, "one two three", "one two |three"},
		{"spaces at the start of a line are dropped", 3, "one  two", "one  |two"},
		{"at line breaks", 20, "a\n\nb", "a||b"},
		{"inside a word that is too wide", 4, "abcdefghij", "abcd|efgh|ij"},
		{"a word that is too wide starts on its own line", 4, "ab cdefgh", "ab |cdef|gh"},
		{"a word in two styles stays together", 8, "aaa bo*ld", "aaa bold"},
		{"a word in two styles goes to the next line whole", 7, "aaaa bo*ld", "aaaa |bold"},
		{"after a hyphen", 7, "abc-defgh", "abc-|defgh"},
		{"not after a minus", 7, "a b c -5", "a b c |-5"},
		{"between ideographs", 6, "日本語文字", "日本語|文字"},
		{"never before a full stop", 6, "日本語。文", "日本|語。文"},
		{"between ideographs and words", 6, "日本ab語", "日本ab|語"},
		{"a mark stays on its letter", 2, "ae\u0301i", "ae\u0301|i"},
		{"a family stays together", 2, "👩\u200d👩\u200d👧x", "👩\u200d👩\u200d👧|x"},
		{"wider than anything fits", 1, "日本", "日|本"},
		{"nothing", 5, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var runs []run
			for i, text := range strings.Split(c.text, "*") {
				runs = append(runs, run{text: text, style: runStyle(i)})
			}
			var lines []string
			for _, line := range wrapRuns(runs, c.width, letters) {
				s := ""
				for _, span := range line {
					s += span.text
				}
				lines = append(lines, s)
			}
			if got := strings.Join(lines, "|"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestLongTextIsCutBetweenCharacters(t *testing.T) {
	for _, c := range []struct {
		name  string
		text  string
		limit int
		parts int
	}{
		{"short enough", "abc", 10, 1},
		{"at a space", "aaa bbb ccc", 8, 2},
		{"inside a word", strings.Repeat("x", 25), 10, 3},
		{"not inside a rune", strings.Repeat("語", 10), 10, 4},
		{"not before a mark", "aaaaaaaae\u0301bbbbbbbb", 10, 3},
		{"marks without an end", "a" + strings.Repeat("\u0301", 40), 10, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			parts := cutRuns([]run{{text: c.text}}, c.limit)
			if len(parts) != c.parts {
				t.Errorf("%d parts, want %d", len(parts), c.parts)
			}
			whole := ""
			for _, p := range parts {
				s := textOf(p)
				if !utf8.ValidString(s) || s == "" {
					t.Errorf("part %q", s)
				}
				whole += s
			}
			if whole != c.text {
				t.Errorf("parts make %q", whole)
			}
		})
	}
}

func TestColumnsShareTheWidth(t *testing.T) {
	for _, c := range []struct {
		name   string
		wanted []float32
		width  float32
		want   string
	}{
		{"there is room", []float32{100, 60}, 300, "[100 60]"},
		{"the wide one gives way", []float32{60, 900}, 300, "[60 240]"},
		{"two wide ones share", []float32{60, 900, 900}, 300, "[60 120 120]"},
		{"too many", make([]float32, 100), 700, "[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := fmt.Sprint(columnWidths(c.wanted, c.width)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestACharacterWithThousandsOfMarksHoldsNothingUp(t *testing.T) {
	text := "a" + strings.Repeat("\u0301", 9000)
	for _, source := range []string{text, "# " + text, "- " + text, "```\n" + text + "\n```", "[" + text + "](https://example.org)"} {
		done := make(chan bool)
		go func() {
			finalBefore(source, 0, maxRowBytes)
			parseMarkdown(source)
			close(done)
		}()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Fatalf("stuck on %.20q", source)
		}
	}
}
