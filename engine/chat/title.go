package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// Lengths in cells of a terminal: a Chinese character is two.
const (
	titleCells   = 48
	previewCells = 80
)

// cells measures the same everywhere, whatever the user's locale.
var cells = &runewidth.Condition{}

// titleOf makes a title of a message.
func titleOf(text string) string { return FirstWords(text, titleCells) }

// FirstWords is the beginning of a text on one line, without Markdown's marks, cut
// at a word, or between characters where the words are not parted by spaces. The limit
// is in cells of a terminal: a Chinese character is two.
func FirstWords(text string, limit int) string {
	const longest = 64 // bytes a cell; more is a pile of combining marks
	if len(text) > longest*limit {
		text = text[:longest*limit]
	}
	line := strings.TrimLeft(clean(text), "#>*-`| ")
	line = strings.NewReplacer("**", "", "`", "").Replace(line)
	cut := line[:min(len(line), limit)]
	if strings.IndexFunc(cut, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 { // else a byte is a cell
		cut = cells.Truncate(line, limit, "")
	}
	if cut == line {
		return line
	}
	// The last place to cut at, unless that leaves less than half.
	ends := func(r rune) bool { return r == ' ' || strings.ContainsRune("。，、！？；：", r) }
	if at := strings.LastIndexFunc(cut, ends); at > len(cut)/2 && !strings.HasPrefix(line[len(cut):], " ") {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " ,.;:。，、；：") + "…"
}

// clean makes a text one line without what can't be seen: control characters, and
// those that turn the direction of what follows. What joins emoji, and the letters
// of Persian, stays.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == '\u200c', r == '\u200d':
			return r
		case unicode.In(r, unicode.Cc, unicode.Cf), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return strings.Join(strings.Fields(text), " ")
}
