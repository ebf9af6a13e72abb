package images

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// writeError is a file or folder that can't be written.
func writeError(path string, err error) error {
	problem := Unwritable
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		problem = Denied
	case isFull(err):
		problem = Full
	}
	return &Error{Problem: problem, Path: path, Err: err}
}

// replaceFile puts a file in place whole or not at all. The error is a *Error.
func replaceFile(path string, data []byte, mode fs.FileMode) error {
	name, err := beside(path, data, mode)
	if err == nil {
		if err = os.Rename(name, path); err != nil {
			err = errors.Join(err, os.Remove(name))
		}
	}
	if err != nil {
		return writeError(path, err)
	}
	return nil
}

// createFile is replaceFile where there must not be a file yet: else its error is
// fs.ErrExist.
func createFile(path string, data []byte, mode fs.FileMode) error {
	name, err := beside(path, data, mode)
	if err != nil {
		return writeError(path, err)
	}
	err = os.Link(name, path)
	if err != nil && !errors.Is(err, fs.ErrExist) { // a disk that knows no links
		if _, there := os.Lstat(path); there == nil {
			err = fs.ErrExist
		} else if err = os.Rename(name, path); err == nil {
			return nil
		}
	}
	err = errors.Join(err, os.Remove(name))
	switch {
	case errors.Is(err, fs.ErrExist):
		return fs.ErrExist
	case err != nil:
		return writeError(path, err)
	}
	return nil
}

// beside writes data to a new file next to path.
func beside(path string, data []byte, mode fs.FileMode) (name string, err error) {
	name = filepath.Join(filepath.Dir(path), ".paddock-"+rand.Text()[:12]+".tmp")
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return name, err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		os.Remove(name)
	}
	return name, err
}

// replaceSynced is replaceFile that waits for the disk, makes the folder, and has
// the system's own error.
func replaceSynced(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	name, err := beside(path, data, 0o600)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err == nil {
		err = errors.Join(file.Sync(), file.Close())
	}
	if err == nil {
		err = os.Rename(name, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}
