package gguf_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
)

// raw lays values out as GGUF does: strings after their length, numbers little
// end first, a []byte as it is.
func raw(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		switch v := v.(type) {
		case string:
			binary.Write(&b, binary.LittleEndian, uint64(len(v)))
			b.WriteString(v)
		case []byte:
			b.Write(v)
		default:
			binary.Write(&b, binary.LittleEndian, v)
		}
	}
	return b.Bytes()
}

// header starts a file that claims so many tensors and keys.
func header(tensors, keys uint64, rest ...any) []byte {
	return raw(append([]any{[]byte("GGUF"), uint32(3), tensors, keys}, rest...)...)
}

// one is a file of one tensor, padded to its weights, which are missing.
func one(name string, kind uint32, offset uint64, dimensions ...uint64) []byte {
	b := header(1, 0, name, uint32(len(dimensions)))
	for _, d := range dimensions {
		b = append(b, raw(d)...)
	}
	return append(b, raw(kind, offset, make([]byte, 64))...)
}

func wantProblem(t *testing.T, err error, want gguf.Problem) *gguf.Error {
	t.Helper()
	var e *gguf.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v, want a *gguf.Error of %q", err, want)
	}
	if e.Problem != want {
		t.Fatalf("problem %q (%v), want %q", e.Problem, err, want)
	}
	return e
}

func TestFilesThatAreNoGGUFAreNamed(t *testing.T) {
	const u32, str, arr = uint32(4), uint32(8), uint32(9)
	tests := []struct {
		name    string
		content []byte
		want    gguf.Problem
		detail  string // part of it
	}{
		{"an empty file", nil, gguf.Empty, ""},
		{"a text", []byte("once upon a time"), gguf.NotGGUF, "6f 6e 63 65"},
		{"a single other byte", []byte("x"), gguf.NotGGUF, "78"},
		{"a Git LFS pointer", []byte("version https://git-lfs.github.com/spec/v1\noid sha256:00"), gguf.NotGGUF, "Git LFS pointer"},
		{"a zip archive", []byte("PK\x03\x04rest of it"), gguf.NotGGUF, "zip"},
		{"a web page", []byte("<!DOCTYPE html><title>404</title>"), gguf.NotGGUF, "web page"},
		{"a safetensors file", raw(uint64(300), []byte(`{"__metadata__":`)), gguf.NotGGUF, "2c 01 00 00"},
		{"a GGML file", []byte("lmgg and so on"), gguf.OldVersion, "before GGUF"},
		{"a GGJT file", []byte("tjgg and so on"), gguf.OldVersion, "before GGUF"},
		{"only a part of the magic", []byte("GG"), gguf.Truncated, ""},
		{"only the magic", []byte("GGUF"), gguf.Truncated, ""},
		{"GGUF version 1", raw([]byte("GGUF"), uint32(1), uint32(0), uint32(0)), gguf.OldVersion, "version 1"},
		{"GGUF version 4", raw([]byte("GGUF"), uint32(4), uint64(0), uint64(0)), gguf.NewVersion, "version 4"},
		{"GGUF version 0", raw([]byte("GGUF"), uint32(0), uint64(0), uint64(0)), gguf.Absurd, "version 0"},
		{"a big-endian file", []byte("GGUF\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x01"), gguf.WrongEndian, "version 3, written big-endian"},
		{"a magic in reverse", []byte("FUGG\x00\x00\x00\x03"), gguf.WrongEndian, "reverse"},

		{"2^63 tensors", header(1<<63, 0), gguf.Absurd, "9223372036854775808 tensors"},
		{"2^63 keys", header(0, 1<<63), gguf.Absurd, "9223372036854775808 metadata keys"},
		{"a million keys", header(0, 1_000_000), gguf.Absurd, "1000000 metadata keys"},
		{"a key of terabytes", header(0, 1, uint64(5<<40)), gguf.Absurd, "5497558138880"},
		{"a key of a megabyte", header(0, 1, string(make([]byte, 1<<20))), gguf.Absurd, "key of 1048576 bytes"},
		{"a key longer than the file", header(0, 1, uint64(1000)), gguf.Truncated, ""},
		{"a key twice", header(0, 2, "a", u32, uint32(1), "a", u32, uint32(2)), gguf.Absurd, "key a stands twice"},
		{"a value of no type", header(0, 1, "a", uint32(13)), gguf.Absurd, "metadata type 13"},
		{"a string of 2^64-1", header(0, 1, "a", str, uint64(1<<64-1)), gguf.Absurd, "18446744073709551615"},
		{"a string of a gigabyte in a small file", header(0, 1, "a", str, uint64(1<<30)), gguf.Truncated, "metadata key a"},
		{"an array of arrays", header(0, 1, "a", arr, arr, uint64(1)), gguf.Absurd, "array of type 9"},
		{"an array of no type", header(0, 1, "a", arr, uint32(77), uint64(1)), gguf.Absurd, "array of type 77"},
		{"an array of 2^61 numbers of 8 bytes", header(0, 1, "a", arr, uint32(10), uint64(1<<61)), gguf.Absurd, "2305843009213693952"},
		{"an array of a billion strings in a small file", header(0, 1, "a", arr, str, uint64(1<<30)), gguf.Truncated, ""},
		{"an array of a thousand numbers in a small file", header(0, 1, "a", arr, u32, uint64(1000)), gguf.Truncated, ""},
		{"a string in an array of terabytes", header(0, 1, "a", arr, str, uint64(20), uint64(5<<40), make([]byte, 200)), gguf.Absurd, "string in an array"},
		{"a string in an array beyond the file", header(0, 1, "a", arr, str, uint64(20), uint64(4000), make([]byte, 200)), gguf.Truncated, ""},
		{"an alignment of 0", header(1, 1, "general.alignment", u32, uint32(0)), gguf.Absurd, "alignment of 0"},
		{"an alignment of 48", header(1, 1, "general.alignment", u32, uint32(48)), gguf.Absurd, "alignment of 48"},
		{"an alignment of 2^31", header(1, 1, "general.alignment", u32, uint32(1<<31)), gguf.Absurd, "alignment of 2147483648"},
		{"an alignment in words", header(1, 1, "general.alignment", str, "wide"), gguf.Absurd, "alignment of wide"},

		{"a tensor of 5 dimensions", one("t", 0, 0, 1, 1, 1, 1, 1), gguf.Absurd, "5 dimensions"},
		{"a tensor of 2^32-1 dimensions", header(1, 0, "t", uint32(1<<32-1)), gguf.Absurd, "4294967295 dimensions"},
		{"a tensor name of a megabyte", header(1, 0, string(make([]byte, 1<<20))), gguf.Absurd, "tensor name of 1048576 bytes"},
		{"dimensions whose product overflows", one("t", 0, 0, 1<<32, 1<<32), gguf.Absurd, "more elements than can be counted"},
		{"dimensions whose product wraps to a small number", one("t", 0, 0, 1<<33, 1<<31, 2), gguf.Absurd, "more elements than can be counted"},
		{"a negative dimension", one("t", 0, 0, 1<<64-1), gguf.Absurd, "more elements than can be counted"},
		{"bytes that overflow", one("t", 28, 0, 1<<62), gguf.Absurd, "4611686018427387904 elements of F64"},
		{"a tensor of terabytes", one("t", 1, 0, 1<<20, 1<<20), gguf.Absurd, "1099511627776 elements of F16"},
		{"many tensors of terabytes together", manyTensors(40, 1<<39), gguf.Absurd, "the tensors claim"},
		{"a row that cuts a block", one("t", 12, 0, 100), gguf.Absurd, "rows of 100 elements, Q4_K wants a multiple of 256"},
		{"a tensor type of the future", one("t", 43, 0, 32), gguf.NewType, "the tensor t is of type 43"},
		{"a tensor type nobody has", one("t", 1<<31, 0, 32), gguf.NewType, "type 2147483648"},
		{"a tensor type that was removed", one("t", 31, 0, 32), gguf.OldType, "Q4_0_4_4"},
		{"the first removed tensor type", one("t", 4, 0, 32), gguf.OldType, "Q4_2"},
		{"a tensor past the end", one("t", 0, 1<<40, 8), gguf.Absurd, "lies at 1099511627776, not at 0"},
		{"a tensor that overlaps another", append(header(2, 0, "a", uint32(1), uint64(8), uint32(0), uint64(0),
			"b", uint32(1), uint64(8), uint32(0), uint64(0)), make([]byte, 200)...), gguf.Absurd, "the tensor b lies at 0, not at 32"},
		{"a tensor twice", append(header(2, 0, "a", uint32(1), uint64(8), uint32(0), uint64(0),
			"a", uint32(1), uint64(8), uint32(0), uint64(32)), make([]byte, 200)...), gguf.Absurd, "the tensor a stands twice"},
		{"weights that are missing", one("t", 0, 0, 1000), gguf.Truncated, "bytes are missing"},
		{"a name that would colour the terminal", one("\x1b[31mt", 99, 0, 32), gguf.NewType, `\x1b[31mt is of type 99`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file.gguf")
			if err := os.WriteFile(path, test.content, 0o644); err != nil {
				t.Fatal(err)
			}
			f, err := gguf.Read(path)
			e := wantProblem(t, err, test.want)
			if !strings.Contains(e.Detail, test.detail) {
				t.Errorf("detail %q, want %q in it", e.Detail, test.detail)
			}
			if e.Path != path || f.Path != path || f.Name != "file" {
				t.Errorf("paths %q and %q, name %q", e.Path, f.Path, f.Name)
			}
			if e.Offset < 0 || e.Offset > int64(len(test.content)) {
				t.Errorf("offset %d in a file of %d bytes", e.Offset, len(test.content))
			}
			if !strings.Contains(e.Error(), path) || !strings.Contains(e.Error(), string(test.want)) {
				t.Errorf("error %q names neither file nor problem", e)
			}
		})
	}
}

// manyTensors claims that many tensors of that many bytes each.
func manyTensors(count, bytes uint64) []byte {
	b := header(count, 0)
	for i := range count {
		b = append(b, raw(fmt.Sprint(i), uint32(1), bytes/4, uint32(0), i*bytes)...)
	}
	return b
}

func TestAFileCutAnywhereIsTruncatedUntilItIsWhole(t *testing.T) {
	path := write(t, small())
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// The last tensor's bytes are padded; the padding may be missing.
	need := len(whole) - (32*3 - 68)
	for n := len(whole); n > 0; n-- {
		if err := os.Truncate(path, int64(n)); err != nil {
			t.Fatal(err)
		}
		_, err := gguf.Read(path)
		if n >= need {
			if err != nil {
				t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
			}
			continue
		}
		e := wantProblem(t, err, gguf.Truncated)
		if e.Offset != int64(n) {
			t.Errorf("%d bytes: offset %d", n, e.Offset)
		}
		if missing := e.MissingBytes; missing != 0 && missing != uint64(need-n) {
			t.Errorf("%d bytes: %d missing, want %d", n, missing, need-n)
		}
		if n > need-100 && e.MissingBytes == 0 {
			t.Errorf("%d bytes: cut within the weights, and how much is missing is not said", n)
		}
	}
}

func TestARealSizedModelCutAtInterestingPlacesIsTruncated(t *testing.T) {
	file := gguftest.Large(20_000, 8)
	head := len(file.Header())
	path := write(t, file)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	size := info.Size()
	if f := read(t, path); f.Quantisation != "Q4_K_M" || f.Vocabulary.Tokens != 20_000 {
		t.Fatalf("%s with %d tokens", f.Quantisation, f.Vocabulary.Tokens)
	}
	for _, n := range []int64{size - 1, size / 2, int64(head) + 1, int64(head), int64(head) - 500, int64(head) / 2, 128 << 10, 64 << 10, 64<<10 - 1, 100, 24, 23} {
		if err := os.Truncate(path, n); err != nil {
			t.Fatal(err)
		}
		f, err := gguf.Read(path)
		e := wantProblem(t, err, gguf.Truncated)
		if n >= int64(head) && e.MissingBytes != uint64(size-n) {
			t.Errorf("cut to %d: %d bytes missing, want %d", n, e.MissingBytes, size-n)
		}
		if n > 100 && f.Name != "Test Large 8" {
			t.Errorf("cut to %d: the name is lost (%q)", n, f.Name)
		}
	}
}

// A failingDisk has data up to a point, and then an error.
type failingDisk struct {
	data []byte
	err  error
}

func (d failingDisk) ReadAt(p []byte, at int64) (int, error) {
	if at < int64(len(d.data)) {
		if n := copy(p, d.data[at:]); n == len(p) {
			return n, nil
		}
	}
	return max(0, len(d.data)-int(at)), d.err
}

func TestAFileThatFailsWhileItIsReadIsNamed(t *testing.T) {
	head := gguftest.Large(20_000, 8).Header()
	tests := []struct {
		name string
		err  error
		want gguf.Problem
	}{
		{"a disk error", os.ErrDeadlineExceeded, gguf.Unreadable},
		{"a file that became shorter", io.EOF, gguf.Truncated},
	}
	for _, test := range tests {
		for _, n := range []int{0, 3, 1000, len(head) / 2} {
			t.Run(fmt.Sprintf("%s after %d bytes", test.name, n), func(t *testing.T) {
				_, err := gguf.ReadFrom(failingDisk{head[:n], test.err}, 1<<40)
				e := wantProblem(t, err, test.want)
				if test.want == gguf.Unreadable && !errors.Is(err, test.err) {
					t.Errorf("%v does not wrap the disk's error", e)
				}
			})
		}
	}
}
