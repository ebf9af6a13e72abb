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
func Replace(path string, mode fs.FileMode, write func(io.Writer) error) (err error) {
	half := filepath.Join(filepath.Dir(path), HalfMade+rand.Text()[:12]+".tmp")
	file, err := os.OpenFile(half, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(half))
		}
	}()
	out := bufio.NewWriter(file)
	if err = write(out); err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(half, path)
}

// ReplaceBytes is Replace of data that is in memory.
func ReplaceBytes(path string, mode fs.FileMode, data []byte) error {
	return Replace(path, mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
