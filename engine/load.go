package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/plan"
	"paddock/engine/server"
)

// Load replaces the running engine by one that runs p, made for g, and returns when
// that is ready or has failed; the error is that of the state, too. What p leaves
// open is chosen. Where a caution comes true its fallback is loaded, and the state
// says so. A load that ctx, Unload, Close or another Load ends leaves no model
// loaded, and its error wraps context.Canceled.
func (s *Supervisor) Load(ctx context.Context, p plan.Plan, g plan.Given, b build.Build) error {
	return s.load(ctx, order{plan: p, given: g, build: b, trial: true})
}

// An order is a load somebody wants.
type order struct {
	plan     plan.Plan
	given    plan.Given
	build    build.Build
	trial    bool      // whether a fallback may be loaded in the plan's place
	fellBack *FellBack // what the plan is loaded in place of, nil for none
	compared bool      // for Compare
	after    int       // the number of the wish it follows from, after which nobody may have had another; 0 for none
}

func (s *Supervisor) load(ctx context.Context, o order) error {
	p, g, b := o.plan, o.given, o.build
	ctx, end, err := s.begin(ctx, loading, o.after)
	if err != nil {
		return err
	}
	defer end()
	if err := s.stop(s.patience); err != nil {
		return s.fail(err)
	}
	s.advance(ctx, func(state *State) {
		*state = State{Phase: Checking, Model: g.Model, Given: g, Plan: p, Build: b, Progress: -1, FellBack: o.fellBack, Compared: o.compared, unseen: estimateOnce(p, g)}
	})
	g, p, err = s.check(ctx, p, g, b)
	if err == nil {
		s.advance(ctx, func(state *State) {
			state.Model, state.Given, state.Plan, state.unseen = g.Model, g, p, estimateOnce(p, g)
		})
		if o.trial {
			err = s.try(ctx, p, g, b)
		} else {
			err = s.start(ctx, p, b)
		}
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
// of it is left, or somebody wants something else.
func (s *Supervisor) Unload() {
	_, end, err := s.begin(context.Background(), unloading, 0)
	if err != nil {
		return
	}
	defer end()
	if err := s.stop(s.patience); err != nil {
		s.fail(err)
		return
	}
	s.clear()
}

// Close is Unload for good. The engine has ended within 3 s, or is killed when
// ctx ends before. The error is ErrStuck where the system does not let go of a load.
func (s *Supervisor) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	context.AfterFunc(ctx, s.hurry)
	waiting, done := context.WithTimeoutCause(context.Background(), stuckTime, ErrStuck)
	defer done()
	_, end, err := s.begin(waiting, closing, 0)
	if errors.Is(err, ErrClosed) {
		return nil
	}
	if err != nil {
		return err
	}
	defer end()
	if err := s.stop(ctx); err != nil {
		return s.fail(err)
	}
	s.clear()
	return nil
}

const (
	// closeTime leaves a second for the kernel to end a killed engine.
	closeTime = 2 * time.Second
	// stuckTime is how long a load that closing gives up may take to end what it has
	// started: a second and a half, and the kernel's time. It is not ctx's, for it is
	// the load that kills its engine.
	stuckTime = 4 * time.Second
)

// A wish is what somebody wants of the engine.
type wish int

const (
	loading wish = iota
	unloading
	closing // after which there is nothing to wish for
)

// begin ends whatever is under way and waits until it has ended, or ctx has. The
// context is the caller's turn: it ends when somebody else wants something. With after
// it is ErrNotReady when somebody has wanted something since that wish.
func (s *Supervisor) begin(ctx context.Context, w wish, after int) (context.Context, func(), error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, nil, ErrClosed
	}
	if after != 0 && after != s.wishes {
		s.mu.Unlock()
		return nil, nil, ErrNotReady
	}
	s.wishes++
	s.cancel()
	ctx, cancel := context.WithCancel(ctx)
	s.cancel = cancel
	s.closed = w == closing
	if phase := s.state.Phase; w != loading && (phase == Checking || phase == Loading || phase == Proving) {
		s.change(func(state *State) { state.Phase = Stopping })
	}
	s.mu.Unlock()

	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
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

// check reads the headers of the plan's files, which may have changed since they
// were listed, completes the plan and holds it against the rules.
func (s *Supervisor) check(ctx context.Context, p plan.Plan, g plan.Given, b build.Build) (plan.Given, plan.Plan, error) {
	g, err := s.reread(ctx, p, g)
	if err != nil {
		return g, p, err
	}
	if err := b.Err(); err != nil {
		return g, p, err
	}
	g.Build = b.Number
	// The engine crashes where a server does not answer.
	if err := build.Reach(ctx, p.RPCServers); err != nil {
		return g, p, err
	}
	// Looking for devices takes a moment: only when something is chosen by them. One
	// that is gone the engine refuses before it reads the model.
	if complete, _ := plan.Complete(p, g); complete != p {
		if g.Devices, err = b.DevicesWith(ctx, p.RPCServers); err != nil {
			return g, p, err
		}
		p, _ = plan.Complete(p, g)
	}
	if verdict := plan.Check(p, g); !verdict.Valid() {
		return g, p, &RefusedError{Findings: verdict.Refusals}
	}
	return g, p, nil
}

// reread reads the headers of the model and of the files the plan names beside it.
// Where ctx ends it is left behind: a file on a mount that hangs is never read.
func (s *Supervisor) reread(ctx context.Context, p plan.Plan, g plan.Given) (plan.Given, error) {
	type result struct {
		given plan.Given
		err   error
	}
	done := make(chan result, 1)
	go func() {
		given, err := reread(s.read, p, g)
		done <- result{given, err}
	}()
	select {
	case r := <-done:
		return r.given, r.err
	case <-ctx.Done():
		return g, context.Cause(ctx)
	}
}

func reread(read func(path string) (gguf.Facts, error), p plan.Plan, g plan.Given) (plan.Given, error) {
	model, err := read(p.ModelPath)
	if err != nil {
		return g, err
	}
	g.Model = model
	g.Beside = slices.Clone(g.Beside)
	for _, path := range []string{p.DraftPath, p.Projector(), p.LoRAPath} {
		if path == "" {
			continue
		}
		f, err := read(path)
		if err != nil {
			return g, err
		}
		if i := slices.IndexFunc(g.Beside, func(f gguf.Facts) bool { return f.Path == path }); i >= 0 {
			g.Beside[i] = f
		} else {
			g.Beside = append(g.Beside, f)
		}
	}
	return g, nil
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
		return instance.Stop(s.patience)
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
