package embeddings

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"paddock/app/apptest"
	"paddock/engine"
	"paddock/engine/embed"
	"paddock/engine/gguf"
	"paddock/engine/server"
)

// killed is a run whose engine was killed when some chunks had vectors.
func killed(t *testing.T) (d *desk, done int) {
	t.Helper()
	d = slowly(t)
	d.Pause() // on
	d.engine.gate <- struct{}{}
	d.until("some chunks have vectors", func() bool { return d.State().Job.ChunksDone > 0 && d.State().Job.Chunks == 14 })
	d.engine.die(&server.Failure{Kind: server.Killed, ModelPath: d.model})
	close(d.engine.gate)
	d.over()
	d.SetEngine(d.dead())
	d.engine.gate = nil
	d.engine.die(nil)
	s := d.State()
	if s.Offer != GoOn || s.Job.ChunksDone == 0 || s.Job.ChunksDone == 14 || !ofEngine(s.Problem) {
		t.Fatalf("%q, %d chunks, %v", s.Offer, s.Job.ChunksDone, s.Problem)
	}
	return d, s.Job.ChunksDone
}

// dead is the engine after it was killed.
func (d *desk) dead() engine.State {
	s := d.ready()
	s.Phase, s.Err = engine.Failed, &server.Failure{Kind: server.Killed, ModelPath: d.model}
	return s
}

func (d *desk) loading(progress float64) engine.State {
	s := d.ready()
	s.Phase, s.Progress = engine.Loading, progress
	return s
}

// goesOnWithOnePress presses Go on, and has the model loaded and the run come to its
// end, with nothing embedded twice.
func (d *desk) goesOnWithOnePress(done int) {
	d.t.Helper()
	if key, _, on := main(d.State()); key != "embeddings.goOn" || !on {
		d.t.Fatalf("the button says %s, on %t", key, on)
	}
	d.Start()
	if len(d.loads) != 1 || d.loads[0] != d.model || !d.State().Loading {
		d.t.Fatalf("loaded are %v", d.loads)
	}
	if _, _, on := main(d.State()); on {
		d.t.Error("Go on can be pressed again")
	}
	d.SetEngine(d.loading(0.43))
	if text := whyNot(d.State()); text != "E5 small is being loaded, 43 %. Then the run goes on." {
		d.t.Errorf("it says %q", text)
	}
	before := d.engine.all()
	d.SetEngine(d.ready())
	if !d.State().Runs() {
		d.t.Fatal("it does not go on by itself")
	}
	d.over()
	const check = 3 // texts
	if s := d.State(); s.Job.Phase != embed.Done || s.Job.ChunksDone != 14 || d.engine.all()-before != 14-done+check || s.Loading {
		d.t.Errorf("%s, %v, %d chunks, of which %d were there, %d texts embedded", s.Job.Phase, s.Problem, s.Job.ChunksDone, done, d.engine.all()-before)
	}
}

func TestGoOnLoadsAModelThatWasKilledAgain(t *testing.T) {
	d, done := killed(t)
	d.goesOnWithOnePress(done)
}

func TestGoOnLoadsTheModelOfARunThatIsPaused(t *testing.T) {
	d := slowly(t)
	close(d.engine.gate) // for what is under way
	d.until("it is paused", func() bool { return d.State().Job.Phase == embed.Paused })
	d.SetEngine(engine.State{Phase: engine.NotLoaded})
	if key, _, on := main(d.State()); key != "embeddings.goOn" || !on || !strings.HasPrefix(whyNot(d.State()), "E5 small, with which the run was begun, is not loaded.") {
		t.Fatalf("the button says %s, on %t: %q", key, on, whyNot(d.State()))
	}
	d.Start()
	d.Cancel() // only that it goes on by itself
	if s := d.State(); s.Loading || s.Run != Paused {
		t.Fatalf("loading %t, %s", s.Loading, s.Run)
	}
	d.Start()
	d.SetEngine(d.loading(0.5))
	if _, _, on := main(d.State()); on || len(d.loads) != 2 {
		t.Errorf("Go on can be pressed again; loaded are %v", d.loads)
	}
	d.SetEngine(d.ready())
	d.over()
	if s := d.State(); s.Job.Phase != embed.Done || s.Job.ChunksDone != 14 {
		t.Errorf("%s, %v, %d chunks", s.Job.Phase, s.Problem, s.Job.ChunksDone)
	}
}

func TestARunWhoseEngineEndedSaysThatItStops(t *testing.T) {
	d := slowly(t)
	d.Pause() // on
	d.until("it works again", func() bool { return d.State().Run == Working && d.State().Job.Phase == embed.Running })
	d.SetEngine(d.dead())
	if _, _, on := main(d.State()); on || whyNot(d.State()) != "The engine has ended. The run stops, and what is done is kept." {
		t.Errorf("on %t, it says %q", on, whyNot(d.State()))
	}
	if text := totals(d.State()); strings.Contains(text, "tok/s") {
		t.Errorf("without a speed it says %q", text)
	}
	d.Cancel()
	close(d.engine.gate)
	d.over()
}

func TestGoOnLoadsTheModelOfARunAfterARestart(t *testing.T) {
	d, done := killed(t)
	d.again()
	d.until("it is offered", func() bool { return d.State().Offer == GoOn })
	if s := d.State(); !strings.HasPrefix(whyNot(s), "E5 small, with which the run was begun, is not loaded. Go on loads it again") || s.Job.ChunksDone != done {
		t.Errorf("%q, %d chunks", whyNot(s), s.Job.ChunksDone)
	}
	// Closed once more while it is loaded, it is still offered.
	d.Start()
	d.SetEngine(d.loading(-1))
	d.again()
	d.until("it is offered once more", func() bool { return d.State().Offer == GoOn })
	d.loads = nil
	d.goesOnWithOnePress(done)
}

func TestAModelThatCannotBeLoadedAgainIsSaid(t *testing.T) {
	d, _ := killed(t)
	d.Start()
	gone := &gguf.Error{Problem: gguf.Missing, Path: d.model}
	d.unusable(gone)
	if s := d.State(); s.Loading || s.Problem != error(gone) || !s.Loadable() {
		t.Errorf("%t, %v, can be tried again %t", s.Loading, s.Problem, s.Loadable())
	}
	// The engine fails, with and without the phases in between.
	for _, between := range [][]engine.State{nil, {d.loading(0.5)}} {
		d.Start()
		for _, s := range append(between, d.dead()) {
			d.SetEngine(s)
		}
		if s := d.State(); s.Loading || s.Runs() || !s.Loadable() {
			t.Errorf("loading %t, runs %t", s.Loading, s.Runs())
		}
	}
}

func TestARunDoesNotGoOnThatWasGivenUpWhileItsModelIsLoaded(t *testing.T) {
	for name, giveUp := range map[string]func(d *desk){
		"by Cancel": func(d *desk) { d.Cancel() },
		"by unloading": func(d *desk) {
			d.SetEngine(engine.State{Phase: engine.NotLoaded})
		},
		"by another model": func(d *desk) {
			other := d.ready()
			other.Model.Path = d.other()
			d.SetEngine(other)
		},
		"by another list": func(d *desk) {
			d.Add([]string{d.write("more.txt", "one more note")})
			d.until("it is listed", func() bool { return !d.State().Listing })
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := killed(t)
			d.Start()
			d.SetEngine(d.loading(0.2))
			giveUp(d)
			d.SetEngine(d.ready())
			if s := d.State(); s.Loading || s.Runs() {
				t.Errorf("loading %t, runs %t", s.Loading, s.Runs())
			}
			d.Start()
			d.over()
			if s := d.State(); s.Job.Phase != embed.Done {
				t.Errorf("%s, %v", s.Job.Phase, s.Problem)
			}
		})
	}
}

func TestWhatCouldNotBeReadIsSaidAfterARestart(t *testing.T) {
	d, _ := killed(t)
	was := d.row("scan.pdf")
	if was.Phase != embed.FileFailed {
		t.Fatalf("%+v", was)
	}
	d.Close()
	d.Wait(context.Background())
	s := newScreenOf(t, d, apptest.Narrow)
	s.until("it is offered", func() bool { return s.State().Offer == GoOn })
	now := s.row("scan.pdf")
	if now.Phase != embed.FileFailed || standing(now) != "Can't be read" || sentence(now.Err) != sentence(was.Err) || !strings.Contains(sentence(now.Err), "scan.pdf is damaged") {
		t.Errorf("%q, %v, want %v", standing(now), now.Err, was.Err)
	}
	s.wants(t, "Can't be read", sentence(was.Err))
}

func TestAnOutputThatBecameSomebodyElsesIsAskedAbout(t *testing.T) {
	d := made(t)
	path := filepath.Join(d.State().Choices.Folder, "notes.jsonl")
	d.write("vectors/notes.jsonl", "mine")
	d.Start()
	d.over()
	var exists *embed.FileError
	if s := d.State(); !errors.As(s.Problem, &exists) || exists.Problem != embed.Exists || exists.Path != path || s.Offer != WriteOver {
		t.Fatalf("%v, %q", s.Problem, s.Offer)
	}
	if text := d.read(path); text != "mine" {
		t.Errorf("it is %q now", text)
	}
	d.Take()
	d.over()
	if s := d.State(); s.Job.Phase != embed.Done || d.read(path) == "mine" {
		t.Errorf("%s, %v", s.Job.Phase, s.Problem)
	}
}
