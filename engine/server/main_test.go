//go:build linux

package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"paddock/engine/build"
	"paddock/engine/build/buildtest"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

// The test program is also an engine that misbehaves, and a Paddock that gets
// killed.
func TestMain(m *testing.M) {
	if kind := os.Getenv("PADDOCK_TEST_ENGINE"); kind != "" {
		pretend(kind)
		return
	}
	if settings := os.Getenv("PADDOCK_TEST_PARENT"); settings != "" {
		beParent(settings)
		return
	}
	buildtest.RestThreads()
	os.Exit(m.Run())
}

// chatPlan is a complete plan for the processor alone.
func chatPlan(model string) plan.Plan {
	return plan.Plan{
		ModelPath: model, ContextTokens: 512, Devices: plan.CPU, GPULayers: "0",
		CacheK: "f16", CacheV: "f16", FlashAttn: "auto", Slots: 1,
	}
}

var identified struct {
	sync.Once
	build build.Build
}

// engine is the real engine, identified once.
func engine(t testing.TB) build.Build {
	t.Helper()
	identified.Do(func() { identified.build = buildtest.Engine(t) })
	return identified.build
}

// realOptions are for the real engine and a generated model that chats.
func realOptions(t testing.TB) Options {
	return Options{
		Build: engine(t), Plan: chatPlan(gguftest.Llama(t)),
		RuntimeDir: t.TempDir(), LogDir: t.TempDir(),
	}
}

// start is an engine that must start, and is stopped with the test.
func start(t testing.TB, o Options) *Instance {
	t.Helper()
	i, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, i) })
	return i
}

func stop(t testing.TB, i *Instance) {
	t.Helper()
	if err := i.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

// wantFailure starts an engine that must not start, and looks for what it left.
func wantFailure(t *testing.T, ctx context.Context, o Options, kind FailureKind) *Failure {
	t.Helper()
	i, err := Start(ctx, o)
	if err == nil {
		stop(t, i)
		t.Fatalf("the engine started; want %s", kind)
	}
	f, ok := err.(*Failure)
	if !ok {
		t.Fatalf("error %T %v, want a *Failure", err, err)
	}
	if f.Kind != kind {
		t.Errorf("kind %s, want %s: %v", f.Kind, kind, f)
		t.Log(strings.Join(f.LastWords, "\n"))
	}
	if f.ModelPath != o.Plan.ModelPath || f.EnginePath != o.Build.Path {
		t.Errorf("failure of %s on %s, want %s on %s", f.EnginePath, f.ModelPath, o.Build.Path, o.Plan.ModelPath)
	}
	wantNothingLeft(t, o.RuntimeDir)
	return f
}

func wantNothingLeft(t *testing.T, runtimeDir string) {
	t.Helper()
	entries, err := os.ReadDir(runtimeDir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, entry := range entries {
		t.Errorf("%s is left in the runtime folder", entry.Name())
	}
	if pids := processesWith(t, runtimeDir); len(pids) > 0 {
		t.Errorf("processes %v are left", pids)
	}
}

// processesWith are the processes, zombies included, that were started by this
// one or have text in their command line.
func processesWith(t *testing.T, text string) []string {
	t.Helper()
	var pids []string
	processes, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range processes {
		line, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(line), text) {
			pids = append(pids, filepath.Base(filepath.Dir(path)))
		}
	}
	return pids
}

func gone(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

// eventually waits for something that is about to happen.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !happened(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after 10 s: not %s", what)
		}
	}
}

// script is an engine made of a shell script: for faults the real one can't be
// brought to.
func script(t *testing.T, body string) build.Build {
	t.Helper()
	path := filepath.Join(t.TempDir(), "llama-server")
	buildtest.Program(t, path, "#!/bin/sh\n"+body+"\n")
	return build.Build{Path: path}
}

// pretender is an engine that speaks HTTP and misbehaves as kind says.
func pretender(t *testing.T, kind string) build.Build {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return script(t, fmt.Sprintf("PADDOCK_TEST_ENGINE='%s' exec '%s' \"$@\"", kind, self))
}

// pretend is the process of a pretender.
func pretend(kind string) {
	argument := func(name string) string { return os.Args[slices.Index(os.Args, name)+1] }
	props := map[string]any{
		"model_path": argument("-m"), "total_slots": 1, "media_marker": "<__media__>",
		"default_generation_settings": map[string]any{"n_ctx": 512},
	}
	slots := []map[string]any{{"id": 0, "n_ctx": 512, "speculative": kind == "drafts"}}
	text, tokens := "Hello", 2
	switch kind {
	case "blind":
		props["modalities"] = map[string]any{"vision": false}
	case "dies at a picture", "fails at a picture", "garbage at a picture", "fails after a picture":
		props["modalities"] = map[string]any{"vision": true}
	case "other model":
		props["model_path"] = "/somewhere/else.gguf"
	case "more slots":
		slots = append(slots, slots[0])
	case "control characters":
		text = "\x00\x01\ufffd"
	case "marks only":
		text = ""
	case "nothing":
		text, tokens = "", 0
	case "allocation failed":
		fmt.Println(`{"type":"log","level":"error","msg":"alloc_tensor_range: failed to allocate Vulkan0 buffer of size 123\n"}`)
	case "not on device":
		fmt.Println(`{"type":"log","level":"info","msg":"load_tensors: offloaded 0/5 layers to GPU\n"}`)
	}
	reply := func(path string, value any) {
		http.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { json.NewEncoder(w).Encode(value) })
	}
	reply("/health", map[string]any{"status": "ok"})
	reply("/props", props)
	reply("/slots", slots)
	pretendVectors(kind, reply)
	pictured := false
	http.HandleFunc("/v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		question, _ := io.ReadAll(r.Body)
		if strings.Contains(string(question), "image_url") {
			pictured = true
			said, answers := pretendToSee(kind, w)
			if answers {
				stream(w, said, 2)
			}
			return
		}
		if pictured && kind == "fails after a picture" {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, `{"error":{"code":500,"message":"failed to process speculative batch","type":"server_error"}}`)
			return
		}
		switch kind {
		case "silent":
			time.Sleep(time.Minute)
		case "dies at the question":
			fmt.Fprintln(os.Stderr, "./src/ggml.c:12: GGML_ASSERT(n > 0) failed")
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		case "fails":
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, `{"error":{"code":500,"message":"failed to decode","type":"server_error"}}`)
			return
		}
		stream(w, text, tokens)
	})
	listener, err := net.Listen("unix", argument("--host"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	http.Serve(listener, nil)
}

// stream is an answer as the engine streams it.
func stream(w http.ResponseWriter, text string, tokens any) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, chunk := range []map[string]any{
		{"choices": []any{map[string]any{"delta": map[string]any{"content": text}}}},
		{"choices": []any{map[string]any{"delta": map[string]any{}, "finish_reason": "length"}}},
		{"choices": []any{}, "usage": map[string]any{"completion_tokens": tokens, "total_tokens": 9}},
	} {
		data, _ := json.Marshal(chunk)
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// beParent starts an engine as Paddock does and waits to be killed: once it is
// ready, or in the middle of loading.
func beParent(settings string) {
	var o struct {
		Engine, Model, Dir string
		Loading, Plain     bool
	}
	if err := json.Unmarshal([]byte(settings), &o); err != nil {
		panic(err)
	}
	announce := func(pid int) {
		os.WriteFile(filepath.Join(o.Dir, "pid"), fmt.Append(nil, pid), 0o600)
		time.Sleep(time.Minute)
	}
	options := Options{
		Build: build.Identify(context.Background(), o.Engine, build.Bundled), Plan: chatPlan(o.Model),
		RuntimeDir: filepath.Join(o.Dir, "run"), LogDir: filepath.Join(o.Dir, "log"),
	}
	if o.Plain {
		options.Build.ChildMode = false
	}
	if o.Loading {
		options.Progress = func(p Progress) {
			if p.Value >= 0 {
				announce(os.Getpid())
			}
		}
	}
	i, err := Start(context.Background(), options)
	if err != nil {
		panic(err)
	}
	announce(i.PID())
}
