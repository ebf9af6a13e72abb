package gguf

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A valueType is the type of a metadata value (enum gguf_type in gguf.h).
type valueType uint32

const (
	typeUint8 valueType = iota
	typeInt8
	typeUint16
	typeInt16
	typeUint32
	typeInt32
	typeFloat32
	typeBool
	typeString
	typeArray
	typeUint64
	typeInt64
	typeFloat64
)

var valueTypes = map[valueType]struct {
	name  string
	bytes uint64
}{
	typeUint8: {"uint8", 1}, typeInt8: {"int8", 1}, typeUint16: {"uint16", 2}, typeInt16: {"int16", 2},
	typeUint32: {"uint32", 4}, typeInt32: {"int32", 4}, typeFloat32: {"float32", 4}, typeBool: {"bool", 1},
	typeUint64: {"uint64", 8}, typeInt64: {"int64", 8}, typeFloat64: {"float64", 8},
	typeString: {"string", 0}, typeArray: {"array", 0},
}

// A value is one metadata value. Long strings and long arrays are known by
// their length only.
type value struct {
	kind     valueType
	number   uint64 // a scalar's bits, sign extended
	text     string
	element  valueType // of an array
	length   uint64    // of an array or a string
	elements []value   // of a short array
	prints   prints    // of a vocabulary's tokens
}

// keptBytes is roughly what the value takes in memory.
func (v value) keptBytes() int {
	n := 100 + len(v.text)
	for _, e := range v.elements {
		n += e.keptBytes()
	}
	return n
}

// String writes the value as a person reads it.
func (v value) String() string {
	switch v.kind {
	case typeString:
		if uint64(len(v.text)) < v.length {
			return fmt.Sprintf("string[%d]", v.length)
		}
		return strings.ToValidUTF8(v.text, "\uFFFD")
	case typeArray:
		return fmt.Sprintf("%s[%d]", valueTypes[v.element].name, v.length)
	case typeBool:
		return strconv.FormatBool(v.number != 0)
	case typeFloat32:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(v.number))), 'g', -1, 32)
	case typeFloat64:
		return strconv.FormatFloat(math.Float64frombits(v.number), 'g', -1, 64)
	case typeInt8, typeInt16, typeInt32, typeInt64:
		return strconv.FormatInt(int64(v.number), 10)
	default:
		return strconv.FormatUint(v.number, 10)
	}
}

// count is the value as a number of things: any integer type will do, a float
// if it is whole, the largest element of an array. What is negative or above
// 2^31 counts nothing a model has, and is 0.
func (v value) count() int {
	const most = math.MaxInt32
	switch v.kind {
	case typeString:
		return 0
	case typeArray:
		largest := 0
		for _, e := range v.elements {
			largest = max(largest, e.count())
		}
		return largest
	case typeFloat32, typeFloat64:
		f := math.Float64frombits(v.number)
		if v.kind == typeFloat32 {
			f = float64(math.Float32frombits(uint32(v.number)))
		}
		if f != math.Trunc(f) || f < 0 || f > most {
			return 0
		}
		return int(f)
	default:
		if v.number > most {
			return 0
		}
		return int(v.number)
	}
}

// counts are the value's elements as counts, one a layer; a single one when all
// are alike or the value is no array.
func (v value) counts() []int {
	if v.kind != typeArray {
		if v.kind == typeString {
			return nil
		}
		return []int{v.count()}
	}
	alike := true
	var all []int
	for _, e := range v.elements {
		all = append(all, e.count())
		alike = alike && all[len(all)-1] == all[0]
	}
	if alike && len(all) > 1 {
		all = all[:1]
	}
	return all
}

// metadata are a header's keys and values in the file's order.
type metadata struct {
	keys   []string
	values map[string]value
}

func (m metadata) text(key string) string {
	v := m.values[key]
	if v.kind == typeArray && v.element == typeString {
		var all []string
		for _, e := range v.elements {
			all = append(all, e.text)
		}
		return strings.ToValidUTF8(strings.Join(all, ", "), "\uFFFD")
	}
	return strings.ToValidUTF8(v.text, "\uFFFD")
}

func (m metadata) count(key string) int { return m.values[key].count() }

func (m metadata) counts(key string) []int {
	v, present := m.values[key]
	if !present {
		return nil
	}
	return v.counts()
}

func (m metadata) has(key string) bool {
	_, present := m.values[key]
	return present
}

// truth is a flag's value, or otherwise when the file does not say it.
func (m metadata) truth(key string, otherwise bool) bool {
	v, present := m.values[key]
	if !present || v.kind == typeString || v.kind == typeArray {
		return otherwise
	}
	return v.number != 0
}
