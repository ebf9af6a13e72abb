package chat

import (
	"strings"
	"unicode/utf8"
)

const (
	snippetBefore = 40  // characters before the first find
	snippetRunes  = 160 // in all
)

// snippet is one line of a text around the first place with one of the words, and
// where in it words are: nowhere when they are of characters that a line leaves
// out. It says whether the text has all the words.
func snippet(text string, words []string) (line string, places []Span, has bool) {
	at := firstPlace(text, words)
	if at < 0 {
		return "", nil, false
	}
	start := at
	for range snippetBefore {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	if start > 0 { // not within a word, unless it is a long one
		if space := strings.IndexAny(text[start:at], " \n\t"); space >= 0 {
			start += space + 1
		}
	}
	end := start
	for range snippetRunes {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	line = clean(text[start:end])
	if start > 0 {
		line = "…" + line
	}
	if end < len(text) {
		line += "…"
	}
	return line, spans(line, words), true
}

// firstPlace is about where a text has the first of words, in bytes, or -1 when it
// doesn't have them all.
func firstPlace(text string, words []string) int {
	folded := fold(text)
	first := len(folded)
	for _, word := range words {
		at := strings.Index(folded, word)
		if at < 0 {
			return -1
		}
		first = min(first, at)
	}
	var f folder
	length := 0
	for i, r := range text {
		if length += len(f.next(r)); length > first {
			return i
		}
	}
	return -1
}
