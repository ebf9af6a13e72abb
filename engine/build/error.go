package build

import "fmt"

// A Problem is a reason why a build can't be used. Its value is the key of the
// sentence for it; the key with ".remedy" is what to do.
type Problem string

// The problems.
const (
	Missing         Problem = "build.missing"         // there is nothing at the path
	Unreadable      Problem = "build.unreadable"      // the path can't be looked at
	Folder          Problem = "build.folder"          // a folder without llama-server in it
	NotExecutable   Problem = "build.notExecutable"   // a file that may not be run
	WrongSystem     Problem = "build.wrongSystem"     // made for another processor or system
	ExitsAtOnce     Problem = "build.exitsAtOnce"     // asked for its version, it failed
	TimedOut        Problem = "build.timedOut"        // it did not answer in time
	NoVersion       Problem = "build.noVersion"       // it ran, and did not say which llama.cpp it is
	ListingFailed   Problem = "build.listingFailed"   // it would not list its devices
	ListingCrashed  Problem = "build.listingCrashed"  // it crashed while looking for devices: not the same as none
	Incomplete      Problem = "build.incomplete"      // no backend of it computes on the processor
	UnknownID       Problem = "build.unknownId"       // no known build has the id asked for
	NothingToChoose Problem = "build.nothingToChoose" // there is no build at all
	ServerSilent    Problem = "build.serverSilent"    // nothing answers where another computer's devices should be
)

// An Error says what was tried on which engine, and the engine's own words.
type Error struct {
	Problem Problem
	Path    string // of the engine; the id for UnknownID, "host:port" for ServerSilent
	Detail  string // the engine's own first error line, for ServerSilent the system's reason; may be empty
	Err     error
}

func (e *Error) Error() string {
	text := fmt.Sprintf("engine %s: %s", e.Path, e.Problem)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }
