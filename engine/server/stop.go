package server

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// How long an engine may take to end by itself before it is killed, one that
// nobody uses yet, and our requests to it before that. With a client connected
// it would hang.
const (
	stopTime    = 3 * time.Second
	discardTime = time.Second
	requestTime = 500 * time.Millisecond
)

// Stop ends the engine and waits until nothing of it is left: within 3 s, or
// sooner when ctx ends, it is killed. Answers under way end as cancelled. It may
// be called more than once, and after a crash. The error is that of a process
// that can't be killed.
func (i *Instance) Stop(ctx context.Context) error {
	i.stopping.Store(true)
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	i.client.Close(requestTime)
	if !i.process.end(ctx) {
		return fmt.Errorf("engine process %d can't be ended", i.PID())
	}
	<-i.done
	return nil
}

// watch waits for the end of a proven engine and clears up after it.
func (i *Instance) watch() {
	<-i.process.exited
	stopped := i.stopping.Load()
	i.place.remove()
	switch {
	case stopped:
	case i.lost.Load():
		gone := failed(SocketGone, nil)
		gone.Path = filepath.Dir(i.place.folder)
		i.failure = i.complete(gone)
	default:
		i.failure = i.complete(i.crashFailure())
	}
	i.journal.close()
	close(i.done)
}

// discard removes an engine that was not proven.
func (i *Instance) discard() {
	if i.client != nil {
		i.client.Close(requestTime)
	}
	if i.process != nil {
		ctx, cancel := context.WithTimeout(context.Background(), discardTime)
		defer cancel()
		i.process.end(ctx)
	}
	if i.place != nil {
		i.place.remove()
	}
	if i.journal != nil {
		i.journal.close()
	}
}
