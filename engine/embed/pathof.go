package embed

import (
	"errors"

	"paddock/engine/embed/document"
)

// PathOf is the file a problem of a run is about, "" where it is about none.
func PathOf(err error) string {
	var chunk *ChunkError
	var read *document.Error
	var file *FileError
	switch {
	case errors.As(err, &chunk):
		return chunk.Path
	case errors.As(err, &read):
		return read.Path
	case errors.As(err, &file):
		return file.Path
	}
	return ""
}
