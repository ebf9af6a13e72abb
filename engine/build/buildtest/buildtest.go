// Package buildtest gives tests the real engine.
package buildtest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"paddock/engine/build"
	"paddock/engine/build/bare"
)

// Path is where the engine for tests is: PADDOCK_ENGINE (a bundle's folder or a
// llama-server), else the bundle that make engine assembles. Without either the
// test fails.
func Path(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("PADDOCK_ENGINE"); path != "" {
		return path
	}
	path := filepath.Join(moduleRoot(t), "build", "engine")
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("no engine to test with: run `make engine`, or set PADDOCK_ENGINE (%v)", err)
	}
	return path
}

var identified = struct {
	sync.Mutex
	builds map[string]build.Build // by their paths
}{builds: map[string]build.Build{}}

// Engine is the engine for tests, identified once: that starts it several times. A test
// fails when it can't be used, and so does the next one.
func Engine(t testing.TB) build.Build {
	t.Helper()
	path := Path(t)
	identified.Lock()
	defer identified.Unlock()
	if b, known := identified.builds[path]; known {
		return b
	}
	b := build.Identify(t.Context(), path, build.Bundled)
	if err := b.Err(); err != nil {
		t.Fatal(err)
	}
	identified.builds[path] = b
	return b
}

// startLimit is how long a tiny model may take to load.
const startLimit = time.Minute

// Run starts the engine with arguments until the test ends, whatever it makes of
// them.
func Run(t testing.TB, args ...string) *bare.Engine {
	t.Helper()
	e, err := bare.Start(context.Background(), Engine(t), args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	return e
}

// Serve is Run for an engine that must become ready, and waits until it is.
func Serve(t testing.TB, args ...string) *bare.Engine {
	t.Helper()
	e := Run(t, args...)
	if !Ready(t, e) {
		t.Fatalf("the engine did not start:\n%s", e.Log())
	}
	return e
}

// Ready waits until an engine is ready, and is false when it ends instead. When it does
// neither in time, the test fails.
func Ready(t testing.TB, e *bare.Engine) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	ready := e.Healthy(ctx)
	if !ready && !e.Dead() {
		t.Fatalf("the engine is neither ready nor ended after %v:\n%s", startLimit, e.Log())
	}
	return ready
}

func moduleRoot(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			t.Fatal("the test does not run inside the module")
		}
		folder = parent
	}
}
