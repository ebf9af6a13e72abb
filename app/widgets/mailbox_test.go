package widgets

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// oneByOne runs functions as a UI goroutine does.
func oneByOne() func(func()) {
	var mu sync.Mutex
	return func(f func()) {
		mu.Lock()
		defer mu.Unlock()
		f()
	}
}

func TestTheMailboxKeepsTheLatestValueOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []int
		box := NewMailbox(oneByOne(), 33*time.Millisecond, func(v int) { got = append(got, v) })
		for i := range 1000 {
			box.Put(i)
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if n := len(got); n < 25 || n > 32 {
			t.Errorf("%d deliveries in a second, want about 30", n)
		}
		if last := got[len(got)-1]; last != 999 {
			t.Errorf("the last delivery was %d, want 999", last)
		}
	})
}

func TestTheMailboxHasOneDeliveryOnItsWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var queue []func()
		var mu sync.Mutex
		box := NewMailbox(func(f func()) {
			mu.Lock()
			defer mu.Unlock()
			queue = append(queue, f)
		}, 33*time.Millisecond, func(int) {})
		for i := range 500 { // while the receiver is stuck
			box.Put(i)
			time.Sleep(time.Millisecond)
		}
		synctest.Wait()
		if len(queue) != 1 {
			t.Fatalf("%d deliveries wait, want 1", len(queue))
		}
		queue[0]()
		box.Put(1)
		time.Sleep(time.Second)
		synctest.Wait()
		if len(queue) != 2 {
			t.Errorf("%d deliveries were posted, want one more", len(queue))
		}
	})
}

func TestDeliverHandsOverWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []int
		box := NewMailbox(oneByOne(), 33*time.Millisecond, func(v int) { got = append(got, v) })
		box.Put(1)
		box.Deliver()
		if len(got) != 1 {
			t.Fatalf("got %v, want the value at once", got)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(got) != 1 {
			t.Errorf("got %v, want the value once", got)
		}
	})
}
