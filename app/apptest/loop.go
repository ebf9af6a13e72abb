// Package apptest is what the tests of tabs share.
package apptest

import (
	"testing"
	"time"
)

// A Loop stands in for the UI goroutine: posted functions run when the test
// waits, on the test's own goroutine.
type Loop chan func()

// NewLoop has room for all a test posts before it waits.
func NewLoop() Loop { return make(Loop, 1000) }

// Do posts a function.
func (l Loop) Do(f func()) { l <- f }

// patience is how long a test waits for what must come, also on a machine that has much
// else to do.
const patience = 3 * time.Minute

// Until runs what is posted until cond holds.
func (l Loop) Until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	deadline := time.After(patience)
	for !cond() {
		select {
		case f := <-l:
			f()
		case <-deadline:
			t.Fatal("never happened: " + what)
		}
	}
}
