package cli

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"paddock/config"
	"paddock/engine"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/plan"
	"paddock/words"
)

// stopTime is how long the engine may take to end.
const stopTime = 5 * time.Second

// stallTime is how long loading may be silent: the engine's own limit, but in
// tests.
var stallTime time.Duration

// start loads a plan as load does. The supervisor is for stop, also beside an error.
func (s *session) start(c checkup, b build.Build) (*engine.Supervisor, error) {
	store, err := s.store()
	if err != nil {
		return nil, err
	}
	supervisor := engine.New(engine.Options{
		RuntimeDir: store.Folders().Runtime, LogDir: store.Folders().Log, StallTime: stallTime,
	})
	return supervisor, s.load(supervisor, c.plan, c.given, b)
}

// load loads a plan, and says where what its cautions fall back to is loaded
// instead, which is remembered.
func (s *session) load(supervisor *engine.Supervisor, p plan.Plan, g plan.Given, b build.Build) error {
	shown := &loading{session: s, progress: newProgress(s.stderr)}
	stop := supervisor.Watch(shown.show)
	err := supervisor.Load(s.ctx, p, g, b)
	stop()
	state := supervisor.State()
	shown.end(state)
	if err != nil {
		return err
	}
	if fell := state.FellBack; fell != nil && fell.Lasting() {
		store, err := s.store()
		if err == nil {
			err = config.OpenTrials(store.Folders().Cache).Put(trialOf(g.Model, b, g.Devices), fell.Foreseen.Trial)
		}
		if err != nil {
			s.log.WithError(err).Warn("what failed is not kept")
		}
	}
	return nil
}

// trialOf is what a model is tried with.
func trialOf(f gguf.Facts, b build.Build, devices []build.Device) config.Trial {
	t := config.Trial{Model: f.Path, SizeBytes: f.SizeBytes, Build: b.ID}
	for _, d := range devices {
		t.Devices = append(t.Devices, d.Name)
	}
	return t
}

// stop ends the engine, also when the command was interrupted.
func (s *session) stop(supervisor *engine.Supervisor) {
	if warning := supervisor.State().Warning; warning != nil {
		s.log.WithError(warning).Warn("engine log")
		s.complain(words.Error(warning))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), stopTime)
	defer cancel()
	if err := supervisor.Close(ctx); err != nil {
		s.complain(words.Error(err))
	}
}

// A loading tells a person how a load goes, on whatever goroutine that comes from.
type loading struct {
	session  *session
	progress *progress

	mu    sync.Mutex
	said  *engine.FellBack
	ended bool
}

func (l *loading) show(state engine.State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	l.say(state.FellBack)
	if state.Phase == engine.Loading || state.Phase == engine.Proving {
		l.progress.show(string(state.Phase), state.Progress)
	}
}

// end shows nothing more; what was missed of the last state is said.
func (l *loading) end(last engine.State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.say(last.FellBack)
	l.progress.clear()
}

func (l *loading) say(fell *engine.FellBack) {
	if fell == nil || fell == l.said {
		return
	}
	l.said = fell
	l.progress.clear()
	l.session.complain(words.Of("cli.chat.fallback", map[string]any{
		"Message": words.Error(fell.Err).Message, "Flags": words.Shell(flagsOf(fell.From, fell.To)),
	}))
}

// A progress shows how far loading is, on a terminal only.
type progress struct {
	out   io.Writer
	shown bool
}

func newProgress(out io.Writer) *progress {
	if !isTerminal(out) {
		return &progress{}
	}
	return &progress{out: out}
}

// clearLine goes back to the start of a terminal's line and empties it.
const clearLine = "\r\x1b[K"

// show says which phase a load is in and how far, negative when that is not known.
func (p *progress) show(phase string, done float64) {
	if p.out == nil {
		return
	}
	p.shown = true
	text := words.T("cli.phase." + phase)
	if done >= 0 {
		text = fmt.Sprintf("%s %d %%", text, int(done*100))
	}
	fmt.Fprint(p.out, clearLine+text)
}

func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.out, clearLine)
	}
}
