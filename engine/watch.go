package engine

// A watcher is told every state, or the latest when it is slower than they come.
type watcher struct {
	latest chan State // holds one
	done   chan struct{}
}

// put replaces a state that was not fetched yet. Only one goroutine puts at a
// time.
func (w *watcher) put(s State) {
	select {
	case <-w.latest:
	default:
	}
	w.latest <- s
}

// Watch calls changed with the state now and after every change, on a goroutine
// of its own. A watcher that is slow misses states, never the latest one. stop
// ends it, and may be called by changed itself and more than once; a call that
// is under way is not waited for.
func (s *Supervisor) Watch(changed func(State)) (stop func()) {
	w := &watcher{latest: make(chan State, 1), done: make(chan struct{})}
	s.mu.Lock()
	s.watchers[w] = struct{}{}
	w.put(s.state)
	s.mu.Unlock()

	go func() {
		for {
			select {
			case <-w.done:
				return
			case state := <-w.latest:
				select {
				case <-w.done:
					return
				default:
					changed(state)
				}
			}
		}
	}()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if _, watching := s.watchers[w]; watching {
			delete(s.watchers, w)
			close(w.done)
		}
	}
}
