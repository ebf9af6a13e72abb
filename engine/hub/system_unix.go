//go:build unix

package hub

import "os"

func openShared(path string) (*os.File, error) { return os.Open(path) }

// free gives the lock back. The file goes first: while it is locked nobody else
// can have taken it for theirs.
func (l *lock) free() {
	os.Remove(l.path)
	l.file.Close()
}
