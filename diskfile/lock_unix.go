//go:build unix

package diskfile

import (
	"errors"
	"os"
	"syscall"
)

// OpenLocked opens a file, made when there is none, that nobody else has locked, or
// fails with ErrLocked. The lock is given back when the file is closed or the process
// ends, however it ends.
func OpenLocked(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err != nil {
		file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrLocked
		}
		return nil, err
	}
	return file, nil
}
