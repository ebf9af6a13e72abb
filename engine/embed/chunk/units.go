package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A boundary is what may be cut at: the higher, the better.
type boundary int

const (
	inWord boundary = iota
	word
	line
	sentence
	paragraph
)

// A unit is the smallest part that is not cut, unless it is too long by itself: a
// word with the blanks before it, a part of a long one, some characters of a
// script without blanks.
type unit struct {
	start, end int
	before     boundary // what there is in front of it
}

// Sizes of units in bytes.
const (
	longWord   = 24
	longBlank  = 64
	withoutGap = 12 // of scripts that have no blanks: four characters
)

// unitsOf takes a text apart.
func unitsOf(text []byte) []unit {
	var units []unit
	current := unit{before: word}
	breaks, blanks := 0, true // line ends since the last word; only blanks so far
	var last, lastLetter rune
	closeAt := func(at int, b boundary) {
		if at > current.start {
			current.end = at
			units = append(units, current)
		}
		current = unit{start: at, before: b}
		blanks = true
	}
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		space := unicode.IsSpace(r)
		length := at - current.start
		switch {
		case space && !unicode.IsSpace(last) && at > 0:
			closeAt(at, word)
			breaks = 0
		case space && length >= longBlank:
			before := current.before
			closeAt(at, before)
		case !space && !blanks && (length+size > longWord || gapless(r) && length+size > withoutGap):
			b := inWord
			if gapless(r) {
				b = word
			}
			if ends(lastLetter) && gapless(lastLetter) {
				b = sentence
			}
			closeAt(at, b)
		case !space && !blanks && wideEnd(last):
			closeAt(at, sentence)
		}
		if r == '\n' {
			breaks++
		}
		if !space {
			if blanks && current.before == word && unicode.IsSpace(last) {
				current.before = boundaryOf(breaks, lastLetter)
			}
			blanks = false
			if !closing(r) {
				lastLetter = r
			}
		}
		last = r
		at += size
	}
	closeAt(len(text), word)
	return units
}

func boundaryOf(breaks int, lastLetter rune) boundary {
	switch {
	case breaks > 1:
		return paragraph
	case ends(lastLetter):
		return sentence
	case breaks == 1:
		return line
	}
	return word
}

// ends is whether a sentence can end with a sign.
func ends(r rune) bool { return strings.ContainsRune(".!?…:;。！？．", r) && r != 0 }

func wideEnd(r rune) bool { return strings.ContainsRune("。！？", r) && r != 0 }

// closing signs stand behind the end of a sentence.
func closing(r rune) bool { return strings.ContainsRune(`"')]}»”’」』）`, r) }

func gapless(r rune) bool {
	return r >= 0x0e00 && (r >= 0x2e80 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff ||
		r >= 0xff00 && r <= 0xffef || r >= 0x20000 && r <= 0x3ffff || r <= 0x0eff || r >= 0x1000 && r <= 0x109f || r >= 0x1780 && r <= 0x17ff)
}

// runesOf takes a unit apart into characters.
func runesOf(text []byte, u unit) []unit {
	var all []unit
	for at := u.start; at < u.end; {
		_, size := utf8.DecodeRune(text[at:u.end])
		all = append(all, unit{start: at, end: at + size})
		at += size
	}
	all[0].before = u.before
	return all
}
