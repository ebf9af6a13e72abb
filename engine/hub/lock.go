package hub

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"

	"paddock/diskfile"
)

// A lock keeps others from writing the same file, in this process and in others.
// The system gives it back when the process ends, however it ends.
type lock struct {
	file *os.File
	path string
}

// lockTries bounds how often a lock file that others remove is opened again: on
// some network drives no file is the same twice.
const lockTries = 1000

// lockFile takes the lock of a target. An error is an *Error: Busy with the
// process that has it, or Unwritable.
func lockFile(target string) (*lock, error) {
	path := target + lockSuffix
	for range lockTries {
		file, err := diskfile.OpenLocked(path)
		if errors.Is(err, diskfile.ErrLocked) {
			return nil, &Error{Kind: Busy, File: target, PID: ownerOf(path)}
		}
		if err != nil {
			return nil, unwritable(path, err)
		}
		// Whoever had it may have removed the file between opening and locking.
		opened, err := file.Stat()
		if err == nil {
			var there os.FileInfo
			if there, err = os.Stat(path); err == nil && os.SameFile(opened, there) {
				l := &lock{file, path}
				l.sign()
				return l, nil
			}
		}
		file.Close()
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, unwritable(path, err)
		}
	}
	return nil, unwritable(path, errors.New("another file each time it is opened"))
}

// sign writes who has the lock, for others to read. Without it the lock holds too.
func (l *lock) sign() {
	if l.file.Truncate(0) == nil {
		_, _ = l.file.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
	}
}

// ownerOf reads who has a lock, 0 when it can't be told.
func ownerOf(path string) int {
	file, err := openShared(path)
	if err != nil {
		return 0
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, 32))
	if err != nil {
		return 0
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return pid
}
