package words

import (
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"paddock/config"
	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/server"
)

func TestTheNextStepFitsWhatHappened(t *testing.T) {
	denied := &fs.PathError{Op: "fork/exec", Path: "/opt/llama-server", Err: syscall.EACCES}
	full := &fs.PathError{Op: "mkdir", Path: "/run/paddock/1-1", Err: syscall.ENOSPC}
	for name, test := range map[string]struct {
		err             error
		message, remedy string
	}{
		"a pointer instead of a model": {&gguf.Error{Path: "/m/a.gguf", Problem: gguf.NotGGUF, Detail: gguf.LFSPointer},
			"a.gguf is not a GGUF file, but a Git LFS pointer.", "Download the model's own file."},
		"a text": {&gguf.Error{Path: "/m/a.gguf", Problem: gguf.NotGGUF, Detail: "the file starts with 61 62"},
			"a.gguf is not a GGUF file.", "Choose a model in the GGUF format."},
		"a file that is gone, by its whole path": {&gguf.Error{Path: "/m/a.gguf", Problem: gguf.Missing},
			"There is no file a.gguf at that place.", "Look in /m, or choose the file again."},
		"a file that is gone, by its name": {&gguf.Error{Path: "a.gguf", Problem: gguf.Missing},
			"There is no file a.gguf at that place.", "Check the path, or choose the file again."},
		"a pipe": {&gguf.Error{Path: "/m/a.gguf", Problem: gguf.Unreadable, Detail: gguf.NotRegular},
			"a.gguf can't be read: not a regular file.", "Choose a model's own file, not a pipe or a device."},
		"a disk that fails": {&gguf.Error{Path: "/m/a.gguf", Problem: gguf.Unreadable, Err: syscall.EIO},
			"a.gguf can't be read: input/output error.", "Check the disk it is on, then try again."},
		"an engine that was killed": {&server.Failure{ModelPath: "/m/a.gguf", Kind: server.Killed, Signal: "killed"},
			"The engine was killed (signal 9) with a.gguf. Often the system does this when memory runs out.",
			"Load it again, with a shorter context or other programs closed if it happens again."},
		"an engine that said nothing": {&build.Error{Path: "/opt/e", Problem: build.ExitsAtOnce},
			"The engine /opt/e stops as soon as it is started.", "Choose another engine in Settings."},
		"an engine that may not be run": {&server.Failure{Kind: server.NotExecutable, EnginePath: "/opt/e", Err: denied},
			"The engine /opt/e can't be run: permission denied.", "Make it executable if it was made for this system, or choose another engine in Settings."},
		"a full disk for the socket": {&server.Failure{Kind: server.RuntimeFolder, Path: "/run/paddock", Err: full},
			"Paddock can't make its connection to the engine in /run/paddock: no space left on device.", "Make the folder writable or free some space, then load again."},
		"no folder for the socket": {&config.Error{Problem: config.NoRuntime, Path: "/long"},
			"Paddock found no private folder with a short path for talking to the engine, and /long can't be used.", "Start Paddock with --config and a folder with a short path."},
		"a model that can't be measured": {&budget.Error{ModelPath: "/m/a.gguf", Problem: budget.Rejected, Detail: "llama_model_load: error loading model: unknown model architecture: 'x'"},
			"The engine could not measure what a.gguf needs: unknown model architecture: 'x'.", "Change the settings, or try to load it as it is."},
	} {
		if s := Error(test.err); s.Message != test.message || s.Remedy != test.remedy {
			t.Errorf("%s: %q, %q", name, s.Message, s.Remedy)
		}
	}
}

func TestTheNextStepOnATerminalIsNotInTheWindow(t *testing.T) {
	for key, text := range english(t) {
		if strings.HasSuffix(key, ".remedy") && (strings.HasPrefix(key, "build.") || strings.HasPrefix(key, "server.")) &&
			strings.Contains(text, "in Settings") {
			terminal := Of(strings.TrimSuffix(key, ".remedy"), nil).TerminalRemedy
			if strings.Contains(terminal, "Settings") || !strings.Contains(terminal, "--engine") {
				t.Errorf("%s: on a terminal %q", key, terminal)
			}
		}
	}
}

// The pill of the engine bar has a few words for every failure.
func TestEveryFailureOfALoadHasAFewWords(t *testing.T) {
	texts := english(t)
	for name, value := range kinds(t, "engine/server", "FailureKind") {
		want(t, texts, name, "shell.failed."+value)
	}
	for name, value := range kinds(t, "engine/gguf", "Problem") {
		want(t, texts, name, "shell.failed.file."+value)
	}
	for name, value := range kinds(t, "engine/build", "Problem") {
		want(t, texts, name, "shell.failed."+value)
	}
}

func want(t *testing.T, texts map[string]string, name, key string) {
	t.Helper()
	if text := texts[key]; text == "" || len(text) > 32 || strings.HasSuffix(text, ".") {
		t.Errorf("%s: %s is %q", name, key, text)
	}
}
