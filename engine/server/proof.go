package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"paddock/engine/client"
)

// A Proof is what was seen before an engine was called ready: that it runs what
// was asked for, and that it answers.
type Proof struct {
	ContextTokens   int // of one slot
	Slots           int
	Speculative     bool
	BuildInfo       string  // "b11669-Debian"
	Text            string  // what it answered, may be empty when it chose tokens that are no text
	TokensPerSecond float64 // of the answer
	FirstToken      time.Duration
	LoadTime        time.Duration // from the start to the answer

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
		failure = i.answers(proving)
	}
	if failure == nil {
		failure = i.placed(proving)
	}
	switch {
	case failure == nil:
		return nil
	case ctx.Err() != nil:
		return cancelled(ctx)
	case i.process.waited(exitTime):
		return i.exitFailure(true)
	}
	if f := i.journalFailure(); f != nil {
		f.Err = failure.Err
		return f
	}
	return failure
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
		return failed(SettingIgnored, fmt.Errorf("%d slots instead of %d", len(slots), p.Slots))
	}
	speculative := false
	for _, slot := range slots {
		speculative = speculative || slot.Speculative
	}
	if speculative {
		return failed(SettingIgnored, errors.New("the engine drafts, and was not asked to"))
	}
	// The context is shared among the slots, each part rounded up.
	if got := props.ContextTokens * len(slots); got < p.ContextTokens {
		f := failed(ContextLowered, fmt.Errorf("%d tokens of context instead of %d", got, p.ContextTokens))
		f.AskedTokens, f.GotTokens = p.ContextTokens, got
		return f
	}
	i.proof = Proof{ContextTokens: props.ContextTokens, Slots: len(slots), Speculative: speculative, BuildInfo: props.BuildInfo}
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

// proofTokens are how long the answers of a proof are. Two tokens that are no
// text (parts of a character, marks of the model's own format) are no answer
// yet; the second question gives it more room.
var proofTokens = []int{2, 16}

// answers is whether the engine gives an answer that is text. The model may not
// end it: one that has nothing to say would prove nothing.
func (i *Instance) answers(ctx context.Context) *Failure {
	var answer client.Answer
	for _, tokens := range proofTokens {
		var err error
		answer, err = i.client.Chat(ctx, client.Request{
			Messages:    []client.Message{{Role: "user", Text: "Hello"}},
			MaxTokens:   tokens,
			Temperature: new(float64), // the likeliest token: the same proof every time
			IgnoreEnd:   true,
		}, nil)
		if err != nil {
			return failed(ProofFailed, fmt.Errorf("ask for an answer: %w", err))
		}
		if answer.Stop == client.StopCancelled {
			return failed(ProofFailed, fmt.Errorf("no answer within %v", i.options.ProofTime))
		}
		i.proof.Text = answer.Reasoning + answer.Text
		i.proof.TokensPerSecond, i.proof.FirstToken = answer.TokensPerSecond, answer.FirstToken
		i.proof.LoadTime = time.Since(i.started)
		if isText(i.proof.Text) {
			return nil
		}
	}
	switch {
	case answer.AnswerTokens == 0:
		return failed(ProofFailed, errors.New("the answer has no token"))
	case i.proof.Text != "":
		return failed(ProofFailed, fmt.Errorf("the answer is no text: %q", i.proof.Text))
	}
	// Tokens were computed, and all are marks that are not shown: a model that
	// was not made for conversation. Garbage shows.
	return nil
}

// isText is whether any character of an answer is one a person could read, or a
// space. What a broken computation gives is control characters, and bytes that
// are no character.
func isText(text string) bool {
	for _, r := range text {
		if unicode.IsSpace(r) || r != unicode.ReplacementChar && unicode.IsPrint(r) {
			return true
		}
	}
	return false
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
