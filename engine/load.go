package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/plan"
	"paddock/engine/server"
)

// Load replaces the running engine by one that runs p, and returns when that is
// ready or has failed; the error is that of the state, too. What p leaves open
// is chosen. A load that ctx, Unload, Close or another Load ends leaves no model
// loaded, and its error wraps context.Canceled.
func (s *Supervisor) Load(ctx context.Context, p plan.Plan, f gguf.Facts, b build.Build) error {
	ctx, end, err := s.begin(ctx, loading)
	if err != nil {
		return err
	}
	defer end()
	if err := s.stop(context.Background()); err != nil {
		return s.fail(err)
	}
	s.advance(ctx, func(state *State) {
		*state = State{Phase: Checking, Model: f, Plan: p, Build: b, Progress: -1}
	})
	f, p, err = check(ctx, p, f, b)
	if err == nil {
		s.advance(ctx, func(state *State) { state.Model, state.Plan = f, p })
		err = s.start(ctx, p, b)
	}
	if ctx.Err() != nil {
		s.clear()
		return fmt.Errorf("load %s: %w", p.ModelPath, context.Cause(ctx))
	}
	if err != nil {
		return s.fail(err)
	}
	return nil
}

// Unload ends the engine, or what is on the way to one, and returns when nothing
// of it is left.
func (s *Supervisor) Unload() {
	_, end, err := s.begin(context.Background(), unloading)
	if err != nil {
		return
	}
	defer end()
	if err := s.stop(context.Background()); err != nil {
		s.fail(err)
		return
	}
	s.clear()
}

// Close is Unload for good. The engine has ended within 3 s, or is killed when
// ctx ends before.
func (s *Supervisor) Close(ctx context.Context) error {
	_, end, err := s.begin(context.Background(), closing)
	if err != nil {
		return nil // it is closed
	}
	defer end()
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	if err := s.stop(ctx); err != nil {
		return s.fail(err)
	}
	s.clear()
	return nil
}

// closeTime leaves a second for the kernel to end a killed engine.
const closeTime = 2 * time.Second

// A wish is what somebody wants of the engine.
type wish int

const (
	loading wish = iota
	unloading
	closing // after which there is nothing to wish for
)

// begin ends whatever is under way and waits until it has ended. The context is
// the caller's turn: it ends when somebody else wants something.
func (s *Supervisor) begin(ctx context.Context, w wish) (context.Context, func(), error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, nil, ErrClosed
	}
	s.cancel()
	ctx, cancel := context.WithCancel(ctx)
	s.cancel = cancel
	s.closed = w == closing
	if phase := s.state.Phase; w != loading && (phase == Checking || phase == Loading || phase == Proving) {
		s.change(func(state *State) { state.Phase = Stopping })
	}
	s.mu.Unlock()

	s.turn <- struct{}{}
	end := func() {
		cancel()
		<-s.turn
	}
	if ctx.Err() != nil {
		end()
		return nil, nil, context.Cause(ctx)
	}
	return ctx, end, nil
}

// check reads the model's header, which may have changed since it was listed,
// completes the plan and holds it against the rules.
func check(ctx context.Context, p plan.Plan, f gguf.Facts, b build.Build) (gguf.Facts, plan.Plan, error) {
	read, err := gguf.Read(p.ModelPath)
	if err != nil {
		return f, p, err
	}
	if err := b.Err(); err != nil {
		return read, p, err
	}
	// Looking for devices takes a moment: only when something depends on them.
	if complete, _ := plan.Complete(p, read, nil); complete != p {
		devices, err := b.Devices(ctx)
		if err != nil {
			return read, p, err
		}
		p, _ = plan.Complete(p, read, devices)
	}
	if verdict := plan.Check(p, read, b.Number); !verdict.Valid() {
		return read, p, &RefusedError{Findings: verdict.Refusals}
	}
	return read, p, nil
}

// start runs an engine and makes it the supervisor's.
func (s *Supervisor) start(ctx context.Context, p plan.Plan, b build.Build) error {
	instance, err := server.Start(ctx, server.Options{
		Build: b, Plan: p, RuntimeDir: s.options.RuntimeDir, LogDir: s.options.LogDir, StallTime: s.options.StallTime,
		Progress: func(at server.Progress) {
			s.advance(ctx, func(state *State) {
				state.Phase, state.Progress, state.LogPath = Loading, at.Value, at.LogPath
				if at.Phase == server.Proving {
					state.Phase = Proving
				}
			})
		},
		Warn: func(err error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.change(func(state *State) { state.Warning = err })
		},
	})
	if err != nil {
		return err
	}
	actual := actualOf(instance.LogPath())
	ready := s.advance(ctx, func(state *State) {
		s.instance = instance
		state.Actual = actual
		state.Phase, state.Progress = Ready, 1
		state.LastWords, state.LogPath = instance.LastWords(), instance.LogPath()
	})
	if !ready {
		return instance.Stop(context.Background())
	}
	go func() {
		<-instance.Done()
		if failure := instance.Failure(); failure != nil {
			s.ended(instance, failure)
		}
	}()
	return nil
}

// actualOf is what an engine says in its log that it allocated, nothing when the log
// can't be read.
func actualOf(logPath string) budget.Memory {
	file, err := os.Open(logPath)
	if err != nil {
		return budget.Memory{}
	}
	defer file.Close()
	memory, err := budget.FromLog(file)
	if err != nil {
		return budget.Memory{}
	}
	return memory
}

// ended takes note that an engine has ended by itself.
func (s *Supervisor) ended(instance *server.Instance, failure *server.Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.instance == instance {
		s.instance = nil
		s.change(func(state *State) {
			state.Phase, state.Err = Failed, failure
			state.LastWords, state.LogPath = failure.LastWords, failure.LogPath
		})
	}
}

// stop ends the running engine, if there is one.
func (s *Supervisor) stop(ctx context.Context) error {
	s.mu.Lock()
	instance := s.instance
	if instance != nil {
		s.instance = nil
		s.change(func(state *State) { state.Phase = Stopping })
	}
	s.mu.Unlock()
	if instance == nil {
		return nil
	}
	return instance.Stop(ctx)
}

// advance changes the state unless the turn whose context this is has ended, and
// says whether it did.
func (s *Supervisor) advance(ctx context.Context, edit func(*State)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	s.change(edit)
	return true
}

// fail ends in Failed and returns err.
func (s *Supervisor) fail(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change(func(state *State) {
		state.Phase, state.Err, state.Progress = Failed, err, -1
		var failure *server.Failure
		if errors.As(err, &failure) {
			state.LastWords, state.LogPath = failure.LastWords, failure.LogPath
		}
	})
	return err
}

// clear ends with no model loaded.
func (s *Supervisor) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change(func(state *State) { *state = State{Phase: NotLoaded} })
}
