package config

import "strings"

// A Problem is what is wrong with a file or folder of Paddock's own. Its value is
// the key of the sentence for it; the key with ".remedy" is what to do.
type Problem string

// The problems.
const (
	Broken     Problem = "config.broken"     // config.toml is no TOML or its values are of the wrong kind; it was set aside, defaults hold
	Unreadable Problem = "config.unreadable" // config.toml is there and can't be read; defaults hold
	Unknown    Problem = "config.unknown"    // config.toml has settings this version doesn't know; the rest holds
	Unsaved    Problem = "config.unsaved"    // config.toml can't be written; what was changed holds until Paddock ends
	NoFolder   Problem = "config.noFolder"   // a folder of ours can't be made
	InUse      Problem = "config.inUse"      // another Paddock has its window open with the folder, and takes no files
	NoRuntime  Problem = "config.noRuntime"  // no folder is private and short enough for sockets: nothing can run
)

// An Error says what went wrong with which file or folder.
type Error struct {
	Problem  Problem
	Path     string
	SetAside string   // where a broken config.toml is now, empty when it could not be moved
	Settings []string // the unknown settings
	Err      error
}

func (e *Error) Error() string {
	text := string(e.Problem) + ": " + e.Path
	if len(e.Settings) > 0 {
		text += ": " + strings.Join(e.Settings, ", ")
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }
