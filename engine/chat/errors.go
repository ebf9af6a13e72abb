package chat

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"

	"paddock/diskfile"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// A Problem is what is wrong with the store, or with a file to import.
type Problem string

// The problems.
const (
	Full       Problem = "full"       // there is no room on the disk
	Unwritable Problem = "unwritable" // the database or a picture can't be written, for another reason
	Unreadable Problem = "unreadable" // the database, a backup or a picture can't be read
	Damaged    Problem = "damaged"    // the database was damaged while it was open
	Newer      Problem = "newer"      // the database is one of a later version of Paddock; it is left as it is
	Gone       Problem = "gone"       // the database was deleted, moved or replaced while it was open: SaveAgain helps
	Busy       Problem = "busy"       // another process has been writing to the database for too long
	Missing    Problem = "missing"    // there is no such conversation, turn or picture, or it was deleted
	NoChat     Problem = "nochat"     // a file to import is no export of a chat that we know
	BadChat    Problem = "badchat"    // a file to import is one, and what Detail says is wrong in it
	TooLarge   Problem = "toolarge"   // a file to import, or a picture, is larger than we take
	Closed     Problem = "closed"     // the store was closed
)

// An Error says what is wrong. Path is the file's, as far as there is one.
type Error struct {
	Problem Problem
	Path    string
	Detail  string // what was found, in English, for a report
	Err     error
}

func (e *Error) Error() string {
	text := "chat: " + string(e.Problem)
	if e.Path != "" {
		text += ": " + e.Path
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// hasProblem tells whether an error is an *Error with that problem.
func hasProblem(err error, problem Problem) bool {
	var e *Error
	return errors.As(err, &e) && e.Problem == problem
}

// typed makes an error of the database, or of a file, an *Error. What it can't
// tell apart is called otherwise. A cancelled context stays one.
func typed(err error, path string, otherwise Problem) error {
	var e *Error
	if err == nil || errors.As(err, &e) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &Error{Problem: problemOf(err, otherwise), Path: path, Err: err}
}

func problemOf(err error, otherwise Problem) Problem {
	var database *sqlite.Error
	switch {
	case errors.As(err, &database):
		switch database.Code() & 0xff { // the rest of the code is detail
		case lib.SQLITE_FULL:
			return Full
		case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
			return Busy
		case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
			return Damaged
		}
	case diskfile.Full(err):
		return Full
	case errors.Is(err, sql.ErrNoRows), errors.Is(err, fs.ErrNotExist):
		return Missing
	}
	return otherwise
}
