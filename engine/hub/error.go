package hub

import (
	"fmt"
	"strings"
	"time"
)

// A Kind is what went wrong.
type Kind string

// The kinds of error.
const (
	BadAddress Kind = "bad-address" // the mirror's address is none
	Offline    Kind = "offline"     // no connection to Host
	NotFound   Kind = "not-found"   // no such repository or file, or it is private
	NotModels  Kind = "not-models"  // Repo is a data set or a space, Detail says which
	NeedsToken Kind = "needs-token" // only for those with an account and a token; Mirror says that the host gets none
	Forbidden  Kind = "forbidden"   // the token's account may not
	TooMany    Kind = "too-many"    // too many requests; RetryAfter says how long to wait
	Server     Kind = "server"      // the hub itself has a problem, Status says which
	BadAnswer  Kind = "bad-answer"  // what came is not what the hub would send
	Cut        Kind = "cut"         // the connection broke, again and again
	WrongSize  Kind = "wrong-size"  // another number of bytes than the hub's list says
	WrongHash  Kind = "wrong-hash"  // other bytes than the hub's list says; nothing was kept
	NoSpace    Kind = "no-space"    // the disk has FreeBytes, NeededBytes are needed
	Busy       Kind = "busy"        // process PID writes the file
	BadName    Kind = "bad-name"    // the hub's name for it can't be a file's name here
	Different  Kind = "different"   // another file of that name is there already
	Unwritable Kind = "unwritable"  // the folder or file can't be written; Err says why
)

// An Error says what went wrong, with whom, over which file. It never holds the
// token, nor an address with what is secret in it.
type Error struct {
	Kind   Kind
	Host   string
	Repo   string
	File   string // name in the repository, or path on this machine
	Status int    // of HTTP, 0 for none
	Detail string // the hub's own words
	Mirror bool   // Host is a mirror of Paddock's settings, which is sent no token

	RetryAfter             time.Duration // 0 when the hub doesn't say
	NeededBytes, FreeBytes uint64
	PID                    int
	Err                    error
}

func (e *Error) Error() string {
	parts := []string{"hub: " + string(e.Kind)}
	for _, part := range []string{e.Host, e.Repo, e.File, e.Detail} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if e.Status != 0 {
		parts = append(parts, fmt.Sprintf("status %d", e.Status))
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	return strings.Join(parts, ": ")
}

func (e *Error) Unwrap() error { return e.Err }
