package widgets

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/util"
)

// visible makes a model's or a file's text safe to draw: control characters and
// the marks that turn writing around are shown as what they are, and never obeyed.
func visible(s string) string {
	if strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteRune(r)
		case r == '\r':
		case r == '\t':
			b.WriteString("    ")
		case r < 0x20:
			b.WriteRune(r + 0x2400) // the picture of it
		case r == 0x7f:
			b.WriteRune(0x2421)
		case isControl(r):
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isControl(r rune) bool {
	return r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 ||
		r == 0x200e || r == 0x200f || r == 0x061c || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// unescape resolves Markdown's backslashes and HTML's character references.
func unescape(value []byte, raw bool) []byte {
	if raw {
		return value
	}
	plain := make([]byte, 0, len(value))
	for i := 0; i < len(value); i++ {
		switch {
		case util.IsEscapedPunctuation(value, i):
			i++
			plain = append(plain, value[i])
		case value[i] == '&':
			end := i + 1
			for end < len(value) && end-i < 34 && value[end] != ';' {
				end++
			}
			if end < len(value) && value[end] == ';' {
				plain = append(plain, util.ResolveEntityNames(util.ResolveNumericReferences(value[i:end+1]))...)
				i = end
				continue
			}
			fallthrough
		default:
			plain = append(plain, value[i])
		}
	}
	return plain
}

// cutRuns cuts runs into parts of at most limit bytes, at spaces where there are
// any, never inside a character and its marks. It returns at least one part.
func cutRuns(runs []run, limit int) [][]run {
	parts := [][]run{nil}
	room := limit
	for _, r := range runs {
		for len(r.text) > room {
			cut := cutPoint(r.text, room)
			if cut == 0 && room == limit {
				cut = mustCut(r.text, limit)
			}
			head := r
			head.text = r.text[:cut]
			r.text = strings.TrimPrefix(r.text[cut:], "\n")
			last := &parts[len(parts)-1]
			if cut > 0 {
				*last = append(*last, head)
			}
			if r.text == "" {
				break
			}
			parts = append(parts, nil)
			room = limit
		}
		if r.text != "" {
			last := &parts[len(parts)-1]
			*last = append(*last, r)
			room -= len(r.text)
		}
	}
	return parts
}

// cutPoint is where to cut a text so that at most limit bytes are before it; 0
// when its first character, with its marks, is longer.
func cutPoint(s string, limit int) int {
	if line := strings.LastIndexByte(s[:limit], '\n'); line > limit/2 {
		return line
	}
	if space := strings.LastIndexByte(s[:limit], ' '); space > limit/2 {
		return space + 1
	}
	for cut := limit; cut > 0; cut-- {
		if utf8.RuneStart(s[cut]) && breakableAt(s, cut) {
			return cut
		}
	}
	return 0
}

// mustCut is cutPoint for where something has to come off: a character with
// thousands of marks is cut inside.
func mustCut(s string, limit int) int {
	if cut := cutPoint(s, limit); cut > 0 {
		return cut
	}
	for cut := limit; cut > 0; cut-- {
		if utf8.RuneStart(s[cut]) {
			return cut
		}
	}
	return limit
}

// breakableAt tells whether a line may end before the character at i when it
// has to end somewhere: not between a character and what belongs to it.
func breakableAt(s string, i int) bool {
	after, _ := utf8.DecodeRuneInString(s[i:])
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	return !extends(after) && before != zeroWidthJoiner &&
		!(isRegional(after) && isRegional(before) && regionalsBefore(s[:i])%2 == 1)
}

const zeroWidthJoiner = 0x200d

// extends tells whether a character is drawn as part of the one before it.
func extends(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc) || r == zeroWidthJoiner ||
		r >= 0x1f3fb && r <= 0x1f3ff // skin tones
}

func isRegional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

func regionalsBefore(s string) int {
	n := 0
	for s != "" {
		r, size := utf8.DecodeLastRuneInString(s)
		if !isRegional(r) {
			break
		}
		n++
		s = s[:len(s)-size]
	}
	return n
}

// Visible is a text made by a model or taken from a file as it can be shown: with
// its control characters as pictures, on one line, cut after some bytes.
func Visible(text string, limit int) string {
	if len(text) > limit {
		text = text[:cutPoint(text, limit)] + "…"
	}
	return strings.ReplaceAll(visible(text), "\n", "␊")
}

// Readable is Visible with its lines left as they are.
func Readable(text string, limit int) string {
	if len(text) > limit {
		text = text[:cutPoint(text, limit)] + "…"
	}
	return visible(text)
}
