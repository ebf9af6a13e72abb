package chat

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A folder makes a text what is compared when searching: without case, accents and
// control characters, in one width, and every space alike. It is fed rune by rune,
// so that what is found can be shown in the text as it was written.
type folder struct {
	space bool // the last one was a space, of which one is enough
	one   [utf8.UTFMax]byte
	many  []byte
}

// next is what a rune becomes, valid until the next call: nothing, one rune, or
// several.
func (f *folder) next(r rune) []byte {
	switch {
	case r > ' ' && r < 0x7f:
		f.space = false
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		f.one[0] = byte(r)
		return f.one[:1]
	case unicode.IsSpace(r):
		if f.space {
			return nil
		}
		f.space = true
		f.one[0] = ' '
		return f.one[:1]
	case r < ' ' || r == 0x7f || unicode.In(r, unicode.Cf):
		return nil
	}
	f.space = false
	f.many = f.many[:0]
	if 0x4e00 <= r && r <= 0x9fff { // Chinese characters stand for themselves
		return utf8.AppendRune(f.many, r)
	}
	var written [utf8.UTFMax]byte
	parts := norm.NFKD.Append(nil, written[:utf8.EncodeRune(written[:], r)]...)
	for _, part := range string(parts) {
		if part < 0x300 || part > 0x36f { // accents
			f.many = utf8.AppendRune(f.many, unicode.ToLower(part))
		}
	}
	return f.many
}

// fold is a whole text as it is compared.
func fold(text string) string {
	folded := make([]byte, 0, len(text))
	var f folder
	for _, r := range text {
		folded = append(folded, f.next(r)...)
	}
	return string(folded)
}
