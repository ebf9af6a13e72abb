package cli

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"paddock/engine/build/buildtest"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
)

// wantSaid asserts a failure as wantFailure does, with what its sentence and its
// next step have to mention.
func wantSaid(t *testing.T, r result, kind, message, remedy string) {
	t.Helper()
	wantFailure(t, r, Failed, kind)
	f := decode[failure](t, r)
	if !strings.Contains(f.Error.Message, message) || !strings.Contains(f.Error.Remedy, remedy) {
		t.Errorf("%q, %q; want %q and %q in them", f.Error.Message, f.Error.Remedy, message, remedy)
	}
	if line := f.Error.Message + " " + f.Error.Remedy + "\n"; r.stderr != line {
		t.Errorf("stderr %q, want %q", r.stderr, line)
	}
}

// nextSteps are what the next step about a file has to mention.
var nextSteps = map[gguf.Problem]string{
	gguf.NotGGUF: "Choose a model in the GGUF format", gguf.Empty: "Download it again",
	gguf.Truncated: "Finish the download", gguf.Absurd: "Download it again", gguf.WrongEndian: "little-endian",
	gguf.MissingPart: "Put all parts into one folder", gguf.Directory: "Choose a file inside it", gguf.Missing: "Look in /",
}

func TestEveryBadFileIsSaidInALineWithItsNameAndTheNextStep(t *testing.T) {
	remedies := map[string]string{
		"a Git LFS pointer": "Download the model's own file", "a web page": "Download the model's own file",
		"a zip archive": "Unpack it",
	}
	for _, bad := range gguftest.BadFiles(t) {
		t.Run(bad.Name, func(t *testing.T) {
			remedy := remedies[bad.Name]
			if remedy == "" {
				remedy = nextSteps[bad.Problem]
			}
			kind, name := "file."+string(bad.Problem), filepath.Base(bad.Path)
			wantSaid(t, run(t, "--json", "check", bad.Path), kind, name, remedy)
			wantSaid(t, run(t, "--json", "chat", bad.Path, "hello"), kind, name, remedy)

			switch bad.Problem {
			case gguf.Directory:
				return // models lists what is in it
			}
			r := run(t, "--json", "models", bad.Path)
			wantSaid(t, r, kind, name, remedy)
			rows := decode[struct{ Models []modelRow }](t, r).Models
			if bad.Problem != gguf.Missing && (len(rows) != 1 || !strings.Contains(rows[0].Problem, name)) {
				t.Errorf("models: %+v", r)
			}
			// What is beside it and is a model makes it a list with a problem in it.
			good := gguftest.Llama(t)
			r = run(t, "--json", "models", good, bad.Path)
			if list := decode[[]modelRow](t, r); bad.Problem != gguf.Missing && (r.status != Done || len(list) != 2) || len(list) == 0 {
				t.Errorf("models beside one: %+v", r)
			}
		})
	}
}

// asNobody has a test without root's power to read everything, which tests often
// have: it is run in a process of its own, which becomes nobody. There asNobody
// returns true, and where nothing has to be given up.
func asNobody(t *testing.T) bool {
	t.Helper()
	const mark, nobody = "PADDOCK_TEST_AS_NOBODY", 65534
	switch {
	case os.Geteuid() != 0:
		return true
	case os.Getenv(mark) != "":
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
			t.Fatal(err)
		}
		return true
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), program, "-test.run=^"+t.Name()+"$", "-test.v")
	child.Env = append(os.Environ(), mark+"=1")
	said, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(said), "--- PASS: "+t.Name()) {
		t.Errorf("as nobody: %v\n%s", err, said)
	}
	return false
}

func TestWhatWeMayNotReadHasItsSentence(t *testing.T) {
	if !asNobody(t) {
		return
	}
	file := gguftest.Llama(t)
	folder := filepath.Join(t.TempDir(), "locked")
	inside := filepath.Join(folder, "inside.gguf")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(inside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, folder} {
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(folder, 0o700) })
	for _, test := range []struct {
		args                  []string
		kind, message, remedy string
	}{
		{[]string{"check", file}, "file.permission", "llama.gguf", "readable for you"},
		{[]string{"chat", file, "hello"}, "file.permission", "llama.gguf", "readable for you"},
		{[]string{"check", inside}, "file.permission", "inside.gguf", "its folder readable"},
		{[]string{"models", folder}, "folder.permission", folder, "Change its permissions"},
	} {
		args := append([]string{"--config", configDir(t), "--json"}, test.args...)
		r := runWith(t, t.Context(), Hooks{}, args...)
		wantSaid(t, r, test.kind, test.message, test.remedy)
	}
}

func TestEveryBadEngineIsSaidInALineWithItsNameAndTheNextStep(t *testing.T) {
	folder := t.TempDir()
	program := func(name, content string) string {
		path := filepath.Join(folder, name, "llama-server")
		if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		buildtest.Program(t, path, content)
		return path
	}
	plain := program("plain", "#!/bin/sh\n")
	if err := os.Chmod(plain, 0o644); err != nil {
		t.Fatal(err)
	}
	model := gguftest.Llama(t)
	const another = "Choose another engine with --engine"
	const vanishing = `#!/bin/sh
case "$*" in
*--version*) echo "version: 0.7.0 (build 11669, commit test)" ;;
*--list-devices*) echo "Available devices:" ;;
*) rm "$0"; exit 1 ;;
esac
`
	tests := []struct {
		name, engine, kind, message, remedy string
	}{
		{"missing", filepath.Join(folder, "gone"), "build.missing", filepath.Join(folder, "gone"), "--engine"},
		{"not executable", plain, "build.notExecutable", "plain/llama-server", "make it executable"},
		{"of another system", program("foreign", "\x7fELF of another"), "build.wrongSystem", "foreign/llama-server", "made for this processor"},
		{"ends at once with a word", program("lib", "#!/bin/sh\necho 'error while loading shared libraries: libgomp.so.1' >&2; exit 127\n"),
			"build.exitsAtOnce", "libgomp.so.1", "a library to install"},
		{"ends at once without a word", program("silent", "#!/bin/sh\nexit 3\n"), "build.exitsAtOnce", "silent/llama-server", "--engine"},

		{"ends at once when it is to load", buildtest.Faulty(t, "echo 'error: no luck today' >&2; exit 1"), "server.exitedAtOnce", "llama.gguf: no luck today", another},
		{"is killed while it loads", buildtest.Faulty(t, "kill -9 $$"), "server.killed", "llama.gguf", "shorter context"},
		{"is never ready", buildtest.Faulty(t, "exec sleep 60"), "server.neverReady", "llama.gguf", "Try again"},
		{"vanishes after it was found", program("gone-later", vanishing), "build.missing", "gone-later/llama-server", "--engine"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.kind == "server.neverReady" {
				stallTime = 300 * time.Millisecond
				t.Cleanup(func() { stallTime = 0 })
			}
			dir := configDir(t)
			r := run(t, "--config", dir, "--json", "--engine", test.engine, "chat", model, "hello")
			wantSaid(t, r, test.kind, test.message, test.remedy)
			if strings.HasPrefix(test.kind, "server.") && !strings.Contains(r.stderr, filepath.Join(dir, "log")) {
				t.Errorf("it is not said where the log is: %q", r.stderr)
			}
			if test.name == "ends at once without a word" && strings.Contains(r.stderr, "What it said") {
				t.Errorf("it said nothing: %q", r.stderr)
			}
		})
	}
}

func TestAFileThatVanishesWhileLoadingHasItsSentence(t *testing.T) {
	engine := buildtest.Faulty(t, `(while [ "$1" != -m ]; do shift; done; rm "$2")`)
	r := run(t, "--json", "--engine", engine, "chat", gguftest.Llama(t), "hello")
	wantSaid(t, r, "server.modelMissing", "llama.gguf was gone", "Connect the disk")
}

func TestAnAnswerThatStopsMidWordKeepsWhatCameAndSaysWhy(t *testing.T) {
	model, engine, dir := gguftest.Llama(t), buildtest.Breaking(t), configDir(t)
	r := run(t, "--config", dir, "--json", "--engine", engine, "chat", model, "hello", "--temperature", "0")
	c := decode[chatDocument](t, r)
	const text = "Hello! I am a very small model"
	if r.status != Failed || c.Stop != "broken" || !strings.HasPrefix(text, c.Text) || len(c.Text) < len(text)-4 || c.Text == text || c.Error == nil {
		t.Fatalf("%+v", r)
	}
	if c.Error.Kind != "answer.broken" || !strings.Contains(c.Error.Message, "stopped in the middle") || !strings.Contains(c.Error.Message, "crashed with llama.gguf") ||
		!strings.Contains(c.Error.Remedy, "Load it again") || r.stderr != c.Error.Message+" "+c.Error.Remedy+"\n" {
		t.Errorf("%+v, stderr %q", c.Error, r.stderr)
	}
	wantNothingLeft(t, dir)

	r = run(t, "--engine", engine, "chat", model, "hello", "--temperature", "0")
	if r.status != Failed || r.stdout != c.Text+"\n" || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("%+v", r)
	}
}

func TestALongFolderIsNoObstacleForTheSocket(t *testing.T) {
	dir, model := filepath.Join(configDir(t), strings.Repeat("x", 120)), gguftest.Llama(t)
	t.Setenv("TMPDIR", "/"+strings.Repeat("y", 120))
	if r := run(t, "--config", dir, "chat", model, "hello", "--tokens", "2"); r.status != Done {
		t.Errorf("%+v", r)
	}
}

func TestALogThatCannotBeWrittenIsSaidOnceAndStopsNothing(t *testing.T) {
	dir := configDir(t)
	if err := os.WriteFile(filepath.Join(dir, "data"), nil, 0o600); err != nil { // no folders are made after it
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "log"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := run(t, "--config", dir, "--json", "chat", gguftest.Llama(t), "hello", "--tokens", "2")
	if c := decode[chatDocument](t, r); r.status != Done || c.Text == "" || strings.Count(r.stderr, "The engine's log") != 1 || !strings.Contains(r.stderr, "The engine runs on") {
		t.Errorf("the engine's: %+v", r)
	}

	r = run(t, "--log", "/dev/full", "-v", "--json", "devices")
	said := r.stderr[strings.LastIndex(strings.TrimSpace(r.stderr), "\n")+1:]
	if !json.Valid([]byte(r.stdout)) || r.status != Done || said != "The log /dev/full can't be written: no space left on device. Choose another place for it.\n" {
		t.Errorf("our own: %+v", r)
	}
}
