package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paddock/engine/build/buildtest"
	"paddock/engine/gguf/gguftest"
)

// A chatDocument is what chat prints with --json.
type chatDocument struct {
	Text, Stop                    string
	PromptTokens, AnswerTokens    int
	TokensPerSecond               float64
	FirstTokenMs                  *int
	DraftedTokens, AcceptedTokens *int
	Error                         *errorDocument
}

func TestChatPrintsTheAnswer(t *testing.T) {
	r := run(t, "chat", gguftest.Llama(t), "hello", "--temperature", "0")
	if r.status != Done || !strings.HasPrefix(r.stdout, "Hello! I am") || !strings.HasSuffix(r.stdout, "\n") {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(r.stderr, "tok/s") {
		t.Errorf("no speed on stderr: %q", r.stderr)
	}
}

func TestAModelCannotActOnATerminal(t *testing.T) {
	if got := harmless("a\x1b]52;c;eA==\x07\u009b2J\r\x7fb\n\tc é 你 👩‍👩‍👧"); got != "a]52;c;eA==2Jb\n\tc é 你 👩‍👩‍👧" {
		t.Errorf("%q", got)
	}
}

func TestChatEndsWithADocument(t *testing.T) {
	r := run(t, "chat", gguftest.Llama(t), "hello", "--json", "--tokens", "5", "--temperature", "0", "--seed", "1", "--system", "Be short.")
	c := decode[chatDocument](t, r)
	if r.status != Done || c.Text == "" || c.AnswerTokens != 5 || c.PromptTokens == 0 || c.TokensPerSecond <= 0 ||
		c.FirstTokenMs == nil || c.DraftedTokens == nil || c.AcceptedTokens == nil || c.Stop != "length" || c.Error != nil {
		t.Errorf("%+v", r)
	}
}

func TestAPromptCanComeFromStandardInput(t *testing.T) {
	var stdout, stderr bytes.Buffer
	status := Run(t.Context(), []string{"--config", configDir(t), "chat", gguftest.Llama(t), "-", "--tokens", "3"},
		strings.NewReader("hello"), &stdout, &stderr, Hooks{BundledEngine: buildtest.Path(t)})
	if status != Done || stdout.Len() == 0 {
		t.Errorf("%d, %q, %q", status, stdout.String(), stderr.String())
	}
}

// interrupting is a stdout that interrupts once something is written to it.
type interrupting struct {
	bytes.Buffer
	interrupt context.CancelFunc
}

func (w *interrupting) Write(p []byte) (int, error) {
	w.interrupt()
	return w.Buffer.Write(p)
}

func TestAnInterruptedChatLeavesNothingBehind(t *testing.T) {
	dir := configDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdout := &interrupting{interrupt: cancel}
	var stderr bytes.Buffer
	status := Run(ctx, []string{"--config", dir, "chat", gguftest.Llama(t), "hello"},
		strings.NewReader(""), stdout, &stderr, Hooks{BundledEngine: buildtest.Path(t)})
	if status != Failed || stdout.Len() == 0 || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("%d, %q, %q", status, stdout.String(), stderr.String())
	}
	wantNothingLeft(t, dir)
}

// fakeEngine is an engine that names itself, lists no devices and needs next to
// no memory. load is a script for everything else it is asked to do.
func fakeEngine(t *testing.T, load string) string {
	t.Helper()
	dir := t.TempDir()
	for name, script := range map[string]string{
		"llama-fit-params": `echo "Host 1 1 1"`,
		"llama-server": `case "$*" in
*--version*) echo "version: 0.7.0 (build 11669, commit test)" ;;
*--list-devices*) echo "Available devices:" ;;
*none.gguf*) exit 1 ;; # does it report its progress?
*) ` + load + ` ;;
esac`,
	} {
		buildtest.Program(t, filepath.Join(dir, name), "#!/bin/sh\n"+script+"\n")
	}
	return filepath.Join(dir, "llama-server")
}

func TestAChatThatFitsNowhereIsRefusedWithWhatHelps(t *testing.T) {
	model := shelve(t, "llama") + "/llama.gguf"
	tests := map[string]struct {
		device string // of the engine
		says   []string
	}{
		"a buffer a device can't hold": {
			"llvmpipe (LLVM 19.1.7, 256 bits) (900000 MiB, 900000 MiB free)",
			[]string{"larger than Vulkan0 can hold in one piece", "This fits: ", "--context "},
		},
		"more memory than a card has": {
			"Small card (300 MiB, 280 MiB free)",
			[]string{"GiB of vram-vulkan0", "This fits: "},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			engine := fakeEngine(t, `touch `+filepath.Join(t.TempDir(), "started")+`; exit 1`)
			script, err := os.ReadFile(engine)
			if err != nil {
				t.Fatal(err)
			}
			listed := strings.Replace(string(script), `echo "Available devices:"`, `printf 'Available devices:\n  Vulkan0: `+test.device+`\n'`, 1)
			buildtest.Program(t, engine, listed)
			if err := os.Remove(filepath.Join(filepath.Dir(engine), "llama-fit-params")); err != nil { // the header's numbers count
				t.Fatal(err)
			}
			r := run(t, "--engine", engine, "chat", model, "hello", "--devices", "Vulkan0", "--context", "2097152", "--slots", "256")
			if r.status != DoesNotFit || r.stdout != "" {
				t.Errorf("%+v", r)
			}
			for _, part := range test.says {
				if !strings.Contains(r.stderr, part) {
					t.Errorf("it does not say %q: %s", part, r.stderr)
				}
			}
		})
	}
}

func TestALoadIsInterruptedToo(t *testing.T) {
	dir := configDir(t)
	// It loads until its stdin ends.
	engine := fakeEngine(t, `exec sh -c 'read line' engine "$@"`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if sockets, err := os.ReadDir(filepath.Join(dir, "run")); err == nil && len(sockets) > 0 {
				cancel() // it has begun
			}
			time.Sleep(time.Millisecond)
		}
	}()
	start := time.Now()
	r := runWith(t, ctx, Hooks{}, "--config", dir, "--engine", engine, "chat", gguftest.Llama(t), "hello", "--json")
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if r.status != Failed || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("%+v", r)
	}
	wantNothingLeft(t, dir)
}

// wantNothingLeft looks for sockets and keys, and for processes that have the
// folder in their arguments.
func wantNothingLeft(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(filepath.Join(dir, "run"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, entry := range left {
		t.Errorf("left behind: %s", entry.Name())
	}
	processes, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, process := range processes {
		// One that has ended in the meantime is none of ours.
		if command, err := os.ReadFile(process); err == nil && bytes.Contains(command, []byte(dir)) {
			t.Errorf("still running: %q", command)
		}
	}
}

func TestAnEngineThatFailsToLoadIsSaid(t *testing.T) {
	engine := fakeEngine(t, `echo "error loading model: the test says so" >&2; exit 1`)
	r := run(t, "--engine", engine, "chat", gguftest.Llama(t), "hello", "--json")
	f := decode[failure](t, r)
	if r.status != Failed || !strings.HasPrefix(f.Error.Kind, "server.") || strings.HasPrefix(f.Error.Message, "server.") {
		t.Errorf("%+v", r)
	}
}
