package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"paddock/engine/client"
	"paddock/engine/plan"
)

// A Proof is what was seen before an engine was called ready: that it runs what
// was asked for, and that it keeps every promise of its plan. What belongs to
// another purpose, or to a part the plan has not, is zero.
type Proof struct {
	ContextTokens int // of one slot
	Slots         int
	Speculative   bool          // every slot guesses, as the plan asks
	BuildInfo     string        // "b11669-Debian"
	LoadTime      time.Duration // from the start to the end of the proof

	// Of a chat.
	Text            string        // what it answered, may be empty when it chose tokens that are no text
	TokensPerSecond float64       // of the answer
	FirstToken      time.Duration // from the question
	ImageProven     bool          // it answered about a picture, and then without one
	DraftedTokens   int           // of all the proof's answers together
	AcceptedTokens  int           // of these

	Dimensions int // numbers of a vector, where it makes embeddings

	Devices      []string // the log speaks of, beside the processor
	DeviceLayers int      // layers on devices; negative when the log does not say
	Layers       int      // of the model, as the log counts them
}

// prove asks a loaded engine who it is, what it runs, and for an answer.
func (i *Instance) prove(ctx context.Context) *Failure {
	proving, cancel := context.WithTimeout(ctx, i.options.ProofTime)
	defer cancel()
	// An engine that dies under a question ends it, and one that is told to stop
	// must not wait for it.
	go func() {
		select {
		case <-i.process.exited:
			cancel()
		case <-proving.Done():
		}
	}()
	failure := i.asked(proving)
	if failure == nil {
		failure = i.kept(proving)
	}
	if failure == nil {
		failure = i.placed(proving)
	}
	switch {
	case failure == nil:
		i.proof.LoadTime = time.Since(i.started)
		return nil
	case ctx.Err() != nil:
		return cancelled(ctx)
	case i.process.waited(exitTime):
		return duringPicture(failure, i.exitFailure(true))
	}
	if f := i.journalFailure(); f != nil {
		f.Err = failure.Err
		return f
	}
	return failure
}

// kept is whether the engine keeps the promise of its purpose.
func (i *Instance) kept(ctx context.Context) *Failure {
	switch i.options.Plan.Purpose {
	case plan.Embeddings:
		return i.embeds(ctx)
	case plan.Rerank:
		return i.ranks(ctx)
	}
	return i.chats(ctx)
}

// exitTime is how long a dying engine may take from the end of its answers to
// its own.
const exitTime = 300 * time.Millisecond

// asked is whether what runs is what was asked for.
func (i *Instance) asked(ctx context.Context) *Failure {
	p := i.options.Plan
	props, err := i.client.Props(ctx)
	if err != nil {
		return failed(ProofFailed, fmt.Errorf("ask what runs: %w", err))
	}
	slots, err := i.client.Slots(ctx)
	if err != nil {
		return failed(ProofFailed, fmt.Errorf("ask for slots: %w", err))
	}
	if !sameFile(props.ModelPath, p.ModelPath) {
		f := failed(WrongModel, fmt.Errorf("%q answers", props.ModelPath))
		f.Path = props.ModelPath
		return f
	}
	if len(slots) != p.Slots {
		return ignored("slots", fmt.Errorf("%d slots instead of %d", len(slots), p.Slots))
	}
	speculating := 0
	for _, slot := range slots {
		if slot.Speculative {
			speculating++
		}
	}
	// A draft that does not fit the model is loaded, and then dropped without a word.
	switch asks := len(p.SpecMethods()) > 0; {
	case asks && speculating < len(slots):
		return ignored("specTypes", fmt.Errorf("speculation (%s) is not running", p.SpecTypes))
	case !asks && speculating > 0:
		return failed(SettingIgnored, errors.New("the engine drafts, and was not asked to"))
	}
	if p.Projector() != "" && !props.Vision && !props.Audio {
		return ignored("projectorPath", errors.New("the projector is not running"))
	}
	i.sees = props.Vision
	// The context is shared among the slots, each part rounded up.
	if got := props.ContextTokens * len(slots); got < p.ContextTokens {
		f := failed(ContextLowered, fmt.Errorf("%d tokens of context instead of %d", got, p.ContextTokens))
		f.AskedTokens, f.GotTokens = p.ContextTokens, got
		return f
	}
	i.proof = Proof{ContextTokens: props.ContextTokens, Slots: len(slots), Speculative: speculating > 0, BuildInfo: props.BuildInfo}
	return nil
}

// placed is whether the log speaks against an engine that answers.
func (i *Instance) placed(ctx context.Context) *Failure {
	i.journal.settle(ctx)
	if f := i.journalFailure(); f != nil {
		return f
	}
	p, placed := i.options.Plan, i.journal.now().placed
	i.proof.Devices, i.proof.DeviceLayers, i.proof.Layers = placed.devices, placed.layers, placed.of
	if len(p.DeviceIDs()) > 0 && p.GPULayers != "0" && placed.layers == 0 {
		return failed(NotOnDevice, fmt.Errorf("0 of %d layers on %s", placed.of, p.Devices))
	}
	return nil
}

// journalFailure is an allocation that failed while the engine loaded on.
func (i *Instance) journalFailure() *Failure {
	kind, reason := starved(i.journal.errors())
	if kind == "" {
		return nil
	}
	f := failed(kind, nil)
	f.Reason = reason
	return f
}

// ignored is the failure of an engine that runs with another setting than that of
// the plan.
func ignored(setting string, err error) *Failure {
	f := failed(SettingIgnored, err)
	f.Setting = setting
	return f
}

// refused is the failure of an engine that does not keep a promise, with the
// engine's own words where it has any.
func refused(kind FailureKind, err error) *Failure {
	f := failed(kind, err)
	var said *client.Error
	if errors.As(err, &said) {
		f.Reason = said.Message
	}
	return f
}

// sameFile is whether the path an engine told is that of a file. Bytes of a name
// that are no UTF-8 are lost where it is told.
func sameFile(told, path string) bool {
	lost := func(r rune) bool { return r == utf8.RuneError }
	if slices.Equal(strings.FieldsFunc(told, lost), strings.FieldsFunc(path, lost)) {
		return true
	}
	one, err := os.Stat(told)
	two, err2 := os.Stat(path)
	return errors.Join(err, err2) == nil && os.SameFile(one, two)
}
