package widgets

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// mathToText turns the LaTeX of a Markdown text into plain text that can be read,
// with Markdown's own marks escaped. Code stays as it is. What isn't closed in its
// paragraph is no formula: it may still be written.
func mathToText(source string) string {
	if !strings.Contains(source, `\(`) && !strings.Contains(source, `\[`) && !strings.Contains(source, "$") && !strings.Contains(source, `\begin{`) {
		return source
	}
	var b strings.Builder
	fence := ""
	for line := 0; line < len(source); {
		end := lineEnd(source, line)
		text := strings.TrimRight(source[line:end], " \t\r\n")
		switch {
		case fence != "" && closesFence(text, fence):
			fence = ""
		case fence != "":
		case opensFence(text) != "":
			fence = opensFence(text)
		default:
			end = paragraphEnd(source, line)
			b.WriteString(mathInParagraph(source[line:end]))
			line = end
			continue
		}
		b.WriteString(source[line:end])
		line = end
	}
	return b.String()
}

// lineEnd is where the line that begins at i ends, its line break included.
func lineEnd(s string, i int) int {
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(s)
}

// paragraphEnd is where the lines from i on end that are neither blank nor the
// beginning of a code box. One line at least is taken.
func paragraphEnd(s string, i int) int {
	end := lineEnd(s, i)
	if strings.TrimSpace(s[i:end]) == "" {
		return end
	}
	for end < len(s) {
		next := lineEnd(s, end)
		if line := s[end:next]; strings.TrimSpace(line) == "" || opensFence(strings.TrimRight(line, " \t\r\n")) != "" {
			break
		}
		end = next
	}
	return end
}

// The ways a formula stands in a text, those of whole lines first.
var mathMarks = []struct {
	open, close string
	display     bool
}{
	{`$$`, `$$`, true},
	{`\[`, `\]`, true},
	{`\(`, `\)`, false},
	{`$`, `$`, false},
}

func mathInParagraph(s string) string {
	if strings.HasPrefix(s, "    ") || strings.HasPrefix(s, "\t") { // code, or deep in a list
		if !strings.Contains(s, `\(`) && !strings.Contains(s, `\[`) {
			return s
		}
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] == '`' {
			end := codeSpanEnd(s, i)
			b.WriteString(s[i:end])
			i = end
			continue
		}
		if formula, end, display := mathAt(s, i); end > i {
			text := escapeMarkdown(latexText(formula))
			if display {
				writeDisplay(&b, text, s[end:])
			} else {
				b.WriteString(text)
			}
			i = end
			continue
		}
		if s[i] == '\\' && i+1 < len(s) {
			b.WriteString(s[i : i+2])
			i += 2
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

// writeDisplay puts a formula on lines of its own inside its paragraph.
func writeDisplay(b *strings.Builder, text, after string) {
	before := strings.TrimRight(b.String(), " \t")
	if before != "" && !strings.HasSuffix(before, "\n") {
		b.WriteString("\\\n")
	} else if strings.HasSuffix(before, "\n") && strings.TrimSpace(before) != "" {
		trimmed := strings.TrimSuffix(before, "\n")
		b.Reset()
		b.WriteString(trimmed + "\\\n")
	}
	b.WriteString(text)
	if rest := strings.TrimLeft(after, " \t"); rest != "" && strings.TrimSpace(rest) != "" {
		if strings.HasPrefix(rest, "\n") {
			b.WriteString("\\")
		} else {
			b.WriteString("\\\n")
		}
	}
}

// codeSpanEnd is where the code that begins at i ends.
func codeSpanEnd(s string, i int) int {
	n := 0
	for i+n < len(s) && s[i+n] == '`' {
		n++
	}
	for j := i + n; j < len(s); {
		if s[j] != '`' {
			j++
			continue
		}
		m := 0
		for j+m < len(s) && s[j+m] == '`' {
			m++
		}
		if m == n {
			return j + m
		}
		j += m
	}
	return i + n
}

// mathAt is the formula that begins at i, and where it ends; i when there is
// none.
func mathAt(s string, i int) (formula string, end int, display bool) {
	for _, m := range mathMarks {
		if !strings.HasPrefix(s[i:], m.open) {
			continue
		}
		from := i + len(m.open)
		n := strings.Index(s[from:], m.close)
		if n <= 0 {
			return "", i, false
		}
		inner := s[from : from+n]
		end = from + n + len(m.close)
		if m.open == "$" && !isDollarMath(inner, s[end:]) {
			return "", i, false
		}
		if strings.TrimSpace(inner) == "" {
			return "", i, false
		}
		return inner, end, m.display
	}
	return "", i, false
}

// isDollarMath tells a formula between single dollars from two prices: no room
// inside the dollars, no digit behind them, and something in it that prices
// don't have.
func isDollarMath(inner, after string) bool {
	if strings.TrimSpace(inner) != inner || strings.Contains(inner, "\n") {
		return false
	}
	if after != "" && after[0] >= '0' && after[0] <= '9' {
		return false
	}
	if strings.ContainsAny(inner, `\^_={}`) {
		return true
	}
	return utf8.RuneCountInString(inner) == 1 && unicode.IsLetter(firstRune(inner))
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// escapeMarkdown keeps Markdown from seeing marks in a text.
func escapeMarkdown(s string) string {
	var b strings.Builder
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteString("\\\n")
		}
		for j, r := range line {
			if strings.ContainsRune("\\`*_{}[]<>|~&#$", r) || j == 0 && strings.ContainsRune("+-=", r) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}
