package budget

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/plan"
)

const (
	tool         = "llama-fit-params"
	mib          = 1 << 20
	measureLimit = 30 * time.Second // a driver may compile shaders the first time
)

// A Problem is one way measuring fails.
type Problem string

// The problems.
const (
	NoTool   Problem = "no-tool"  // the build has no llama-fit-params beside it
	Rejected Problem = "rejected" // the tool refused the model or the settings, or crashed
	NoAnswer Problem = "no-answer"
	TimedOut Problem = "timed-out"
)

// An Error says why a plan could not be measured.
type Error struct {
	Problem   Problem
	ModelPath string
	Build     string // id of the engine build
	Detail    string // the tool's own first error line
	Err       error
}

func (e *Error) Error() string {
	text := fmt.Sprintf("measure %s with %s: %s", e.ModelPath, e.Build, e.Problem)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// Measure asks the build's llama-fit-params what a complete plan needs. It reads
// the model's header only: well under a second whatever the size. The error is
// an *Error, or ctx's own when that ended.
func Measure(ctx context.Context, b build.Build, p plan.Plan, f gguf.Facts) (Memory, error) {
	limited, cancel := context.WithTimeout(ctx, measureLimit)
	defer cancel()
	// Weights repacked for the processor are not counted by the tool: without
	// --no-repack most of a model vanishes.
	args := append(plan.MemoryArguments(p), "-fitp", "on", "--no-repack")
	stdout, stderr, err := b.Run(limited, tool, nil, args...)
	if ctx.Err() != nil {
		return Memory{}, ctx.Err()
	}
	fail := func(problem Problem) (Memory, error) {
		return Memory{}, &Error{problem, f.Path, b.ID, firstError(stderr), err}
	}
	switch {
	case limited.Err() != nil:
		return fail(TimedOut)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound),
		strings.Contains(stderr, tool+": cannot open shared object file"): // a bundle's loader says it so
		return fail(NoTool)
	case err != nil:
		return fail(Rejected)
	}
	memory := parse(stdout)
	if len(memory.Pools) == 0 {
		return fail(NoAnswer)
	}
	return memory, nil
}

// A line of the tool: device, model, context and compute in MiB. A device's name
// may have blanks in other builds, so the numbers are taken from the end.
var fitLine = regexp.MustCompile(`^\s*(\S.*?)\s+(\d+)\s+(\d+)\s+(\d+)\s*$`)

func parse(text string) Memory {
	m := Memory{Source: Measured, Pools: []PoolNeed{}}
	for line := range strings.Lines(text) {
		found := fitLine.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		var bytes [3]uint64
		for i := range bytes {
			n, err := strconv.ParseUint(found[i+2], 10, 40)
			if err != nil {
				return Memory{}
			}
			bytes[i] = n * mib
		}
		pool := m.pool(poolID(found[1]))
		pool.Slices[Weights] += bytes[0]
		pool.Slices[KV] += bytes[1]
		pool.Slices[Compute] += bytes[2]
	}
	if len(m.Pools) > 0 {
		m.pool(RAM).Slices[Host] += plan.PromptCacheMiB * mib
	}
	for i := range m.Pools {
		m.Pools[i].NeededBytes = m.Pools[i].Slices.Total()
	}
	return m
}

// poolID is where the memory of one of the engine's buffers is. "Host" is memory
// for the devices to reach, in RAM like the processor's own.
func poolID(device string) string {
	if device == "Host" || strings.HasPrefix(device, "CPU") {
		return RAM
	}
	return device
}

// pool is the pool of an id, added when it is not there yet.
func (m *Memory) pool(id string) *PoolNeed {
	i := slices.IndexFunc(m.Pools, func(p PoolNeed) bool { return p.ID == id })
	if i < 0 {
		m.Pools = append(m.Pools, PoolNeed{ID: id, Slices: noSlices()})
		i = len(m.Pools) - 1
	}
	return &m.Pools[i]
}

// An error in the tool's log ("0.00.036.452 E gguf_init_from_file: …"), what it
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
