package main

import (
	"bytes"
	"encoding/binary"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

func written(t *testing.T, name string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := write(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func wantSide(t *testing.T, data []byte, side int) {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%d pixels: %v", side, err)
	}
	if b := picture.Bounds(); b.Dx() != side || b.Dy() != side {
		t.Errorf("a picture of %v where one of %d is named", b, side)
	}
}

func TestTheIconOfWindowsHasEverySizeWhereItsIndexSays(t *testing.T) {
	data := written(t, "a.ico")
	if n := int(binary.LittleEndian.Uint16(data[4:])); n != len(icoSides) {
		t.Fatalf("%d pictures", n)
	}
	end := 0
	for i, side := range icoSides {
		entry := data[6+16*i:]
		if int(entry[0]) != side%256 || int(entry[1]) != side%256 {
			t.Errorf("entry %d names %d by %d pixels, want %d", i, entry[0], entry[1], side)
		}
		size, offset := int(binary.LittleEndian.Uint32(entry[8:])), int(binary.LittleEndian.Uint32(entry[12:]))
		wantSide(t, data[offset:offset+size], side)
		end = offset + size
	}
	if end != len(data) {
		t.Errorf("the last picture ends at %d of %d bytes", end, len(data))
	}
}

func TestTheIconOfMacOSHasEverySizeInItsParts(t *testing.T) {
	data := written(t, "a.icns")
	if string(data[:4]) != "icns" || int(binary.BigEndian.Uint32(data[4:])) != len(data) {
		t.Fatalf("it begins with %q", data[:8])
	}
	rest := data[8:]
	for _, kind := range icnsKinds {
		size := int(binary.BigEndian.Uint32(rest[4:]))
		if string(rest[:4]) != kind.name {
			t.Fatalf("%q stands where %s should", rest[:4], kind.name)
		}
		wantSide(t, rest[8:size], kind.side)
		rest = rest[size:]
	}
	if len(rest) != 0 {
		t.Errorf("%d bytes more", len(rest))
	}
}

func TestOtherFormatsAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.gif")
	if err := write(path); err == nil {
		t.Error("it is written")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("there is a file")
	}
}
