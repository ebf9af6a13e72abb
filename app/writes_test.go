package app

import (
	"testing"
	"time"
)

func TestClosingWaitsForWhatIsBeingWritten(t *testing.T) {
	b := newBench(t, nil)
	release := make(chan struct{})
	b.writes.Add("", func() { <-release })
	b.stop()
	select {
	case <-b.stopped:
		t.Error("it has closed, and what it writes is not there yet")
	case <-time.After(300 * time.Millisecond):
	}
	close(release)
	<-b.stopped
}
