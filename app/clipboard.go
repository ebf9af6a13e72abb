package app

import (
	"bytes"

	"github.com/sirupsen/logrus"
)

// maxClipboard is how large a picture on the clipboard may be, in bytes: a screen
// of 8K, hardly compressed.
const maxClipboard = 128 << 20

// pasteImage is the PNG picture on the clipboard, which Fyne gives as text only.
// It may take a moment. ok is false where there is none.
func (w *Window) pasteImage() (data []byte, ok bool) {
	data = clipboardPNG()
	ok = bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n"))
	w.log.WithFields(logrus.Fields{"bytes": len(data), "picture": ok}).Info("paste")
	return data, ok
}
