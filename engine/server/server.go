// Package server runs one engine process: it starts it, watches it load, proves
// that it answers with the model and settings that were asked for, and ends it
// so that nothing is left behind.
package server

import (
	"os"
	"sync/atomic"
	"time"

	"paddock/engine/build"
	"paddock/engine/client"
	"paddock/engine/plan"
)

// Options are what one engine process is started with.
type Options struct {
	Build      build.Build
	Plan       plan.Plan // complete
	RuntimeDir string    // for socket and key file; made when it is not there
	LogDir     string    // for the engine's log; made when it is not there

	Progress func(Progress) // called on Start's goroutine; may be nil
	Warn     func(error)    // told once, on any goroutine, when the log can't be written: a *LogError; may be nil

	StallTime time.Duration // how long loading may be silent; 0: stallTime
	ProofTime time.Duration // how long the proof may take; 0: proofTime

	loopback bool                                // no unix sockets here
	openLog  func(path string) (*os.File, error) // nil: openLog
}

// Limits of the phases. Loading has none while the engine reports something; a
// graphics driver compiling its shaders for the first time reports nothing for
// minutes.
const (
	stallTime = 5 * time.Minute
	proofTime = 5 * time.Minute
)

// The phases Progress speaks of.
const (
	Loading = "loading"
	Proving = "proving"
)

// Progress is how far a start has come.
type Progress struct {
	Phase   string  // Loading or Proving
	Value   float64 // 0 to 1; negative when it is not known
	LogPath string  // empty when there is no log file
}

// An Instance is a running engine that has been proven.
type Instance struct {
	options Options
	place   *place
	process *process
	journal *journal
	client  *client.Client
	started time.Time
	proof   Proof
	sees    bool // it says it takes pictures

	oomKills uint64 // before it was launched

	stopping atomic.Bool
	lost     atomic.Bool // its socket was gone while it ran
	done     chan struct{}
	failure  *Failure // set before done is closed
}

// Client talks to the engine.
func (i *Instance) Client() *client.Client { return i.client }

// Proof is what was seen before the engine was called ready.
func (i *Instance) Proof() Proof { return i.proof }

// LogPath is where the engine's log is, empty when it could not be written.
func (i *Instance) LogPath() string { return i.journal.path() }

// LastWords are the newest lines of the engine's log.
func (i *Instance) LastWords() []string { return i.journal.lastWords() }

// Done is closed when the process has ended and nothing of it is left.
func (i *Instance) Done() <-chan struct{} { return i.done }

// Failure is why the engine ended by itself. It is nil while it runs and when it
// was stopped by Stop.
func (i *Instance) Failure() *Failure {
	select {
	case <-i.done:
		return i.failure
	default:
		return nil
	}
}

// PID is the process id of the engine.
func (i *Instance) PID() int { return i.process.cmd.Process.Pid }
