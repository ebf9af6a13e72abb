package app

import (
	"context"
	"sync"
	"time"

	"paddock/hardware"
)

// readEvery is how often the machine's memory is read while the window is open.
const readEvery = 2 * time.Second

// A machineReader reads the hardware again and again, beside the UI goroutine, and
// tells whoever listens.
type machineReader struct {
	ctx  context.Context
	read func() hardware.Snapshot

	mu        sync.Mutex
	last      hardware.Snapshot
	known     bool
	listeners []func(hardware.Snapshot)
}

func newMachineReader(ctx context.Context, read func() hardware.Snapshot) *machineReader {
	return &machineReader{ctx: ctx, read: read}
}

// listen calls back with every snapshot, on a goroutine of its own, and at
// once with the last one if there is any.
func (m *machineReader) listen(f func(hardware.Snapshot)) {
	m.mu.Lock()
	m.listeners = append(m.listeners, f)
	last, known := m.last, m.known
	m.mu.Unlock()
	if known {
		f(last)
	}
}

func (m *machineReader) start() {
	go func() {
		tick := time.NewTicker(readEvery)
		defer tick.Stop()
		for {
			m.readNow()
			select {
			case <-tick.C:
			case <-m.ctx.Done():
				return
			}
		}
	}()
}

func (m *machineReader) readNow() hardware.Snapshot {
	s := m.read()
	m.mu.Lock()
	m.last, m.known = s, true
	listeners := m.listeners
	m.mu.Unlock()
	for _, f := range listeners {
		f(s)
	}
	return s
}

// snapshot is the last reading, or a new one when there is none yet. It may take
// a while: not for the UI goroutine.
func (m *machineReader) snapshot() hardware.Snapshot {
	m.mu.Lock()
	last, known := m.last, m.known
	m.mu.Unlock()
	if known {
		return last
	}
	return m.readNow()
}
