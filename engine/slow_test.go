//go:build linux

package engine

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"paddock/engine/build"
	"paddock/engine/build/buildtest"
	"paddock/engine/plan"
)

// The test program is also an engine that never answers.
func TestMain(m *testing.M) {
	if os.Getenv("PADDOCK_TEST_ENGINE") != "" {
		neverAnswer()
		return
	}
	buildtest.RestThreads()
	os.Exit(m.Run())
}

// slow is an engine that makes a load stay in a phase, and a plan for it.
func slow(t *testing.T, phase Phase, model string) (build.Build, plan.Plan) {
	t.Helper()
	p := chatPlan(model)
	body := "exec sleep 60"
	switch phase {
	case Checking:
		p.Devices = "" // has it asked for its devices
	case Proving:
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		body = fmt.Sprintf("PADDOCK_TEST_ENGINE=1 exec '%s' \"$@\"", self)
	}
	path := filepath.Join(t.TempDir(), "llama-server")
	script := fmt.Sprintf("#!/bin/sh\necho $$ > '%s'\n%s\n", pidFile(path), body)
	buildtest.Program(t, path, script)
	return build.Build{Path: path}, p
}

// pidFile is where a slow engine writes its process's id.
func pidFile(engine string) string { return engine + ".pid" }

// neverAnswer is an engine's process that has loaded what it was asked to, and
// answers no conversation.
func neverAnswer() {
	argument := func(name string) string { return os.Args[slices.Index(os.Args, name)+1] }
	reply := func(path, body string) {
		http.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) })
	}
	reply("/health", `{}`)
	reply("/props", fmt.Sprintf(`{"model_path":%q,"default_generation_settings":{"n_ctx":512}}`, argument("-m")))
	reply("/slots", `[{"id":0,"n_ctx":512}]`)
	http.HandleFunc("/v1/chat/completions", func(http.ResponseWriter, *http.Request) { time.Sleep(time.Minute) })
	listener, err := net.Listen("unix", argument("--host"))
	if err != nil {
		panic(err)
	}
	http.Serve(listener, nil)
}
