package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"paddock/app/chat"
	"paddock/config"
	"paddock/engine"
	"paddock/engine/build"
	"paddock/engine/build/buildtest"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
)

var identified struct {
	sync.Once
	build build.Build
}

// realBuild is the real engine's build, at another path.
func realBuild(t *testing.T, path string) build.Build {
	t.Helper()
	identified.Do(func() { identified.build = buildtest.Engine(t) })
	b := identified.build
	b.Path = path
	return b
}

// newRealBench is a window that loads on a build. stall is how long the engine
// may be silent while it loads, 0 for the usual time.
func newRealBench(t *testing.T, engineBuild build.Build, stall time.Duration) *bench {
	t.Helper()
	dir, err := os.MkdirTemp("", "win") // short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return newBench(t, func(o *Options) {
		var err error
		if o.Config, err = config.Open(dir); err != nil {
			t.Fatal(err)
		}
		folders := o.Config.Folders()
		engines := engine.NewEngines(engine.Options{RuntimeDir: folders.Runtime, LogDir: folders.Log, StallTime: stall})
		o.Engine, o.Vectors = engines.Chat, engines.Vectors
		o.Builds = func(context.Context) []build.Build { return []build.Build{engineBuild} }
	})
}

// setUpModel does what a person does up to the button Load.
func (b *bench) setUpModel(path string) {
	b.t.Helper()
	b.Open([]string{path})
	b.until("the model is selected", func() bool { return b.modelsTab().State().Selected.Path == path })
	b.setUp(b.modelsTab().State().Selected.Model)
	b.until("the set-up is ready", func() bool {
		s := b.loadTab().State()
		return !s.Preparing && !s.Memory.Measuring
	})
}

func (b *bench) phase() engine.Phase { return b.options.Engine.State().Phase }

// wantStrip waits for the failure strip and asserts what a person reads in it
// and in the pill of the engine bar.
func (b *bench) wantStrip(pill string, mentions ...string) {
	b.t.Helper()
	b.until("the strip is there", func() bool { return b.strip.content.Visible() })
	said := b.strip.bold.String() + " " + b.strip.detail.String()
	for _, mention := range mentions {
		if !strings.Contains(strings.ToLower(said), strings.ToLower(mention)) {
			b.t.Errorf("the strip says %q, want %q in it", said, mention)
		}
	}
	if got := barFor(b.bar.state).Pill.Text; got != "Failed: "+pill {
		b.t.Errorf("the bar says %q", got)
	}
	if b.chatTab().State().CanSend {
		b.t.Error("a message can be sent")
	}
}

func TestEveryBadFileIsInTheListWithItsReasonOrHasANotice(t *testing.T) {
	b := newBench(t, nil)
	b.Open([]string{gguftest.Llama(t)})
	b.until("there is a list", func() bool { return len(b.modelsTab().State().Rows) == 1 })
	for _, bad := range gguftest.BadFiles(t) {
		if bad.Problem == gguf.Directory {
			continue // it is added as a folder of models
		}
		name := filepath.Base(bad.Path)
		b.Open([]string{bad.Path})
		switch bad.Problem {
		case gguf.NotGGUF, gguf.Empty, gguf.Missing:
			b.until(bad.Name+": a notice names it", func() bool { return strings.Contains(b.modelsTab().State().Notice, name) })
		default:
			b.until(bad.Name+": it is in the list", func() bool { return b.modelsTab().State().Selected.Path == bad.Path })
			r := b.modelsTab().State().Selected
			if r.Problem == "" || strings.HasPrefix(r.Problem, "models.") || !strings.Contains(r.Off, name) || strings.Count(r.Off, ". ") != 1 {
				t.Errorf("%s: %q, %q", bad.Name, r.Problem, r.Off)
			}
		}
	}
}

func TestALoadThatFailsIsSaidInTheStrip(t *testing.T) {
	remove := func(path string) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	nothing := func(string, string) {}
	const neverReady = "an engine that is never ready"
	const another = "Choose another engine in Settings"
	tests := []struct {
		name     string
		fault    string                             // of the engine when it is to load
		before   func(enginePath, modelPath string) // is done once everything is set up
		pill     string
		mentions []string
	}{
		{"a file that vanished before", "", func(_, model string) { remove(model) }, "the file is gone", []string{"no file llama.gguf", "Look in /"}},
		{"a file cut short since it was listed", "", func(_, model string) {
			if err := os.Truncate(model, 100_000); err != nil {
				t.Fatal(err)
			}
		}, "the file is cut short", []string{"llama.gguf is cut short", "Finish the download"}},
		{"a file that vanishes while it loads", `(while [ "$1" != -m ]; do shift; done; rm "$2")`, nothing,
			"the file is gone", []string{"llama.gguf was gone", "Connect the disk"}},
		{"an engine that vanished", "", func(engine, _ string) { remove(engine) }, "no engine", []string{"llama-server is not there any more", another}},
		{"an engine that may not be run any more", "", func(engine, _ string) {
			if err := os.Chmod(engine, 0o644); err != nil {
				t.Fatal(err)
			}
		}, "the engine can't be run", []string{"llama-server can't be run: permission denied", "Make it executable", another}},
		{"an engine that ends at once", "echo 'error: no luck today' >&2; exit 1", nothing,
			"the engine ended at once", []string{"llama-server stopped before it looked at llama.gguf", "no luck today", another}},
		{"an engine that is killed", "kill -9 $$", nothing, "the engine was killed", []string{"was killed (signal 9) with llama.gguf", "shorter context"}},
		{neverReady, "exec sleep 60", nothing, "the engine went silent", []string{"went silent while it loaded llama.gguf", "Try again"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			enginePath, model := buildtest.Faulty(t, test.fault), gguftest.Llama(t)
			var stall time.Duration
			if test.name == neverReady {
				stall = 300 * time.Millisecond
			}
			b := newRealBench(t, realBuild(t, enginePath), stall)
			b.setUpModel(model)
			test.before(enginePath, model)
			b.shortcut(ctrl(fyne.KeyReturn))
			b.wantStrip(test.pill, test.mentions...)
		})
	}
}

func TestWithoutAnEngineThatWorksLoadIsOffAndSaysWhy(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "llama-server")
	b := newRealBench(t, build.Identify(t.Context(), gone, build.Added), 0)
	b.setUpModel(gguftest.Llama(t))
	if s := b.loadTab().State(); !s.Off || !strings.Contains(s.Footer.Text, gone) {
		t.Errorf("off %t: %q", s.Off, s.Footer.Text)
	}
	b.shortcut(ctrl(fyne.KeyReturn))
	if b.phase() != engine.NotLoaded {
		t.Errorf("it is %s", b.phase())
	}
}

func TestALogThatCannotBeWrittenIsANotice(t *testing.T) {
	b := newRealBench(t, buildtest.Engine(t), 0)
	log := b.options.Config.Folders().Log
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.setUpModel(gguftest.Llama(t))
	b.shortcut(ctrl(fyne.KeyReturn))
	b.until("a notice says so", func() bool {
		said := b.said()
		return strings.HasPrefix(said, "The engine's log") && strings.Contains(said, "runs on")
	})
	b.until("the model is ready all the same", func() bool { return b.phase() == engine.Ready })
}

func TestAnAnswerThatStopsMidWordIsKeptAndMarkedAndCanGoOn(t *testing.T) {
	b := newRealBench(t, realBuild(t, buildtest.Breaking(t)), 0)
	b.setUpModel(gguftest.Llama(t))
	b.shortcut(ctrl(fyne.KeyReturn))
	b.until("the chat is there", func() bool { return b.current.id == pageChat })
	tab := b.chatTab()
	b.until("it can be written to", func() bool { tab.SetDraft("hello"); return tab.State().CanSend })
	tab.Send()
	b.wantStrip("the engine crashed", "crashed with llama.gguf", "Load it again")
	b.until("the answer has ended", func() bool { return tab.State().Answer == nil })

	turns := tab.State().Turns
	last := turns[len(turns)-1]
	if last.End != chat.Broken || !strings.HasPrefix("Hello! I am a very small model", last.Text) || len(last.Text) < 20 || !strings.Contains(last.Problem.Message, "crashed") {
		t.Errorf("the turn is %+v", last)
	}
	// The chat hears of the engine's states a moment later than of its answer.
	b.until("it can't go on without a model", func() bool { return tab.State().ContinueOff != "" })

	before := last.Text
	b.act(actRetry)
	b.until("the model is loaded again", func() bool { return b.phase() == engine.Ready && tab.State().ContinueOff == "" })
	tab.Continue()
	b.until("the answer goes on", func() bool {
		s := tab.State()
		last = s.Turns[len(s.Turns)-1]
		return s.Answer == nil && !last.User && len(last.Text) > len(before)
	})
	if !strings.HasPrefix(last.Text, before) {
		t.Errorf("what came first is lost: %q", last.Text)
	}
}
