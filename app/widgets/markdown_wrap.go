package widgets

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A measure says how wide text is in a style.
type measure func(text string, style runStyle) float32

// A span is text of one run on one line.
type span struct {
	run   int
	text  string
	x     float32
	width float32
}

// wrapRuns breaks runs into lines of at most width: at spaces, between ideographs,
// and inside a word that is wider than a line.
func wrapRuns(runs []run, width float32, m measure) [][]span {
	w := wrapper{runs: runs, width: width, measure: m, lines: [][]span{nil}}
	for i, r := range runs {
		w.run = i
		for rest := r.text; rest != ""; {
			var piece string
			piece, rest = nextPiece(rest)
			w.add(piece)
		}
	}
	w.endWord()
	return w.lines
}

// A wrapper collects the pieces of a word, which can be in several runs, until
// it is known which line the word is on.
type wrapper struct {
	runs    []run
	width   float32
	measure measure
	run     int // where the pieces come from
	lines   [][]span
	x       float32 // where the line ends
	word    []span
	wide    float32 // of word
	last    rune    // of word
}

func (w *wrapper) add(piece string) {
	if piece == "\n" {
		w.endWord()
		w.newLine()
		return
	}
	s := span{run: w.run, text: piece, width: w.measure(piece, w.runs[w.run].style)}
	if piece[0] == ' ' {
		w.endWord()
		if w.x > 0 { // spaces at the start of a line are dropped
			w.put(s)
		}
		return
	}
	if first, _ := utf8.DecodeRuneInString(piece); len(w.word) > 0 && mayBreak(w.last, first) {
		w.endWord()
	}
	w.word = append(w.word, s)
	w.wide += s.width
	w.last, _ = utf8.DecodeLastRuneInString(piece)
	if len(piece) > 1 && isJoint(w.last) {
		w.endWord()
	}
}

// endWord puts the word on the line, or on the next when it doesn't fit.
func (w *wrapper) endWord() {
	if w.x > 0 && w.x+w.wide > w.width {
		w.newLine()
	}
	for _, s := range w.word {
		if w.x+s.width <= w.width {
			w.put(s)
			continue
		}
		w.putBroken(s)
	}
	w.word, w.wide = w.word[:0], 0
}

// putBroken puts a piece that is wider than what is left of the line.
func (w *wrapper) putBroken(s span) {
	style := w.runs[s.run].style
	start, wide := 0, float32(0)
	for i, r := range s.text {
		one := w.measure(string(r), style)
		if w.x+wide+one > w.width && w.x+wide > 0 && (i == 0 || breakableAt(s.text, i)) {
			if i > start {
				w.put(span{run: s.run, text: s.text[start:i], width: wide})
			}
			w.newLine()
			start, wide = i, 0
		}
		wide += one
	}
	w.put(span{run: s.run, text: s.text[start:], width: wide})
}

func (w *wrapper) put(s span) {
	s.x = w.x
	w.x += s.width
	last := &w.lines[len(w.lines)-1]
	*last = append(*last, s)
}

func (w *wrapper) newLine() {
	w.lines = append(w.lines, nil)
	w.x = 0
}

// nextPiece takes from s what is never parted while there is room: spaces, a
// line break, an ideograph with its marks, or letters up to one of those.
func nextPiece(s string) (piece, rest string) {
	if s[0] == '\n' {
		return s[:1], s[1:]
	}
	if s[0] == ' ' {
		end := len(s) - len(strings.TrimLeft(s, " "))
		return s[:end], s[end:]
	}
	last, end := utf8.DecodeRuneInString(s)
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		if r == ' ' || r == '\n' {
			break
		}
		if breakableAt(s, end) && (mayBreak(last, r) || end > 1 && isJoint(last)) {
			break
		}
		last = r
		end += size
	}
	return s[:end], s[end:]
}

// mayBreak tells whether a line may end between two characters of a text without
// spaces.
func mayBreak(before, after rune) bool {
	return (isIdeograph(before) || isIdeograph(after)) &&
		!strings.ContainsRune("。，、．：；！？」』）】》〉〕］｝ーっゃゅょッャュョぁぃぅぇぉァィゥェォ.,:;!?)]}", after) &&
		!strings.ContainsRune("「『（【《〈〔［｛([{", before)
}

func isIdeograph(r rune) bool {
	return r >= 0x1100 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) ||
		r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef || r >= 0x1f300 && r <= 0x1faff)
}

// isJoint tells whether a line may end after a character inside a word.
func isJoint(r rune) bool { return r == '-' || r == '/' }
