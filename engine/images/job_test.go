package images

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"paddock/engine"
	"paddock/engine/client"
	"paddock/engine/picture"
	"paddock/engine/picture/picturetest"
	"paddock/engine/server"
)

// added is a set of n good pictures.
func added(t testing.TB, n int) (*Set, []ID) {
	t.Helper()
	s := New()
	return s, s.Add(t.Context(), false, pictures(t, n)).Items
}

func TestAnAnswerStreamsIntoItsPicture(t *testing.T) {
	s, _ := added(t, 2)
	g := newGate()
	j := started(t, s, g, 1, Run{})
	asked(t, g)
	state, item := s.State(), runs(t, s)
	if item.Partial != "so far" || item.Pieces != 2 || item.Text != "" {
		t.Errorf("%+v", item)
	}
	if p := state.Job; p.Total != 2 || p.Asking != 1 || p.Through() != 0 || p.Left != 0 {
		t.Errorf("%+v", p)
	}
	g.answer <- " a flag\n"
	asked(t, g)
	state = s.State()
	if item := state.Items[item.ID-1]; item.Phase != Done || item.Text != "a flag" || item.Partial != "" || item.Prompt == "" {
		t.Errorf("%+v", item)
	}
	if p := state.Job; p.PerMinute <= 0 || p.Left <= 0 {
		t.Errorf("%+v", p)
	}
	g.answer <- "another"
	finish(t, j)
	wantCounts(t, s, Counts{Done: 2})
	if p := s.State().Job; !p.Ended || p.Left != 0 || p.Finished.Done != 2 {
		t.Errorf("%+v", p)
	}
}

func TestAsManyAreAskedAsThereAreSlots(t *testing.T) {
	s, _ := added(t, 8)
	g := newGate()
	j := started(t, s, g, 3, Run{})
	for range 3 {
		asked(t, g)
	}
	wantCounts(t, s, Counts{Running: 3, Waiting: 5})
	go func() {
		for range 8 {
			g.answer <- "a flag"
		}
	}()
	finish(t, j)
	wantCounts(t, s, Counts{Done: 8})
}

func TestAPauseLetsWhatHasBegunEnd(t *testing.T) {
	s, _ := added(t, 4)
	g := newGate()
	j := started(t, s, g, 1, Run{})
	asked(t, g)
	j.Pause()
	if p := s.State().Job; !p.Paused || p.Reason != nil || p.Asking != 1 {
		t.Errorf("%+v", p)
	}
	g.answer <- "a flag"
	eventually(t, "paused", func() bool { return s.State().Job.Asking == 0 })
	wantCounts(t, s, Counts{Done: 1, Waiting: 3})
	running := s.State().Job.Running
	s.changedNow()
	if now := s.State().Job.Running; now != running {
		t.Errorf("the clock of a pause runs: %v, then %v", running, now)
	}
	j.Resume()
	asked(t, g)
	wantCounts(t, s, Counts{Done: 1, Running: 1, Waiting: 2})
}

func TestCancelKeepsWhatIsDoneAndLeavesTheRestAsItWas(t *testing.T) {
	s, ids := added(t, 5)
	s.Edit(ids[4], "mine")
	g := newGate()
	j := started(t, s, g, 2, Run{Overwrite: OverwriteEdited})
	asked(t, g)
	asked(t, g)
	g.answer <- "a flag"
	asked(t, g)
	j.Cancel()
	finish(t, j)
	wantCounts(t, s, Counts{Done: 1, Waiting: 3, Edited: 1})
	if item := s.State().Items[4]; item.Text != "mine" {
		t.Errorf("%+v", item)
	}
	if p := s.State().Job; !p.Ended {
		t.Errorf("%+v", p)
	}
}

func TestARunAgainOverwritesOnlyWhatItIsAskedTo(t *testing.T) {
	tests := []struct {
		name string
		run  Run
		want [4]string // of a picture without a text, with an answer, an edited one, a failed one
	}{
		{"nothing", Run{}, [4]string{"new", "old", "mine", ""}},
		{"what failed", Run{RetryFailed: true}, [4]string{"new", "old", "mine", "new"}},
		{"answers", Run{Overwrite: OverwriteAnswers}, [4]string{"new", "new", "mine", ""}},
		{"edited texts too", Run{Overwrite: OverwriteEdited, RetryFailed: true}, [4]string{"new", "new", "new", "new"}},
		{"some", Run{Only: []ID{1, 2}, Overwrite: OverwriteEdited}, [4]string{"new", "new", "mine", ""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, ids := added(t, 4)
			finish(t, started(t, s, says("old"), 1, Run{Only: ids[1:3]}))
			s.Edit(ids[2], "mine")
			finish(t, started(t, s, says(""), 1, Run{Only: ids[3:]}))
			wantProblem(t, s.State().Items[3].Err, Silent)
			finish(t, started(t, s, says("new"), 1, test.run))
			for i, want := range test.want {
				if item := s.State().Items[i]; item.Text != want {
					t.Errorf("%d is %+v, want %q", i, item, want)
				}
			}
		})
	}
}

func TestARunThatFailsKeepsTheOldText(t *testing.T) {
	s, ids := added(t, 2)
	finish(t, started(t, s, says("old"), 1, Run{}))
	s.Edit(ids[1], "mine")
	finish(t, started(t, s, says(""), 1, Run{Overwrite: OverwriteEdited}))
	wantCounts(t, s, Counts{Failed: 2})
	if items := s.State().Items; items[0].Text != "old" || items[1].Text != "mine" {
		t.Errorf("%+v, %+v", items[0], items[1])
	}
	finish(t, started(t, s, says("new"), 1, Run{RetryFailed: true}))
	if items := s.State().Items; items[0].Text != "new" || items[1].Text != "mine" {
		t.Errorf("%+v, %+v", items[0], items[1])
	}
}

func TestWhatTheUserDoesMeanwhileHolds(t *testing.T) {
	s, ids := added(t, 4)
	g := newGate()
	j := started(t, s, g, 1, Run{})
	asked(t, g)
	edited := runs(t, s).ID
	s.Edit(edited, "mine")
	waiting := slices.DeleteFunc(ids, func(id ID) bool { return id == edited })
	s.Edit(waiting[0], "mine 2")
	s.Remove(waiting[1])
	more := s.Add(t.Context(), false, filepath.Join(pictures(t, 5), "004.png")).Items
	g.answer <- "an answer too late"
	asked(t, g)
	gone := runs(t, s).ID
	s.Remove(gone)
	asked(t, g)
	g.answer <- "new"
	finish(t, j)
	wantCounts(t, s, Counts{Done: 1, Edited: 2})
	want := map[ID]string{edited: "mine", waiting[0]: "mine 2", waiting[2]: "new", more[0]: "new"}
	delete(want, gone)
	for _, item := range s.State().Items {
		if want[item.ID] != item.Text {
			t.Errorf("%+v, want %q", item, want[item.ID])
		}
	}
	if p := s.State().Job; p.Through() != p.Total {
		t.Errorf("%+v", p)
	}
}

func TestAnAnswerForAnEditedPictureThatWasTouchedMeanwhileCounts(t *testing.T) {
	s, ids := added(t, 1)
	s.Edit(ids[0], "mine")
	finish(t, started(t, s, says("old"), 1, Run{Overwrite: OverwriteEdited}))
	s.Edit(ids[0], "mine again")
	g := newGate()
	j := started(t, s, g, 1, Run{Overwrite: OverwriteEdited})
	asked(t, g)
	path := s.State().Items[0].Path
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	s.Refresh(t.Context())
	g.answer <- "new"
	finish(t, j)
	wantCounts(t, s, Counts{Done: 1})
	if item := s.State().Items[0]; item.Text != "new" || item.Changed {
		t.Errorf("%+v", item)
	}
}

func TestATextWrittenWhileItsTouchedPictureRunsIsKept(t *testing.T) {
	s, ids := added(t, 1)
	s.Edit(ids[0], "before")
	g := newGate()
	j := started(t, s, g, 1, Run{Overwrite: OverwriteEdited})
	asked(t, g)
	s.Edit(ids[0], "mine")
	if err := os.Chtimes(s.State().Items[0].Path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	s.Refresh(t.Context())
	g.answer <- "new"
	finish(t, j)
	wantCounts(t, s, Counts{Edited: 1})
	if item := s.State().Items[0]; item.Text != "mine" {
		t.Errorf("%+v", item)
	}
}

// A watched context tells when the first one that was made of it is over: that with which
// a picture is made ready.
type watchedContext struct {
	context.Context
	never chan struct{}
	over  func()
}

func (c watchedContext) Done() <-chan struct{} { return c.never }

// AfterFunc is what the standard library asks a parent for, and whose stop it calls when
// the child is over.
func (c watchedContext) AfterFunc(func()) (stop func() bool) {
	return func() bool { c.over(); return true }
}

func TestAPictureThatChangesWhileItIsMadeReadyIsMarked(t *testing.T) {
	s, _ := added(t, 1)
	path := s.State().Items[0].Path
	j := &Job{set: s, asker: says("of the old one"), run: Run{Prompt: "What is it?"}, slots: 1, done: make(chan struct{}), cancel: func() {}}
	j.ctx = watchedContext{t.Context(), make(chan struct{}), sync.OnceFunc(func() {
		write(t, path, picturetest.Encode(t, "png", picturetest.Photo(60, 60)))
	})}
	s.mu.Lock()
	s.job = j
	j.enqueue(s.entries[0])
	j.pump()
	s.mu.Unlock()
	finish(t, j)
	wantCounts(t, s, Counts{Done: 1})
	s.Refresh(t.Context())
	if item := s.State().Items[0]; !item.Changed {
		t.Errorf("a text of the old picture stands beside the new one: %+v", item)
	}
}

// A run that may overwrite was told so of the texts there were, not of one that is
// written while it runs.
func TestATextWrittenWhileItsPictureWaitsIsKeptByARunThatMayOverwrite(t *testing.T) {
	s, ids := added(t, 5)
	for _, id := range ids {
		s.Edit(id, "old")
	}
	g := newGate()
	j := started(t, s, g, 1, Run{Overwrite: OverwriteEdited})
	asked(t, g)
	eventually(t, "the next one ready", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(j.prepared) > 0
	})
	s.mu.Lock()
	ready, later := j.prepared[0].entry.item.ID, j.queue[len(j.queue)-1].item.ID
	s.mu.Unlock()
	s.Edit(ready, "mine, made ready already")
	s.Edit(later, "mine, in the queue")
	for range 3 {
		g.answer <- "new"
	}
	finish(t, j)
	wantCounts(t, s, Counts{Done: 3, Edited: 2})
	if items := s.State().Items; items[ready-1].Text != "mine, made ready already" || items[later-1].Text != "mine, in the queue" {
		t.Errorf("%+v, %+v", items[ready-1], items[later-1])
	}
}

func TestRetryingLeavesATextOfTheUsersAlone(t *testing.T) {
	s, ids := added(t, 2)
	s.Edit(ids[0], "mine")
	finish(t, started(t, s, says(""), 1, Run{Only: ids[:1], Overwrite: OverwriteEdited}))
	g := newGate()
	j := started(t, s, g, 1, Run{})
	asked(t, g)
	if !j.Retry(ids...) {
		t.Error("a job that runs takes nothing")
	}
	g.answer <- "new"
	finish(t, j)
	wantCounts(t, s, Counts{Done: 1, Failed: 1})
	if item := s.State().Items[0]; item.Text != "mine" || !item.Own() {
		t.Errorf("%+v", item)
	}
	if j.Retry(ids...) {
		t.Error("a job that has ended takes pictures")
	}
}

func TestOneBadPictureFailsAloneAndCanBeRetried(t *testing.T) {
	dir := pictures(t, 3)
	bad := filepath.Join(dir, "001.png")
	whole := []byte(read(t, bad))
	write(t, bad, whole[:len(whole)/2])
	s := New()
	ids := s.Add(t.Context(), false, dir).Items
	g := newGate()
	j := started(t, s, g, 1, Run{})
	asked(t, g)
	eventually(t, "failed", func() bool { return s.State().Counts.Failed == 1 })
	var failed *picture.Error
	if !errors.As(s.State().Items[1].Err, &failed) || failed.Problem != picture.Broken {
		t.Errorf("%v", s.State().Items[1].Err)
	}
	write(t, bad, whole)
	j.Retry(ids...)
	wantCounts(t, s, Counts{Running: 1, Waiting: 2})
	go func() {
		for range 3 {
			g.answer <- "a flag"
		}
	}()
	finish(t, j)
	wantCounts(t, s, Counts{Done: 3})
}

func TestAnAnswerThatIsNoneIsAFailure(t *testing.T) {
	tests := []struct {
		name   string
		answer client.Answer
		err    error
		schema string
		want   Problem
	}{
		{"nothing", client.Answer{Text: " \n", Stop: client.StopEnd}, nil, "", Silent},
		{"thoughts that took all tokens", client.Answer{Reasoning: "hm", Stop: client.StopLength}, nil, "", Unfinished},
		{"half a document", client.Answer{Text: `{"tags":["a",`, Stop: client.StopLength}, nil, tagSchema, Unfinished},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, _ := added(t, 1)
			finish(t, started(t, s, askerFunc(func(context.Context, client.Request, func(client.Delta)) (client.Answer, error) {
				return test.answer, test.err
			}), 1, Run{Schema: test.schema}))
			wantProblem(t, s.State().Items[0].Err, test.want)
		})
	}
}

func TestARequestHasWhatTheRunSays(t *testing.T) {
	s, _ := added(t, 1)
	var got client.Request
	run := Presets()[3].Run()
	run.Seed, run.MaxSide = new(int64), 36
	finish(t, started(t, s, askerFunc(func(_ context.Context, r client.Request, _ func(client.Delta)) (client.Answer, error) {
		got = r
		return client.Answer{Text: "{}", Stop: client.StopLength}, nil
	}), 1, run))
	m := got.Messages[0]
	if m.Text != run.Prompt || len(m.Pictures) != 1 || got.Schema == "" || got.MaxTokens != 300 || got.Seed != run.Seed || *got.Temperature != 0 {
		t.Errorf("%+v", got)
	}
	if item := s.State().Items[0]; !item.Cut || len(item.Notes) != 1 || item.Notes[0] != picture.ScaledDown {
		t.Errorf("%+v", item)
	}
}

func TestAJobThatCannotStartSaysWhy(t *testing.T) {
	s, ids := added(t, 1)
	if _, err := s.Start(says(""), 1, Run{Prompt: " "}); !errors.Is(err, ErrNoPrompt) {
		t.Error(err)
	}
	s.Edit(ids[0], "mine")
	if _, err := s.Start(says(""), 1, Run{Prompt: "x"}); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	g := newGate()
	started(t, s, g, 1, Run{Overwrite: OverwriteEdited})
	if _, err := s.Start(g, 1, Run{Prompt: "x"}); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
}

func TestAnEngineThatGoesAwayPausesTheJob(t *testing.T) {
	tests := []struct {
		name   string
		answer client.Answer
		err    error
	}{
		{"it ended", client.Answer{Stop: client.StopBroken}, &server.Failure{Kind: server.Crashed}},
		{"it was unloaded", client.Answer{Stop: client.StopCancelled}, nil},
		{"there is none", client.Answer{Stop: client.StopBroken}, engine.ErrNotReady},
		{"it can't be reached", client.Answer{Stop: client.StopBroken}, &client.Error{Kind: client.Unreachable}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, _ := added(t, 3)
			var there atomic.Bool
			j := started(t, s, askerFunc(func(context.Context, client.Request, func(client.Delta)) (client.Answer, error) {
				if there.Load() {
					return client.Answer{Text: "a flag", Stop: client.StopEnd}, nil
				}
				return test.answer, test.err
			}), 2, Run{})
			eventually(t, "paused", func() bool { p := s.State().Job; return p.Paused && p.Asking == 0 })
			if p := s.State().Job; p.Reason == nil || p.Ended {
				t.Errorf("%+v", p)
			}
			wantCounts(t, s, Counts{Waiting: 3})
			there.Store(true)
			j.EngineReady(1)
			finish(t, j)
			wantCounts(t, s, Counts{Done: 3})
			if s.State().Job.Reason != nil {
				t.Error(s.State().Job.Reason)
			}
		})
	}
}

func TestTheUsersPauseIsNotEndedByAnEngine(t *testing.T) {
	s, _ := added(t, 2)
	g := newGate()
	j := started(t, s, g, 1, Run{})
	asked(t, g)
	j.Pause()
	g.answer <- "a flag"
	eventually(t, "paused", func() bool { return s.State().Job.Asking == 0 })
	j.EngineReady(4)
	wantCounts(t, s, Counts{Done: 1, Waiting: 1})
	if !s.State().Job.Paused {
		t.Error("it goes on")
	}
}

func TestAPictureTheEngineEndsUnderTwiceFailsAndTheOthersGoOn(t *testing.T) {
	s, _ := added(t, 4)
	s.Edit(1, "")
	poison := s.State().Items[2].Path
	want, err := picture.Prepare(t.Context(), picture.Source{Path: poison}, picture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	j := started(t, s, askerFunc(func(_ context.Context, r client.Request, _ func(client.Delta)) (client.Answer, error) {
		if string(r.Messages[0].Pictures[0].Bytes) == string(want.Bytes) {
			return client.Answer{Stop: client.StopBroken}, &server.Failure{Kind: server.Crashed}
		}
		return client.Answer{Text: "a flag", Stop: client.StopEnd}, nil
	}), 1, Run{})
	for range 2 {
		eventually(t, "paused or ended", func() bool { p := s.State().Job; return p.Paused && p.Asking == 0 || p.Ended })
		j.EngineReady(1)
	}
	finish(t, j)
	wantCounts(t, s, Counts{Done: 2, Edited: 1, Failed: 1})
	wantProblem(t, s.State().Items[2].Err, Lethal)
}

func TestPresetsAreWhole(t *testing.T) {
	for _, p := range Presets() {
		if found, ok := PresetOf(p.ID); !ok || found != p || p.MaxTokens == 0 || strings.TrimSpace(p.Prompt) == "" || p.Run().Temperature == nil {
			t.Errorf("%+v", p)
		}
	}
	if _, ok := PresetOf("no such"); ok {
		t.Error("a preset nobody made")
	}
}

func TestADocumentIsKeptOnOneLineWithoutFences(t *testing.T) {
	for _, said := range []string{"{\n\"tags\": [\n\"a b\"]}", "```json\n{\"tags\": [\"a b\"]}\n```\n"} {
		s, _ := added(t, 1)
		finish(t, started(t, s, says(said), 1, Run{Schema: tagSchema}))
		if item := s.State().Items[0]; item.Text != `{"tags":["a b"]}` {
			t.Errorf("%+v", item)
		}
	}
}
