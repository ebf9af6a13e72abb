// Package picturetest has what tests of pictures need: a real engine that sees,
// and pictures of every kind, made here.
package picturetest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paddock/engine/build/buildtest"
	"paddock/engine/client"
	"paddock/engine/gguf/gguftest"
)

// A Model is a generated model with a generated projector: the names of both.
type Model struct{ Name, Projector string }

// The generated models that see. They cut pictures of 64 by 64 into patches of
// 16: Gemma 3 scales every picture to that and gives it 4 tokens, LLaVA's kind 16;
// Qwen's keeps a picture's own size, and so gives it more tokens the larger it is.
var (
	Gemma = Model{"gemma3", "mmproj"}
	LLaVA = Model{"llama", "mmproj-llama"}
	Qwen  = Model{"qwen35-mtp", "mmproj-qwen35"}
)

// An Engine is a real one that sees. It runs until the test ends.
type Engine struct {
	*client.Client
	ended chan struct{}
	log   string
}

// startLimit is how long a tiny model may take to load.
const startLimit = time.Minute

// Start loads a model with its projector, and waits until it is ready. more are
// further arguments.
func Start(t testing.TB, m Model, more ...string) *Engine {
	t.Helper()
	dir, err := os.MkdirTemp("", "sees") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{}
	for _, spec := range gguftest.All() {
		if spec.Name == m.Name || spec.Name == m.Projector {
			if paths[spec.Name], err = spec.Write(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
	e := &Engine{ended: make(chan struct{}), log: filepath.Join(dir, "log")}
	socket := filepath.Join(dir, "e.sock")
	ctx, cancel := context.WithCancel(context.Background())
	args := append([]string{"-m", paths[m.Name], "--mmproj", paths[m.Projector], "--host", socket, "-c", "4096",
		"-np", "1", "-fit", "off", "-t", "1", "--offline", "--no-ui", "--no-mmproj-offload"}, more...)
	cmd := buildtest.Engine(t).Command(ctx, "llama-server", args...)
	log, err := os.Create(e.log)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait() // how it ended is in its log
		close(e.ended)
	}()
	e.Client = client.New(socket, "")
	t.Cleanup(func() {
		e.Close(time.Second)
		cancel()
		<-e.ended
		log.Close()
		os.RemoveAll(dir)
	})
	for deadline := time.Now().Add(startLimit); e.Health(t.Context()) != nil; time.Sleep(20 * time.Millisecond) {
		if e.Ended(0) || time.Now().After(deadline) {
			t.Fatalf("the engine did not start:\n%s", e.Log())
		}
	}
	return e
}

// Ended reports whether the engine's process has ended, or ends within limit.
func (e *Engine) Ended(limit time.Duration) bool {
	select {
	case <-e.ended:
		return true
	case <-time.After(limit):
		return false
	}
}

// Log is the end of what the engine said.
func (e *Engine) Log() string {
	text, err := os.ReadFile(e.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}
