//go:build linux

package server

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paddock/engine/build"
	"paddock/engine/build/buildtest"
	"paddock/engine/gguf/gguftest"
)

// cut is the model's file up to share of its size.
func cut(t *testing.T, model string, share float64) string {
	t.Helper()
	data, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, data[:int(float64(len(data))*share)])
}

func write(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.gguf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAFileTheEngineCannotLoadIsNamedByItsFault(t *testing.T) {
	tests := []struct {
		name   string
		model  func(t *testing.T) string
		kind   FailureKind
		reason string // is in the engine's own words
	}{
		{"a file that is not there", func(t *testing.T) string { return filepath.Join(t.TempDir(), "gone.gguf") }, ModelMissing, ""},
		{"a file that is no GGUF", func(t *testing.T) string { return write(t, []byte("hello, this is a text")) }, ModelCorrupt, "invalid magic"},
		{"an empty file", func(t *testing.T) string { return write(t, nil) }, ModelCorrupt, "magic"},
		{"a file cut in its header", func(t *testing.T) string { return cut(t, gguftest.Llama(t), 0.001) }, ModelCorrupt, "gguf_init"},
		{"a file cut in its weights", func(t *testing.T) string { return cut(t, gguftest.Llama(t), 0.6) }, ModelCorrupt, "corrupted or incomplete"},
		{"an architecture nobody knows", func(t *testing.T) string {
			data, err := os.ReadFile(gguftest.Llama(t))
			if err != nil {
				t.Fatal(err)
			}
			return write(t, bytes.Replace(data, []byte("llama"), []byte("lhama"), 1))
		}, UnknownArchitecture, "unknown model architecture"},
		{"a set without its second part", func(t *testing.T) string {
			first := gguftest.Split(t)
			parts, err := filepath.Glob(filepath.Join(filepath.Dir(first), "*-00002-of-*.gguf"))
			if err != nil || len(parts) != 1 {
				t.Fatal(parts, err)
			}
			if err := os.Remove(parts[0]); err != nil {
				t.Fatal(err)
			}
			return first
		}, MissingPart, "00002-of-00002"},
		{"the second part of a set", func(t *testing.T) string {
			return strings.Replace(gguftest.Split(t), "-00001-", "-00002-", 1)
		}, MissingPart, "first split"},
		{"a projector", func(t *testing.T) string { return gguftest.Projector(t) }, WrongKind, "CLIP"},
		{"an adapter", func(t *testing.T) string { return gguftest.LoRA(t) }, WrongKind, "key not found"},
		{"an importance matrix", func(t *testing.T) string { return gguftest.Imatrix(t) }, WrongKind, "architecture"},
		{"a vocabulary", func(t *testing.T) string { return gguftest.VocabularyOnly(t) }, WrongKind, "token_embd"},
		{"a chat template that can't be read", func(t *testing.T) string {
			data, err := os.ReadFile(gguftest.Llama(t))
			if err != nil {
				t.Fatal(err)
			}
			return write(t, bytes.Replace(data, []byte("{% for message"), []byte("X% for message"), 1))
		}, TemplateBroken, "endfor"},
		{"a head that crashes the engine without a word", func(t *testing.T) string { return gguftest.MTPHead(t) }, Crashed, ""},
		{"a model that fails an assertion", func(t *testing.T) string { return gguftest.BERT(t) }, Crashed, "GGML_ASSERT"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := realOptions(t)
			o.Plan.ModelPath = test.model(t)
			f := wantFailure(t, t.Context(), o, test.kind)
			if !strings.Contains(f.Reason, test.reason) {
				t.Errorf("reason %q, want %q", f.Reason, test.reason)
			}
			if test.kind != ModelMissing && (len(f.LastWords) == 0 || f.LogPath == "") {
				t.Errorf("%d last words, log at %q", len(f.LastWords), f.LogPath)
			}
			if test.kind == Crashed && f.Signal == "" || test.kind == ModelCorrupt && f.ExitCode != 1 {
				t.Errorf("exit code %d, signal %q", f.ExitCode, f.Signal)
			}
		})
	}
}

func TestASettingTheEngineRefusesIsNamed(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Options)
		kind   FailureKind
		reason string
	}{
		{"a cache type it does not know", func(o *Options) { o.Plan.CacheK = "q9_9" }, UnsupportedSetting, "q9_9"},
		{"quantised V without flash attention", func(o *Options) { o.Plan.CacheV, o.Plan.FlashAttn = "q8_0", "off" }, UnsupportedSetting, "flash_attn"},
		{"a device it does not have", func(o *Options) { o.Plan.Devices, o.Plan.GPULayers = "CUDA7", "all" }, UnsupportedSetting, "CUDA7"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := realOptions(t)
			test.change(&o)
			if f := wantFailure(t, t.Context(), o, test.kind); !strings.Contains(f.Reason, test.reason) {
				t.Errorf("reason %q, want %q", f.Reason, test.reason)
			}
		})
	}
}

func TestAContextAboveTheTrainedOneIsLoweredAndSaid(t *testing.T) {
	o := realOptions(t)
	o.Plan.ContextTokens = 1 << 20
	f := wantFailure(t, t.Context(), o, ContextLowered)
	if f.AskedTokens != 1<<20 || f.GotTokens == 0 || f.GotTokens >= f.AskedTokens {
		t.Errorf("asked %d, got %d", f.AskedTokens, f.GotTokens)
	}
}

func TestMemoryThatIsNotThereIsNamed(t *testing.T) {
	o := realOptions(t)
	// The engine itself, allowed less address space than the KV cache needs.
	command := o.Build.Command(t.Context(), "llama-server").Args
	o.Build.Path = script(t, fmt.Sprintf("ulimit -v 3000000; exec '%s' \"$@\"", strings.Join(command, "' '"))).Path
	o.Plan.ContextTokens = 1 << 23
	f := wantFailure(t, t.Context(), o, OutOfMemory)
	if !strings.Contains(f.Reason, "alloc") {
		t.Errorf("reason %q", f.Reason)
	}
}

func TestAFileThatVanishesWhileLoadingIsNamed(t *testing.T) {
	o := realOptions(t)
	o.Progress = func(Progress) { os.Remove(o.Plan.ModelPath) } // the first call comes before the engine looks
	if f := wantFailure(t, t.Context(), o, ModelMissing); !errors.Is(f, fs.ErrNotExist) || f.Reason == "" {
		t.Errorf("failure %+v", f)
	}
}

func TestAnEngineThatCannotRunIsNamed(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "llama-server")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(t.TempDir(), "llama-server")
	buildtest.Program(t, foreign, "\x00\x01 of another system")
	// A bundle starts its loader, which is there; what it is to open is not.
	bundle := t.TempDir()
	if err := os.Symlink(filepath.Join(filepath.Dir(engine(t).Path), "..", "lib"), filepath.Join(bundle, "lib")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bundle, build.Manifest), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		build  build.Build
		kind   FailureKind
		reason string
	}{
		{"not there", build.Build{Path: filepath.Join(t.TempDir(), "llama-server")}, EngineMissing, ""},
		{"gone from its bundle", build.Build{Path: filepath.Join(bundle, "bin", "llama-server")}, EngineMissing, ""},
		{"not executable", build.Build{Path: plain}, NotExecutable, ""},
		{"of another system", build.Build{Path: foreign}, NotExecutable, ""},
		{"exits at once with a word", script(t, "echo 'error while loading shared libraries: libfoo.so' >&2; exit 127"), ExitedAtOnce, "libfoo.so"},
		{"exits at once without a word", script(t, "exit 0"), ExitedAtOnce, ""},
		{"exits at once without an end of line", script(t, "printf 'fatal: no luck' >&2; exit 3"), ExitedAtOnce, "no luck"},
		{"is killed", script(t, "kill -9 $$"), Killed, ""},
		{"meets an instruction it does not have", script(t, "kill -ILL $$"), UnsupportedCPU, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := Options{Build: test.build, Plan: chatPlan(gguftest.Llama(t)), RuntimeDir: t.TempDir(), LogDir: t.TempDir()}
			if f := wantFailure(t, t.Context(), o, test.kind); !strings.Contains(f.Reason, test.reason) {
				t.Errorf("reason %q, want %q", f.Reason, test.reason)
			}
		})
	}
}

func TestAnEngineThatIsNeverReadyIsGivenUp(t *testing.T) {
	const limit = 300 * time.Millisecond
	o := Options{Plan: chatPlan(gguftest.Llama(t)), RuntimeDir: t.TempDir(), LogDir: t.TempDir(), StallTime: limit}

	o.Build = script(t, "exec sleep 60")
	started := time.Now()
	wantFailure(t, t.Context(), o, NeverReady)
	if took := time.Since(started); took < limit || took > 10*limit {
		t.Errorf("given up after %v, limit %v", took, limit)
	}

	// As long as it says something it is waited for.
	o.Build = script(t, "for n in 1 2 3 4 5 6; do echo loading $n; sleep 0.15; done; exec sleep 60")
	started = time.Now()
	f := wantFailure(t, t.Context(), o, NeverReady)
	if took := time.Since(started); took < 900*time.Millisecond {
		t.Errorf("given up after %v, while it still reported", took)
	}
	if words := strings.Join(f.LastWords, "\n"); !strings.Contains(words, "loading 6") {
		t.Errorf("last words %q", words)
	}
}

func TestASocketPathThatIsTooLongIsNamed(t *testing.T) {
	o := realOptions(t)
	o.RuntimeDir = filepath.Join(t.TempDir(), strings.Repeat("x", 100))
	if f := wantFailure(t, t.Context(), o, SocketPathTooLong); !strings.HasPrefix(f.Path, o.RuntimeDir) {
		t.Errorf("path %q", f.Path)
	}
}

func TestARuntimeFolderThatCannotBeMadeIsNamed(t *testing.T) {
	o := realOptions(t)
	o.RuntimeDir = filepath.Join(o.Build.Path, "run")
	if f := failureOf(t, o); f.Kind != RuntimeFolder || f.Path != o.RuntimeDir || f.Err == nil {
		t.Errorf("failure %+v", f)
	}
}

func failureOf(t *testing.T, o Options) *Failure {
	t.Helper()
	i, err := Start(t.Context(), o)
	if err == nil {
		stop(t, i)
		t.Fatal("the engine started")
	}
	return err.(*Failure)
}

func TestAnEngineThatIsNotWhatWasAskedForIsNotReady(t *testing.T) {
	tests := []struct {
		behaviour string
		kind      FailureKind
		said      string
	}{
		{"other model", WrongModel, "/somewhere/else.gguf"},
		{"more slots", SettingIgnored, "2 slots instead of 1"},
		{"drafts", SettingIgnored, "drafts"},
		{"control characters", ProofFailed, "no text"},
		{"nothing", ProofFailed, "no token"},
		{"silent", ProofFailed, "no answer within"},
		{"fails", ProofFailed, "failed to decode"},
		{"dies at the question", Crashed, "GGML_ASSERT"},
		{"allocation failed", OutOfDeviceMemory, "failed to allocate Vulkan0"},
		{"not on device", NotOnDevice, "0 of 5 layers"},
	}
	for _, test := range tests {
		t.Run(test.behaviour, func(t *testing.T) {
			o := Options{
				Build: pretender(t, test.behaviour), Plan: chatPlan(gguftest.Llama(t)),
				RuntimeDir: t.TempDir(), LogDir: t.TempDir(),
			}
			if test.behaviour == "silent" {
				o.ProofTime = 500 * time.Millisecond
			}
			if test.kind == NotOnDevice {
				o.Plan.Devices, o.Plan.GPULayers = "Vulkan0", "all"
			}
			if f := wantFailure(t, t.Context(), o, test.kind); !strings.Contains(f.Error(), test.said) {
				t.Errorf("failure %q, want %q", f, test.said)
			}
		})
	}
}

func TestAModelThatAnswersInMarksOnlyIsProvenByItsTokens(t *testing.T) {
	o := Options{Build: pretender(t, "marks only"), Plan: chatPlan(gguftest.Llama(t)), RuntimeDir: t.TempDir(), LogDir: t.TempDir()}
	if proof := start(t, o).Proof(); proof.Text != "" {
		t.Errorf("proof %+v", proof)
	}
}

func TestAModelCutShortWhileItIsLoadedIsTheFilesFault(t *testing.T) {
	o := realOptions(t)
	o.Plan.ModelPath = cut(t, gguftest.Llama(t), 1)
	i := start(t, o)
	if err := os.Truncate(o.Plan.ModelPath, 4096); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Client().Chat(t.Context(), ask("hi"), nil); err == nil {
		t.Fatal("it answered from a file that is not there")
	}
	<-i.Done()
	if f := i.Failure(); f == nil || f.Kind != FileLost || f.ModelPath != o.Plan.ModelPath || f.Path != "" {
		t.Errorf("failure %+v", f)
	}
}

func TestAnEngineThatLostItsProcessorsPartSaysSo(t *testing.T) {
	o := realOptions(t)
	o.Build.Path = script(t, "echo '0.00.027.412 E llama_model_load: error loading model: make_cpu_buft_list: no CPU backend found'; exit 1").Path
	wantFailure(t, t.Context(), o, EngineIncomplete)
}
