//go:build linux

package server

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"paddock/engine/build/buildtest"
	"paddock/engine/client"
	"paddock/engine/gguf/gguftest"
)

// ask is one question with an answer of some length.
func ask(text string) client.Request {
	return client.Request{
		Messages:    []client.Message{{Role: "user", Text: text}},
		Temperature: new(float64),
	}
}

func TestAnEngineStartsIsProvenAnswersAndLeavesNothing(t *testing.T) {
	tests := map[string]func(*Options){
		"in child mode":      func(o *Options) {},
		"without child mode": func(o *Options) { o.Build.ChildMode = false },
		"over loopback":      func(o *Options) { o.loopback = true },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			o := realOptions(t)
			if !o.Build.ChildMode {
				t.Fatal("the engine for tests is not known to have a child mode")
			}
			change(&o)
			var seen []Progress
			o.Progress = func(p Progress) { seen = append(seen, p) }
			i, err := Start(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if last := seen[len(seen)-1]; last.Phase != Proving || seen[0].Phase != Loading {
				t.Errorf("progress %v, want from loading to proving", seen)
			}
			if o.Build.ChildMode && seen[len(seen)-2].Value != 1 {
				t.Errorf("progress %v, want loading to reach 1", seen)
			}
			proof := i.Proof()
			if proof.Text != "Hello!" && proof.Text != "Hello! I" || proof.ContextTokens != 512 || proof.Slots != 1 || proof.TokensPerSecond <= 0 || !strings.HasPrefix(proof.BuildInfo, "b") {
				t.Errorf("proof %+v", proof)
			}
			if proof.DeviceLayers != 0 || proof.Layers == 0 {
				t.Errorf("%d of %d layers on devices, want 0 of some", proof.DeviceLayers, proof.Layers)
			}
			answer, err := i.Client().Chat(t.Context(), ask("hi"), nil)
			if err != nil || !strings.HasPrefix(answer.Text, "Hello! I am a very small model") || answer.Stop != client.StopEnd {
				t.Errorf("answer %+v, %v", answer, err)
			}
			if answer.PromptTokens == 0 || answer.AnswerTokens < 20 || answer.TokensPerSecond <= 0 || answer.FirstToken <= 0 {
				t.Errorf("measures %+v", answer)
			}
			pid := i.PID()
			stop(t, i)
			if !gone(pid) || i.Failure() != nil {
				t.Errorf("process gone: %v, failure: %v", gone(pid), i.Failure())
			}
			wantNothingLeft(t, o.RuntimeDir)
			stop(t, i) // a second time
		})
	}
}

func TestTheLogIsKeptAndHoldsNoKey(t *testing.T) {
	o := realOptions(t)
	i := start(t, o)
	log, err := os.ReadFile(i.LogPath())
	if err != nil {
		t.Fatal(err)
	}
	key := i.place.key
	if !strings.Contains(string(log), "model loaded") || strings.Contains(string(log), key[len(key)-4:]+"\n") {
		t.Errorf("the log has the end of the key, or not what the engine said:\n%s", log)
	}
	if strings.Contains(string(log), "\x1b") || !strings.Contains(strings.Join(i.LastWords(), "\n"), "model loaded") {
		t.Error("the log has escape sequences, or the last words lack what the engine said")
	}
	info, err := os.Stat(i.LogPath())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("log mode %v, %v", info.Mode(), err)
	}
	folder, err := os.Stat(i.place.folder)
	if err != nil || folder.Mode().Perm() != 0o700 {
		t.Errorf("socket folder mode %v, %v", folder.Mode(), err)
	}
	if _, err := os.Stat(i.place.keyFile); !os.IsNotExist(err) {
		t.Errorf("the key file is still there: %v", err)
	}
	if _, err := client.New(i.place.socket, "another key").Slots(t.Context()); err == nil {
		t.Error("the engine lets in who has another key")
	}
}

func TestAStartCanBeCancelledInEveryPhase(t *testing.T) {
	tests := map[string]func(Progress) bool{
		"before the process": func(p Progress) bool { return p.Value < 0 && p.Phase == Loading },
		"while loading":      func(p Progress) bool { return p.Value >= 0 && p.Phase == Loading },
		"while proving":      func(p Progress) bool { return p.Phase == Proving },
	}
	for name, when := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var at time.Time
			o := realOptions(t)
			o.Progress = func(p Progress) {
				if at.IsZero() && when(p) {
					at = time.Now()
					cancel()
				}
			}
			f := wantFailure(t, ctx, o, Cancelled)
			if took := time.Since(at); took > 2500*time.Millisecond || !errors.Is(f, context.Canceled) {
				t.Errorf("cancelled after %v: %v", took, f)
			}
		})
	}
}

func TestACallerThatPanicsLeavesNothing(t *testing.T) {
	o := realOptions(t)
	o.Progress = func(p Progress) {
		if p.Phase == Proving {
			panic("a fault of the caller")
		}
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic did not get through")
			}
		}()
		Start(t.Context(), o)
	}()
	wantNothingLeft(t, o.RuntimeDir)
}

func TestAKilledPaddockLeavesNoEngine(t *testing.T) {
	tests := []struct {
		name           string
		loading, plain bool
	}{
		{"when ready", false, false},
		{"while loading", true, false},
		{"without child mode", false, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			settings, err := json.Marshal(map[string]any{
				"Engine": buildtest.Path(t), "Model": gguftest.Llama(t), "Dir": dir,
				"Loading": test.loading, "Plain": test.plain,
			})
			if err != nil {
				t.Fatal(err)
			}
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			parent := exec.Command(self)
			parent.Env = append(os.Environ(), "PADDOCK_TEST_PARENT="+string(settings))
			parent.Stderr = os.Stderr
			if err := parent.Start(); err != nil {
				t.Fatal(err)
			}
			defer parent.Wait()
			defer parent.Process.Kill()
			run := filepath.Join(dir, "run")
			eventually(t, "an engine", func() bool {
				_, err := os.Stat(filepath.Join(dir, "pid"))
				return err == nil && len(processesWith(t, run)) == 1
			})
			parent.Process.Kill()
			parent.Wait()
			eventually(t, "the engine gone", func() bool { return len(processesWith(t, run)) == 0 })

			// Its folder is removed by the next start.
			o := realOptions(t)
			o.RuntimeDir = run
			stop(t, start(t, o))
			wantNothingLeft(t, run)
		})
	}
}

func TestWhatTheUserHasSetElsewhereChangesNothing(t *testing.T) {
	home := t.TempDir()
	folder := filepath.Join(home, ".config", "llama.cpp")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "config.ini"), []byte("[*]\nparallel = 3\nctx-size = 777\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"),
		"LLAMA_ARG_N_PARALLEL": "4", "LLAMA_ARG_CTX_SIZE": "333", "LLAMA_ARG_MODEL": "/nowhere.gguf",
		"LLAMA_API_KEY": "another", "LLAMA_ARG_UI": "1",
	} {
		t.Setenv(name, value)
	}
	i := start(t, realOptions(t))
	if proof := i.Proof(); proof.Slots != 1 || proof.ContextTokens != 512 {
		t.Errorf("proof %+v, want 1 slot of 512 tokens", proof)
	}
	if words := strings.Join(i.LastWords(), "\n"); strings.Contains(words, "config file") {
		t.Errorf("a config file was read:\n%s", words)
	}
}

func TestTwoEnginesRunAtOnce(t *testing.T) {
	o := realOptions(t)
	one, two := start(t, o), start(t, o)
	stop(t, one)
	answer, err := two.Client().Chat(t.Context(), ask("hi"), nil)
	if err != nil || !strings.HasPrefix(answer.Text, "Hello!") {
		t.Errorf("the second engine, after the first has stopped: %+v, %v", answer, err)
	}
}

func TestACancelledAnswerEndsAtOnceAndTheEngineGoesOn(t *testing.T) {
	i := start(t, realOptions(t))
	request := ask("hi")
	request.MaxTokens, request.IgnoreEnd = 400, true
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var at time.Time
	pieces := 0
	answer, err := i.Client().Chat(ctx, request, func(client.Delta) {
		if pieces++; pieces == 5 {
			at = time.Now()
			cancel()
		}
	})
	if took := time.Since(at); took > 100*time.Millisecond {
		t.Errorf("it took %v", took)
	}
	if err != nil || answer.Stop != client.StopCancelled || !strings.HasPrefix(answer.Text, "Hello!") || answer.AnswerTokens < 5 {
		t.Errorf("answer %+v, %v", answer, err)
	}
	if again, err := i.Client().Chat(t.Context(), ask("hi"), nil); err != nil || again.Stop != client.StopEnd {
		t.Errorf("the next answer: %+v, %v", again, err)
	}
}

func TestStopEndsAnAnswerUnderWay(t *testing.T) {
	i := start(t, realOptions(t))
	request := ask("hi")
	request.MaxTokens, request.IgnoreEnd = 400, true
	begun := make(chan struct{})
	ended := make(chan client.Answer)
	go func() {
		pieces := 0
		answer, _ := i.Client().Chat(t.Context(), request, func(client.Delta) {
			if pieces++; pieces == 3 {
				close(begun)
			}
		})
		ended <- answer
	}()
	<-begun
	at := time.Now()
	stop(t, i)
	if took := time.Since(at); took > 2*time.Second {
		t.Errorf("stopping took %v", took)
	}
	if answer := <-ended; answer.Stop != client.StopCancelled || answer.Text == "" {
		t.Errorf("answer %+v", answer)
	}
}

func TestACrashMidAnswerKeepsThePartialAnswer(t *testing.T) {
	tests := map[syscall.Signal]FailureKind{syscall.SIGKILL: Killed, syscall.SIGSEGV: Crashed, syscall.SIGABRT: Crashed, syscall.SIGBUS: FileLost}
	for signal, kind := range tests {
		t.Run(signal.String(), func(t *testing.T) {
			o := realOptions(t)
			i := start(t, o)
			request := ask("hi")
			request.MaxTokens, request.IgnoreEnd = 400, true
			pieces := 0
			answer, err := i.Client().Chat(t.Context(), request, func(client.Delta) {
				if pieces++; pieces == 5 {
					syscall.Kill(i.PID(), signal)
				}
			})
			var broken *client.Error
			if !errors.As(err, &broken) || broken.Kind != client.Broken || answer.Stop != client.StopBroken || !strings.HasPrefix(answer.Text, "Hello!") {
				t.Errorf("answer %+v, %v", answer, err)
			}
			<-i.Done()
			f := i.Failure()
			if f == nil || f.Kind != kind || f.Signal != signal.String() || len(f.LastWords) == 0 || f.LogPath == "" {
				t.Errorf("failure %+v, want %s", f, kind)
			}
			wantNothingLeft(t, o.RuntimeDir)
			stop(t, i)
		})
	}
}

func TestAConversationLongerThanTheContextSaysSo(t *testing.T) {
	i := start(t, realOptions(t))
	_, err := i.Client().Chat(t.Context(), ask(strings.Repeat("hello ", 2000)), nil)
	var long *client.Error
	if !errors.As(err, &long) || long.Kind != client.ContextExceeded || long.PromptTokens < 2000 || long.ContextTokens != 512 {
		t.Errorf("error %+v", err)
	}
	if _, err := i.Client().Chat(t.Context(), ask("hi"), nil); err != nil {
		t.Errorf("the next answer: %v", err)
	}
}

func TestAFullDiskForTheLogIsSaidOnceAndTheEngineRunsOn(t *testing.T) {
	warnings := make(chan error, 100)
	o := realOptions(t)
	o.Warn = func(err error) { warnings <- err }
	o.openLog = func(string) (*os.File, error) { return os.OpenFile("/dev/full", os.O_WRONLY, 0) }
	i := start(t, o)
	if _, err := i.Client().Chat(t.Context(), ask("hi"), nil); err != nil {
		t.Error(err)
	}
	var log *LogError
	if err := <-warnings; !errors.As(err, &log) || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("warning %v", err)
	}
	if len(warnings) > 0 {
		t.Errorf("said again: %v", <-warnings)
	}
	if len(i.LastWords()) == 0 {
		t.Error("there are no last words")
	}
}

func TestALogFolderThatCannotBeMadeIsAWarning(t *testing.T) {
	o := realOptions(t)
	o.LogDir = filepath.Join(o.Plan.ModelPath, "log") // a file is in the way
	var warned error
	o.Warn = func(err error) { warned = err }
	i := start(t, o)
	var log *LogError
	if !errors.As(warned, &log) || i.LogPath() != "" {
		t.Errorf("warning %v, log at %q", warned, i.LogPath())
	}
}

func TestAnEngineThatDoesNotEndIsKilled(t *testing.T) {
	o := Options{Build: pretender(t, "stubborn"), Plan: chatPlan(gguftest.Llama(t)), RuntimeDir: t.TempDir(), LogDir: t.TempDir()}
	i := start(t, o)
	syscall.Kill(i.PID(), syscall.SIGSTOP) // deaf to everything but a kill
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := i.Stop(ctx); err != nil || !gone(i.PID()) {
		t.Errorf("stop: %v, process %s gone: %v", err, strconv.Itoa(i.PID()), gone(i.PID()))
	}
	wantNothingLeft(t, o.RuntimeDir)
}
