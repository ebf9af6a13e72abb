package chat

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"unicode/utf16"
	"unicode/utf8"

	"paddock/engine/gguf"
	"paddock/words"
)

// A textError is a file that can't be part of a message.
type textError struct {
	key  string
	path string
	size uint64
	err  error
}

func (e *textError) Error() string { return fmt.Sprintf("%s: %s: %v", e.key, e.path, e.err) }
func (e *textError) Unwrap() error { return e.err }

// Sentence is what the user reads of it.
func (e *textError) Sentence() words.Sentence {
	return words.Of(e.key, map[string]any{
		"File": fileName(e.path), "Reason": words.Reason(e.err), "Size": size(e.size), "Limit": size(maxTextBytes),
	})
}

// size is a number of bytes with its unit.
func size(bytes uint64) string {
	if bytes < 1<<20 {
		return words.T("chat.kib", map[string]any{"KiB": words.Count(int((bytes + 1023) >> 10))})
	}
	return words.T("chat.mib", map[string]any{"MiB": words.MiB(bytes)})
}

// fileName is a path's last part, safe to show.
func fileName(path string) string { return gguf.Printable(filepath.Base(path)) }

// readText reads a file that is a text: in UTF-8, in UTF-16 with a mark at its
// beginning, or in Latin-1.
func readText(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", &textError{key: "chat.text.unreadable", path: path, err: err}
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxTextBytes+1))
	switch {
	case err != nil:
		return "", &textError{key: "chat.text.unreadable", path: path, err: err}
	case len(data) > maxTextBytes:
		size := uint64(len(data))
		if info, err := file.Stat(); err == nil && info.Size() > 0 {
			size = uint64(info.Size())
		}
		return "", &textError{key: "chat.text.large", path: path, size: size}
	}
	text, ok := decode(data)
	switch {
	case !ok:
		return "", &textError{key: "chat.text.binary", path: path}
	case len(bytes.TrimSpace([]byte(text))) == 0:
		return "", &textError{key: "chat.text.empty", path: path}
	}
	return text, nil
}

// decode makes UTF-8 of a text. ok is false when it is none.
func decode(data []byte) (text string, ok bool) {
	switch {
	case bytes.HasPrefix(data, []byte{0xef, 0xbb, 0xbf}):
		data = data[3:]
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		return wide(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return wide(data[2:], binary.BigEndian)
	}
	if !printable(data) {
		return "", false
	}
	if utf8.Valid(data) {
		return string(data), true
	}
	runes := make([]rune, 0, len(data)) // Latin-1 is the first 256 characters
	for _, b := range data {
		runes = append(runes, rune(b))
	}
	return string(runes), true
}

func wide(data []byte, order binary.ByteOrder) (string, bool) {
	units := make([]uint16, 0, len(data)/2)
	for ; len(data) >= 2; data = data[2:] {
		units = append(units, order.Uint16(data))
	}
	text := string(utf16.Decode(units))
	if len(data) > 0 || !printable([]byte(text)) {
		return "", false
	}
	return text, true
}

// printable tells whether bytes can be a text: without a zero, and with hardly any
// other control character.
func printable(data []byte) bool {
	odd := 0
	for _, b := range data {
		switch {
		case b == 0:
			return false
		case b < 0x20 && b != '\t' && b != '\n' && b != '\r' && b != '\f' && b != 0x1b:
			odd++
		}
	}
	return odd*100 <= len(data)
}
