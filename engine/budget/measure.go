package budget

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"paddock/engine/build"
	"paddock/engine/plan"
	"paddock/engine/server"
)

const (
	mib          = 1 << 20
	measureLimit = 30 * time.Second // a driver may compile shaders the first time
)

// A Problem is one way measuring fails.
type Problem string

// The problems.
const (
	NoTool   Problem = "no-tool"  // the build has nothing to measure with
	Rejected Problem = "rejected" // the engine refused the model or the settings, or crashed
	NoAnswer Problem = "no-answer"
	TimedOut Problem = "timed-out"
)

// An Error says why a plan could not be measured.
type Error struct {
	Problem   Problem
	ModelPath string
	Build     string // id of the engine build
	Detail    string // the engine's own first error line
	Err       error  // a *server.Failure where no load of these files can succeed
}

func (e *Error) Error() string {
	text := fmt.Sprintf("measure %s with %s: %s", e.ModelPath, e.Build, e.Problem)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// Measure asks the build what exactly a complete plan needs. It reads headers
// only: well under a second whatever the size. llama-server says it itself when
// it is to fit a plan into memory, before it loads anything, and counts drafts
// and projectors too; it is ended as soon as it has. Builds that do not are asked
// through llama-fit-params. Under tensor split the engine has one line for all
// devices together, so the estimate, which knows each one's share, is what there
// is: see Memory.Source. The error is an *Error, or ctx's own when that ended.
func Measure(ctx context.Context, b build.Build, r Request) (Memory, error) {
	if r.Plan.Split() == "tensor" {
		return Estimate(r), ctx.Err()
	}
	limited, cancel := context.WithTimeout(ctx, measureLimit)
	defer cancel()
	answer, log := fitting(limited, b, r.Plan)
	switch {
	case answer.complete:
		return answer.memory(r), nil
	case ctx.Err() != nil:
		return Memory{}, ctx.Err()
	}
	if fault := server.Fault(log, r.Plan); fault != nil {
		fault.EnginePath = b.Path
		return Memory{}, &Error{Rejected, r.Model.Path, b.ID, fault.Reason, fault}
	}
	return measureByTool(ctx, limited, b, r)
}

const tool = "llama-fit-params"

// measureByTool asks llama-fit-params, which knows neither drafts nor projectors
// (answer.memory counts drafts) and always counts a batch whose every token is
// answered: what that takes beyond the plan's own batches is taken off again, by
// the simulation.
func measureByTool(ctx, limited context.Context, b build.Build, r Request) (Memory, error) {
	// Weights repacked for the processor are not counted by the tool: without
	// --no-repack most of a model vanishes.
	args := append(plan.MemoryArguments(r.Plan), "-fitp", "on", "--no-repack")
	stdout, stderr, err := b.Run(limited, tool, nil, args...)
	if ctx.Err() != nil {
		return Memory{}, ctx.Err()
	}
	fail := func(problem Problem) (Memory, error) {
		return Memory{}, &Error{problem, r.Model.Path, b.ID, firstError(stderr), err}
	}
	switch {
	case limited.Err() != nil:
		return fail(TimedOut)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound),
		strings.Contains(stderr, tool+": cannot open shared object file"): // a bundle's loader says it so
		return fail(NoTool)
	case err != nil:
		if fault := server.Fault(stderr, r.Plan); fault != nil {
			fault.EnginePath, err = b.Path, fault
		}
		return fail(Rejected)
	}
	var a answer
	for line := range strings.Lines(stdout) {
		a.toolLine(line)
	}
	if len(a.contexts) == 0 {
		return fail(NoAnswer)
	}
	m := a.memory(r)
	m.addUnmeasured(r)
	return m, nil
}

// addUnmeasured corrects what llama-fit-params says by what it does not know.
func (m *Memory) addUnmeasured(r Request) {
	own, all := newEstimate(r), newEstimate(r)
	all.target.outputs, _ = r.Plan.Batch()
	own.compute(own.target)
	all.compute(all.target)
	own.encoder()
	for i, slices := range own.memory().Pools {
		pool := m.pool(slices.ID)
		pool.Slices[Compute] -= min(pool.Slices[Compute], all.slices[i][Compute]-min(all.slices[i][Compute], slices.Slices[Compute]))
		pool.Slices[Projector] += slices.Slices[Projector]
		pool.NeededBytes = pool.Slices.Total()
	}
}

// An error in the engine's log ("0.00.036.452 E gguf_init_from_file: …"), what it
// says about its arguments, or what it dies of: then the log may be lost.
var errorLine = regexp.MustCompile(`^(?:[\d.]+ E |error: |what\(\): +)(.*)$`)

func firstError(log string) string {
	for line := range strings.Lines(log) {
		if found := errorLine.FindStringSubmatch(strings.TrimSpace(line)); found != nil {
			return found[1]
		}
	}
	return ""
}
