package hub

import (
	"os"

	"paddock/diskfile"
)

func openShared(path string) (*os.File, error) { return diskfile.OpenShared(path) }

// free gives the lock back. Windows removes no open file.
func (l *lock) free() {
	l.file.Close()
	os.Remove(l.path)
}
