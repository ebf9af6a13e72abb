package gguf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
)

// Limits no real file comes near. Those the engine has itself (gguf.cpp: length
// of strings and arrays, four dimensions) are its own.
const (
	maxLength       = 1 << 30
	maxKeys         = 1 << 16
	maxTensors      = 1 << 17
	maxNameBytes    = 1 << 10
	maxKeyBytes     = 1<<16 - 1
	maxTextBytes    = nextReadBytes // a longer string is known by its length only; must fit the buffer
	maxKeptBytes    = 64 << 20      // of all keys and values together
	maxElements     = 4096          // of an array that is kept: one for every layer
	maxAlignment    = 1 << 20
	maxTensorBytes  = 1 << 40
	maxWeightsBytes = 1 << 44
	defaultAlign    = 32
)

// A tensor is one entry of a header's list.
type tensor struct {
	name       string
	dimensions int
	sizes      [4]uint64 // of the dimensions; those it does not have are 1
	elements   uint64
	kind       tensorType
	bytes      uint64
}

// A header is a GGUF file's header, checked against itself and the file's size.
type header struct {
	version  uint32
	metadata metadata
	tensors  []tensor
}

// parse reads the header. On error the header holds what was read before it.
func parse(s *source) (header, error) {
	var h header
	version, err := parseVersion(s)
	if err != nil {
		return h, err
	}
	h.version = version
	at := s.offset
	tensors, err := s.uint64()
	if err != nil {
		return h, err
	}
	if tensors > maxTensors {
		return h, absurd(at, "the header claims %d tensors", tensors)
	}
	at = s.offset
	keys, err := s.uint64()
	if err != nil {
		return h, err
	}
	if keys > maxKeys {
		return h, absurd(at, "the header claims %d metadata keys", keys)
	}
	if err := h.parseMetadata(s, int(keys)); err != nil {
		return h, err
	}
	return h, h.parseTensors(s, int(tensors))
}

func parseVersion(s *source) (uint32, error) {
	if s.size == 0 {
		return 0, &Error{Problem: Empty}
	}
	if err := s.fill(int(min(s.size, 8))); err != nil {
		return 0, err
	}
	if !bytes.HasPrefix(s.window, []byte("GGUF")) {
		if bytes.HasPrefix([]byte("GGUF"), s.window) {
			return 0, s.short(8)
		}
		return 0, foreign(s.window)
	}
	s.advance(4)
	at := s.offset
	version, err := s.uint32()
	switch {
	case err != nil:
		return 0, err
	case version == 0:
		return 0, absurd(at, "GGUF version 0")
	case version&0xFFFF == 0:
		return 0, &Error{Problem: WrongEndian, Offset: at,
			Detail: fmt.Sprintf("GGUF version %d, written big-endian", bits.ReverseBytes32(version))}
	case version == 1:
		return 0, &Error{Problem: OldVersion, Offset: at, Detail: "GGUF version 1"}
	case version > 3:
		return 0, &Error{Problem: NewVersion, Offset: at, Detail: fmt.Sprintf("GGUF version %d", version)}
	}
	return version, nil
}

// foreign names the kinds of file people mistake for a GGUF one.
func foreign(start []byte) *Error {
	prefix := func(p string) bool { return bytes.HasPrefix(start, []byte(p)) }
	switch {
	case prefix("FUGG"):
		return &Error{Problem: WrongEndian, Detail: "the first four bytes are in reverse"}
	case prefix("lmgg"), prefix("fmgg"), prefix("tjgg"), prefix("algg"):
		return &Error{Problem: OldVersion, Detail: "a GGML file from before GGUF"}
	case prefix("version "):
		return &Error{Problem: NotGGUF, Detail: LFSPointer}
	case prefix("PK\x03\x04"):
		return &Error{Problem: NotGGUF, Detail: ZipArchive}
	case prefix("<!DOCTY"), prefix("<!docty"), prefix("<html"), prefix("<HTML"):
		return &Error{Problem: NotGGUF, Detail: WebPage}
	}
	return &Error{Problem: NotGGUF, Detail: fmt.Sprintf("the file starts with % x", start[:min(4, len(start))])}
}

func (h *header) parseMetadata(s *source, keys int) error {
	h.metadata.values = make(map[string]value, min(keys, 256))
	kept := 0
	for range keys {
		at := s.offset
		key, n, whole, err := s.text(maxKeyBytes)
		if err != nil {
			return err
		}
		if !whole {
			return absurd(at, "a metadata key of %d bytes", n)
		}
		if h.metadata.has(key) {
			return absurd(at, "the key %s stands twice", Printable(key))
		}
		v, err := parseValue(s, key == tokensKey)
		if err != nil {
			return within(err, "metadata key %s", key)
		}
		kept += len(key) + v.keptBytes()
		if kept > maxKeptBytes {
			return absurd(at, "more than %d bytes of metadata", maxKeptBytes)
		}
		h.metadata.keys = append(h.metadata.keys, key)
		h.metadata.values[key] = v
	}
	return nil
}

// parseValue reads a value. Of a vocabulary it takes the prints of the tokens.
func parseValue(s *source, vocabulary bool) (value, error) {
	at := s.offset
	number, err := s.uint32()
	if err != nil {
		return value{}, err
	}
	kind := valueType(number)
	if _, known := valueTypes[kind]; !known {
		return value{}, absurd(at, "metadata type %d", number)
	}
	if kind != typeArray {
		return parseScalar(s, kind)
	}
	return parseArray(s, vocabulary)
}

func parseScalar(s *source, kind valueType) (value, error) {
	if kind == typeString {
		text, n, _, err := s.text(maxTextBytes)
		return value{kind: kind, text: text, length: n}, err
	}
	size := int(valueTypes[kind].bytes)
	if err := s.fill(size); err != nil {
		return value{}, err
	}
	var word [8]byte
	copy(word[:], s.window[:size])
	s.advance(size)
	bits := binary.LittleEndian.Uint64(word[:])
	switch kind {
	case typeInt8:
		bits = uint64(int8(bits))
	case typeInt16:
		bits = uint64(int16(bits))
	case typeInt32:
		bits = uint64(int32(bits))
	}
	return value{kind: kind, number: bits}, nil
}

// parseArray keeps the elements of a short array and steps over a long one.
func parseArray(s *source, vocabulary bool) (value, error) {
	at := s.offset
	number, err := s.uint32()
	if err != nil {
		return value{}, err
	}
	element := valueType(number)
	layout, known := valueTypes[element]
	if !known || element == typeArray {
		return value{}, absurd(at, "an array of type %d", number)
	}
	count, err := s.length("an array")
	if err != nil {
		return value{}, err
	}
	v := value{kind: typeArray, element: element, length: count}
	if element == typeString && vocabulary {
		v.prints, err = s.printTexts(count)
		return v, err
	}
	if element == typeString && count > maxKeptTexts {
		return v, s.skipTexts(count)
	}
	if count > maxElements {
		return v, s.skip(count * layout.bytes)
	}
	if need := count * max(layout.bytes, 1); need > s.remaining() {
		return v, s.short(need)
	}
	for range count {
		e, err := parseScalar(s, element)
		if err != nil {
			return v, err
		}
		v.elements = append(v.elements, e)
	}
	return v, nil
}

// maxKeptTexts is how many strings an array may have to be kept: enough for
// licences, tags and languages, far below any vocabulary.
const maxKeptTexts = 16

func (h *header) parseTensors(s *source, count int) error {
	alignment, err := h.alignment()
	if err != nil {
		return err
	}
	names := make(map[string]bool, min(count, 1024))
	var end, unpaddedEnd uint64 // of the weights so far
	for range count {
		at := s.offset
		t, offset, err := parseTensor(s)
		if err != nil {
			return err
		}
		if names[t.name] {
			return absurd(at, "the tensor %s stands twice", Printable(t.name))
		}
		names[t.name] = true
		// The engine wants them without gaps, each padded to the alignment.
		if offset != end {
			return absurd(at, "the tensor %s lies at %d, not at %d", Printable(t.name), offset, end)
		}
		unpaddedEnd = end + t.bytes
		end = padded(unpaddedEnd, alignment)
		if end > maxWeightsBytes {
			return absurd(at, "the tensors claim %d bytes", end)
		}
		h.tensors = append(h.tensors, t)
	}
	if count == 0 {
		return nil
	}
	need := padded(uint64(s.offset), alignment) + unpaddedEnd
	if need > uint64(s.size) {
		missing := need - uint64(s.size)
		return &Error{Problem: Truncated, Offset: s.size, MissingBytes: missing,
			Detail: fmt.Sprintf("%d of %d bytes are missing", missing, need)}
	}
	return nil
}

func padded(n, alignment uint64) uint64 { return (n + alignment - 1) &^ (alignment - 1) }

func (h *header) alignment() (uint64, error) {
	v, set := h.metadata.values["general.alignment"]
	if !set {
		return defaultAlign, nil
	}
	n := v.count()
	if bits.OnesCount(uint(n)) != 1 || n > maxAlignment {
		return 0, absurd(0, "an alignment of %s", Printable(v.String()))
	}
	return uint64(n), nil
}

func parseTensor(s *source) (tensor, uint64, error) {
	var t tensor
	at := s.offset
	name, n, whole, err := s.text(maxNameBytes)
	if err != nil {
		return t, 0, err
	}
	if !whole {
		return t, 0, absurd(at, "a tensor name of %d bytes", n)
	}
	t.name = name
	dimensions, err := s.uint32()
	if err != nil {
		return t, 0, within(err, "tensor %s", name)
	}
	if dimensions > 4 {
		return t, 0, absurd(at, "the tensor %s has %d dimensions", Printable(name), dimensions)
	}
	t.dimensions = int(dimensions)
	t.elements, t.sizes = 1, [4]uint64{1, 1, 1, 1}
	for i := range t.dimensions {
		n, err := s.uint64()
		if err != nil {
			return t, 0, within(err, "tensor %s", name)
		}
		t.sizes[i] = n
		high, product := bits.Mul64(t.elements, n)
		if n > math.MaxInt64 || high != 0 || product > math.MaxInt64 {
			return t, 0, absurd(at, "the tensor %s has more elements than can be counted", Printable(name))
		}
		t.elements = product
	}
	number, err := s.uint32()
	if err != nil {
		return t, 0, within(err, "tensor %s", name)
	}
	offset, err := s.uint64()
	if err != nil {
		return t, 0, within(err, "tensor %s", name)
	}
	t.kind = tensorType(number)
	return t, offset, t.measure(at)
}

// measure works out how many bytes the tensor takes.
func (t *tensor) measure(at int64) error {
	l, known := layouts[t.kind]
	if !known {
		problem := NewType
		if _, old := removed[t.kind]; old {
			problem = OldType
		}
		return &Error{Problem: problem, Offset: at, Detail: fmt.Sprintf("the tensor %s is of %s", Printable(t.name), t.kind)}
	}
	if t.sizes[0]%l.blockElements != 0 {
		return absurd(at, "the tensor %s has rows of %d elements, %s wants a multiple of %d",
			Printable(t.name), t.sizes[0], l.name, l.blockElements)
	}
	high, size := bits.Mul64(t.elements/l.blockElements, l.blockBytes)
	if high != 0 || size > maxTensorBytes {
		return absurd(at, "the tensor %s claims %d elements of %s", Printable(t.name), t.elements, l.name)
	}
	t.bytes = size
	return nil
}

// within says of an error what was being read.
func within(err error, format, name string) error {
	if e, ok := err.(*Error); ok && e.Detail != "" {
		e.Detail = fmt.Sprintf(format, Printable(name)) + ": " + e.Detail
	}
	return err
}
