package images

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"paddock/engine"
	"paddock/engine/build"
	"paddock/engine/build/buildtest"
	"paddock/engine/client"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/picture"
	"paddock/engine/picture/picturetest"
	"paddock/engine/plan"
)

// supervised is a supervisor with a model that sees.
func supervised(t *testing.T, model, projector, spec string, slots int) (*engine.Supervisor, plan.Plan) {
	t.Helper()
	dir, err := os.MkdirTemp("", "im") // short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	s := engine.New(engine.Options{RuntimeDir: filepath.Join(dir, "r"), LogDir: filepath.Join(dir, "l")})
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		os.RemoveAll(dir)
	})
	p := seeing(model, projector, spec, slots)
	load(t, s, p)
	return s, p
}

func seeing(model, projector, spec string, slots int) plan.Plan {
	return plan.Plan{
		ModelPath: model, Purpose: plan.Chat, ContextTokens: 4096, Devices: plan.CPU, GPULayers: "0",
		CacheK: "f16", CacheV: "f16", FlashAttn: "auto", Slots: slots, SpecTypes: spec,
		ProjectorPath: projector, ProjectorDevice: "cpu",
	}
}

func load(t *testing.T, s *engine.Supervisor, p plan.Plan) {
	t.Helper()
	if err := s.Load(t.Context(), p, plan.Given{Model: gguf.Facts{Path: p.ModelPath}}, buildtest.Engine(t)); err != nil {
		t.Fatal(err)
	}
}

// kill ends the engine that has a file open as its model.
func kill(t *testing.T, model string) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	killed := false
	for _, process := range processes {
		command, err := os.ReadFile(process)
		if err != nil || !slices.Contains(strings.Split(string(command), "\x00"), model) {
			continue
		}
		var pid int
		if _, err := fmt.Sscanf(process, "/proc/%d/", &pid); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		killed = true
	}
	if !killed {
		t.Fatal("no engine to kill")
	}
}

func TestTwoHundredMixedPicturesRunThroughAKilledEngineAndARestart(t *testing.T) {
	dir, good, bad := picturetest.Mixed(t)
	data := t.TempDir()
	s := open(t, data)
	if added := s.Add(t.Context(), true, dir); len(added.Items) != 200 || added.Skipped != 1 || added.Errors != nil {
		t.Fatalf("%d added, %d skipped, %v", len(added.Items), added.Skipped, added.Errors)
	}
	supervisor, p := supervised(t, gguftest.Gemma3(t), gguftest.Projector(t), plan.NoSpec, 2)
	run := Run{Prompt: "What is it?", MaxTokens: 6, Temperature: new(float64)}

	job := started(t, s, supervisor, supervisor.State().Plan.Slots, run)
	job.Follow(supervisor)
	eventually(t, "at the 30th", func() bool { return s.State().Job.Through() >= 30 })
	kill(t, p.ModelPath)
	eventually(t, "paused", func() bool { p := s.State().Job; return p.Paused && p.Asking == 0 })
	if s.State().Job.Reason == nil {
		t.Error("nobody knows why it pauses")
	}
	load(t, supervisor, p)
	eventually(t, "at the 90th", func() bool { return s.State().Job.Through() >= 90 })
	// The program ends in the middle, and is started again.
	closeSet(t, s)
	before := s.State()
	again := open(t, data)
	after := again.State()
	if after.Counts != before.Counts || after.Counts.Done < 50 || after.Counts.Waiting == 0 {
		t.Errorf("%+v, was %+v", after.Counts, before.Counts)
	}
	done := map[ID]string{}
	for _, item := range after.Items {
		if item.Phase == Done {
			done[item.ID] = item.Text
		}
	}
	finish(t, started(t, again, supervisor, 2, again.State().Run))
	wantCounts(t, again, Counts{Done: good, Failed: bad})
	problems := map[picture.Problem]int{}
	for _, item := range again.State().Items {
		if text, was := done[item.ID]; was && item.Text != text {
			t.Errorf("%s was done, and is another", item.Name)
		}
		var failed *picture.Error
		if item.Phase == Failed {
			failed, _ = item.Err.(*picture.Error)
			if failed == nil {
				t.Errorf("%s: %v", item.Name, item.Err)
				continue
			}
			problems[failed.Problem]++
		}
	}
	if want := (map[picture.Problem]int{
		picture.Broken: 14, picture.TooSmall: 14, picture.NotAPicture: 14, picture.Empty: 14, picture.Unsupported: 14, picture.TooLarge: 1,
	}); !maps.Equal(problems, want) {
		t.Errorf("%v, want %v", problems, want)
	}
}

func TestGreedyResultsAreTheSameWithMTPAndWithout(t *testing.T) {
	dir := pictures(t, 0)
	for i := range 12 {
		write(t, filepath.Join(dir, fmt.Sprintf("%d.png", i)), picturetest.Encode(t, "png", picturetest.Photo(70+11*i, 90+7*i)))
	}
	model, projector := gguftest.Qwen35(t), gguftest.Qwen35Projector(t)
	var all []string
	for _, spec := range []string{plan.NoSpec, plan.SpecMTP} {
		supervisor, _ := supervised(t, model, projector, spec, 1)
		s := New()
		s.Add(t.Context(), false, dir)
		finish(t, started(t, s, supervisor, 1, Run{Prompt: "What is it?", MaxTokens: 24, Temperature: new(float64)}))
		wantCounts(t, s, Counts{Done: 12})
		if state := supervisor.State(); state.FellBack != nil || state.Plan.SpecTypes != spec {
			t.Errorf("%s: %+v", spec, state.FellBack)
		}
		all = append(all, s.Texts(nil))
		supervisor.Unload()
	}
	if all[0] != all[1] {
		t.Errorf("without: %q\nwith: %q", all[0], all[1])
	}
}

func TestTagsComeAsTheSchemaSays(t *testing.T) {
	e := picturetest.Start(t, picturetest.Qwen)
	s := New()
	s.Add(t.Context(), false, pictures(t, 2))
	tags, _ := PresetOf(Tags)
	finish(t, started(t, s, e, 1, tags.Run()))
	for _, item := range s.State().Items {
		if item.Phase != Done || !strings.HasPrefix(item.Text, `{"tags":["`) {
			t.Errorf("%+v", item)
		}
	}
}

// The supervisor repeats a question that fails while the engine guesses ahead, and
// loads the model again for it. What the other slots were asked ends then, and is
// asked again.
func TestAJobGoesOnWhereAnEngineCannotGuessAheadWithPictures(t *testing.T) {
	dir, err := os.MkdirTemp("", "im")
	if err != nil {
		t.Fatal(err)
	}
	supervisor := engine.New(engine.Options{RuntimeDir: filepath.Join(dir, "r"), LogDir: filepath.Join(dir, "l")})
	t.Cleanup(func() {
		supervisor.Close(context.Background())
		os.RemoveAll(dir)
	})
	p := seeing(gguftest.Qwen35(t), gguftest.Qwen35Projector(t), plan.SpecMTP, 2)
	b := build.Identify(t.Context(), buildtest.FailsGuessing(t), build.Added)
	if err := supervisor.Load(t.Context(), p, plan.Given{Model: gguf.Facts{Path: p.ModelPath}}, b); err != nil {
		t.Fatal(err)
	}
	s := New()
	s.Add(t.Context(), false, pictures(t, 10))
	j := started(t, s, supervisor, 2, Run{MaxTokens: 6, Temperature: new(float64)})
	j.Follow(supervisor)
	finish(t, j)
	wantCounts(t, s, Counts{Done: 10})
	if !supervisor.State().WithoutSpeculation() {
		t.Error("it guesses ahead still")
	}
}

// The engine's own client, without anybody who knows of processes.
func TestAJobOnABareClientPausesWhenItsEngineIsGone(t *testing.T) {
	e := picturetest.Start(t, picturetest.Gemma)
	s := New()
	s.Add(t.Context(), false, pictures(t, 3))
	gone := client.New(filepath.Join(t.TempDir(), "no.sock"), "")
	j := started(t, s, gone, 1, Run{MaxTokens: 4})
	eventually(t, "paused", func() bool { p := s.State().Job; return p.Paused && p.Asking == 0 })
	j.Cancel()
	finish(t, j)
	finish(t, started(t, s, e, 1, Run{MaxTokens: 4}))
	wantCounts(t, s, Counts{Done: 3})
}

func TestAnotherModelIsNotAskedUnlessTheUserSaysSo(t *testing.T) {
	s := New()
	s.Add(t.Context(), false, pictures(t, 12))
	supervisor, p := supervised(t, gguftest.Gemma3(t), gguftest.Projector(t), plan.NoSpec, 1)
	// Long enough for the model to be unloaded under it.
	j := started(t, s, supervisor, 1, Run{MaxTokens: 2000, Temperature: new(float64)})
	j.Follow(supervisor)
	supervisor.Unload()
	eventually(t, "paused", func() bool { p := s.State().Job; return p.Paused && p.Asking == 0 })
	load(t, supervisor, seeing(gguftest.Qwen35(t), gguftest.Qwen35Projector(t), plan.NoSpec, 1))
	blind := p
	blind.ProjectorPath = plan.NoProjector
	load(t, supervisor, blind)
	if p := s.State().Job; !p.Paused || !errors.Is(p.Reason, engine.ErrNotReady) {
		t.Errorf("%+v", p)
	}
	before := s.State().Counts
	load(t, supervisor, p)
	finish(t, j)
	if after := s.State().Counts; after != (Counts{Done: 12}) {
		t.Errorf("%+v, was %+v", after, before)
	}
}
