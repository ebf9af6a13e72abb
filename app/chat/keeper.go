package chat

import (
	"context"
	"os"
	"sync"

	store "paddock/engine/chat"
)

// A task is something to do with the store. What it returns is run on the UI
// goroutine.
type task func(context.Context, *store.Store) (then func(), err error)

// A keeper does tasks one after the other, on a goroutine of its own: the store
// waits for the disk.
type keeper struct {
	do     func(func())
	failed func(error) // on the UI goroutine, when a task has
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{} // closed when the store is

	mu     sync.Mutex
	tasks  []task
	closed bool
	wake   chan struct{}
	store  *store.Store // nil until it is open
}

func newKeeper(do func(func()), failed func(error)) *keeper {
	k := &keeper{do: do, failed: failed, done: make(chan struct{}), wake: make(chan struct{}, 1)}
	k.ctx, k.cancel = context.WithCancel(context.Background())
	return k
}

// An opening is how the store was opened.
type opening struct {
	store.Opened
	err error // the folder can't be used: what is kept now is gone when Paddock ends
}

// run opens the store in a folder, and does tasks until the keeper is closed. With
// a folder that can't be used, there is one for this time only.
func (k *keeper) run(folder string, trouble func(error), opened func(opening)) {
	defer close(k.done)
	defer k.cancel()
	s, how, err := store.Open(k.ctx, folder, trouble)
	if err != nil {
		temporary, tempErr := os.MkdirTemp("", "paddock-chats-")
		if tempErr == nil {
			defer os.RemoveAll(temporary)
			s, _, tempErr = store.Open(k.ctx, temporary, trouble)
		}
		if tempErr != nil {
			k.do(func() { opened(opening{err: err}) })
			return
		}
	}
	k.mu.Lock()
	k.store = s
	k.mu.Unlock()
	k.do(func() { opened(opening{how, err}) })
	for k.next() {
	}
	if err := s.Close(); err != nil {
		k.do(func() { k.failed(err) })
	}
}

// next does what waits, and then waits itself. It tells whether there can be more.
func (k *keeper) next() bool {
	k.mu.Lock()
	tasks, closed := k.tasks, k.closed
	k.tasks = nil
	k.mu.Unlock()
	for _, t := range tasks {
		then, err := t(k.ctx, k.store)
		if then == nil && err == nil {
			continue
		}
		k.do(func() {
			if err != nil {
				k.failed(err)
			}
			if then != nil {
				then()
			}
		})
	}
	if len(tasks) > 0 {
		return true
	}
	if !closed {
		<-k.wake
	}
	return !closed
}

// put adds a task. One that comes after close is not done.
func (k *keeper) put(t task) {
	k.mu.Lock()
	if !k.closed {
		k.tasks = append(k.tasks, t)
	}
	k.mu.Unlock()
	k.ring()
}

func (k *keeper) ring() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// close ends the keeper once all tasks are done and the store is closed: then done
// is.
func (k *keeper) close() {
	k.mu.Lock()
	k.closed = true
	k.mu.Unlock()
	k.ring()
}

// open is the store, nil until it is open.
func (k *keeper) open() *store.Store {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.store
}

// call does a task and waits for its end. It is for goroutines other than the UI's.
func (k *keeper) call(f func(context.Context, *store.Store) error) error {
	result := make(chan error, 1)
	k.put(func(ctx context.Context, s *store.Store) (func(), error) {
		result <- f(ctx, s)
		return nil, nil
	})
	select {
	case err := <-result:
		return err
	case <-k.done:
		return &store.Error{Problem: store.Closed}
	}
}
