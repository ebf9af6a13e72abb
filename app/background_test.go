package app

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"paddock/app/widgets"
	"paddock/engine/build"
	"paddock/hardware"
)

func TestAMailboxDeliversTheLatestValueOnce(t *testing.T) {
	var waiting []func()
	var taken []int
	m := widgets.NewMailbox(func(f func()) { waiting = append(waiting, f) }, 0, func(v int) { taken = append(taken, v) })
	m.Put(1)
	m.Put(2)
	m.Put(3)
	if len(waiting) != 1 {
		t.Fatalf("%d deliveries wait, want 1", len(waiting))
	}
	waiting[0]()
	m.Put(4)
	waiting[1]()
	if want := []int{3, 4}; !slices.Equal(taken, want) {
		t.Errorf("took %v, want %v", taken, want)
	}
}

func TestTheMachineIsReadAtOnceAndToldToEverybodyWhoListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // where no time passes between two readings
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		reads := 0
		m := newMachineReader(ctx, func() hardware.Snapshot {
			reads++
			return hardware.Snapshot{CPU: hardware.CPU{Cores: reads}}
		})
		told := make(chan hardware.Snapshot, 4)
		m.listen(func(s hardware.Snapshot) { told <- s })
		m.start()
		if s := <-told; s.CPU.Cores != 1 {
			t.Errorf("told of reading %d", s.CPU.Cores)
		}
		if s := m.snapshot(); s.CPU.Cores != 1 {
			t.Errorf("the last reading is number %d", s.CPU.Cores)
		}
		m.listen(func(s hardware.Snapshot) { told <- s })
		select {
		case <-told:
		default:
			t.Error("a late listener is not told what is known")
		}
	})
}

func TestBuildsAreFoundOnceWithTheChosenOneFirstAndBrokenOnesLast(t *testing.T) {
	found := []build.Build{{ID: "broken", Problem: "x"}, {ID: "first"}, {ID: "second"}}
	chosen := "second"
	l := newBuildList(t.Context(), func(context.Context) []build.Build { return found }, func(b build.Build) bool { return b.ID == chosen })
	if _, known := l.known(); known {
		t.Error("builds are known before anybody looked")
	}
	l.refresh()
	var ids []string
	for _, b := range l.all() {
		ids = append(ids, b.ID)
	}
	if want := []string{"second", "first", "broken"}; !slices.Equal(ids, want) {
		t.Errorf("got %v, want %v", ids, want)
	}
	chosen = "broken"
	if got := l.all()[0].ID; got != "first" {
		t.Errorf("a chosen build that can't be used leaves %q first", got)
	}
}

func TestALaterSearchForBuildsWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		first := make(chan struct{})
		calls := 0
		l := newBuildList(t.Context(), func(context.Context) []build.Build {
			mu.Lock()
			calls++
			call := calls
			mu.Unlock()
			if call == 1 {
				<-first
				return []build.Build{{ID: "old"}}
			}
			return []build.Build{{ID: "new"}}
		}, func(build.Build) bool { return false })
		l.refresh()
		synctest.Wait() // it has begun
		l.refresh()
		if got := l.all()[0].ID; got != "new" {
			t.Errorf("got %q", got)
		}
		close(first)
		synctest.Wait()
		if got := l.all()[0].ID; got != "new" {
			t.Errorf("a search that was overtaken brought %q back", got)
		}
	})
}

func TestWaitingForBuildsEndsWithTheWindow(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l := newBuildList(ctx, func(context.Context) []build.Build { return nil }, nil)
	cancel()
	if got := l.all(); got != nil {
		t.Errorf("got %v", got)
	}
}
