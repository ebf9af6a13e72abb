// Package engine runs models: it owns the one engine process a purpose has, and
// tells whoever watches what state it is in.
package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/client"
	"paddock/engine/gguf"
	"paddock/engine/plan"
	"paddock/engine/server"
)

// A Phase is where a model is between the user's click and an answer.
type Phase string

// The phases, in the order a load goes through them. Ready is only said after
// the proof: a real token came back, and what was asked for is what runs.
const (
	NotLoaded Phase = "not loaded"
	Checking  Phase = "checking" // reading the header, checking the plan
	Loading   Phase = "loading"
	Proving   Phase = "proving"
	Ready     Phase = "ready"
	Stopping  Phase = "stopping"
	Failed    Phase = "failed"
)

// A State is the engine at one moment. It is a value: the supervisor makes a new
// one for every change.
type State struct {
	Phase           Phase
	Model           gguf.Facts // Given.Model
	Given           plan.Given // what the plan was made for
	Plan            plan.Plan
	Build           build.Build
	Progress        float64 // 0 to 1 while loading; negative when the build does not tell
	TokensPerSecond float64 // of the latest answer long enough to tell; 0 before
	Err             error   // why it failed: a *server.Failure for everything the engine did
	LastWords       []string
	LogPath         string
	Actual          budget.Memory          // what the engine said it allocated, once it is Ready; no pools when its log does not tell
	Warning         error                  // the engine runs, but its log can't be written: a *server.LogError
	Compared        bool                   // Compare loaded it
	unseen          func() []budget.Memory // what is estimated of a start, worked out when it is first asked for; nil for not yet

	FellBack *FellBack // the plan is not the one that was asked for, which failed; nil when it is
}

// ErrNotReady is the error of a question to an engine that is not ready.
var ErrNotReady = errors.New("no model is ready")

// ErrClosed is the error of a load after Close.
var ErrClosed = errors.New("the supervisor is closed")

// ErrStuck is the error of a Close that something the system does not let go of, a
// file on a mount that hangs say, keeps from knowing that nothing is left.
var ErrStuck = errors.New("a load does not end")

// A RefusedError is a plan the rules refuse.
type RefusedError struct {
	Findings []plan.Finding // at least one
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the plan is refused by rule %s", e.Findings[0].Rule)
}

// Options are where a supervisor's engines keep their files.
type Options struct {
	RuntimeDir string // sockets and key files; a short path
	LogDir     string

	StallTime time.Duration // how long loading may be silent; 0 for the usual time
}

// A Supervisor owns the one engine process of a purpose. Its methods are safe from
// any goroutine. Some take seconds, so none is for a UI's.
type Supervisor struct {
	options Options
	turn    chan struct{} // held by whoever starts or stops an engine

	patience context.Context // of what stops an engine; ends when closing must wait no longer
	hurry    context.CancelFunc

	read      func(path string) (gguf.Facts, error)                 // gguf.Read, but in tests
	fallbacks func(plan.Plan, plan.Given, error) []plan.Alternative // Fallbacks, but in tests
	guessing  sync.Mutex                                            // held by whoever has an engine stop guessing

	mu       sync.Mutex
	state    State
	watchers map[*watcher]struct{}
	instance *server.Instance   // the engine of the state, nil without one
	cancel   context.CancelFunc // ends what was asked for last
	wishes   int                // how many there have been
	answers  int                // being written for callers of Chat
	closed   bool
}

// New is a supervisor without a model.
func New(options Options) *Supervisor {
	patience, hurry := context.WithCancel(context.Background())
	return &Supervisor{
		options:   options,
		turn:      make(chan struct{}, 1),
		patience:  patience,
		hurry:     hurry,
		read:      gguf.Read,
		fallbacks: Fallbacks,
		state:     State{Phase: NotLoaded},
		watchers:  map[*watcher]struct{}{},
		cancel:    func() {},
	}
}

// State is the engine now.
func (s *Supervisor) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// change makes a new state and tells the watchers. s.mu is held.
func (s *Supervisor) change(edit func(*State)) {
	edit(&s.state)
	for w := range s.watchers {
		w.put(s.state)
	}
}

// tellingTokens is how long an answer must be for its speed to mean something:
// the first tokens after a load run on cold memory.
const tellingTokens = 8

// Chat asks the loaded model for an answer, as client.Chat does. A request that
// fails while the engine guesses ahead is repeated once on one that does not, and
// the state says so. When the engine ends under a request, the error is its
// *server.Failure and the state is Failed. Without a loaded model it is ErrNotReady.
func (s *Supervisor) Chat(ctx context.Context, request client.Request, each func(client.Delta)) (client.Answer, error) {
	s.mu.Lock()
	instance, guesses := s.instance, len(s.state.Plan.SpecMethods()) > 0
	s.answers++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.answers--
	}()
	answer, err := s.askOf(ctx, instance, request, each)
	if guesses && failedGuessing(answer, err) {
		return s.repeat(ctx, instance, request, each, err)
	}
	return answer, err
}

// ask asks whichever engine is loaded now.
func (s *Supervisor) ask(ctx context.Context, request client.Request, each func(client.Delta)) (client.Answer, error) {
	s.mu.Lock()
	instance := s.instance
	s.mu.Unlock()
	return s.askOf(ctx, instance, request, each)
}

// askOf asks one engine, nil for none, and takes note of how it fared.
func (s *Supervisor) askOf(ctx context.Context, instance *server.Instance, request client.Request, each func(client.Delta)) (client.Answer, error) {
	if instance == nil {
		return client.Answer{Stop: client.StopBroken}, ErrNotReady
	}
	answer, err := instance.Chat(ctx, request, each)
	var failure *server.Failure
	if errors.As(err, &failure) {
		s.ended(instance, failure)
		return answer, err
	}
	if answer.AnswerTokens >= tellingTokens {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.instance == instance {
			s.change(func(state *State) { state.TokensPerSecond = answer.TokensPerSecond })
		}
	}
	return answer, err
}
