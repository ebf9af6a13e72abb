package diskfile

import (
	"errors"
	"os"
	"syscall"
)

// errorSharingViolation is what Windows says when somebody has the file open.
const errorSharingViolation syscall.Errno = 32

// OpenLocked opens a file, made when there is none, that nobody else has open for
// writing, or fails with ErrLocked. The lock is given back when the file is closed or
// the process ends, however it ends.
func OpenLocked(path string) (*os.File, error) {
	return open(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_READ, syscall.OPEN_ALWAYS)
}

// OpenShared opens a file for reading that another may have locked.
func OpenShared(path string) (*os.File, error) {
	return open(path, syscall.GENERIC_READ, syscall.FILE_SHARE_READ|syscall.FILE_SHARE_WRITE, syscall.OPEN_EXISTING)
}

func open(path string, access, share, disposition uint32) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	handle, err := syscall.CreateFile(name, access, share, nil, disposition, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errorSharingViolation) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(handle), path), nil
}
