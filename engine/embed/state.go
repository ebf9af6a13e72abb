package embed

import (
	"fmt"
	"slices"
	"time"
)

// A Phase is how far a job has come.
type Phase string

// The phases.
const (
	Checking  Phase = "checking"  // that the engine's vectors are sound
	Running   Phase = "running"   //
	Pausing   Phase = "pausing"   // what was asked for is awaited
	Paused    Phase = "paused"    //
	Writing   Phase = "writing"   // outputs
	Done      Phase = "done"      // also when some files or chunks failed
	Failed    Phase = "failed"    // State.Err says why; it can go on from here
	Cancelled Phase = "cancelled" // it can go on from here
)

// Ended says whether a job in this phase does nothing any more.
func (p Phase) Ended() bool { return p == Done || p == Failed || p == Cancelled }

// A FilePhase is how far a file has come.
type FilePhase string

// The phases of a file.
const (
	FileWaiting   FilePhase = "waiting"
	FileReading   FilePhase = "reading"
	FileEmbedding FilePhase = "embedding" // it is cut, not all its chunks have vectors
	FileDone      FilePhase = "done"      // all its chunks have vectors, or have failed
	FileKept      FilePhase = "kept"      // unchanged since an earlier run that had all its vectors
	FileFailed    FilePhase = "failed"    // it could not be read: Err says why
)

// problemLimit is how many problems of a file, and alarms of a job, are kept. All
// are counted.
const problemLimit = 20

// A FileState is a file of a job.
type FileState struct {
	Path         string
	SizeBytes    uint64 // when the job began
	Phase        FilePhase
	Chunks       int // so far, until it is cut
	ChunksDone   int
	ChunksFailed int
	Begun        bool // vectors of its chunks were asked for
	Tokens       int  // of its chunks

	tokensDone, tokensFailed int // of those

	Err error

	// Problems are what else was wrong with it: parts that could not be read, and a
	// *ChunkError for each chunk without a vector. The first few; ProblemCount is of all.
	Problems     []error
	ProblemCount int
}

// A ChunkError is a chunk that got no vector.
type ChunkError struct {
	Path  string
	Chunk int
	Err   error
}

func (e *ChunkError) Error() string { return fmt.Sprintf("chunk %d of %s: %v", e.Chunk, e.Path, e.Err) }

func (e *ChunkError) Unwrap() error { return e.Err }

// An OutputState is an output that was written.
type OutputState struct {
	Output
	Beside    []string // other files that belong to it
	Rows      int
	SizeBytes uint64 // of all its files
}

// A State is a job at a moment. It is never changed: the next one is another.
type State struct {
	Phase Phase
	Meta  Meta // complete from Running on
	Files []FileState

	FilesDone    int // of any end, also failed
	Chunks       int // known so far
	ChunksDone   int
	ChunksFailed int
	Tokens       int // of the chunks known so far
	TokensDone   int // those of earlier runs included

	TokensPerSecond float64       // of this run, pauses left out; 0 until it is known
	Left            time.Duration // negative until it is known
	Elapsed         time.Duration // pauses left out

	// Alarms are vectors that are no good; AlarmCount is of all. A zero vector fails
	// its chunk. Two texts with one vector keep it: look into it.
	Alarms     []*VectorError
	AlarmCount int

	Outputs []OutputState
	Err     error // of Failed
}

// snapshot is the state now, for others to keep.
func (j *Job) snapshot() State {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.state
	s.Files = slices.Clone(s.Files)
	s.Alarms = slices.Clone(s.Alarms)
	s.Outputs = slices.Clone(s.Outputs)
	s.Elapsed = j.active()
	s.Left = -1
	if spent := s.Elapsed.Seconds(); spent > 0 && j.ownTokens > 0 {
		s.TokensPerSecond = float64(j.ownTokens) / spent
		if unread, known := j.unreadTokens(); known {
			left := float64(s.Tokens-s.TokensDone-j.failedTokens) + unread
			s.Left = time.Duration(max(left, 0) / s.TokensPerSecond * float64(time.Second))
		}
	}
	if s.Phase.Ended() {
		s.Left = 0
	}
	return s
}

// active is how long the job has worked. j.mu is held.
func (j *Job) active() time.Duration {
	if j.since.IsZero() {
		return j.worked
	}
	return j.worked + time.Since(j.since)
}

// unreadTokens guesses how many more tokens the files have that are not cut yet, by
// what those have that are: it is not known as long as there are none. j.mu is held.
func (j *Job) unreadTokens() (tokens float64, known bool) {
	var cutBytes, unreadBytes, cutTokens, readTokens float64
	for _, f := range j.state.Files {
		switch f.Phase {
		case FileWaiting, FileReading:
			unreadBytes += float64(f.SizeBytes)
			readTokens += float64(f.Tokens)
		case FileFailed:
		default:
			cutBytes += float64(f.SizeBytes)
			cutTokens += float64(f.Tokens)
		}
	}
	if cutBytes == 0 {
		return 0, unreadBytes == 0
	}
	return max(unreadBytes*cutTokens/cutBytes-readTokens, 0), true
}

// change edits the state and has it told.
func (j *Job) change(edit func(*State)) {
	j.mu.Lock()
	edit(&j.state)
	j.mu.Unlock()
	select {
	case j.dirty <- struct{}{}:
	default:
	}
}

// changeFile is change for a file. Its slice of problems is never shared.
func (j *Job) changeFile(at int, edit func(*State, *FileState)) {
	j.change(func(s *State) { edit(s, &s.Files[at]) })
}

func (f *FileState) problem(err error) {
	f.ProblemCount++
	if len(f.Problems) < problemLimit {
		f.Problems = append(slices.Clone(f.Problems), err)
	}
}

// tellInterval is how often a job's state is told.
const tellInterval = 100 * time.Millisecond

// tell calls changed with the latest state until the job has ended, and then once
// more.
func (j *Job) tell(changed func(State)) {
	defer close(j.told)
	ticker := time.NewTicker(tellInterval)
	defer ticker.Stop()
	for {
		select {
		case <-j.ended:
			changed(j.snapshot())
			return
		case <-j.dirty:
			changed(j.snapshot())
		}
		select {
		case <-j.ended:
		case <-ticker.C:
		}
	}
}
