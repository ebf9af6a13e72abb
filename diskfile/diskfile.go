// Package diskfile is how files are written that must be whole or not there.
package diskfile

import (
	"bufio"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// HalfMade is how the names of files begin that Replace is writing. One that nobody
// writes is left over from a program that was killed.
const HalfMade = ".paddock-"

// Replace writes a file beside path and gives it path's name once it is whole and on
// the disk. Its folder must be there. When it fails, what was at path is as it was.
// The errors are write's and the system's.
func Replace(path string, mode fs.FileMode, write func(io.Writer) error) error {
	return put(path, newHalf(mode), write, (*os.File).Sync, os.Rename)
}

// ReplaceBytes is Replace of data that is in memory.
func ReplaceBytes(path string, mode fs.FileMode, data []byte) error {
	return Replace(path, mode, bytesOf(data))
}

// OverwriteBytes is ReplaceBytes of a file of the user's: one that is there may be used
// as before, a new one as the system has it.
func OverwriteBytes(path string, data []byte) error {
	return put(path, HalfOf, bytesOf(data), (*os.File).Sync, os.Rename)
}

// CacheBytes is ReplaceBytes of what can be made again, only for this user. It does
// not wait for the disk.
func CacheBytes(path string, data []byte) error {
	return put(path, newHalf(0o600), bytesOf(data), unsynced, os.Rename)
}

// CreateBytes is ReplaceBytes where there must not be a file yet: else its error is
// fs.ErrExist. It does not wait for the disk: there may be thousands of them.
func CreateBytes(path string, mode fs.FileMode, data []byte) error {
	return put(path, newHalf(mode), bytesOf(data), unsynced, Claim)
}

func unsynced(*os.File) error { return nil }

func bytesOf(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// HalfOf makes an empty file beside path that is to take its place. It may be used as the
// file that is there, or as the system has it where there is none.
func HalfOf(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return newHalf(0o666)(path)
	}
	file, err := newHalf(0o600)(path)
	if err != nil {
		return nil, err
	}
	if err := file.Chmod(info.Mode().Perm()); err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	return file, nil
}

// newHalf makes files that are to become others, with a mode that the system may narrow.
func newHalf(mode fs.FileMode) func(path string) (*os.File, error) {
	return func(path string) (*os.File, error) {
		name := filepath.Join(filepath.Dir(path), HalfMade+rand.Text()[:12]+".tmp")
		return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	}
}

func put(path string, half func(path string) (*os.File, error), write func(io.Writer) error, sync func(*os.File) error, place func(from, to string) error) (err error) {
	file, err := half(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	out := bufio.NewWriter(file)
	if err = write(out); err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = sync(file)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return place(file.Name(), path)
}

// Claim gives a file a name that no other has: else its error is fs.ErrExist, and the
// file keeps its own.
func Claim(from, to string) error {
	switch err := os.Link(from, to); {
	case err == nil:
		return os.Remove(from)
	case errors.Is(err, fs.ErrExist):
		return err
	}
	// A disk that knows no links.
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}
