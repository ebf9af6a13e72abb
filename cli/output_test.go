package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"paddock/engine/build/buildtest"
	"paddock/engine/gguf/gguftest"
)

// A closedOutput can't be written to.
type closedOutput struct{ err error }

func (o closedOutput) Write([]byte) (int, error) { return 0, o.err }

func TestOutputThatCannotBeWrittenIsAFailure(t *testing.T) {
	model := gguftest.Llama(t)
	for name, args := range map[string][]string{
		"a list":          {"models", filepath.Dir(model)},
		"a document":      {"--json", "models", filepath.Dir(model)},
		"a refusal":       {"check", model, "--context", "100"},
		"an answer":       {"chat", model, "hello", "--tokens", "2"},
		"the help":        {"--help"},
		"the version":     {"--version"},
		"a list of tools": {"engines"},
	} {
		t.Run(name, func(t *testing.T) {
			status, said := runInto(t, closedOutput{syscall.ENOSPC}, args...)
			if status != Failed || !strings.Contains(said, "could not be written: no space left on device. Free some space") {
				t.Errorf("status %d, %q", status, said)
			}
			if status, said := runInto(t, closedOutput{syscall.EPIPE}, args...); status == Failed || strings.Contains(said, "written") {
				t.Errorf("a reader that has gone away: status %d, %q", status, said)
			}
		})
	}
	if status, said := runInto(t, closedOutput{syscall.ENOSPC}, "--json", "bogus"); status != WrongUsage || strings.Count(said, "\n") != 1 {
		t.Errorf("another failure: status %d, %q", status, said)
	}
}

func runInto(t *testing.T, stdout io.Writer, args ...string) (status int, stderr string) {
	t.Helper()
	var said strings.Builder
	args = append([]string{"--config", configDir(t)}, args...)
	status = Run(t.Context(), args, strings.NewReader(""), stdout, &said, Hooks{BundledEngine: buildtest.Path(t)})
	return status, said.String()
}

func TestAFolderForSocketsIsNotLeftEmpty(t *testing.T) {
	dir, model := configDir(t), gguftest.Llama(t)
	folder := filepath.Join(dir, "run")
	for _, args := range [][]string{{"engines"}, {"check", model}, {"chat", model, "hello", "--tokens", "2"}} {
		if r := run(t, append([]string{"--config", dir}, args...)...); r.status != Done {
			t.Fatalf("%+v", r)
		}
		if _, err := os.Stat(folder); !os.IsNotExist(err) {
			t.Errorf("%s: the folder is there, %v", args[0], err)
		}
	}
	socket := filepath.Join(folder, "window.sock") // of a window that is open
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(socket, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "--config", dir, "engines")
	if _, err := os.Stat(socket); err != nil {
		t.Error(err)
	}
}
