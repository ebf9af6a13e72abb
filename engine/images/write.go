package images

import (
	"errors"
	"io/fs"
	"syscall"

	"paddock/diskfile"
)

// writeError is a file or folder that can't be written.
func writeError(path string, err error) error {
	problem := Unwritable
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		problem = Denied
	case diskfile.Full(err):
		problem = Full
	}
	return &Error{Problem: problem, Path: path, Err: err}
}

// overwriteFile puts a file of the user's in place whole or not at all. The error is a *Error.
func overwriteFile(path string, data []byte) error {
	if err := diskfile.OverwriteBytes(path, data); err != nil {
		return writeError(path, err)
	}
	return nil
}

// createFile is overwriteFile where there must not be a file yet: else its error is
// fs.ErrExist.
func createFile(path string, data []byte, mode fs.FileMode) error {
	switch err := diskfile.CreateBytes(path, mode, data); {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return fs.ErrExist
	default:
		return writeError(path, err)
	}
}
