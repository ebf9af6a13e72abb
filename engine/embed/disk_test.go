package embed

import (
	"io"
	"os"
	"syscall"
	"testing"
)

// fullDisk makes the disk of outputs full after a few pages, or lets it be.
func fullDisk(t *testing.T, full bool) {
	t.Helper()
	limited, outputPages = func(w io.Writer) io.Writer { return w }, 0
	if !full {
		return
	}
	left := 8192
	limited = func(w io.Writer) io.Writer {
		return writerFunc(func(p []byte) (int, error) {
			if left -= len(p); left < 0 {
				return 0, &os.PathError{Op: "write", Err: syscall.ENOSPC}
			}
			return w.Write(p)
		})
	}
	outputPages = 40
	t.Cleanup(func() { fullDisk(t, false) })
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
