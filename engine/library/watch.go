package library

import (
	"context"
	"runtime"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A pace is how changes become calls: after a time of quiet, and while they go on,
// as they do for as long as a download lasts, never twice in the longer time.
type pace struct {
	quiet, between time.Duration
}

var usualPace = pace{quiet: time.Second, between: 5 * time.Second}

// watchLimit is how many folders are watched. Linux gives a user some thousands
// of watches at least; on others each may cost an open file for everything in the
// folder.
func watchLimit() int {
	switch runtime.GOOS {
	case "linux", "windows":
		return 4096
	}
	return 256
}

// Watch calls changed when something in the sources may have changed: after a
// second of quiet, and at most every five while it goes on. It runs until ctx
// ends, when it returns nil and leaves nothing behind. changed is called on the
// same goroutine.
//
// Up to some thousands of folders are watched, those nearest to the top first. For
// a source that is not there the nearest folder above it that is is watched, by
// itself, until it appears. A folder that can't be watched is no error: what
// changes there is seen by the next scan, for which there is a button. The error
// says that this system can't watch at all.
func Watch(ctx context.Context, sources Sources, changed func()) error {
	return watch(ctx, sources, usualPace, watchLimit(), changed)
}

func watch(ctx context.Context, sources Sources, pace pace, limit int, changed func()) error {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer events.Close()
	ctx, cancel := context.WithCancel(ctx)
	w := newWatcher(ctx, events, sources, limit)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.addAll()
	}()
	w.listen(pace, changed)
	cancel()
	<-ended
	return nil
}

// listen turns events into calls until the context ends.
func (w *watcher) listen(pace pace, changed func()) {
	var since, called time.Time // of the first change not told, and the latest call
	var due <-chan time.Time
	touch := func() {
		now := time.Now()
		if since.IsZero() {
			since = now
		}
		at := earlier(now.Add(pace.quiet), since.Add(pace.between))
		if next := called.Add(pace.between); next.After(at) {
			at = next
		}
		due = time.After(time.Until(at))
	}
	var made []string // folders, perhaps, to be watched too
	for {
		var requests chan<- string
		var next string
		if len(made) > 0 {
			requests, next = w.requests, made[0]
		}
		select {
		case <-w.ctx.Done():
			return
		case e, ok := <-w.events.Events:
			if !ok {
				return
			}
			if w.matters(e) {
				touch()
			}
			gone := e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)
			if e.Has(fsnotify.Create) && w.isDeep(e.Name) || (e.Has(fsnotify.Create) || gone) && w.leadsToSource(e.Name) {
				made = append(made, e.Name)
			}
		case _, ok := <-w.events.Errors: // events were lost
			if !ok {
				return
			}
			touch()
		case requests <- next:
			made = made[1:]
		case <-w.added: // what was made in it before it was watched went unseen
			touch()
		case <-due:
			due, since, called = nil, time.Time{}, time.Now()
			changed()
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
