package embeddings

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// holds says whether this process has a file open.
func holds(t *testing.T, path string) bool {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil && to == path {
			return true
		}
	}
	return false
}

func TestAnIndexThatIsBeingOpenedWhenPaddockEndsIsClosed(t *testing.T) {
	d := made(t)
	index := d.State().Index
	if !holds(t, index) {
		t.Fatalf("%s is not open", index)
	}
	d.keeper.wait()
	for len(d.loop) > 0 {
		(<-d.loop)()
	}
	d.OpenIndex(index)
	for end := time.Now().Add(2 * time.Minute); len(d.loop) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it is never opened")
		}
	}
	d.Close() // before the presenter hears of it
	d.Wait(context.Background())
	if holds(t, index) {
		t.Error("it is still open")
	}
	for len(d.loop) > 0 {
		(<-d.loop)()
	}
	if d.index != nil || holds(t, index) {
		t.Error("it is open after the end")
	}
	d.OpenIndex(index)
	if d.Wait(context.Background()); holds(t, index) {
		t.Error("it was opened after the end")
	}
}
