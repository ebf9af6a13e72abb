package document

import (
	"encoding/binary"
	"unicode/utf8"
)

// facts are what the bytes of a whole file say about its encoding.
type facts struct {
	valid    int64 // characters of several bytes that are right in UTF-8
	invalid  int64 // bytes that are wrong in it
	zeros    int64
	controls int64 // other control characters no text has

	firstInvalid, firstZero, firstControl int64 // bytes into the file, -1 for none
	firstHigh                             int64 // the first byte beyond ASCII

	offset int64
	rest   []byte // a character that is not complete at the end of a block
}

func (f *facts) reset() {
	*f = facts{firstInvalid: -1, firstZero: -1, firstControl: -1, firstHigh: -1}
}

// oddControls are the control characters that no text has. Backspace and escape
// are in logs, 0x1a ends old files.
var oddControls = func() (odd [256]bool) {
	for c := range 0x20 {
		odd[c] = c < 8 || c > 13 && c != 0x1a && c != 0x1b
	}
	odd[0] = false // counted by itself
	return odd
}()

// plain is whether eight bytes are all from 0x20 to 0x7f.
func plain(eight uint64) bool {
	const each = 0x0101010101010101
	return eight&(each*0x80) == 0 && (eight-each*0x20)&(each*0x80) == 0
}

// add takes the next block of the file.
func (f *facts) add(block []byte) {
	start := f.offset
	for i := 0; i < len(block); i++ {
		if i+8 <= len(block) && plain(binary.LittleEndian.Uint64(block[i:])) {
			i += 7
			continue
		}
		c := block[i]
		if c >= 0x20 && c < 0x80 {
			continue
		}
		switch {
		case c == 0:
			f.zeros++
			f.firstZero = first(f.firstZero, start+int64(i))
		case c >= 0x80:
			f.firstHigh = first(f.firstHigh, start+int64(i))
		case oddControls[c]:
			f.controls++
			f.firstControl = first(f.firstControl, start+int64(i))
		}
	}
	f.offset += int64(len(block))
	if f.firstHigh < 0 {
		return
	}
	if len(f.rest) > 0 {
		start -= int64(len(f.rest))
		block = append(f.rest, block...)
		f.rest = nil
	}
	for at := 0; at < len(block); {
		if block[at] < utf8.RuneSelf {
			at++
			continue
		}
		r, size := utf8.DecodeRune(block[at:])
		switch {
		case r != utf8.RuneError || size > 1:
			f.valid++
		case len(block)-at < utf8.UTFMax && !utf8.FullRune(block[at:]):
			f.rest = append([]byte(nil), block[at:]...)
			return
		default:
			f.invalid++
			f.firstInvalid = first(f.firstInvalid, start+int64(at))
		}
		at += size
	}
}

// end takes the end of the file.
func (f *facts) end() {
	if len(f.rest) > 0 {
		f.invalid++
		f.firstInvalid = first(f.firstInvalid, f.offset-int64(len(f.rest)))
	}
}

func first(known, now int64) int64 {
	if known < 0 {
		return now
	}
	return known
}
