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

// Engine is the identified engine for tests. A test fails when it can't be used.
func Engine(t testing.TB) build.Build {
	t.Helper()
	b := build.Identify(t.Context(), Path(t), build.Bundled)
	if err := b.Err(); err != nil {
		t.Fatal(err)
	}
	return b
}

// startLimit is how long a tiny model may take to load.
const startLimit = time.Minute

// Run starts the engine with arguments until the test ends, whatever it makes of
// them.
func Run(t testing.TB, args ...string) *bare.Engine {
	t.Helper()
	e, err := bare.Start(context.Background(), real(t), args...)
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
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	if !e.Healthy(ctx) {
		t.Fatalf("the engine did not start:\n%s", e.Log())
	}
	return e
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

var known struct {
	sync.Once
	build build.Build
}

// real is Engine, identified once.
func real(t testing.TB) build.Build {
	t.Helper()
	known.Do(func() { known.build = Engine(t) })
	return known.build
}
