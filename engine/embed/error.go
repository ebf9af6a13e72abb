package embed

import (
	"errors"
	"fmt"
	"os"

	"paddock/diskfile"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// A FileProblem is why a job can't keep its state, write an output, or read one.
type FileProblem string

// The problems.
const (
	DiskFull   FileProblem = "diskFull"
	Unwritable FileProblem = "unwritable"
	Unreadable FileProblem = "unreadable"
	NotThere   FileProblem = "notThere"
	NoIndex    FileProblem = "noIndex"    // no SQLite output of Paddock's
	InUse      FileProblem = "inUse"      // another run has it
	OtherRun   FileProblem = "otherRun"   // the state is of a run with other settings: Differs says which
	OtherModel FileProblem = "otherModel" // the vectors are another model's

	IsInput      FileProblem = "isInput"      // an output that would be written over a file to be read
	Exists       FileProblem = "exists"       // a file that is no output of an earlier run with this state is there already
	Interrupted  FileProblem = "interrupted"  // an earlier run to the same output can be gone on with, and was not asked for
	ModelChanged FileProblem = "modelChanged" // another model, Path, answers than the run began with
	Unkept       FileProblem = "unkept"       // the list of a window can't be kept or read
	Damaged      FileProblem = "damaged"      // the list of a window makes no sense: it was set aside
	OtherPooling FileProblem = "otherPooling" // the vectors were made with another pooling than the model is loaded with
)

// A FileError is a file of a job's that is no use.
type FileError struct {
	Problem FileProblem
	Path    string
	Pooling string // of OtherPooling: that of the vectors
	Aside   string // of Damaged: where the file is now, empty when it could not be moved
	Err     error

	// Of OtherRun: the name of the first setting that differs, as in Meta's JSON, what it
	// was, where it is the model what that is called, and whether nothing was left to do.
	Differs, Was, Model string
	Finished            bool
}

func (e *FileError) Error() string {
	text := fmt.Sprintf("%s: %s", e.Path, e.Problem)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *FileError) Unwrap() error { return e.Err }

// writeError is the error of writing a file; nil stays nil.
func writeError(path string, err error) error {
	var known *FileError
	var database *sqlite.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case diskfile.Full(err):
		return &FileError{Problem: DiskFull, Path: path, Err: err}
	case errors.As(err, &database) && database.Code()&0xff == sqlite3.SQLITE_FULL:
		return &FileError{Problem: DiskFull, Path: path, Err: err}
	case errors.As(err, &database) && database.Code()&0xff == sqlite3.SQLITE_BUSY:
		return &FileError{Problem: InUse, Path: path, Err: err}
	case errors.As(err, &database) && isBroken(database):
		return &FileError{Problem: Unreadable, Path: path, Err: err}
	}
	return &FileError{Problem: Unwritable, Path: path, Err: err}
}

// readError is the error of reading an output; nil stays nil.
func readError(path string, err error) error {
	var known *FileError
	var database *sqlite.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, os.ErrNotExist):
		return &FileError{Problem: NotThere, Path: path, Err: err}
	case errors.As(err, &database) && isBroken(database):
		return &FileError{Problem: NoIndex, Path: path, Err: err}
	}
	return &FileError{Problem: Unreadable, Path: path, Err: err}
}

func isBroken(e *sqlite.Error) bool {
	code := e.Code() & 0xff
	return code == sqlite3.SQLITE_NOTADB || code == sqlite3.SQLITE_CORRUPT
}
