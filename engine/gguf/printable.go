package gguf

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable makes a string out of a file safe to show on one line: what would
// move the cursor, colour a terminal or turn the reading direction (control
// and format characters, ANSI sequences, bidi marks, broken UTF-8) is written
// out as an escape. Everything else, of any script, stays.
func Printable(s string) string {
	if strings.IndexFunc(s, hidden) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case hidden(r) && r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case hidden(r) && r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04x`, r)
		case hidden(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
		s = s[n:]
	}
	return b.String()
}

// hidden runes are not shown as they are: control (Cc), format (Cf: bidi marks,
// tags), line and paragraph separators. The zero-width joiner and non-joiner
// stay, because scripts and emoji need them.
func hidden(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	if r == nonJoiner || r == joiner {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
