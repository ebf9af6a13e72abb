package build

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// An answer is what a short run of the engine printed, and how it ended.
type answer struct {
	stdout string
	stderr string
	err    error
}

func (a answer) both() string { return a.stdout + "\n" + a.stderr }

// run calls llama-server as Run does. It is killed when it takes longer than
// limit.
func (b Build) run(ctx context.Context, limit time.Duration, env []string, args ...string) answer {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	stdout, stderr, err := b.Run(ctx, "llama-server", env, args...)
	return answer{stdout, stderr, err}
}

// Run makes the call Command is, with env added to its environment and its stdin
// an open pipe, waits for its end, and returns the beginning of what it printed.
// It is killed when ctx ends, whose error is returned then; what it started is
// killed in any case.
func (b Build) Run(ctx context.Context, tool string, env []string, args ...string) (stdout, stderr string, err error) {
	var out, errs head
	cmd := b.Command(ctx, tool, args...)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second // something it started may hold the pipes open
	if _, err := cmd.StdinPipe(); err != nil {
		return "", "", err
	}
	OwnGroup(cmd)
	cmd.Cancel = func() error {
		EndGroup(cmd.Process)
		return nil
	}
	err = cmd.Run()
	if cmd.Process != nil {
		EndGroup(cmd.Process)
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return out.kept.String(), errs.kept.String(), err
}

// problem turns a run that failed into an error: failed when the engine ended
// with an error of its own, crashed when it was ended by a signal.
func (a answer) problem(path string, failed, crashed Problem) *Error {
	e := &Error{Problem: failed, Path: path, Detail: firstError(a.stderr + "\n" + a.stdout), Err: a.err}
	var exit *exec.ExitError
	switch {
	case errors.Is(a.err, context.DeadlineExceeded), errors.Is(a.err, context.Canceled):
		e.Problem = TimedOut
	case gone(path): // since it was found
		e.Problem, e.Detail = Missing, ""
	case errors.Is(a.err, fs.ErrPermission):
		e.Problem = NotExecutable
	case errors.Is(a.err, syscall.ENOEXEC), errors.Is(a.err, fs.ErrNotExist):
		// The file is there: what doesn't exist is the loader it names.
		e.Problem = WrongSystem
	case errors.As(a.err, &exit) && isCrash(exit.ExitCode()):
		e.Problem = crashed
	}
	return e
}

func gone(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// isCrash tells an end by a signal (-1, or 128 and the signal through a shell;
// on Windows a status from 0xC0000000) from an exit of the program's own will.
func isCrash(code int) bool { return code < 0 || code >= 128 }

var errorWords = regexp.MustCompile(`(?i)error|failed|assert|cannot|unable`)

// detailLimit is how much of an engine's own words an Error carries, in runes.
const detailLimit = 300

// firstError is the line that says why: the first that speaks of an error, for
// what follows it is fall-out; else the first there is.
func firstError(text string) string {
	var first string
	for line := range strings.Lines(text) {
		line = printable(line)
		if runes := []rune(line); len(runes) > detailLimit {
			line = string(runes[:detailLimit]) + "…"
		}
		if errorWords.MatchString(line) {
			return line
		}
		if first == "" {
			first = line
		}
	}
	return first
}

// headLimit is how much output of a short run is kept, in bytes. The program at
// a path a user gave may print without end.
const headLimit = 1 << 20

// A head keeps the first headLimit bytes written to it and drops the rest.
type head struct{ kept bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	if room := headLimit - h.kept.Len(); room > 0 {
		h.kept.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
