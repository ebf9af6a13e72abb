// Package picturetest has what tests of pictures need: a real engine that sees,
// and pictures of every kind, made here.
package picturetest

import (
	"strings"
	"testing"
	"time"

	"paddock/engine/build/bare"
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
	process *bare.Engine
}

// Start loads a model with its projector, and waits until it is ready. more are
// further arguments.
func Start(t testing.TB, m Model, more ...string) *Engine {
	t.Helper()
	dir, paths := t.TempDir(), map[string]string{}
	for _, spec := range gguftest.All() {
		if spec.Name == m.Name || spec.Name == m.Projector {
			path, err := spec.Write(dir)
			if err != nil {
				t.Fatal(err)
			}
			paths[spec.Name] = path
		}
	}
	process := buildtest.Serve(t, append([]string{"-m", paths[m.Name], "--mmproj", paths[m.Projector], "-c", "4096",
		"-np", "1", "-fit", "off", "-t", "1", "--no-mmproj-offload"}, more...)...)
	e := &Engine{client.New(process.Socket, ""), process}
	t.Cleanup(func() { e.Close(time.Second) })
	return e
}

// Ended reports whether the engine's process has ended, or ends within limit.
func (e *Engine) Ended(limit time.Duration) bool {
	select {
	case <-e.process.Done():
		return true
	case <-time.After(limit):
		return false
	}
}

// Log is the end of what the engine said.
func (e *Engine) Log() string {
	lines := strings.Split(strings.TrimSpace(e.process.Log()), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}
