package budget

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"paddock/engine/build"
	"paddock/engine/build/buildtest"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
	"paddock/engine/server"
)

// These tests run the real llama-fit-params.

func complete(t *testing.T, p plan.Plan, path string) (plan.Plan, gguf.Facts) {
	t.Helper()
	f, err := gguf.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	p, _ = plan.Complete(p, plan.Given{Model: f})
	return p, f
}

func TestTheEngineMeasuresAModelInLessThanASecond(t *testing.T) {
	b := buildtest.Engine(t)
	p, f := complete(t, plan.Plan{}, gguftest.Llama(t))
	var m Memory
	fastest := time.Hour
	for range 3 { // other programs may be busy
		start := time.Now()
		var err error
		if m, err = measure(t.Context(), b, p, f); err != nil {
			t.Fatal(err)
		}
		fastest = min(fastest, time.Since(start))
	}
	if fastest > time.Second {
		t.Errorf("it took %v", fastest)
	}
	if len(m.Pools) != 1 || m.Pools[0].ID != RAM || m.Source != Measured {
		t.Fatalf("%+v", m)
	}
	s := m.Pools[0].Slices
	if s[Compute] == 0 || s[Host] != plan.PromptCacheMiB*mib || m.Pools[0].NeededBytes != s.Total() {
		t.Errorf("%+v", m.Pools[0])
	}
	// The tool rounds down to MiB.
	if s[Weights]+mib < f.WeightsBytes/mib*mib || s[Weights] > f.WeightsBytes+mib {
		t.Errorf("%d bytes of weights measured, the file has %d", s[Weights], f.WeightsBytes)
	}
}

func TestALongerContextMeasuresMore(t *testing.T) {
	b := buildtest.Engine(t)
	path := gguftest.Llama(t)
	var kv [2]uint64
	for i, tokens := range []int{4096, 65536} {
		p, f := complete(t, plan.Plan{ContextTokens: tokens}, path)
		m, err := measure(t.Context(), b, p, f)
		if err != nil {
			t.Fatal(err)
		}
		kv[i] = m.Pools[0].Slices[KV]
	}
	if kv[1] < 15*kv[0] || kv[1] == 0 {
		t.Errorf("%d bytes for 4,096 tokens, %d for 65,536", kv[0], kv[1])
	}
}

func TestMeasureSaysWhyItCouldNot(t *testing.T) {
	b := buildtest.Engine(t)
	p, f := complete(t, plan.Plan{}, gguftest.Llama(t))

	t.Run("the tool refuses the model", func(t *testing.T) {
		broken := p
		broken.ModelPath = filepath.Join(t.TempDir(), "gone.gguf")
		_, err := measure(t.Context(), b, broken, f)
		var e *Error
		if !errors.As(err, &e) || e.Problem != Rejected || e.Detail == "" {
			t.Errorf("error %#v", err)
		}
	})
	t.Run("the build has no such tool", func(t *testing.T) {
		alone := build.Build{ID: "alone", Path: filepath.Join(t.TempDir(), "llama-server")}
		_, err := measure(t.Context(), alone, p, f)
		var e *Error
		if !errors.As(err, &e) || e.Problem != NoTool {
			t.Errorf("error %#v", err)
		}
	})
	t.Run("a bundle without the tool", func(t *testing.T) {
		dir := t.TempDir()
		bundle := filepath.Dir(filepath.Dir(b.Path))
		for _, name := range []string{"lib", build.Manifest} {
			if err := os.Symlink(filepath.Join(bundle, name), filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		_, err := measure(t.Context(), build.Build{ID: "bare", Path: filepath.Join(dir, "bin", "llama-server")}, p, f)
		var e *Error
		if !errors.As(err, &e) || e.Problem != NoTool {
			t.Errorf("error %#v", err)
		}
	})
	t.Run("it is cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := measure(ctx, b, p, f); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

// script is a build whose measuring tool is a shell script.
func script(t *testing.T, body string) build.Build {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script stands in for the tool, and Windows runs none; the test runs on Linux and macOS")
	}
	dir := t.TempDir()
	buildtest.Program(t, filepath.Join(dir, tool), "#!/bin/sh\n"+body)
	return build.Build{ID: "script", Path: filepath.Join(dir, "llama-server")}
}

func TestAToolThatAnswersNonsense(t *testing.T) {
	p, f := complete(t, plan.Plan{}, gguftest.Llama(t))
	_, err := measure(t.Context(), script(t, "echo hello\n"), p, f)
	var e *Error
	if !errors.As(err, &e) || e.Problem != NoAnswer {
		t.Errorf("error %#v", err)
	}
}

func TestAToolThatHangsEndsWhenItIsCancelled(t *testing.T) {
	p, f := complete(t, plan.Plan{}, gguftest.Llama(t))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := measure(ctx, script(t, "exec sleep 60\n"), p, f)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 5*time.Second {
		t.Errorf("error %v after %v", err, time.Since(start))
	}
}

func TestTheLogTheServerKeepsTellsWhatItAllocated(t *testing.T) {
	b := buildtest.Engine(t)
	p, f := complete(t, plan.Plan{ContextTokens: 4096}, gguftest.Llama(t))
	folder := t.TempDir()
	instance, err := server.Start(t.Context(), server.Options{Build: b, Plan: p, RuntimeDir: filepath.Join(folder, "r"), LogDir: folder})
	if err != nil {
		t.Fatal(err)
	}
	defer instance.Stop(context.WithoutCancel(t.Context()))
	log, err := os.Open(instance.LogPath())
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	m, err := FromLog(log)
	if err != nil || len(m.Pools) != 1 {
		t.Fatalf("%+v, %v", m, err)
	}
	want := Estimate(Request{Plan: p, Given: plan.Given{Model: f}}).Pools[0].Slices
	for _, slice := range []string{Weights, KV, Compute} {
		if got := m.Pools[0].Slices[slice]; abs(float64(got)-float64(want[slice])) > mib/10 {
			t.Errorf("%s: %d bytes in the log, estimated %d", slice, got, want[slice])
		}
	}
}

// measure is Measure of a plan of which only the model is known.
func measure(ctx context.Context, b build.Build, p plan.Plan, f gguf.Facts) (Memory, error) {
	return Measure(ctx, b, Request{Plan: p, Given: plan.Given{Model: f}})
}

// key is an entry of a header whose value is a uint32.
func key(name string, value uint32) string {
	return string(binary.LittleEndian.AppendUint32([]byte(name+"\x04\x00\x00\x00"), value))
}

func TestAFileTheEngineCannotLoadIsNotMerelyUnmeasured(t *testing.T) {
	b := buildtest.Engine(t)
	tokenizer := "tokenizer.ggml.model\x08\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00"
	for _, test := range []struct {
		name, from, to string
		kind           server.FailureKind
		says           string
	}{
		{"an architecture nobody knows", "\x05\x00\x00\x00\x00\x00\x00\x00llama", "\x05\x00\x00\x00\x00\x00\x00\x00lhama", server.UnknownArchitecture, "lhama"},
		{"a tokenizer nobody knows", tokenizer + "llama", tokenizer + "lhama", server.UnknownArchitecture, "lhama"},
		{"a tensor under another name", "blk.1.attn_q.weight", "blk.1.attn_x.weight", server.ModelCorrupt, "blk.1.attn_q.weight"},
		{"a layer fewer than there are tensors for", key("llama.block_count", 4), key("llama.block_count", 3), server.ModelCorrupt, "wrong number of tensors"},
		{"no layer", key("llama.block_count", 4), key("llama.block_count", 0), server.ModelCorrupt, "n_layer"},
		{"a rotation that does not fit the heads", key("llama.rope.dimension_count", 32), key("llama.rope.dimension_count", 7), server.ModelCorrupt, "n_rot"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, f := complete(t, plan.Plan{}, gguftest.Altered(t, test.from, test.to))
			_, err := measure(t.Context(), b, p, f)
			var e *Error
			var fault *server.Failure
			if !errors.As(err, &e) || e.Problem != Rejected || !errors.As(err, &fault) {
				t.Fatalf("error %#v", err)
			}
			if fault.Kind != test.kind || fault.ModelPath != p.ModelPath || fault.EnginePath != b.Path || !strings.Contains(fault.Reason, test.says) {
				t.Errorf("fault %+v, want %s with %q", fault, test.kind, test.says)
			}
		})
	}
}
