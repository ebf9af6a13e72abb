package picture

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// A Kind is a picture format, under the name people know it by.
type Kind string

// The kinds that are read.
const (
	PNG  Kind = "PNG"
	JPEG Kind = "JPEG"
	WebP Kind = "WebP"
	GIF  Kind = "GIF"
	BMP  Kind = "BMP"
	TIFF Kind = "TIFF"
	HEIC Kind = "HEIC"
)

// The kinds that are known and not read.
const (
	AVIF      Kind = "AVIF"
	JPEGXL    Kind = "JPEG XL"
	JPEG2000  Kind = "JPEG 2000"
	SVG       Kind = "SVG"
	Photoshop Kind = "Photoshop"
	Icon      Kind = "ICO"
	BigTIFF   Kind = "BigTIFF"
	CanonRaw  Kind = "Canon RAW"
)

// sniffBytes are read to find out what a file is.
const sniffBytes = 4096

// signatures are what files begin with.
var signatures = []struct {
	magic string
	kind  Kind
	looks Likeness // of what is no picture
}{
	{"\x89PNG\r\n\x1a\n", PNG, ""},
	{"\xff\xd8\xff", JPEG, ""},
	{"GIF87a", GIF, ""},
	{"GIF89a", GIF, ""},
	{"II*\x00\x10\x00\x00\x00CR", CanonRaw, ""},
	{"II*\x00", TIFF, ""},
	{"MM\x00*", TIFF, ""},
	{"II+\x00", BigTIFF, ""},
	{"MM\x00+", BigTIFF, ""},
	{"\xff\x0a", JPEGXL, ""},
	{"\x00\x00\x00\x0cJXL \r\n\x87\n", JPEGXL, ""},
	{"\x00\x00\x00\x0cjP  \r\n\x87\n", JPEG2000, ""},
	{"\xff\x4f\xff\x51", JPEG2000, ""},
	{"8BPS", Photoshop, ""},
	{"\x00\x00\x01\x00", Icon, ""},
	{"%PDF", "", LooksPDF},
	{"PK\x03\x04", "", LooksArchive},
	{"PK\x05\x06", "", LooksArchive},
	{"\x1f\x8b", "", LooksArchive},
	{"7z\xbc\xaf\x27\x1c", "", LooksArchive},
	{"Rar!\x1a\x07", "", LooksArchive},
	{"\x28\xb5\x2f\xfd", "", LooksArchive},
	{"\xfd7zXZ\x00", "", LooksArchive},
	{"\x1a\x45\xdf\xa3", "", LooksVideo},
	{"OggS", "", LooksAudio},
	{"fLaC", "", LooksAudio},
	{"ID3", "", LooksAudio},
	{"GGUF", "", LooksModel},
	{"\x7fELF", "", LooksProgram},
	{"MZ", "", LooksProgram},
}

// sniff finds out what a file is that starts like this: a kind, or what it looks
// like that is no picture.
func sniff(start []byte) (Kind, Likeness) {
	for _, s := range signatures {
		if bytes.HasPrefix(start, []byte(s.magic)) {
			return s.kind, s.looks
		}
	}
	switch {
	case bytes.HasPrefix(start, []byte("RIFF")) && len(start) >= 12:
		switch string(start[8:12]) {
		case "WEBP":
			return WebP, ""
		case "WAVE":
			return "", LooksAudio
		case "AVI ":
			return "", LooksVideo
		}
		return "", ""
	case isBMP(start):
		return BMP, ""
	case len(start) >= 12 && string(start[4:8]) == "ftyp":
		return sniffBoxes(start)
	}
	return sniffText(start)
}

// isBMP checks more than the two letters, which texts begin with too.
func isBMP(start []byte) bool {
	return len(start) >= 18 && string(start[:2]) == "BM" &&
		binary.LittleEndian.Uint32(start[6:]) == 0 && // reserved
		slices.Contains([]uint32{12, 40, 52, 56, 64, 108, 124}, binary.LittleEndian.Uint32(start[14:]))
}

// sniffBoxes tells the files of the ISO container apart by their brands: the
// major one, or when that is of pictures in general a compatible one.
func sniffBoxes(start []byte) (Kind, Likeness) {
	end := min(int(min(binary.BigEndian.Uint32(start), sniffBytes)), len(start))
	brands := []string{string(start[8:12])}
	for at := 16; at+4 <= end; at += 4 {
		brands = append(brands, string(start[at:at+4]))
	}
	major := brands[0]
	if major == "mif1" || major == "msf1" {
		for _, brand := range brands[1:] {
			if brand == "avif" || brand == "avis" {
				return AVIF, ""
			}
		}
		return HEIC, ""
	}
	switch major {
	case "heic", "heix", "heim", "heis", "hevc", "hevx":
		return HEIC, ""
	case "avif", "avis":
		return AVIF, ""
	case "crx ":
		return CanonRaw, ""
	case "M4A ", "M4B ":
		return "", LooksAudio
	}
	return "", LooksVideo
}

func sniffText(start []byte) (Kind, Likeness) {
	if bytes.HasPrefix(start, []byte("\xff\xfe")) || bytes.HasPrefix(start, []byte("\xfe\xff")) {
		return "", LooksText // UTF-16
	}
	cut := start
	for len(cut) > 0 && len(start)-len(cut) < utf8.UTFMax && !utf8.Valid(cut) {
		cut = cut[:len(cut)-1] // a rune that the limit cut
	}
	if len(cut) == 0 || !utf8.Valid(cut) || bytes.ContainsFunc(cut, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' }) {
		return "", ""
	}
	lower := bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(cut, []byte("\ufeff"))))
	switch {
	case bytes.HasPrefix(lower, []byte("<")) && bytes.Contains(lower, []byte("<svg")) && !bytes.Contains(lower, []byte("<html")):
		return SVG, ""
	case bytes.HasPrefix(lower, []byte("<!doctype html")), bytes.HasPrefix(lower, []byte("<html")):
		return "", LooksWebPage
	}
	return "", LooksText
}
