package chat

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// A Store is the conversations of one folder. Its methods are safe from any
// goroutine; all but Writer.Append wait for the disk. Several stores, also of
// several processes, may have the same folder. Every error is an *Error, or that
// of the context or of a file that is exported to.
type Store struct {
	folder string
	path   string // of the database
	db     database
	knobs

	moving sync.RWMutex // held by SaveAgain, which changes db and file, and shared by who uses them
	file   os.FileInfo  // of the database, nil before it is open
	known  bool         // that file tells it from others

	trouble func(error)
	told    struct { // what trouble was last told
		sync.Mutex
		problem Problem
		failed  time.Time // last
	}

	closed     atomic.Bool
	stop       context.CancelFunc // of what goes on in the background
	background sync.WaitGroup

	writing struct {
		sync.Mutex
		closed  bool
		writers map[*Writer]struct{} // of answers that aren't saved to the end
	}
}

// knobs are what tests turn.
type knobs struct {
	now       func() time.Time
	saveEvery time.Duration // what comes of an answer
	retry     time.Duration // after that time, when it could not be saved
	settle    time.Duration // before what can wait: starting up needs the machine
	lookEvery time.Duration // whether today's backup is there
	calm      time.Duration // without a failure, until trouble is over
}

// defaults save an answer well within half a second, so that there is time for
// the disk.
func defaults() knobs {
	return knobs{
		now: time.Now, saveEvery: 250 * time.Millisecond, retry: 2 * time.Second,
		settle: 10 * time.Second, lookEvery: time.Hour, calm: 10 * time.Second,
	}
}

// Opened is what happened when a store was opened.
type Opened struct {
	Aside      string    // where a damaged database was moved, empty when it was sound
	Damage     string    // what was wrong with it, in English, for a report
	Restored   string    // the backup that took its place, empty when a new database was begun
	RestoredOf time.Time // the day of that backup
}

// Open opens the conversations in a folder, which it makes when there is none. It
// checks the whole database first, which takes about 0.3 s for 100 MB.
//
// A damaged database is moved aside and the latest sound backup takes its place;
// Opened tells. One of a later version of Paddock is left as it is: an *Error with
// Newer.
//
// When something can't be saved, trouble is called with an *Error, once until the
// problem is another; when saving has worked again for some time, or what could not
// be saved of an answer is, or the file is back in its place, it is called with nil. It may be called from any
// goroutine, must not wait, and may be nil.
func Open(ctx context.Context, folder string, trouble func(error)) (*Store, Opened, error) {
	return open(ctx, folder, trouble, defaults())
}

func open(ctx context.Context, folder string, trouble func(error), k knobs) (*Store, Opened, error) {
	if trouble == nil {
		trouble = func(error) {}
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, Opened{}, &Error{Problem: Unreadable, Path: folder, Err: err}
	}
	s := &Store{folder: folder, path: filepath.Join(folder, "chat.db"), trouble: trouble, knobs: k}
	s.writing.writers = map[*Writer]struct{}{}
	opened, err := s.prepare(ctx)
	if err != nil {
		return nil, opened, err
	}
	if s.db, err = openDatabase(s.path); err != nil {
		return nil, opened, typed(err, s.path, Unreadable)
	}
	if err := s.begin(ctx); err != nil {
		s.db.close()
		return nil, opened, err
	}
	if err := s.recognise(); err != nil {
		s.db.close()
		return nil, opened, err
	}
	background, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.background.Go(func() { s.keep(background) })
	return s, opened, nil
}

// begin makes a sound database ready for use. Only the search index can be damaged
// now, and it can be made again.
func (s *Store) begin(ctx context.Context) error {
	if err := s.migrate(ctx); err != nil {
		return err
	}
	err := s.tidy(ctx)
	if hasProblem(err, Damaged) {
		if err = s.indexAgain(ctx); err == nil {
			err = s.tidy(ctx)
		}
	}
	return err
}

func (s *Store) tidy(ctx context.Context) error {
	if err := s.gather(ctx); err != nil {
		return err
	}
	return s.purge(ctx)
}

// keep does what can wait: the search index is checked, pictures that nothing shows
// are removed, and every day has its backup.
func (s *Store) keep(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(s.settle):
	}
	if err := s.mend(ctx); err != nil {
		s.tell(err)
	}
	if err := s.sweep(ctx); err != nil {
		s.tell(err)
	}
	for {
		if err := s.backUp(ctx); err != nil {
			s.tell(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(s.lookEvery):
		}
	}
}

// Close saves what has come of answers and closes the database. Answers that were
// not finished stay Interrupted. The error is an *Error when something could not
// be saved, and is lost.
func (s *Store) Close() error {
	s.stop()
	s.background.Wait()
	lost := s.endWriters()
	s.closed.Store(true)
	s.moving.Lock()
	defer s.moving.Unlock()
	err := typed(s.db.close(), s.path, Unwritable)
	if lost != nil {
		return lost
	}
	return err
}

// tell calls trouble with what can't be saved, once, and with nil when it can be
// again. That something could be saved doesn't say it yet: on a full disk there
// may be room for a little. Other errors are only the caller's.
func (s *Store) tell(err error) {
	var problem Problem
	switch {
	case hasProblem(err, Full):
		problem = Full
	case hasProblem(err, Unwritable):
		problem = Unwritable
	case hasProblem(err, Gone):
		problem = Gone
	case err != nil:
		return
	}
	s.told.Lock()
	defer s.told.Unlock()
	if err != nil {
		s.told.failed = s.now()
	} else if s.told.problem != Gone && s.now().Sub(s.told.failed) < s.calm {
		return
	}
	s.tellOnce(problem, err)
}

// recovered says that what could not be saved is.
func (s *Store) recovered() {
	s.told.Lock()
	defer s.told.Unlock()
	s.tellOnce("", nil)
}

func (s *Store) tellOnce(problem Problem, err error) {
	if s.told.problem != problem {
		s.told.problem = problem
		s.trouble(err)
	}
}
