package document

import (
	"unicode"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/transform"
)

// eastAsian finds out which multi-byte encoding of East Asia a text has, empty
// for none. Each is tried; a wrong one gives characters it does not have, or such
// as nobody writes.
func eastAsian(sample []byte) string {
	best, most := "", 0
	for _, candidate := range []struct {
		name string
		enc  encoding.Encoding
	}{
		{"shift_jis", japanese.ShiftJIS}, {"euc-jp", japanese.EUCJP}, {"iso-2022-jp", japanese.ISO2022JP},
		{"gbk", simplifiedchinese.GBK}, {"big5", traditionalchinese.Big5}, {"euc-kr", korean.EUCKR},
	} {
		text, ok := tryDecode(candidate.enc, sample)
		if !ok {
			continue
		}
		if score := likeEastAsian(text); score > most {
			best, most = candidate.name, score
		}
	}
	return best
}

// tryDecode decodes a sample whose last character may be cut.
func tryDecode(enc encoding.Encoding, sample []byte) (string, bool) {
	text, _, err := transform.Bytes(enc.NewDecoder(), sample)
	if err != nil {
		return "", false
	}
	wrong := 0
	for _, r := range string(text) {
		if r == unicode.ReplacementChar {
			wrong++
		}
	}
	return string(text), wrong == 0 || wrong == 1 && []rune(string(text))[len([]rune(string(text)))-1] == unicode.ReplacementChar
}

// likeEastAsian scores a text, 0 and below for one that is none. Kana and Hangul
// are written by one encoding only; half-width kana and rare characters come of a
// wrong one.
func likeEastAsian(text string) int {
	score, far, run := 0, 0, 0
	hangul, han := 0, 0
	for _, r := range text {
		if r >= 0xac00 && r <= 0xd7a3 {
			hangul++
		}
		if r >= 0x4e00 && r <= 0x9fff {
			han++
		}
		switch {
		case r < 0x80:
			run = 0
			continue
		case r >= 0x3041 && r <= 0x30fe, r >= 0xac00 && r <= 0xd7a3:
			score += 3
		case r >= 0x3000 && r <= 0x3011, r >= 0xff01 && r <= 0xff5e:
			score += 3
		case common(r):
			score += 2
		case r >= 0x4e00 && r <= 0x9fff:
			score++
		case r >= 0xff61 && r <= 0xff9f:
			score -= 3
		default:
			score -= 3
		}
		far++
		run++
		if run > 1 {
			score++
		}
	}
	// Accented letters of Europe can pair up to a rare character here and there.
	// Korean of today has next to no Chinese characters, Chinese read as Korean has
	// many.
	if far == 0 || score < far*2 || hangul > 0 && han*10 > hangul {
		return 0
	}
	return score
}

// common characters of Chinese and Japanese texts, both simplified and not.
var commonHan = func() map[rune]bool {
	all := map[rune]bool{}
	for _, r := range "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生" +
		"這為來個們說國時會對學過還樣點發當經沒現動後裡見開間問長話電語文字日本東京新聞書無行事者社方前" +
		"会对学过还样点发当经没现动后里见开间问长话电语書高小多工用作自同好成能部分家政治理心力" {
		all[r] = true
	}
	return all
}()

func common(r rune) bool { return commonHan[r] }

// cyrillic tells the two encodings of Russian apart, empty for neither. Texts are
// mostly in small letters, and whole words are beyond ASCII.
func cyrillic(sample []byte) string {
	high, inRuns, run := 0, 0, 0
	for _, c := range sample {
		if c < 0x80 {
			run = 0
			continue
		}
		high++
		if run++; run > 2 {
			inRuns++
		}
	}
	if high == 0 || inRuns*3 < high {
		return ""
	}
	best, most := "", high/2
	for _, candidate := range []struct {
		name string
		enc  *charmap.Charmap
	}{{"windows-1251", charmap.Windows1251}, {"koi8-r", charmap.KOI8R}} {
		small := 0
		for _, c := range sample {
			if r := candidate.enc.DecodeByte(c); r >= 'а' && r <= 'я' {
				small++
			}
		}
		if small > most {
			best, most = candidate.name, small
		}
	}
	return best
}

// likeLatin is whether what is beyond ASCII are mostly letters and signs of
// Western Europe, as single ones among others.
func likeLatin(sample []byte) bool {
	high, letters, ascii := 0, 0, 0
	for _, c := range sample {
		switch r := charmap.Windows1252.DecodeByte(c); {
		case c < 0x80:
			if unicode.IsLetter(r) || r == ' ' || r == '\n' {
				ascii++
			}
		case r == unicode.ReplacementChar:
			return false
		default:
			high++
			if unicode.IsLetter(r) || unicode.IsPunct(r) || unicode.IsSymbol(r) || r == 0xa0 {
				letters++
			}
		}
	}
	return letters*10 >= high*9 && ascii >= high
}
