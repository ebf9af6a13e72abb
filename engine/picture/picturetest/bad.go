package picturetest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
	"testing"
)

// Chunk is a part of a PNG file.
func Chunk(name string, content []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	b = append(append(b, name...), content...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// Bomb is a small PNG file of a large black picture. depth is 8 or 16 bits, of
// colours with alpha.
func Bomb(t testing.TB, width, height, depth int) []byte {
	t.Helper()
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)), uint32(height))
	file := append([]byte("\x89PNG\r\n\x1a\n"), Chunk("IHDR", append(header, byte(depth), 6, 0, 0, 0))...)
	var data bytes.Buffer
	z, err := zlib.NewWriterLevel(&data, zlib.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	rowBytes := 1 + int64(width)*4*int64(depth)/8
	if _, err := io.CopyN(z, zeros{}, int64(height)*rowBytes); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return append(append(file, Chunk("IDAT", data.Bytes())...), Chunk("IEND", nil)...)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
