package app

import "sync"

// A mailbox carries values to the UI goroutine. It keeps the latest only and has
// at most one delivery waiting, so that a fast sender can't queue up work there.
type mailbox[T any] struct {
	do   func(func()) // runs a function on the UI goroutine, later
	take func(T)

	mu      sync.Mutex
	value   T
	waiting bool
}

func newMailbox[T any](do func(func()), take func(T)) *mailbox[T] {
	return &mailbox[T]{do: do, take: take}
}

// put sends a value. It is safe from any goroutine and never blocks on the
// receiver.
func (m *mailbox[T]) put(v T) {
	m.mu.Lock()
	m.value = v
	start := !m.waiting
	m.waiting = true
	m.mu.Unlock()
	if start {
		m.do(m.deliver)
	}
}

func (m *mailbox[T]) deliver() {
	m.mu.Lock()
	v := m.value
	m.waiting = false
	m.mu.Unlock()
	m.take(v)
}
