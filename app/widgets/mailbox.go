package widgets

import (
	"sync"
	"time"
)

// A Mailbox carries what changes often to the UI goroutine. It keeps the latest
// value only, waits between deliveries and has at most one on its way: Fyne's
// own queue is unbounded, and an update a token fills it faster than a slow
// machine can draw.
type Mailbox[T any] struct {
	do    func(func())
	every time.Duration
	take  func(T)

	mu      sync.Mutex
	value   T
	full    bool // value has not been taken yet
	waiting bool // a delivery is on its way
	last    time.Time
}

// NewMailbox makes a mailbox that hands values to take, through do, with at least
// that much time between two of them, or none.
func NewMailbox[T any](do func(func()), every time.Duration, take func(T)) *Mailbox[T] {
	return &Mailbox[T]{do: do, every: every, take: take}
}

// Put leaves a value. It is safe from any goroutine and never waits for the
// receiver.
func (m *Mailbox[T]) Put(v T) {
	m.mu.Lock()
	m.value, m.full = v, true
	start := !m.waiting
	m.waiting = true
	wait := m.every - time.Since(m.last)
	m.mu.Unlock()
	switch {
	case !start:
	case wait <= 0:
		m.do(m.Deliver)
	default:
		time.AfterFunc(wait, func() { m.do(m.Deliver) })
	}
}

// Deliver hands over the value that waits, if one does. It is called on the UI
// goroutine.
func (m *Mailbox[T]) Deliver() {
	m.mu.Lock()
	v, full := m.value, m.full
	var none T
	m.value, m.full, m.waiting, m.last = none, false, false, time.Now()
	m.mu.Unlock()
	if full {
		m.take(v)
	}
}
