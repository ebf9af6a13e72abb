package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"paddock/engine/build/buildtest"
)

func TestWhatACautionForesawIsLoadedAnotherWayAndSaid(t *testing.T) {
	dir := shelve(t, "qwen35-mtp")
	servers := rpcServers(t, 2)
	broken := buildtest.Faulty(t, `case "$*" in *"-sm tensor"*) echo "error: GGML_ASSERT(buffer) failed" >&2; exit 1;; esac`)
	config := configDir(t)
	model := filepath.Join(dir, "qwen35-mtp.gguf")
	settings := []string{"--rpc", servers, "--devices", "RPC0,RPC1", "--split", "tensor", "--spec", "mtp"}
	chat := append([]string{"--config", config, "--engine", broken, "chat", model, "hello", "--temperature", "0", "--tokens", "8"}, settings...)
	r := run(t, chat...)
	if r.status != Done || strings.TrimSpace(r.stdout) == "" {
		t.Fatalf("%+v", r)
	}
	if !strings.Contains(r.stderr, "Loading with --split layer") {
		t.Errorf("it is not said: %q", r.stderr)
	}

	// It is known the next time, by check too, until it is to be tried again.
	for name, args := range map[string][]string{
		"chat": chat, "check": append([]string{"--config", config, "--engine", broken, "check", model}, settings...),
	} {
		r := run(t, args...)
		if r.status != Refused || !strings.Contains(r.stdout+r.stderr, "It failed here before.") {
			t.Errorf("%s: %+v", name, r)
		}
		if r := run(t, append(args, "--try-again")...); r.status != Done {
			t.Errorf("%s once more: %+v", name, r)
		}
	}
}

func TestARequestThatFailsUnderMTPIsRepeatedInTheTerminalToo(t *testing.T) {
	r := run(t, "--engine", buildtest.FailsGuessing(t), "chat", filepath.Join("..", "assets", "starter", "guide.gguf"), "hello",
		"--tokens", "8", "--spec", "mtp", "--devices", "CPU")
	if r.status != Done || strings.TrimSpace(r.stdout) == "" || !strings.Contains(r.stderr, "the request repeated") {
		t.Errorf("%+v", r)
	}
}

func TestWhatIsNoMatterOfSettingsIsNotTriedAnotherWay(t *testing.T) {
	dir := shelve(t, "qwen35-mtp")
	servers := rpcServers(t, 2)
	broken := buildtest.Faulty(t, `case "$*" in *"-sm tensor"*) kill -KILL $$;; esac`)
	r := run(t, "--engine", broken, "chat", filepath.Join(dir, "qwen35-mtp.gguf"), "hello",
		"--rpc", servers, "--devices", "RPC0,RPC1", "--split", "tensor", "--spec", "mtp")
	if r.status != Failed || strings.Contains(r.stderr, "Loading with") {
		t.Errorf("%+v", r)
	}
}
