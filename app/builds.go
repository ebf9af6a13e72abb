package app

import (
	"context"
	"slices"
	"sync"

	"paddock/engine/build"
)

// A buildList finds the engine builds once, beside the UI goroutine, and again
// when the user adds or removes one.
type buildList struct {
	ctx     context.Context
	find    func(context.Context) []build.Build
	prefers func(build.Build) bool // whether a build is the user's choice
	demands func(build.Build) bool // whether a build is to be used even if it can't be; nil for none

	mu        sync.Mutex
	found     []build.Build
	ready     chan struct{} // closed when found is there
	round     int
	listeners []func([]build.Build)
}

func newBuildList(ctx context.Context, find func(context.Context) []build.Build, prefers func(build.Build) bool) *buildList {
	return &buildList{ctx: ctx, find: find, prefers: prefers, ready: make(chan struct{})}
}

// refresh looks for builds and returns at once.
func (l *buildList) refresh() {
	l.mu.Lock()
	l.round++
	round := l.round
	l.mu.Unlock()
	go func() {
		found := l.find(l.ctx)
		l.mu.Lock()
		if round != l.round { // a later search has begun
			l.mu.Unlock()
			return
		}
		first := l.found == nil
		l.found = append([]build.Build{}, found...)
		if first {
			close(l.ready)
		}
		listeners := l.listeners
		l.mu.Unlock()
		for _, f := range listeners {
			f(l.ordered())
		}
	}()
}

// listen calls back with the builds, on a goroutine of the list's, each time
// they have been looked for.
func (l *buildList) listen(f func([]build.Build)) {
	l.mu.Lock()
	l.listeners = append(l.listeners, f)
	known := l.found != nil
	l.mu.Unlock()
	if known {
		f(l.ordered())
	}
}

// all waits for the first search and is every build: the demanded one first, then
// the chosen one, then those that work.
func (l *buildList) all() []build.Build {
	select {
	case <-l.ready:
	case <-l.ctx.Done():
		return nil
	}
	return l.ordered()
}

// known is what all is, when the first search is over.
func (l *buildList) known() (builds []build.Build, ok bool) {
	select {
	case <-l.ready:
		return l.ordered(), true
	default:
		return nil, false
	}
}

func (l *buildList) ordered() []build.Build {
	l.mu.Lock()
	builds := slices.Clone(l.found)
	l.mu.Unlock()
	rank := func(b build.Build) int {
		switch {
		case l.demands != nil && l.demands(b):
			return 0
		case b.Problem == "" && l.prefers(b):
			return 1
		case b.Problem == "":
			return 2
		}
		return 3
	}
	slices.SortStableFunc(builds, func(a, b build.Build) int { return rank(a) - rank(b) })
	return builds
}
