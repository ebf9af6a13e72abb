package picture

import (
	"bytes"
	"encoding/binary"
	"io"
)

const tagOrientation = 0x0112

// A directory is the first one of a TIFF file, or of a block of EXIF.
type directory struct {
	order   binary.ByteOrder
	entries []byte
	next    uint32 // offset of the next directory, 0: none
}

const entryBytes = 12

func openDirectory(r io.ReaderAt) (directory, bool) {
	start := at(r, 0, 8)
	if start == nil {
		return directory{}, false
	}
	d := directory{order: binary.BigEndian}
	if string(start[:2]) == "II" {
		d.order = binary.LittleEndian
	}
	offset := int64(d.order.Uint32(start[4:]))
	count := at(r, offset, 2)
	if count == nil {
		return directory{}, false
	}
	length := entryBytes * int(d.order.Uint16(count))
	if d.entries = at(r, offset+2, length); d.entries == nil {
		return directory{}, false
	}
	if next := at(r, offset+2+int64(length), 4); next != nil {
		d.next = d.order.Uint32(next)
	}
	return d, true
}

// short is the value of a tag that is one number of 16 bits.
func (d directory) short(tag uint16) (uint16, bool) {
	const short = 3
	for e := d.entries; len(e) >= entryBytes; e = e[entryBytes:] {
		if d.order.Uint16(e) == tag && d.order.Uint16(e[2:]) == short && d.order.Uint32(e[4:]) >= 1 {
			return d.order.Uint16(e[8:]), true
		}
	}
	return 0, false
}

// orientation is how a picture has to be turned, by its EXIF: 1 to 8, 0 when it
// does not say.
func orientation(exif []byte) int {
	d, ok := openDirectory(bytes.NewReader(exif))
	if !ok {
		return 0
	}
	value, _ := d.short(tagOrientation)
	return int(value)
}
