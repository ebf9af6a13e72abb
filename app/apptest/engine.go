package apptest

import (
	"sync"

	"paddock/engine"
)

// A Watched is the state of a stand-in for an engine, and who watches it.
type Watched struct {
	mu       sync.Mutex
	state    engine.State
	watchers []func(engine.State)
}

// NewWatched makes one with a state.
func NewWatched(s engine.State) *Watched { return &Watched{state: s} }

// State is the latest state.
func (w *Watched) State() engine.State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state
}

// Watch has changed called with every later state. Watching never ends.
func (w *Watched) Watch(changed func(engine.State)) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watchers = append(w.watchers, changed)
	return func() {}
}

// Become tells everybody who watches of another state.
func (w *Watched) Become(s engine.State) {
	w.mu.Lock()
	w.state = s
	watchers := w.watchers
	w.mu.Unlock()
	for _, changed := range watchers {
		changed(s)
	}
}
