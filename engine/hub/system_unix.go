//go:build unix

package hub

import (
	"errors"
	"os"
	"syscall"
)

// openLocked opens a lock file nobody else has, or fails with errLocked.
func openLocked(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err != nil {
		file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errLocked
		}
		return nil, err
	}
	return file, nil
}

func openShared(path string) (*os.File, error) { return os.Open(path) }

// free gives the lock back. The file goes first: while it is locked nobody else
// can have taken it for theirs.
func (l *lock) free() {
	os.Remove(l.path)
	l.file.Close()
}
