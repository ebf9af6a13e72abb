package engine

import (
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"paddock/engine/build"
	"paddock/engine/client"
	"paddock/engine/plan"
	"paddock/engine/server"
)

// A FellBack is what became of a plan that failed: another one was loaded in its
// place. It is never changed once it is in a state.
type FellBack struct {
	From, To  plan.Plan
	Foreseen  plan.Finding // the caution that came true; without a rule when none foresaw it
	OnRequest bool         // From was loaded, and a request failed while it guessed ahead
	Err       error        // why From failed: a *server.Failure, or a *client.Error when OnRequest
}

// Lasting says whether the same is to be expected the next time: not where memory
// was short or somebody killed the engine, nor where no rule can be remembered.
func (f *FellBack) Lasting() bool {
	var failure *server.Failure
	if f.Foreseen.Rule == "" || !errors.As(f.Err, &failure) {
		return false
	}
	return !slices.Contains([]server.FailureKind{server.OutOfMemory, server.OutOfDeviceMemory, server.Killed, server.NeverReady}, failure.Kind)
}

// WithoutSpeculation says whether the model runs without guessing ahead because a
// request failed while it did.
func (s State) WithoutSpeculation() bool { return s.FellBack != nil && s.FellBack.OnRequest }

// otherCauses are the failures no setting is at fault for.
var otherCauses = []server.FailureKind{
	server.EngineMissing, server.NotExecutable, server.ModelMissing, server.ModelUnreadable, server.ModelCorrupt,
	server.UnknownArchitecture, server.MissingPart, server.WrongKind, server.EngineIncomplete, server.TemplateBroken,
	server.FileLost, server.UnsupportedCPU, server.SocketPathTooLong, server.SocketGone, server.RuntimeFolder,
	server.WrongModel, server.Killed, server.Cancelled,
}

// bySettings says whether another choice of settings could do better than the one
// that failed, and how it failed.
func bySettings(err error) (*server.Failure, bool) {
	var failure *server.Failure
	return failure, errors.As(err, &failure) && !slices.Contains(otherCauses, failure.Kind)
}

// Fallbacks are what to load in the place of a plan that failed with err, in the
// order of their cautions; none when no caution foresaw a failure, or the failure is
// no matter of settings.
func Fallbacks(p plan.Plan, g plan.Given, err error) []plan.Alternative {
	if _, ok := bySettings(err); !ok {
		return nil
	}
	return plan.Alternatives(p, g)
}

// try starts a plan, and where cautions foresaw that it may fail and it does, what
// they fall back to, one after another. The error is that of the last start.
func (s *Supervisor) try(ctx context.Context, p plan.Plan, g plan.Given, b build.Build) error {
	failure := s.start(ctx, p, b)
	if failure == nil {
		return nil
	}
	err := failure
	for _, alternative := range s.fallbacks(p, g, failure) {
		if _, ok := bySettings(err); !ok || ctx.Err() != nil {
			return err
		}
		fell := &FellBack{From: p, To: alternative.Plan, Foreseen: alternative.Foreseen, Err: failure}
		s.advance(ctx, func(state *State) {
			*state = State{Phase: Checking, Model: g.Model, Given: g, Plan: fell.To, Build: b, Progress: -1, FellBack: fell, unseen: estimateOnce(fell.To, g)}
		})
		if err = s.start(ctx, fell.To, b); err == nil {
			if fell.Lasting() {
				s.advance(ctx, func(state *State) {
					state.Given.Failed = append(slices.Clone(g.Failed), fell.Foreseen.Trial)
				})
			}
			return nil
		}
	}
	return err
}

// A RetryOption is a load without a part that may be at fault.
type RetryOption struct {
	Label string // key of a button's text
	Plan  plan.Plan
}

// RetryOptions are plans without the part of p that a failure speaks of: guessing
// ahead, or vision. Where it speaks of neither, each is a way out. There is none
// when the failure is no matter of settings, or the plan has neither part.
func RetryOptions(p plan.Plan, g plan.Given, err error) []RetryOption {
	failure, ok := bySettings(err)
	if !ok {
		return nil
	}
	words := wordsOf(failure, p)
	ofGuessing, ofVision := guessingWords.MatchString(words), visionWords.MatchString(words)
	if !ofGuessing && failure.Kind == server.PictureFailed {
		ofVision = true
	}
	if !ofGuessing && !ofVision {
		ofGuessing, ofVision = true, true
	}
	options := map[bool][]RetryOption{} // by whether the failure speaks of the part
	add := func(spokenOf bool, o RetryOption) {
		if o.Label != "" && plan.Check(o.Plan, g).Valid() {
			options[spokenOf] = append(options[spokenOf], o)
		}
	}
	add(ofGuessing, unguessing(p))
	add(ofVision, seeingLess(p))
	if named := options[true]; len(named) > 0 {
		return named
	}
	return options[false]
}

// The engine's words when it speaks of guessing ahead, and of vision. In its names
// words are joined by underscores: "clip_init".
var (
	guessingWords = regexp.MustCompile(`(?i)(^|[^a-z])(drafts?|mtp|speculative|speculation|spec)([^a-z]|$)`)
	visionWords   = regexp.MustCompile(`(?i)(^|[^a-z])(mmproj|clip|mtmd|images?|pictures?|vision)([^a-z]|$)`)
	fileNames     = regexp.MustCompile(`\S*/\S*|\S+\.gguf\S*`)
)

// wordsOf are the engine's own words for a failure, without the names of files:
// those may be called anything.
func wordsOf(failure *server.Failure, p plan.Plan) string {
	var answer *client.Error
	said := failure.Reason
	switch {
	case said != "" || failure.Err == nil:
	case errors.As(failure.Err, &answer):
		said = answer.Message // without what it was asked for
	default:
		said = failure.Err.Error()
	}
	for _, path := range []string{p.ModelPath, p.DraftPath, p.Projector(), p.LoRAPath} {
		if path != "" {
			said = strings.ReplaceAll(strings.ReplaceAll(said, path, " "), filepath.Base(path), " ")
		}
	}
	return fileNames.ReplaceAllString(said, " ")
}

// unguessing is a plan without guessing ahead.
func unguessing(p plan.Plan) RetryOption {
	if len(p.SpecMethods()) == 0 {
		return RetryOption{}
	}
	label := "retry.withoutDraft"
	if p.Speculates(plan.SpecMTP) {
		label = "retry.withoutMTP"
	}
	return RetryOption{label, p.WithoutSpec()}
}

// seeingLess is a plan with its projector on the processor, or without it where it
// is there already.
func seeingLess(p plan.Plan) RetryOption {
	if p.Projector() == "" {
		return RetryOption{}
	}
	if len(p.DeviceIDs()) > 0 && p.ProjectorDevice != plan.ProjectorCPU {
		p.ProjectorDevice = plan.ProjectorCPU
		return RetryOption{"retry.visionOnCPU", p}
	}
	p.ProjectorPath, p.ProjectorDevice = plan.NoProjector, ""
	return RetryOption{"retry.withoutVision", p}
}
