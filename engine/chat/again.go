package chat

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"paddock/diskfile"
)

// A database that is deleted, moved or replaced while it is open goes on working: what
// is written goes into a file that has no name any more, and is lost with the program.
// So every write looks first whether the file is still at its path.

// recognise remembers which file the database is. On some network drives no file is
// the same twice: there it only has to be there.
func (s *Store) recognise() error {
	first, err := os.Stat(s.path)
	if err != nil {
		return typed(err, s.path, Unreadable)
	}
	again, err := os.Stat(s.path)
	s.file, s.known = first, err == nil && os.SameFile(first, again)
	return nil
}

// there is nil while the database is at its path, and else an *Error with Gone. A path
// that can't be looked at says nothing.
func (s *Store) there() error {
	if s.file == nil {
		return nil
	}
	info, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return &Error{Problem: Gone, Path: s.path, Err: err}
	case err == nil && s.known && !os.SameFile(info, s.file):
		return &Error{Problem: Gone, Path: s.path, Detail: "another file is in its place"}
	}
	return nil
}

// There is nil while the database is where it was opened, and else an *Error with Gone,
// which trouble is told, too.
func (s *Store) There() error {
	s.moving.RLock()
	defer s.moving.RUnlock()
	err := s.there()
	if err != nil {
		s.tell(err)
	}
	return err
}

// SaveAgain writes all conversations to where they belong, after an *Error with Gone,
// and goes on there. Another file in their place is moved aside. Pictures are not in
// the database: those that are gone stay so.
func (s *Store) SaveAgain(ctx context.Context) error {
	s.moving.Lock()
	defer s.moving.Unlock()
	if s.closed.Load() {
		return &Error{Problem: Closed, Path: s.path}
	}
	if s.there() == nil {
		s.recovered()
		return nil
	}
	if err := s.copyBack(ctx); err != nil {
		return typed(err, s.path, Unwritable)
	}
	// Before the new one is opened: the last to close removes the log at the path. What
	// it can't do with a file without a name does not matter.
	_ = s.db.close()
	var err error
	if s.db, err = openDatabase(s.path); err == nil {
		err = s.db.writer.PingContext(ctx)
	}
	if err != nil {
		return typed(err, s.path, Unreadable)
	}
	if err := s.recognise(); err != nil {
		return err
	}
	s.recovered()
	return nil
}

// copyBack puts a copy of the open database at the path.
func (s *Store) copyBack(ctx context.Context) error {
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return typed(err, s.folder, Unwritable)
	}
	half := filepath.Join(s.folder, diskfile.HalfMade+rand.Text())
	defer os.Remove(half)
	if _, err := s.db.writer.ExecContext(ctx, "VACUUM INTO ?", half); err != nil {
		return err
	}
	if err := syncFile(half); err != nil {
		return err
	}
	var err error
	if _, missing := os.Lstat(s.path); missing == nil {
		_, err = s.setAsideAs(".other")
	} else {
		err = s.removeLog()
	}
	if err != nil {
		return err
	}
	return os.Rename(half, s.path)
}
