//go:build linux

package engine

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

func TestCloseEndsEverythingWithinThreeSeconds(t *testing.T) {
	tests := map[string]func(*testing.T, *Supervisor){
		"with nothing loaded": func(*testing.T, *Supervisor) {},
		"with a model":        func(t *testing.T, s *Supervisor) { load(t, s, chatPlan(gguftest.Llama(t))) },
		"with an engine that does not answer": func(t *testing.T, s *Supervisor) {
			load(t, s, chatPlan(gguftest.Llama(t)))
			syscall.Kill(pidOf(s), syscall.SIGSTOP)
		},
		"with an engine that does not answer and is unloaded": func(t *testing.T, s *Supervisor) {
			load(t, s, chatPlan(gguftest.Llama(t)))
			syscall.Kill(pidOf(s), syscall.SIGSTOP)
			go s.Unload()
			eventually(t, "stopping", func() bool { return s.State().Phase == Stopping })
		},
		"in the middle of loading": func(t *testing.T, s *Supervisor) {
			b, p := realEngine(t), chatPlan(gguftest.Llama(t))
			go s.Load(context.Background(), p, plan.Given{}, b)
			eventually(t, "loading", func() bool { return s.State().Phase != NotLoaded })
		},
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			s := newTestSupervisor(t)
			prepare(t, s)
			started := time.Now()
			if err := s.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if took := time.Since(started); took > 3*time.Second {
				t.Errorf("closing took %v", took)
			}
			wantNothingLeft(t, s)
			if err := s.Load(t.Context(), chatPlan("x"), plan.Given{}, build.Build{}); !errors.Is(err, ErrClosed) {
				t.Errorf("a load after closing: %v", err)
			}
			s.Unload()
		})
	}
}

func TestCloseWithoutTimeLeavesNoProcess(t *testing.T) {
	none, cancel := context.WithCancel(t.Context())
	cancel()
	for _, phase := range []Phase{Loading, Proving} {
		t.Run(string(phase), func(t *testing.T) {
			s := newTestSupervisor(t)
			b, p := slow(t, phase, gguftest.Llama(t))
			go s.Load(context.Background(), p, plan.Given{}, b)
			pid := 0
			eventually(t, string(phase), func() bool {
				text, _ := os.ReadFile(pidFile(b.Path))
				pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
				return pid > 0 && s.State().Phase == phase
			})
			if err := s.Close(none); err != nil {
				t.Error(err)
			}
			if !gone(pid) {
				t.Error("the process is left")
			}
			wantNothingLeft(t, s)
		})
	}
	t.Run("Ready", func(t *testing.T) {
		s := newTestSupervisor(t)
		load(t, s, chatPlan(gguftest.Llama(t)))
		pid := pidOf(s)
		if err := s.Close(none); err != nil || !gone(pid) {
			t.Errorf("process gone: %v, %v", gone(pid), err)
		}
	})
}

// finishes fails the test where something does not end.
func finishes(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s does not end", what)
	}
}

func TestAFileThatHangsIsLeftBehind(t *testing.T) {
	ends := map[string]func(t *testing.T, s *Supervisor, cancel func()){
		"by its context": func(_ *testing.T, _ *Supervisor, cancel func()) { cancel() },
		"by unloading":   func(_ *testing.T, s *Supervisor, _ func()) { s.Unload() },
		"by closing": func(t *testing.T, s *Supervisor, _ func()) {
			if err := s.Close(t.Context()); err != nil {
				t.Error(err)
			}
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			s := newTestSupervisor(t)
			hangs, reading := make(chan struct{}), make(chan struct{})
			defer close(hangs)
			s.read = func(string) (gguf.Facts, error) {
				close(reading)
				<-hangs
				return gguf.Facts{}, nil
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() { ended <- s.Load(ctx, chatPlan("/hangs/a.gguf"), plan.Given{}, build.Build{}) }()
			<-reading
			finishes(t, "what ends the load", func() { end(t, s, cancel) })
			finishes(t, "the load", func() {
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			})
			if state := s.State(); state.Phase != NotLoaded || state.Err != nil {
				t.Errorf("state %s, %v", state.Phase, state.Err)
			}
		})
	}
}

func TestWhatNeverGivesUpItsTurnDoesNotKeepOthers(t *testing.T) {
	s := newTestSupervisor(t)
	s.turn <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	finishes(t, "a load that was given up", func() {
		if err := s.Load(ctx, chatPlan("x"), plan.Given{}, build.Build{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	finishes(t, "closing", func() {
		if err := s.Close(ctx); !errors.Is(err, ErrStuck) {
			t.Error(err)
		}
	})
	<-s.turn
}
