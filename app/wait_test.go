package app

import (
	"reflect"
	"time"

	"paddock/engine"
)

// patience is how long a test waits for what must come: real engines load here, also
// while all other tests run on the same two cores.
const patience = 3 * time.Minute

// until runs what is queued for the UI until something is true.
func (b *bench) until(what string, met func() bool) {
	b.t.Helper()
	deadline := time.After(patience)
	for !met() {
		select {
		case f := <-b.queue:
			f()
		case <-time.After(5 * time.Millisecond):
		case <-deadline:
			b.t.Fatalf("%s: did not happen", what)
		}
	}
}

func (b *bench) show(s engine.State) {
	b.t.Helper()
	b.engine.Become(s)
	b.until("the window shows "+string(s.Phase), func() bool { return reflect.DeepEqual(b.chat.state, s) })
}
