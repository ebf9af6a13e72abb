package embed

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
)

// writeNPY writes the vectors as a matrix of float32, as numpy.save does, and the
// rows beside it.
func writeNPY(ctx context.Context, f *files, o Output, rows rowsOf) error {
	out, err := f.create(o.Path)
	if err != nil {
		return err
	}
	if err := writeMeta(f, o, rows.meta); err != nil {
		return err
	}
	texts, err := f.create(o.Path + textsEnding)
	if err != nil {
		return err
	}
	if _, err := out.Write(npyHeader(rows.count, rows.meta.Dimensions)); err != nil {
		return err
	}
	encoder := lines(texts)
	return rows.each(ctx, func(r Row) error {
		if _, err := out.Write(toBytes(r.Vector)); err != nil {
			return err
		}
		return encoder.Encode(jsonOf(r))
	})
}

// npyHeader is that of version 1.0 of numpy's format: a magic word, the length of a
// Python dictionary, and the dictionary, filled up with blanks so that the numbers
// begin at a multiple of 64 bytes.
func npyHeader(rows, columns int) []byte {
	const before, align = 10, 64
	text := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, columns)
	whole := (before + len(text) + 1 + align - 1) / align * align
	text += strings.Repeat(" ", whole-before-len(text)-1) + "\n"
	header := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(header[8:], uint16(len(text)))
	return append(header, text...)
}
