package gguf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
)

const (
	firstReadBytes = 64 << 10  // enough for a whole header without a vocabulary
	nextReadBytes  = 256 << 10 // stays in a core's own cache; larger is slower
)

var buffers = sync.Pool{New: func() any { return new([nextReadBytes]byte) }}

// A source reads a file's header front to back through one reused buffer. It
// knows the file's size, and so refuses to go past the end before it tries.
type source struct {
	file   io.ReaderAt
	size   int64
	buffer *[nextReadBytes]byte
	window []byte // what is read and not yet taken; its first byte stands at offset
	offset int64
}

func newSource(file io.ReaderAt, size int64) *source {
	return &source{file: file, size: size, buffer: buffers.Get().(*[nextReadBytes]byte)}
}

// release gives the buffer back; the source is of no use afterwards.
func (s *source) release() {
	buffers.Put(s.buffer)
	s.buffer, s.window = nil, nil
}

func (s *source) remaining() uint64 { return uint64(s.size - s.offset) }

// fill makes at least n bytes of the window available; n is small.
func (s *source) fill(n int) error {
	if len(s.window) >= n {
		return nil
	}
	if uint64(n) > s.remaining() {
		return s.short(uint64(n))
	}
	want := int64(nextReadBytes)
	if s.offset == 0 {
		want = firstReadBytes
	}
	got, err := s.file.ReadAt(s.buffer[:min(want, s.size-s.offset)], s.offset)
	s.window = s.buffer[:got]
	switch {
	case got >= n:
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return &Error{Problem: Truncated, Offset: s.offset + int64(got), Detail: "the file became shorter while it was read"}
	default:
		return &Error{Problem: Unreadable, Offset: s.offset, Err: err}
	}
}

// short is the error for a file that ends before the next n bytes do.
func (s *source) short(n uint64) *Error {
	return &Error{Problem: Truncated, Offset: s.size,
		Detail: fmt.Sprintf("the header goes on for at least %d more bytes", n-s.remaining())}
}

func (s *source) advance(n int) {
	s.window = s.window[n:]
	s.offset += int64(n)
}

// skip steps over n bytes, without reading those it does not have.
func (s *source) skip(n uint64) error {
	if n > s.remaining() {
		return s.short(n)
	}
	if n <= uint64(len(s.window)) {
		s.advance(int(n))
		return nil
	}
	s.window = nil
	s.offset += int64(n)
	return nil
}

func (s *source) uint32() (uint32, error) {
	if err := s.fill(4); err != nil {
		return 0, err
	}
	v := binary.LittleEndian.Uint32(s.window)
	s.advance(4)
	return v, nil
}

func (s *source) uint64() (uint64, error) {
	if err := s.fill(8); err != nil {
		return 0, err
	}
	v := binary.LittleEndian.Uint64(s.window)
	s.advance(8)
	return v, nil
}

// length reads the length of a string or an array. One above the engine's own
// limit (gguf.cpp) is no truncation but nonsense.
func (s *source) length(of string) (uint64, error) {
	at := s.offset
	n, err := s.uint64()
	if err == nil && n > maxLength {
		err = absurd(at, "%s of length %d", of, n)
	}
	return n, err
}

// text reads a string of at most limit bytes. A longer one is stepped over and
// comes back as kept == false.
func (s *source) text(limit uint64) (text string, n uint64, kept bool, err error) {
	n, err = s.length("a string")
	if err != nil {
		return "", 0, false, err
	}
	if n > limit {
		return "", n, false, s.skip(n)
	}
	if n > s.remaining() {
		return "", n, false, s.short(n)
	}
	if err := s.fill(int(n)); err != nil {
		return "", n, false, err
	}
	text = string(s.window[:n])
	s.advance(int(n))
	return text, n, true, nil
}

// skipTexts steps over the strings of an array: a vocabulary is hundreds of
// thousands of them, so nothing is allocated and whole windows are walked.
func (s *source) skipTexts(count uint64) error { return s.walkTexts(count, nil) }

// walkTexts steps over strings and adds them, each after its length, to a sum.
// Of a string longer than the buffer, which no token is, only the length counts.
func (s *source) walkTexts(count uint64, sum *uint32) error {
	if count > s.remaining()/8 {
		return s.short(8 * count)
	}
	add := func(text []byte) {
		if sum != nil {
			*sum = crc32.Update(*sum, castagnoli, text)
		}
	}
	for ; count > 0; count-- {
		window, taken := s.window, 0
		for count > 0 && len(window)-taken >= 8 {
			n := binary.LittleEndian.Uint64(window[taken:])
			if n > uint64(len(window)-taken-8) {
				break
			}
			taken += 8 + int(n)
			count--
		}
		add(window[:taken])
		s.advance(taken)
		if count == 0 {
			return nil
		}
		n, err := s.length("a string in an array")
		if err != nil {
			return err
		}
		if sum != nil {
			if err := s.sumText(n, sum); err != nil {
				return err
			}
		}
		if err := s.skip(n); err != nil {
			return err
		}
	}
	return nil
}

func absurd(offset int64, format string, args ...any) *Error {
	return &Error{Problem: Absurd, Offset: offset, Detail: fmt.Sprintf(format, args...)}
}
