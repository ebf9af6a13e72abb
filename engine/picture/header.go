package picture

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
)

// The functions here read what decoders keep to themselves. They trust nothing:
// what can't be read is left out, and the decoder will say what is wrong.

// at is n bytes of a file at an offset, nil when it ends before.
func at(r io.ReaderAt, offset int64, n int) []byte {
	b := make([]byte, n)
	if read, _ := r.ReadAt(b, offset); read < n {
		return nil
	}
	return b
}

// exifLimit is how much of a block of EXIF is read, in bytes: the orientation is
// in its first directory, the thumbnails and makers' notes come after.
const exifLimit = 64 << 10

// partLimit is how many segments or chunks of a file are looked at. Large pictures
// are of thousands.
const partLimit = 1 << 16

// jpegHeader walks the segments up to the picture itself.
func jpegHeader(r bounded) (h header) {
	offset := int64(2)
	for range partLimit {
		marker := at(r, offset, 4)
		if marker == nil || marker[0] != 0xff {
			return h
		}
		if marker[1] == 0xff { // padding
			offset++
			continue
		}
		length := int64(binary.BigEndian.Uint16(marker[2:]))
		body := offset + 4
		switch kind := marker[1]; {
		case kind == 0xda || kind == 0xd9 || length < 2:
			return h
		case kind == 0xe1 && h.orientation == 0:
			if b := at(r, body, int(length-2)); len(b) > 6 && string(b[:6]) == "Exif\x00\x00" {
				h.orientation = orientation(b[6:])
			}
		case kind >= 0xc0 && kind <= 0xcf && kind != 0xc4 && kind != 0xc8 && kind != 0xcc:
			h.perPixel = jpegMemory(at(r, body, int(length-2)), kind == 0xc2)
		}
		offset += 2 + length
	}
	return h
}

// jpegMemory is what decoding takes for a pixel, in bytes: the planes, and in a
// progressive picture their coefficients, of which no one is complete before the
// last byte has come.
func jpegMemory(frame []byte, progressive bool) uint64 {
	if len(frame) < 6 || len(frame) < 6+3*int(frame[5]) {
		return 0
	}
	const coefficientBytes = 4
	samples, largest := 0, 1
	for i := range int(frame[5]) {
		factors := frame[6+3*i+1]
		area := int(factors>>4) * int(factors&15)
		samples += area
		largest = max(largest, area)
	}
	perSample := 1
	if progressive {
		perSample += coefficientBytes
	}
	if frame[5] == 4 { // black is in a plane of its own, then all in one
		perSample++
	}
	return uint64((samples*perSample + largest - 1) / largest)
}

// pngHeader looks for EXIF, for what makes an animation, and for what the pixels
// become.
func pngHeader(r bounded) (h header) {
	const gray, palette = 0, 3
	start := at(r, 16, 13)
	if start == nil {
		return h
	}
	depth, kind, interlaced := start[8], start[9], start[12] != 0
	channels := uint64(4)
	if kind == gray || kind == palette {
		channels = 1
	}
	offset := int64(8)
walk:
	for range partLimit {
		chunk := at(r, offset, 8)
		if chunk == nil {
			break
		}
		length := int64(binary.BigEndian.Uint32(chunk))
		switch string(chunk[4:]) {
		case "tRNS":
			if kind != palette {
				channels = 4
			}
		case "acTL":
			if b := at(r, offset+8, 4); b != nil {
				h.severalFrames = binary.BigEndian.Uint32(b) > 1
			}
		case "eXIf":
			h.orientation = orientation(at(r, offset+8, int(min(length, exifLimit))))
		case "IEND":
			break walk
		}
		offset += 12 + length
	}
	h.perPixel = channels * uint64(max(depth/8, 1))
	if interlaced {
		h.perPixel *= 2 // a pass beside the whole
	}
	return h
}

// A riffChunk is a part of a WebP file.
type riffChunk struct {
	name   string
	offset int64 // of its content
	length int64
}

// riffChunks are the parts of a WebP file between two offsets.
func riffChunks(r io.ReaderAt, from, to int64, each func(riffChunk) (more bool)) {
	offset := from
	for range partLimit {
		b := at(r, offset, 8)
		if b == nil || offset+8 > to {
			return
		}
		c := riffChunk{string(b[:4]), offset + 8, int64(binary.LittleEndian.Uint32(b[4:]))}
		if !each(c) {
			return
		}
		offset = c.offset + c.length + c.length&1
	}
}

// riffStart is where the first chunk of a WebP file begins.
const riffStart = 12

func webpHeader(r bounded) (h header) {
	const lossless = 8 // its pixels, and what the transforms need
	frames := 0
	riffChunks(r, riffStart, r.Size(), func(c riffChunk) bool {
		switch c.name {
		case "EXIF":
			b := at(r, c.offset, int(min(c.length, exifLimit)))
			if len(b) > 6 && string(b[:6]) == "Exif\x00\x00" { // which some writers leave there
				b = b[6:]
			}
			h.orientation = orientation(b)
		case "VP8L", "VP8X", "ALPH":
			h.perPixel = lossless
		case "ANMF":
			frames++
			h.severalFrames = frames > 1
		}
		return true
	})
	return h
}

// gifHeader counts the frames up to the second.
func gifHeader(r bounded) (h header) {
	b := bufio.NewReader(r)
	skip := func(n int) bool { _, err := b.Discard(n); return err == nil }
	palette := func(flags byte) int {
		if flags&0x80 == 0 {
			return 0
		}
		return 3 << (flags&7 + 1)
	}
	subBlocks := func() bool {
		for {
			n, err := b.ReadByte()
			if err != nil || !skip(int(n)) {
				return false
			}
			if n == 0 {
				return true
			}
		}
	}
	start := make([]byte, 13)
	if _, err := io.ReadFull(b, start); err != nil || !skip(palette(start[10])) {
		return h
	}
	for frames := 0; ; {
		kind, err := b.ReadByte()
		if err != nil {
			return h
		}
		switch kind {
		case 0x21: // an extension
			if !skip(1) || !subBlocks() {
				return h
			}
		case 0x2c: // a frame
			if frames++; frames > 1 {
				h.severalFrames = true
				return h
			}
			descriptor := make([]byte, 9)
			if _, err := io.ReadFull(b, descriptor); err != nil || !skip(palette(descriptor[8])+1) || !subBlocks() {
				return h
			}
		default:
			return h
		}
	}
}

// tiffHeader is of the first page: a TIFF file is what EXIF is made of.
func tiffHeader(r bounded) (h header) {
	d, ok := openDirectory(r)
	if !ok {
		return h
	}
	if value, ok := d.short(tagOrientation); ok {
		h.orientation = int(value)
	}
	h.severalFrames = d.next != 0 && d.next < math.MaxUint32
	return h
}
