package widgets

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

const (
	tabColumns = 4
	// maxLexedBytes is how much code gets colours: lexing runs at about half a
	// megabyte a second.
	maxLexedBytes = 64 << 10
)

// A codeText is the text of one code box, shared by its rows.
type codeText struct {
	language string
	text     string // as it was written: what Copy copies
	lines    []string
	colours
}

// colours are what is known of how code is coloured.
type colours struct {
	lexed      [][]run // the first lines, in colours
	lexing     bool
	triedBytes int // how much of the text was lexed last
	triedLines int
}

func newCodeText(language, text string) *codeText {
	text = strings.TrimSuffix(text, "\n")
	c := &codeText{language: visible(language), text: text}
	for _, line := range strings.Split(text, "\n") {
		line = visible(expandTabs(line))
		for len(line) > maxRowBytes {
			cut := mustCut(line, maxRowBytes)
			c.lines = append(c.lines, line[:cut])
			line = line[cut:]
		}
		c.lines = append(c.lines, line)
	}
	return c
}

// rowEnd is where a row that starts at a line ends: after maxRowLines lines, or
// after maxRowBytes when lines are long.
func (c *codeText) rowEnd(from int) int {
	bytes := 0
	for i := from; i < len(c.lines); i++ {
		bytes += len(c.lines[i])
		if i > from && bytes > maxRowBytes || i-from == maxRowLines {
			return i
		}
	}
	return len(c.lines)
}

// line is one line as runs: in colours once they are there.
func (c *codeText) line(i int) []run {
	if i < len(c.lexed) {
		return c.lexed[i]
	}
	return []run{{text: c.lines[i], style: mono}}
}

// wantsLexing tells whether enough is without colours to lex the text again.
// While a box grows that is each time it grew by an eighth, so that the work
// stays in proportion to its size.
func (c *codeText) wantsLexing(growing bool) bool {
	if c.language == "" || c.lexing || len(c.text) > maxLexedBytes {
		return false
	}
	if !growing {
		return c.triedBytes != len(c.text)
	}
	return len(c.lines)-1-c.triedLines >= max(1, c.triedLines/8)
}

// adopt takes over the colours of an earlier, shorter state of the same box.
func (c *codeText) adopt(earlier *codeText) {
	if earlier != nil && c.language == earlier.language && strings.HasPrefix(c.text, earlier.text) {
		c.colours = earlier.colours
		c.trim()
	}
}

// take takes the colours made of text, which is the box's own or an earlier,
// shorter state of it.
func (c *codeText) take(text string, lexed [][]run) {
	c.lexing = false
	c.lexed, c.triedBytes, c.triedLines = lexed, len(text), strings.Count(text, "\n")
	c.trim()
}

// trim drops colours from the first line on that has become another.
func (c *codeText) trim() {
	for i, runs := range c.lexed {
		if i == len(c.lines) || textOf(runs) != c.lines[i] {
			c.lexed = c.lexed[:i]
			return
		}
	}
}

func textOf(runs []run) string {
	if len(runs) == 1 {
		return runs[0].text
	}
	var b strings.Builder
	for _, r := range runs {
		b.WriteString(r.text)
	}
	return b.String()
}

// lex splits code into lines of coloured runs. It is slow, and nothing waits for
// it. An unknown language gives nothing, and so does text a lexer breaks on.
func lex(language, text string) (lines [][]run) {
	defer func() {
		if recover() != nil {
			lines = nil
		}
	}()
	lexer := lexers.Get(language)
	if lexer == nil {
		return nil
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, text)
	if err != nil {
		return nil
	}
	for _, tokens := range chroma.SplitTokensIntoLines(tokens.Tokens()) {
		var line []run
		column := 0
		for _, token := range tokens {
			value := expandTabsFrom(strings.TrimSuffix(token.Value, "\n"), column)
			column += len([]rune(value))
			line = addRun(line, run{text: value, style: mono, tint: tintOf(token.Type)})
		}
		lines = append(lines, line)
	}
	return lines
}

func tintOf(t chroma.TokenType) tint {
	switch {
	case t == chroma.KeywordType || t == chroma.NameBuiltin || t == chroma.NameClass:
		return typeTint
	case t.InCategory(chroma.Keyword) || t == chroma.OperatorWord || t == chroma.NameTag:
		return keywordTint
	case t == chroma.NameFunction || t == chroma.NameFunctionMagic || t == chroma.NameDecorator || t == chroma.NameAttribute:
		return nameTint
	case t.InCategory(chroma.Literal):
		return literalTint
	case t.InCategory(chroma.Comment):
		return quietTint
	}
	return plainTint
}

func expandTabs(line string) string { return expandTabsFrom(line, 0) }

// expandTabsFrom writes tabs as spaces, for text that starts in a column.
func expandTabsFrom(s string, column int) string {
	if !strings.Contains(s, "\t") {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r != '\t' {
			b.WriteRune(r)
			column++
			continue
		}
		n := tabColumns - column%tabColumns
		b.WriteString("    "[:n])
		column += n
	}
	return b.String()
}
