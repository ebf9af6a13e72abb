package images

import (
	"reflect"
	"slices"
	"sync"
	"time"
)

// A Set is pictures in the order they were added, one for each file. Its methods are safe
// from any goroutine; those that touch files say so.
type Set struct {
	folder  string     // where it is kept, empty for nowhere
	journal *journal   // nil for nowhere
	pasting sync.Mutex // while copies of pasted pictures come and go

	mu       sync.Mutex
	entries  []*entry
	byID     map[ID]*entry
	byPath   map[string]*entry
	nextID   ID
	closing  bool
	job      *Job // the one that runs, or the latest
	run      Run
	next     *Run            // what the user is about to ask, nil when nobody has said
	runs     int             // how often a latest run began or ended
	left     map[ID]struct{} // of the latest run, the pictures it is not through with
	shown    *State          // nil when something has changed since
	watchers map[chan struct{}]struct{}
}

// An entry is a picture with what a job does to it.
type entry struct {
	item   *Item // as it is without a job
	shown  *Item // as it is shown; of a running one without its stream
	work   work
	stream *stream // of a running one
	deaths int     // of engines under it
	edits  int     // by the user
}

type work int

const (
	idle work = iota
	queued
	running
)

// New is a set that is kept nowhere.
func New() *Set {
	return &Set{byID: map[ID]*entry{}, byPath: map[string]*entry{}, left: map[ID]struct{}{}, nextID: 1, watchers: map[chan struct{}]struct{}{}}
}

// Open is the set that is kept in a folder, which is made with the first change.
// It reads a file. What could be worked around is said by the error, a *Error; the
// set can be used all the same.
func Open(folder string) (*Set, error) {
	s := New()
	s.folder = folder
	var err error
	s.journal, err = openJournal(folder, s)
	if err == nil {
		s.sweepPasted()
	}
	return s, err
}

// Close ends the job, waits for that, and writes what is not written yet. The run
// can be resumed when the set is opened again; what was taken out can't come back any more.
func (s *Set) Close() error {
	s.mu.Lock()
	job := s.job
	s.closing = true
	s.mu.Unlock()
	if job != nil {
		job.Cancel()
		<-job.Done()
	}
	if s.journal == nil {
		return nil
	}
	err := s.journal.close()
	if err == nil {
		s.sweepPasted()
	}
	return err
}

// State is the set now.
func (s *Set) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown != nil {
		return *s.shown
	}
	state := State{Items: make([]*Item, len(s.entries)), Run: s.run, Next: s.next}
	for i, e := range s.entries {
		item := e.shown
		if e.stream != nil {
			item = e.streaming()
		}
		state.Items[i] = item
		state.Counts.add(item.Phase)
	}
	if s.job != nil {
		state.Job = s.job.progress()
	}
	if s.job == nil || s.job.ended {
		state.Interrupted = len(s.left)
	}
	if s.journal != nil {
		state.Unsaved = s.journal.problem()
	}
	s.shown = &state
	return state
}

// watchEvery is how often a watcher is called at most: a list is drawn no faster.
const watchEvery = time.Second / 30

// Watch calls changed with the state now and after changes, on a goroutine of its
// own and at most 30 times a second. A watcher misses states, never the latest one.
// stop ends it; a call that is under way is not waited for.
func (s *Set) Watch(changed func(State)) (stop func()) {
	wake, done := make(chan struct{}, 1), make(chan struct{})
	wake <- struct{}{}
	s.mu.Lock()
	s.watchers[wake] = struct{}{}
	s.mu.Unlock()
	go func() {
		for {
			select {
			case <-done:
				return
			case <-wake:
			}
			changed(s.State())
			select {
			case <-done:
				return
			case <-time.After(watchEvery):
			}
		}
	}()
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watchers, wake)
		close(done)
	})
}

// changed tells the watchers. s.mu is held.
func (s *Set) changed() {
	s.shown = nil
	for wake := range s.watchers {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

func (s *Set) changedNow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed()
}

// Edit makes the text of a picture the user's. One that runs keeps it, whatever
// the answer is, and one that waits is left out of the run, whatever that was allowed
// to overwrite: this text was not there when it was asked.
func (s *Set) Edit(id ID, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.byID[id]
	if e == nil || e.item.edited && e.item.Err == nil && e.item.Text == text {
		return
	}
	e.edits++
	item := *e.item
	item.edited, item.Text, item.Cut, item.Err = true, text, false, nil
	if e.work == queued {
		s.job.drop(e)
	}
	s.through(e, &item)
	if s.job != nil {
		s.job.pump()
	}
}

// forget drops pictures from the list and touches nothing else, so that a journal
// that says what was removed once removes no file again. s.mu is held.
func (s *Set) forget(ids []ID) []*entry {
	gone := map[*entry]bool{}
	var list []*entry
	for _, id := range ids {
		if e := s.byID[id]; e != nil {
			gone[e] = true
			list = append(list, e)
			delete(s.byID, id)
			delete(s.byPath, e.item.Path)
			delete(s.left, id)
		}
	}
	s.entries = slices.DeleteFunc(s.entries, func(e *entry) bool { return gone[e] })
	return list
}

// SetNext keeps what the user is about to ask, whether or not it is run.
func (s *Set) SetNext(r Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil && reflect.DeepEqual(*s.next, r) {
		return
	}
	s.next = &r
	if s.journal != nil {
		s.journal.append(line{Next: &r})
	}
	s.changed()
}

// put makes an item what an entry is without a job, and keeps it. s.mu is held.
func (s *Set) put(e *entry, item *Item) { s.keep(e, item, false) }

// through is put for what the latest run is through with.
func (s *Set) through(e *entry, item *Item) {
	delete(s.left, item.ID)
	s.keep(e, item, true)
}

func (s *Set) keep(e *entry, item *Item, through bool) {
	item.Partial, item.Pieces = "", 0
	item.Phase = item.settled()
	e.item = item
	e.show()
	if s.journal != nil {
		s.journal.append(line{Item: keep(item), Through: through})
	}
	s.changed()
}

// add adds a new picture. s.mu is held.
func (s *Set) add(item *Item) {
	if item.ID == 0 {
		item.ID = s.nextID
	}
	e := s.insert(item)
	if s.job != nil {
		s.job.added(e)
	}
}

// insert puts a picture where its number belongs: one that was taken out comes back to
// its place. s.mu is held.
func (s *Set) insert(item *Item) *entry {
	s.nextID = max(s.nextID, item.ID+1)
	e := &entry{}
	at, _ := slices.BinarySearchFunc(s.entries, item.ID, func(e *entry, id ID) int { return int(e.item.ID - id) })
	s.entries = slices.Insert(s.entries, at, e)
	s.byID[item.ID], s.byPath[item.Path] = e, e
	s.put(e, item)
	return e
}

// show works out what is shown of an entry.
func (e *entry) show() {
	e.shown = e.item
	switch e.work {
	case queued:
		item := *e.item
		item.Phase, item.Err = Waiting, nil
		e.shown = &item
	case running:
		item := *e.item
		item.Phase, item.Err = Running, nil
		e.shown = &item
	}
}

// streaming is what is shown of a running entry.
func (e *entry) streaming() *Item {
	item := *e.shown
	item.Partial, item.Pieces = e.stream.text.String(), e.stream.pieces
	return &item
}
