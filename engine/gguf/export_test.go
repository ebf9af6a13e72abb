package gguf

import (
	"bytes"
	"io"
)

// ReadBytes is Read of a file with this content, without a file.
func ReadBytes(data []byte) (Facts, error) {
	return ReadFrom(bytes.NewReader(data), int64(len(data)))
}

// ReadFrom is Read of a file that had this size when it was opened.
func ReadFrom(file io.ReaderAt, size int64) (Facts, error) {
	s := newSource(file, size)
	defer s.release()
	h, err := parse(s)
	return facts("bytes.gguf", uint64(size), []header{h}), err
}

// Layouts are the tensor types by number: name, elements and bytes of a block.
func Layouts(each func(number uint32, name string, elements, bytes uint64)) {
	for t, l := range layouts {
		each(uint32(t), l.name, l.blockElements, l.blockBytes)
	}
}
