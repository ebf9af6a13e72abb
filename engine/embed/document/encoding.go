package document

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"
)

var byteOrderMarks = []struct{ mark, encoding string }{
	{"\xef\xbb\xbf", "utf-8"},
	{"\xff\xfe\x00\x00", "utf-32le"}, {"\x00\x00\xfe\xff", "utf-32be"},
	{"\xff\xfe", "utf-16le"}, {"\xfe\xff", "utf-16be"},
}

// hasZeros is whether a file begins as one of an encoding whose characters have
// bytes of zero.
func hasZeros(head []byte) bool {
	for _, m := range byteOrderMarks {
		if bytes.HasPrefix(head, []byte(m.mark)) {
			return m.encoding != "utf-8"
		}
	}
	return wide(head) != ""
}

// findEncoding is the name of the encoding of a text. The error is a *Error: no
// text, or a text of more than one encoding.
func (d *Document) findEncoding(head []byte) (string, error) {
	f := &d.facts
	if name := d.opts.Encoding; name != "" {
		if _, err := decoderOf(name); err != nil {
			return "", d.failed(BadEncoding, err)
		}
		return canonical(name), nil
	}
	for _, m := range byteOrderMarks {
		if bytes.HasPrefix(head, []byte(m.mark)) {
			if m.encoding != "utf-8" {
				return m.encoding, nil
			}
			break
		}
	}
	if f.zeros > 0 {
		if name := wide(head); name != "" {
			return name, nil
		}
		return "", d.at(Binary, f.firstZero)
	}
	if f.controls > d.src.size/100 {
		return "", d.at(Binary, f.firstControl)
	}
	switch {
	case f.invalid == 0:
		return "utf-8", nil
	case f.valid > 0 && f.valid >= 4*f.invalid: // a few wrong bytes in a lot of UTF-8
		return "", d.at(Mixed, f.firstInvalid)
	}
	sample, err := d.sampleAt(f.firstHigh)
	if err != nil {
		return "", err
	}
	if name := declared(head); name != "" {
		return name, nil
	}
	if name := eastAsian(sample); name != "" {
		return name, nil
	}
	if name := cyrillic(sample); name != "" {
		return name, nil
	}
	if f.valid*10 > f.invalid {
		return "", d.at(Mixed, f.firstInvalid)
	}
	if likeLatin(sample) {
		return "windows-1252", nil
	}
	return "", d.at(Binary, f.firstHigh)
}

func (d *Document) at(problem Problem, offset int64) *Error {
	e := d.failed(problem, nil)
	e.Offset = offset
	return e
}

// sampleAt is 64 KiB of the file around where it stops being ASCII, from the
// start of a line on.
func (d *Document) sampleAt(offset int64) ([]byte, error) {
	from := max(0, offset-4096)
	sample := make([]byte, min(headBytes, d.src.size-from))
	if n, err := d.src.at.ReadAt(sample, from); err != nil && (!errors.Is(err, io.EOF) || n < len(sample)) {
		return nil, d.failed(Unreadable, err)
	}
	if line := bytes.IndexByte(sample[:offset-from], '\n'); from > 0 && line >= 0 {
		sample = sample[line+1:]
	}
	return sample, nil
}

var xmlEncoding = regexp.MustCompile(`^\s*<\?xml[^>]{0,100}encoding=["']([\w.:-]+)["']`)

// declared is the encoding a web page or XML says it has, empty when it does not,
// or says UTF-8, which it is not.
func declared(head []byte) string {
	name := ""
	if said := xmlEncoding.FindSubmatch(head); said != nil {
		name = canonical(string(said[1]))
	} else if start := bytes.ToLower(head[:min(len(head), 1024)]); bytes.Contains(start, []byte("<meta")) && bytes.Contains(start, []byte("charset")) {
		_, name, _ = charset.DetermineEncoding(head, "")
	}
	if _, err := decoderOf(name); err != nil || name == "utf-8" {
		return ""
	}
	return name
}

// wide finds UTF-16 without a mark, by where its zeros are: of every two bytes the
// same one, mostly.
func wide(head []byte) string {
	var zeros, lineEnds [2]int
	for i, c := range head[:min(len(head), 4096)] {
		if c == 0 {
			zeros[i%2]++
		}
		if c == '\n' {
			lineEnds[i%2]++
		}
	}
	half := min(len(head), 4096) / 2
	name := ""
	switch {
	case zeros[0] == 0 && zeros[1]*10 > half*4 && lineEnds[1] == 0:
		name = "utf-16le"
	case zeros[1] == 0 && zeros[0]*10 > half*4 && lineEnds[0] == 0:
		name = "utf-16be"
	default:
		return ""
	}
	text, err := decodeStart(name, head[:min(len(head), 4096)&^1])
	if err != nil || strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 && oddControls[r] || r == 0 }) {
		return ""
	}
	return name
}

// canonical is the name web pages have for an encoding.
func canonical(name string) string {
	if enc, err := htmlindex.Get(name); err == nil {
		if known, err := htmlindex.Name(enc); err == nil {
			return known
		}
	}
	return name
}

func decoderOf(name string) (encoding.Encoding, error) {
	switch name {
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), nil
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM), nil
	case "utf-32le":
		return utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), nil
	case "utf-32be":
		return utf32.UTF32(utf32.BigEndian, utf32.UseBOM), nil
	}
	return htmlindex.Get(name)
}

// decodeStart is the start of a text, as UTF-8.
func decodeStart(name string, head []byte) (string, error) {
	if name == "utf-8" {
		return string(head), nil
	}
	enc, err := decoderOf(name)
	if err != nil {
		return "", err
	}
	// The end of head may be in the middle of a character: what was decoded until
	// there is enough.
	text, _, err := transform.Bytes(enc.NewDecoder(), head)
	if err != nil && len(text) == 0 {
		return "", err
	}
	return string(text), nil
}

// text reads the file as UTF-8, without a byte order mark. skipped is how many
// bytes of a mark were left out, where offsets are those of the file.
func (d *Document) text() (r *bufio.Reader, skipped int64, err error) {
	plain := d.stream()
	if d.Encoding != "utf-8" {
		enc, err := decoderOf(d.Encoding)
		if err != nil {
			return nil, 0, err
		}
		plain = enc.NewDecoder().Reader(plain)
	} else if d.facts.invalid > 0 { // when the encoding was chosen by the user
		plain = transform.NewReader(plain, unicode.UTF8.NewDecoder())
	}
	r = bufio.NewReaderSize(plain, lineBytes)
	if mark, err := r.Peek(3); err == nil && string(mark) == "\xef\xbb\xbf" {
		n, err := r.Discard(3)
		return r, int64(n), err
	}
	return r, 0, nil
}

// doubtful is whether bytes of the file may be none of its encoding.
func (d *Document) doubtful() bool { return d.Encoding != "utf-8" || d.facts.invalid > 0 }

// garbled is whether a decoded text has characters its encoding does not have.
func garbled(text string) bool { return strings.ContainsRune(text, utf8.RuneError) }
