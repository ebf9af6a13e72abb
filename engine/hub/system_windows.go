package hub

import (
	"errors"
	"os"
	"syscall"
)

// errorSharingViolation is what Windows says when somebody has the file open.
const errorSharingViolation syscall.Errno = 32

// openLocked opens a lock file for writing while nobody else has it so, or fails
// with errLocked.
func openLocked(path string) (*os.File, error) {
	return open(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_READ, syscall.OPEN_ALWAYS)
}

func openShared(path string) (*os.File, error) {
	return open(path, syscall.GENERIC_READ, syscall.FILE_SHARE_READ|syscall.FILE_SHARE_WRITE, syscall.OPEN_EXISTING)
}

func open(path string, access, share, disposition uint32) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	handle, err := syscall.CreateFile(name, access, share, nil, disposition, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errorSharingViolation) {
		return nil, errLocked
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(handle), path), nil
}

// free gives the lock back. Windows removes no open file.
func (l *lock) free() {
	l.file.Close()
	os.Remove(l.path)
}
