package config

import (
	"context"
	"slices"
	"sync"
)

// A Queue runs functions one after another, beside the goroutines that add them. Its
// methods are safe from any goroutine, and the zero value is an empty one.
type Queue struct {
	mu      sync.Mutex
	waiting []queued
	running bool
	idle    chan struct{} // closed when all is done; nil before the first
}

type queued struct {
	name string
	run  func()
}

// Add adds a function. Where one of the same name still waits, this one takes its
// place; without a name it takes none.
func (q *Queue) Add(name string, run func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.waiting, func(w queued) bool { return name != "" && w.name == name })
	if i >= 0 {
		q.waiting[i].run = run
		return
	}
	q.waiting = append(q.waiting, queued{name, run})
	if !q.running {
		q.running, q.idle = true, make(chan struct{})
		go q.work(q.idle)
	}
}

func (q *Queue) work(idle chan struct{}) {
	defer close(idle)
	for {
		q.mu.Lock()
		if len(q.waiting) == 0 {
			q.running = false
			q.mu.Unlock()
			return
		}
		next := q.waiting[0]
		q.waiting = q.waiting[1:]
		q.mu.Unlock()
		next.run()
	}
}

// Wait returns once nothing waits or runs, or ctx ends.
func (q *Queue) Wait(ctx context.Context) {
	for {
		q.mu.Lock()
		running, idle := q.running, q.idle
		q.mu.Unlock()
		if !running {
			return
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return
		}
	}
}
