package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paddock/engine/build/buildtest"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/library"
)

// A result is what a call of paddock came to.
type result struct {
	status         int
	stdout, stderr string
}

// run calls paddock with a configuration of its own and the engine for tests.
func run(t *testing.T, args ...string) result {
	t.Helper()
	return runWith(t, t.Context(), Hooks{BundledEngine: buildtest.Path(t)}, args...)
}

func runWith(t *testing.T, ctx context.Context, hooks Hooks, args ...string) result {
	t.Helper()
	if hooks.Apps == nil {
		hooks.Apps = func() []library.App { return nil } // those of the machine are nobody's business
	}
	if !slices.Contains(args, "--config") {
		args = append([]string{"--config", configDir(t)}, args...)
	}
	var stdout, stderr bytes.Buffer
	status := Run(ctx, args, strings.NewReader(""), &stdout, &stderr, hooks)
	return result{status, stdout.String(), stderr.String()}
}

// configDir is short enough for a socket in it.
func configDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "cli")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func decode[T any](t *testing.T, r result) T {
	t.Helper()
	var v T
	decoder := json.NewDecoder(strings.NewReader(r.stdout))
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%v in %q (stderr %q)", err, r.stdout, r.stderr)
	}
	if decoder.More() {
		t.Fatalf("more than one document in %q", r.stdout)
	}
	return v
}

type failure struct {
	Error struct{ Kind, Message, Remedy string }
}

// wantFailure asserts one sentence on stderr and the same in the JSON.
func wantFailure(t *testing.T, r result, status int, kind string) {
	t.Helper()
	if r.status != status {
		t.Errorf("exit status %d, want %d (stderr %q)", r.status, status, r.stderr)
	}
	if strings.Count(r.stderr, "\n") != 1 || !strings.HasSuffix(r.stderr, "\n") || len(r.stderr) < 20 {
		t.Errorf("stderr is not one line: %q", r.stderr)
	}
	f := decode[failure](t, r)
	if f.Error.Kind != kind || f.Error.Message == "" || f.Error.Remedy == "" {
		t.Errorf("error %+v, want kind %q", f.Error, kind)
	}
	if !strings.Contains(r.stderr, f.Error.Message) {
		t.Errorf("stderr %q does not say %q", r.stderr, f.Error.Message)
	}
	if strings.Contains(f.Error.Message, "{{") || f.Error.Message == f.Error.Kind {
		t.Errorf("the sentence is not one: %q", f.Error.Message)
	}
}

func TestANameThatMeansNoModelHasItsSentence(t *testing.T) {
	tests := []struct {
		name, model, kind string
	}{
		{"a name nobody knows", "no-such-model", "cli.unknown-model"},
	}
	for _, test := range tests {
		for _, command := range []string{"check", "chat"} {
			t.Run(command+": "+test.name, func(t *testing.T) {
				args := []string{command, "--json", test.model}
				if command == "chat" {
					args = append(args, "hello")
				}
				wantFailure(t, run(t, args...), Failed, test.kind)
			})
		}
	}
}

func TestBadEnginesHaveTheirSentence(t *testing.T) {
	model := gguftest.Llama(t)
	tests := []struct {
		name, engine, kind string
	}{
		{"missing", filepath.Join(t.TempDir(), "gone"), "build.missing"},
		{"a folder without one", t.TempDir(), "build.folder"},
		{"an id nobody knows", "bundled-1", "build.unknownId"},
	}
	for _, test := range tests {
		for _, args := range [][]string{{"check", model}, {"chat", model, "hello"}, {"engines"}} {
			t.Run(args[0]+": "+test.name, func(t *testing.T) {
				wantFailure(t, run(t, append([]string{"--json", "--engine", test.engine}, args...)...), Failed, test.kind)
			})
		}
	}
}

func TestWrongUsageIsSaidInALine(t *testing.T) {
	model := gguftest.Llama(t)
	tests := map[string][]string{
		"a flag nobody knows":            {"check", model, "--colour"},
		"a command without its model":    {"check"},
		"a chat without a prompt":        {"chat", model},
		"an empty prompt":                {"chat", model, "  "},
		"a cache type that is none":      {"check", model, "--cache-k", "q3_0"},
		"layers that are no number":      {"check", model, "--gpu-layers", "most"},
		"a context below zero":           {"check", model, "--context=-1"},
		"a context of nothing":           {"check", model, "--context", "0"},
		"slots for nobody":               {"check", model, "--slots", "0"},
		"a command that is none":         {"bogus"},
		"a command with a slip":          {"open", "modles"},
		"an empty word":                  {""},
		"a context beyond all numbers":   {"check", model, "--context", "99999999999"},
		"a temperature below zero":       {"chat", model, "hello", "--temperature=-1"},
		"a device the engine hasn't got": {"check", model, "--devices", "CUDA7"},
		"a recorded machine not there":   {"devices", "--root", filepath.Join(t.TempDir(), "gone")},
	}
	for name, args := range tests {
		t.Run(name, func(t *testing.T) {
			wantFailure(t, run(t, append(args, "--json")...), WrongUsage, "cli.usage")
		})
	}
}

func TestWithoutJSONAnErrorIsOneLineAndNothingElse(t *testing.T) {
	r := run(t, "check", filepath.Join(t.TempDir(), "gone.gguf"))
	if r.status != Failed || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "gone.gguf") {
		t.Errorf("%+v", r)
	}
}

func TestHelpAndVersionEndWell(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"check", "--help"}, {"--version"}} {
		r := runWith(t, t.Context(), Hooks{Version: "1.2.3"}, args...)
		if r.status != Done || r.stdout == "" || r.stderr != "" {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if r := runWith(t, t.Context(), Hooks{Version: "1.2.3"}, "--version"); r.stdout != "paddock 1.2.3, no engine beside it\n" {
		t.Errorf("version %q", r.stdout)
	}
	r := runWith(t, t.Context(), Hooks{Version: "1.2.3"}, "--version", "--json")
	if v := decode[struct{ Version string }](t, r); v.Version != "1.2.3" || r.status != Done {
		t.Errorf("%+v", r)
	}
}

func TestTheWindowAndTheTourAreHandedOn(t *testing.T) {
	var window Request
	var tour TourRequest
	hooks := Hooks{
		Window: func(_ context.Context, r Request) error { window = r; return nil },
		Tour:   func(_ context.Context, r TourRequest) error { tour = r; return nil },
	}
	dir := configDir(t)

	r := runWith(t, t.Context(), hooks, "--config", dir, "--engine", "x", "-v", "a.gguf", "./b.png")
	if want := (Request{ConfigDir: dir, Engine: "x", Verbose: true}); r.status != Done ||
		!slices.Equal(window.Files, []string{"a.gguf", "./b.png"}) || window.ConfigDir != want.ConfigDir || window.Engine != want.Engine || !window.Verbose {
		t.Errorf("%+v, %+v", r, window)
	}
	window = Request{Files: []string{"unset"}}
	if r := runWith(t, t.Context(), hooks, "--config", dir); r.status != Done || len(window.Files) != 0 {
		t.Errorf("without files: %+v, %+v", r, window)
	}
	r = runWith(t, t.Context(), hooks, "--config", dir, "tour", "out", "--model", "m.gguf", "--shots")
	if r.status != Done || tour.Dir != "out" || tour.Model != "m.gguf" || !tour.Shots || tour.ConfigDir != dir {
		t.Errorf("%+v, %+v", r, tour)
	}
	hooks.Window = func(context.Context, Request) error { return errors.New("no display") }
	if r := runWith(t, t.Context(), hooks, "--config", dir); r.status != Failed || !strings.Contains(r.stderr, "no display") {
		t.Errorf("%+v", r)
	}
	wantFailure(t, runWith(t, t.Context(), hooks, "--json", "open"), Failed, "error.other")
}

func TestTheLogGoesToItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "paddock.log")
	if r := run(t, "--log", path, "-v", "check", gguftest.Llama(t)); r.status != Done {
		t.Fatalf("%+v", r)
	}
	if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "check") {
		t.Errorf("%q, %v", data, err)
	}
	bad := filepath.Join(t.TempDir(), "no", "such", "folder.log")
	wantFailure(t, run(t, "--json", "--log", bad, "devices"), Failed, "cli.log")
}
