package embed

import (
	"cmp"
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// Options are what a job does.
type Options struct {
	Files    []string // in the order of the outputs; each counts once
	Cutter   Cutter
	Embedder Embedder // with Normalise None also a RawEmbedder
	Settings Settings
	// Meta is kept with the outputs. What Settings say and the dimensions are filled
	// in.
	Meta  Meta
	Width int // of the model's vectors, where that is known

	StatePath string // a file of the job's own; outputs' beside themselves is StatePath
	Resume    bool   // go on from what the state has; else that is thrown away
	Keep      bool   // the state also after everything went well: unchanged files are not embedded again
	Outputs   []Output
	Overwrite bool // also files that no run with this state wrote; else one of those ends the run, before it embeds anything where it is there by then

	InFlight int         // requests at a time; 0 for 3
	Changed  func(State) // told the latest state, on a goroutine of the job's; may be nil

	statePages int // of the state's database, in tests of a full disk
}

// inFlight keeps an engine busy: while it computes one request, the next waits in
// its queue and the one after that is being made.
const inFlight = 3

// A Job makes vectors of files. Its methods are safe from any goroutine.
type Job struct {
	options Options
	store   *store
	paths   []string
	ids     []int64       // of the files in the store
	at      map[int64]int // place in State.Files by that
	cancel  context.CancelFunc
	fresh   chan struct{} // told that there may be chunks to take
	cutAll  chan struct{} // closed when no more chunks will come
	batch   atomic.Int64  // texts in a request
	width   int
	ended   chan struct{} // closed when the job has ended
	told    chan struct{} // and when the last state was told
	dirty   chan struct{}

	mu           sync.Mutex
	state        State
	ownTokens    int // embedded by this run
	failedTokens int
	since        time.Time // when it began to work, zero while it does not
	worked       time.Duration
	lookout      *lookout
	resumed      chan struct{} // closed at the end of a pause, nil while there is none
	asking       int           // requests under way
}

// Start begins a job. When ctx ends, it is cancelled.
func Start(ctx context.Context, o Options) *Job {
	if o.InFlight <= 0 {
		o.InFlight = inFlight
	}
	ctx, cancel := context.WithCancel(ctx)
	j := &Job{
		options: o, cancel: cancel, lookout: newLookout(), at: map[int64]int{},
		fresh: make(chan struct{}, 1), cutAll: make(chan struct{}),
		ended: make(chan struct{}), told: make(chan struct{}), dirty: make(chan struct{}, 1),
	}
	j.batch.Store(firstBatch)
	j.state = State{Phase: Checking, Meta: o.Meta, Left: -1}
	known := map[string]bool{}
	for _, path := range o.Files {
		if known[path] {
			continue
		}
		known[path] = true
		j.paths = append(j.paths, path)
		f := FileState{Path: path, Phase: FileWaiting}
		if info, err := os.Stat(path); err == nil {
			f.SizeBytes = uint64(max(info.Size(), 0))
		} // else reading it says why
		j.state.Files = append(j.state.Files, f)
	}
	if o.Changed != nil {
		go j.tell(o.Changed)
	} else {
		close(j.told)
	}
	go func() {
		defer close(j.ended)
		defer cancel()
		j.end(ctx, j.run(ctx))
	}()
	return j
}

// State is the job now.
func (j *Job) State() State { return j.snapshot() }

// Cancel ends the job. What it has so far stays in its state, to be resumed.
func (j *Job) Cancel() { j.cancel() }

// Wait is the state when the job has ended. The error is the state's, or
// context.Canceled.
func (j *Job) Wait() (State, error) {
	<-j.ended
	<-j.told
	s := j.snapshot()
	if s.Phase == Cancelled {
		return s, context.Canceled
	}
	return s, s.Err
}

// Discard removes the state of a run that has ended.
func Discard(statePath string) error { return writeError(statePath, discard(statePath)) }

func (j *Job) run(ctx context.Context) (err error) {
	o := &j.options
	if err := SparesFiles(o.Outputs, j.paths); err != nil {
		return err
	}
	if j.width, err = Check(ctx, o.Embedder, o.Settings, o.Width); err != nil {
		return err
	}
	if o.Settings.Dimensions >= j.width {
		o.Settings.Dimensions = 0
	}
	meta := o.Meta
	meta.Family, meta.Pooling, meta.Normalise = o.Settings.Family, o.Settings.Pooling, o.Settings.Normalise
	meta.Prefix, meta.QueryPrefix = o.Settings.Prefix, o.Settings.QueryPrefix
	meta.LayerNorm = o.Settings.LayerNorm && o.Settings.Dimensions > 0
	meta.Dimensions = j.width
	if o.Settings.Dimensions > 0 {
		meta.Dimensions = o.Settings.Dimensions
	}
	if j.store, err = openStore(*o, meta); err != nil {
		return err
	}
	defer func() {
		idle, idleErr := j.store.isIdle()
		if closeErr := cmp.Or(j.store.close(), idleErr); err == nil {
			err = closeErr
		}
		over := err == nil && (idle || !o.Keep && j.wentWell())
		if over || idle && !o.Keep { // a run that made nothing is none to go on with
			err = cmp.Or(err, Discard(o.StatePath))
		}
	}()
	if o.statePages > 0 {
		if err := j.store.limit(o.statePages); err != nil {
			return err
		}
	}
	if j.ids, err = j.store.list(j.paths); err != nil {
		return err
	}
	for i, id := range j.ids {
		j.at[id] = i
	}
	j.change(func(s *State) { s.Phase, s.Meta = Running, meta })
	j.settle()
	if err := j.work(ctx); err != nil {
		return err
	}
	j.change(func(s *State) { s.Phase = Writing })
	return j.write(ctx, meta)
}

// work cuts the files and embeds the chunks.
func (j *Job) work(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	batches := make(chan []waiting)
	group.Go(func() error { defer close(j.cutAll); return j.cut(ctx) })
	group.Go(func() error { defer close(batches); return j.deal(ctx, batches) })
	for range j.options.InFlight {
		group.Go(func() error {
			for batch := range batches {
				if err := j.embed(ctx, batch); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// wentWell says whether nothing is left to try again. A file that can't be read is not:
// it was tried.
func (j *Job) wentWell() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state.ChunksFailed == 0
}

// end takes note of how the job has ended.
func (j *Job) end(ctx context.Context, err error) {
	j.change(func(s *State) {
		j.worked, j.since = j.active(), time.Time{}
		switch {
		case err == nil:
			s.Phase = Done
		case ctx.Err() != nil && !isFileError(err):
			s.Phase = Cancelled
		default:
			s.Phase, s.Err = Failed, err
		}
	})
}

func isFileError(err error) bool {
	var file *FileError
	return errors.As(err, &file) && !errors.Is(err, context.Canceled)
}
