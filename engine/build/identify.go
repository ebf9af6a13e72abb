package build

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// How long an engine may take to answer. Looking for devices starts graphics
// drivers, which is slow the first time.
const (
	versionLimit = 10 * time.Second
	devicesLimit = 60 * time.Second
	childLimit   = 60 * time.Second
)

// Identify says what the engine at a path is: it asks for its version and its
// devices, and sees whether it can report the progress of loading. It never
// fails: a build that can't be used says so in its Problem.
func Identify(ctx context.Context, path string, source Source) Build {
	b := Build{Path: path, Source: source, Backends: []string{}}
	if absolute, err := filepath.Abs(path); err == nil {
		b.Path = absolute
	}
	fail := func(err *Error) Build {
		b.failure, b.Problem = err, string(err.Problem)
		b.ID = id(b)
		return b
	}

	var problem *Error
	if b.Path, problem = resolve(b.Path); problem != nil {
		return fail(problem)
	}
	answer := b.run(ctx, versionLimit, nil, "--version")
	if answer.err != nil {
		return fail(answer.problem(b.Path, ExitsAtOnce, ExitsAtOnce))
	}
	if b.Version, b.Number = parseVersion(answer.both()); b.Number == 0 {
		return fail(&Error{Problem: NoVersion, Path: b.Path, Detail: firstError(answer.both())})
	}
	b.ID = id(b)

	listing := b.list(ctx)
	if listing.err != nil {
		return fail(listing.problem(b.Path, ListingFailed, ListingCrashed))
	}
	b.Backends = backends(listing)
	start := b.startWithoutModel(ctx)
	if lacksCPU(start.both()) {
		return fail(&Error{Problem: Incomplete, Path: b.Path})
	}
	b.Proven = true
	b.ChildMode = strings.Contains(start.stdout, `cmd_child_to_router:state:{"state":"loading"`)
	return b
}

// id names a build. A path is part of it where several of a source can be.
func id(b Build) string {
	name := fmt.Sprintf("%s-%d", b.Source, b.Number)
	if b.Source == Added {
		name += fmt.Sprintf("-%x", sha256.Sum256([]byte(b.Path)))[:7]
	}
	return name
}

// Versions as llama.cpp has printed them: "version: 0.7.0 (build 11669, commit
// Debian)" since it has releases, "version: 9219 (0123abc)" before. A build made
// without git says 0.
var (
	releaseLine = regexp.MustCompile(`(?m)^version: (\S+) \(build b?(\d+)\b`)
	numberLine  = regexp.MustCompile(`(?m)^version: b?(\d+) \(`)
)

// parseVersion reads what --version prints. Number 0 means that it doesn't say.
func parseVersion(text string) (version string, number int) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	digits := ""
	if found := releaseLine.FindStringSubmatch(text); found != nil {
		version, digits = found[1], found[2]
	} else if found := numberLine.FindStringSubmatch(text); found != nil {
		version, digits = "b"+found[1], found[1]
	}
	number, err := strconv.Atoi(digits)
	if err != nil {
		return "", 0
	}
	return version, number
}

var loadedBackend = regexp.MustCompile(`load_backend: loaded (\S+) backend from`)

// backends are the backends that were loaded, as the engine names them, the CPU
// last. An engine with all of them built in logs nothing of the kind: then it
// has the CPU and what its devices are called.
func backends(listing answer) []string {
	var names []string
	for _, found := range loadedBackend.FindAllStringSubmatch(listing.both(), -1) {
		names = append(names, found[1])
	}
	for _, device := range ParseDevices(listing.stdout) {
		names = append(names, strings.TrimRight(device.ID, "0123456789"))
	}
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "CPU" })
	return append(names, "CPU")
}

// startWithoutModel tries llama.cpp's child mode, by which a router watches the
// servers it started: asked for a model that can't be, a build that has it says
// on stdout that it is loading. It is an internal protocol, so it is looked for
// and not concluded from a number. Its log says what it computes with.
func (b Build) startWithoutModel(ctx context.Context) answer {
	noModel := filepath.Join(os.DevNull, "none.gguf")
	return b.run(ctx, childLimit, []string{"LLAMA_SERVER_ROUTER_PORT=1"},
		"-lv", "4", "-m", noModel, "--offline", "--host", "127.0.0.1", "--port", "0")
}

// systemInfo is what a start logs of every backend there is: "system_info:
// n_threads = 8 | CUDA : ARCHS = 890 | CPU : AVX2 = 1 | ". Builds of 2024 have
// features only, without the backend's name: those it does not match.
var systemInfo = regexp.MustCompile(`(?m)system_info: [^|\n]*\|[ \t]*(\w+ : .*)?\r?$`)

// lacksCPU says whether a start has told its backends, and none is the processor's,
// without which it loads no model. What a log lacks proves nothing: an engine that
// exits at once loses the end of it.
func lacksCPU(log string) bool {
	told := systemInfo.FindStringSubmatch(log)
	return told != nil && !strings.Contains(told[1], "CPU : ")
}
