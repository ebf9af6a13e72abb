// Package gguftest makes small GGUF files for tests: real ones, which the real
// engine loads, and ones that are wrong in a chosen way. The same specification
// always gives the same bytes.
package gguftest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// A Key is one metadata entry. Its value is a string, bool, uint8, uint16, uint32,
// uint64, int32, float32, []string, []uint32, []int32, []float32 or []bool.
type Key struct {
	Name  string
	Value any
}

// A Tensor is one entry of the tensor list with its data.
type Tensor struct {
	Name       string
	Dimensions []uint64 // the first one is the row's length
	Type       uint32   // enum ggml_type
	Data       []byte
	GhostBytes uint64 // instead of data: a hole of this size in a sparse file
}

// Tensor types the generator writes.
const (
	F32   uint32 = 0
	F16   uint32 = 1
	Q8_0  uint32 = 8
	Q3_K  uint32 = 11
	Q4_K  uint32 = 12
	Q6_K  uint32 = 14
	MXFP4 uint32 = 39
)

const alignment = 32

// A File is a GGUF file to be written.
type File struct {
	Keys    []Key
	Tensors []Tensor
}

// Set adds a key, or changes the one that is there.
func (f *File) Set(name string, value any) {
	for i := range f.Keys {
		if f.Keys[i].Name == name {
			f.Keys[i].Value = value
			return
		}
	}
	f.Keys = append(f.Keys, Key{name, value})
}

// Header is the file up to its weights, padded.
func (f *File) Header() []byte {
	var b bytes.Buffer
	b.WriteString("GGUF")
	number(&b, uint32(3))
	number(&b, uint64(len(f.Tensors)))
	number(&b, uint64(len(f.Keys)))
	for _, key := range f.Keys {
		text(&b, key.Name)
		value(&b, key.Value)
	}
	var offset uint64
	for _, t := range f.Tensors {
		text(&b, t.Name)
		number(&b, uint32(len(t.Dimensions)))
		for _, n := range t.Dimensions {
			number(&b, n)
		}
		number(&b, t.Type)
		number(&b, offset)
		offset += padded(t.size())
	}
	b.Write(make([]byte, padded(uint64(b.Len()))-uint64(b.Len())))
	return b.Bytes()
}

// Write writes the file. Ghost tensors take no space on disk.
func (f *File) Write(path string) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closing := out.Close(); err == nil {
			err = closing
		}
	}()
	w := bufio.NewWriterSize(out, 1<<20)
	header := f.Header()
	if _, err := w.Write(header); err != nil {
		return err
	}
	end := int64(len(header))
	for _, t := range f.Tensors {
		hole := int64(padded(t.size())) - int64(len(t.Data))
		if _, err := w.Write(t.Data); err != nil {
			return err
		}
		if t.GhostBytes == 0 {
			_, err = w.Write(make([]byte, hole))
		} else if err = w.Flush(); err == nil {
			_, err = out.Seek(hole, io.SeekCurrent)
		}
		if err != nil {
			return err
		}
		end += int64(padded(t.size()))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return out.Truncate(end)
}

func (t Tensor) size() uint64 { return uint64(len(t.Data)) + t.GhostBytes }

func padded(n uint64) uint64 { return (n + alignment - 1) &^ (alignment - 1) }

func number(b *bytes.Buffer, v any) {
	if err := binary.Write(b, binary.LittleEndian, v); err != nil {
		panic(err) // a bytes.Buffer takes everything of a fixed size
	}
}

func text(b *bytes.Buffer, s string) {
	number(b, uint64(len(s)))
	b.WriteString(s)
}

// value writes a metadata value after its type (enum gguf_type in gguf.h).
func value(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case []string:
		array(b, 8, len(v))
		for _, s := range v {
			text(b, s)
		}
		return
	case []uint32:
		array(b, 4, len(v))
	case []int32:
		array(b, 5, len(v))
	case []float32:
		array(b, 6, len(v))
	case []bool:
		array(b, 7, len(v))
	case string:
		number(b, uint32(8))
		text(b, v)
		return
	case uint8:
		number(b, uint32(0))
	case uint16:
		number(b, uint32(2))
	case uint32:
		number(b, uint32(4))
	case int32:
		number(b, uint32(5))
	case float32:
		number(b, uint32(6))
	case bool:
		number(b, uint32(7))
	case uint64:
		number(b, uint32(10))
	default:
		panic(fmt.Sprintf("gguftest: a value of type %T", v))
	}
	number(b, v)
}

func array(b *bytes.Buffer, element uint32, length int) {
	number(b, uint32(9))
	number(b, element)
	number(b, uint64(length))
}
