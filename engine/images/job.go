package images

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"paddock/engine/client"
	"paddock/engine/picture"
)

// A Job goes through the pictures of a set. Its methods are safe from any
// goroutine and return at once.
type Job struct {
	set    *Set
	asker  Asker
	run    Run
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}

	// The set's lock guards the rest.
	slots     int
	queue     []*entry // in their order; one that was dropped is not queued any more
	preparing int
	prepared  []prepared
	asking    int
	aside     bool // it is for some pictures, while an interrupted run is left to be resumed
	cancelled bool
	paused    bool
	reason    error // of a pause nobody asked for: the engine's
	ended     bool
	ready     func() bool // whether the engine can be asked, nil when nobody knows
	clock     clock
	total     int
	finished  Counts
}

// A prepared picture waits for a slot.
type prepared struct {
	entry   *entry
	picture picture.Prepared
	file    fileState
}

// A stream is what an answer brought so far.
type stream struct {
	cancel context.CancelFunc
	text   strings.Builder // what its String returned stays as it was
	pieces int
	edits  int // of the entry when it was asked about
}

// Start has a job go through the pictures a run is for, so many at a time as the
// engine has slots. The next pictures are made ready while it answers. A run for some
// pictures only leaves an interrupted one to be resumed after it.
func (s *Set) Start(asker Asker, slots int, r Run) (*Job, error) {
	only := map[ID]bool{}
	for _, id := range r.Only {
		only[id] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.start(asker, slots, r, r.Only != nil && len(s.left) > 0, func(i *Item) bool {
		return (r.Only == nil || only[i.ID]) && r.wants(i)
	})
}

// Resume goes on with the latest run where the program ended under it: with the
// pictures it was not through with, and unless it was for some only, with those that
// have no text.
func (s *Set) Resume(asker Asker, slots int) (*Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := maps.Clone(s.left)
	return s.start(asker, slots, s.run, false, func(i *Item) bool {
		_, is := left[i.ID]
		return is || s.run.Only == nil && i.settled() == Waiting
	})
}

// start has a job do what wants says; aside is that the latest run stays the one before.
// s.mu is held.
func (s *Set) start(asker Asker, slots int, r Run, aside bool, wants func(*Item) bool) (*Job, error) {
	switch {
	case s.job != nil && !s.job.ended:
		return nil, ErrBusy
	case strings.TrimSpace(r.Prompt) == "":
		return nil, ErrNoPrompt
	}
	j := &Job{set: s, asker: asker, run: r, aside: aside, slots: max(1, slots), done: make(chan struct{})}
	for _, e := range s.entries {
		if wants(e.item) {
			j.enqueue(e)
		}
	}
	if len(j.queue) == 0 {
		return nil, ErrNothing
	}
	j.ctx, j.cancel = context.WithCancel(context.Background())
	s.job = j
	if !aside {
		s.run = r
		s.runs++
		clear(s.left)
		for _, e := range j.queue {
			s.left[e.item.ID] = struct{}{}
		}
		if s.journal != nil {
			s.journal.append(line{Run: s.keepRun()})
		}
	}
	j.clock.start()
	j.pump()
	return j, nil
}

// Done is closed when nothing is left to do, or after Cancel.
func (j *Job) Done() <-chan struct{} { return j.done }

// Pause lets the answers that have begun come to their end, and begins no others.
func (j *Job) Pause() {
	j.set.mu.Lock()
	defer j.set.mu.Unlock()
	j.paused, j.reason = true, nil
	j.pump()
}

// Resume goes on after a pause.
func (j *Job) Resume() {
	j.set.mu.Lock()
	defer j.set.mu.Unlock()
	j.paused, j.reason = false, nil
	j.pump()
}

// Cancel ends the job with the answers that have begun. What was done stays done,
// the others are again as they were before.
func (j *Job) Cancel() {
	j.set.mu.Lock()
	defer j.set.mu.Unlock()
	for _, p := range j.prepared {
		j.release(p.entry)
	}
	for _, e := range j.queue {
		if e.work == queued {
			j.release(e)
		}
	}
	j.queue, j.prepared = nil, nil
	j.cancelled = j.cancelled || !j.ended
	j.cancel()
	j.pump()
}

// Retry puts pictures that failed back into the job, and says whether it takes them:
// not any more when it has ended. A text of the user's is retried only where the run may
// overwrite it.
func (j *Job) Retry(ids ...ID) bool {
	j.set.mu.Lock()
	defer j.set.mu.Unlock()
	if j.ended || j.ctx.Err() != nil {
		return false
	}
	for _, id := range ids {
		e := j.set.byID[id]
		if e == nil || e.work != idle || e.item.settled() != Failed || e.item.edited && j.run.Overwrite < OverwriteEdited {
			continue
		}
		j.enqueue(e)
	}
	j.pump()
	return true
}

// enqueue puts an entry at the end. The set's lock is held, as in all that follow.
func (j *Job) enqueue(e *entry) {
	e.work, e.deaths = queued, 0
	e.show()
	j.queue = append(j.queue, e)
	j.total++
}

// added takes up a picture that is new in the set.
func (j *Job) added(e *entry) {
	if !j.ended && j.ctx.Err() == nil && j.run.Only == nil {
		j.enqueue(e)
	}
}

// drop takes an entry out that the job has to do with. The caller pumps.
func (j *Job) drop(e *entry) {
	if e.stream != nil {
		e.stream.cancel() // what it comes to is not looked at any more
	}
	j.prepared = slices.DeleteFunc(j.prepared, func(p prepared) bool { return p.entry == e })
	j.total--
	j.release(e)
}

// release makes an entry one that no job has to do with.
func (j *Job) release(e *entry) {
	e.work, e.stream = idle, nil
	e.show()
}

// pump begins what can be begun, and ends the job when nothing is left.
func (j *Job) pump() {
	if j.ended {
		return
	}
	for len(j.queue) > 0 && j.queue[0].work != queued {
		j.queue = j.queue[1:]
	}
	// As many as there are slots wait ready, and one more is made.
	for !j.paused && len(j.queue) > 0 && j.preparing+len(j.prepared) <= j.slots {
		e := j.queue[0]
		if j.queue = j.queue[1:]; e.work == queued {
			j.preparing++
			go j.prepare(e, e.item)
		}
	}
	for !j.paused && len(j.prepared) > 0 && j.asking < j.slots {
		p := j.prepared[0]
		j.prepared = j.prepared[1:]
		j.ask(p)
	}
	j.clock.set(!j.paused || j.asking > 0)
	if len(j.queue)+j.preparing+len(j.prepared)+j.asking == 0 {
		j.ended = true
		j.clock.set(false)
		j.cancel()
		if !j.aside {
			j.set.ranOut()
		}
		close(j.done)
	}
	j.set.changed()
}

// ranOut notes that nothing is left of the latest run, unless the program ends under
// it. s.mu is held.
func (s *Set) ranOut() {
	if s.closing {
		return
	}
	s.runs++
	clear(s.left)
	if s.journal != nil {
		s.journal.append(line{Ended: true})
	}
}

// GiveUp makes an interrupted run one that can't be resumed.
func (s *Set) GiveUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.job == nil || s.job.ended || s.job.aside {
		s.ranOut()
		s.changed()
	}
}

// prepare makes a picture ready for the engine.
func (j *Job) prepare(e *entry, item *Item) {
	// What the file was comes first: one that changes while it is read differs from it, and
	// that shows. Without the hash nobody finds out.
	file := statFile(item.Path)
	file.SHA256, _ = hashFile(j.ctx, item.Path)
	ready, err := picture.Prepare(j.ctx, picture.Source{Path: item.Path}, picture.Options{MaxSide: j.run.MaxSide})
	s := j.set
	s.mu.Lock()
	defer s.mu.Unlock()
	j.preparing--
	switch {
	case e.work != queued: // it was dropped
	case j.ctx.Err() != nil:
		j.release(e)
	case err != nil:
		j.fail(e, file, err)
	default:
		at, _ := slices.BinarySearchFunc(j.prepared, e.item.ID, func(p prepared, id ID) int { return int(p.entry.item.ID - id) })
		j.prepared = slices.Insert(j.prepared, at, prepared{e, ready, file})
	}
	j.pump()
}

// fail is the end of a picture that got no answer. A text it has stays.
func (j *Job) fail(e *entry, file fileState, err error) {
	item := *e.item
	item.Err = err
	if item.Text == "" { // else the file is kept as it was when that was made
		item.file = file
		item.file.SHA256 = "" // no text was made of it that could be older
	}
	j.settle(e, &item)
	j.finished.Failed++
}

// settle is the end of a picture.
func (j *Job) settle(e *entry, item *Item) {
	j.release(e)
	j.set.through(e, item)
	j.clock.tick()
}

// ask begins an answer.
func (j *Job) ask(p prepared) {
	ctx, cancel := context.WithCancel(j.ctx)
	e, st := p.entry, &stream{cancel: cancel, edits: p.entry.edits}
	e.work, e.stream = running, st
	e.show()
	j.asking++
	go func() {
		defer cancel()
		s := j.set
		started := time.Now()
		answer, err := j.asker.Chat(ctx, j.run.request(p.picture), func(d client.Delta) {
			s.mu.Lock()
			defer s.mu.Unlock()
			st.text.WriteString(d.Text)
			st.pieces++
			s.changed()
		})
		took := time.Since(started)
		s.mu.Lock()
		defer s.mu.Unlock()
		j.asking--
		switch {
		case e.stream != st: // it was dropped
		case ctx.Err() != nil:
			j.release(e)
		default:
			j.answered(p, st, answer, err, took)
		}
		j.pump()
	}()
}

// answered takes an answer, or the reason there is none.
func (j *Job) answered(p prepared, st *stream, answer client.Answer, err error, took time.Duration) {
	e := p.entry
	edited := e.edits != st.edits // while it ran
	if gone := engineGone(answer, err); gone != nil && !edited {
		j.engineGone(e, p.file, gone)
		return
	}
	var text string
	if err == nil {
		text, err = j.text(answer, e.item.Path)
	}
	switch {
	case edited:
		j.settle(e, e.item)
		j.finished.Edited++
	case err != nil:
		j.fail(e, p.file, err)
	default:
		item := *e.item
		item.edited, item.Text, item.Err = false, text, nil
		item.Cut, item.Changed = answer.Stop == client.StopLength, false
		item.Prompt, item.Took, item.Notes, item.file = j.run.Prompt, took, p.picture.Notes, p.file
		if answer.Repeated {
			item.Notes = append(item.Notes, Repeated)
		}
		j.settle(e, &item)
		j.finished.Done++
	}
}

// text is what of an answer is kept, or why it is none.
func (j *Job) text(a client.Answer, path string) (string, error) {
	text := strings.TrimSpace(a.Text)
	switch {
	case text == "" && a.Stop == client.StopLength && a.Reasoning != "":
		return "", &Error{Problem: Unfinished, Path: path}
	case text == "":
		return "", &Error{Problem: Silent, Path: path}
	case j.run.Schema == "":
		return text, nil
	}
	// b11669 lets a model put its document between fences.
	text = strings.TrimSuffix(strings.TrimPrefix(text, "```json"), "```")
	var line bytes.Buffer
	if json.Compact(&line, []byte(text)) != nil {
		return "", &Error{Problem: Unfinished, Path: path}
	}
	return line.String(), nil
}
