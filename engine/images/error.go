package images

import (
	"errors"
	"fmt"
)

// Why a job is not started.
var (
	ErrBusy     = errors.New("a job runs already")
	ErrNothing  = errors.New("no picture is left to do")
	ErrNoPrompt = errors.New("there is no instruction")
)

// A Problem is what went wrong with a picture's answer, or with a file of ours.
type Problem string

// The problems.
const (
	Silent     Problem = "silent"     // the model said nothing
	Unfinished Problem = "unfinished" // the tokens did not suffice for an answer by the schema
	Lethal     Problem = "lethal"     // the engine ended twice under this picture

	Unsaved    Problem = "unsaved"    // the set can't be written; it is tried again
	Unkept     Problem = "unkept"     // the kept set can't be read, so nothing is written to it
	Damaged    Problem = "damaged"    // a part of the kept set could not be read; SetAside is a copy of it
	Unreadable Problem = "unreadable" // a folder, or a pasted picture's copy, can't be read
	Denied     Problem = "denied"     // the folder of an export is read-only
	Full       Problem = "full"       // its disk is full
	Unwritable Problem = "unwritable" // it can't be written for another reason
	Taken      Problem = "taken"      // every name for a text beside this picture is another picture's
)

// An Error says what went wrong with which file.
type Error struct {
	Problem  Problem
	Path     string
	SetAside string
	Err      error
}

func (e *Error) Error() string {
	text := fmt.Sprintf("images %q: %s", e.Path, e.Problem)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }
