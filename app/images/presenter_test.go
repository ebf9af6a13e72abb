package images

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paddock/app/apptest"
	"paddock/app/widgets"
	"paddock/engine"
	"paddock/engine/gguf"
	job "paddock/engine/images"
	"paddock/engine/library"
	"paddock/engine/picture/picturetest"
	"paddock/engine/plan"
)

func TestAFolderIsAddedRunAndKeptOverARestart(t *testing.T) {
	b := newBench(t)
	b.SetTemperature(0.2)
	b.add(folder(t, 3), 3)
	b.wantNote(widgets.Good, "3 pictures added")
	if b.State().At != 0 {
		t.Error("none is chosen")
	}
	b.runAll()
	if c := b.State().Counts; c.Done != 3 {
		t.Fatalf("the counts are %+v", c)
	}
	if r := b.State().Run; r.Count != "" || r.Line != "Finished. 3 of 3 done" {
		t.Errorf("it says %+v", r)
	}
	b.Edit(b.State().Items[1].ID, "my own")
	shut(t, b.Presenter)
	b.open()
	s := b.State()
	if len(s.Items) != 3 || s.Items[0].Text != "A cat." || s.Items[1].Text != "my own" || s.Items[1].Phase != job.Edited {
		t.Errorf("after a restart there are %d, %+v", len(s.Items), s.Counts)
	}
	if s.Instruction.Preset != job.Caption || s.Instruction.MaxTokens != 96 || s.Instruction.Temperature != 0.2 {
		t.Errorf("the instruction is %+v", s.Instruction)
	}
}

func TestARunIsPausedResumedAndCancelled(t *testing.T) {
	b := newBench(t)
	b.engine.gate = make(chan struct{})
	b.add(folder(t, 4), 4)
	b.Press()
	b.until("it is asked", func() bool { return b.State().Counts.Running > 0 && b.engine.requests() == 1 })
	if r := b.State().Run; r.Count != "This run: 0 of 4" {
		t.Errorf("it says %+v", r)
	}
	b.until("a piece is there", func() bool {
		return slices.ContainsFunc(b.State().Items, func(i *job.Item) bool { return i.Partial == "so far" })
	})
	b.Press()
	b.until("it is pausing", func() bool { return b.State().Run.Paused })
	if line := b.State().Run.Line; !strings.Contains(line, "Pausing") {
		t.Errorf("it says %q", line)
	}
	b.engine.gate <- struct{}{}
	b.until("it is paused", func() bool { r := b.State().Run; return r.Paused && r.Asking == 0 && r.Line == "Paused" })
	b.Press()
	b.until("the next is asked", func() bool { return b.engine.requests() == 2 })
	b.Cancel()
	b.until("it has ended", func() bool { return !b.State().Run.On })
	if c := b.State().Counts; c.Done != 1 || c.Waiting != 3 {
		t.Errorf("after that there are %+v", c)
	}
	if r := b.State().Run; r.Line != "Cancelled. 1 of 4 done" || r.Count != "" {
		t.Errorf("it says %+v", r)
	}
}

func TestOneBrokenPictureFailsAloneAndIsTriedAgain(t *testing.T) {
	b := newBench(t)
	dir := folder(t, 2)
	broken := filepath.Join(dir, "broken.png")
	put(t, broken, []byte("\x89PNG\r\n\x1a\nno more"))
	b.add(dir, 3)
	b.runAll()
	if c := b.State().Counts; c.Done != 2 || c.Failed != 1 {
		t.Fatalf("there are %+v", c)
	}
	if r := b.State().Run; r.Line != "Finished. 2 of 3 done, 1 failed" {
		t.Errorf("it says %+v", r)
	}
	put(t, broken, picturetest.Encode(t, "png", picturetest.Quadrants(30, 30)))
	b.RetryFailed()
	b.until("it is done", func() bool { return b.State().Counts.Done == 3 })
}

func TestARunOverWhatIsDoneAsksBeforeItReplaces(t *testing.T) {
	b := newBench(t)
	b.add(folder(t, 2), 2)
	b.runAll()
	b.Edit(b.State().Items[1].ID, "mine")
	b.until("it is edited", func() bool { return b.State().Counts.Edited == 1 })
	b.engine.say("A dog.")
	b.Press()
	q := b.State().Question
	if q == nil || len(q.Choices) != 2 || b.engine.requests() != 2 {
		t.Fatalf("it asks %+v", q)
	}
	b.Answer(-1)
	if b.State().Question != nil || b.State().Run.On {
		t.Error("no is not taken for an answer")
	}
	b.Press()
	b.Answer(1)
	b.until("the answer is new", func() bool { return b.State().Items[0].Text == "A dog." && !b.State().Run.On })
	if b.State().Items[1].Text != "mine" {
		t.Error("the user's text went")
	}
	b.Press()
	b.Answer(0)
	b.until("both are new", func() bool { return b.State().Items[1].Text == "A dog." && !b.State().Run.On })
}

func TestOnePictureIsDoneAgainAndTheUsersTextAskedAbout(t *testing.T) {
	b := newBench(t)
	b.add(folder(t, 2), 2)
	b.runAll()
	b.engine.say("A dog.")
	b.Again()
	b.until("it is new", func() bool { return b.State().Items[0].Text == "A dog." && !b.State().Run.On })
	if b.State().Items[1].Text != "A cat." {
		t.Error("the other one was done too")
	}
	b.Edit(b.State().Items[0].ID, "mine")
	b.until("it is edited", func() bool { return b.State().Counts.Edited == 1 })
	b.Again()
	if q := b.State().Question; q == nil || !strings.Contains(q.Title, "00.png") {
		t.Fatalf("it asks %+v", q)
	}
	b.Answer(0)
	b.until("it is replaced", func() bool { return b.State().Items[0].Text == "A dog." })
}

func TestWithoutAModelThatSeesItSaysWhichCould(t *testing.T) {
	b := newBench(t)
	b.add(folder(t, 1), 1)
	b.Presenter.seams.Seers = func() []library.Model {
		return []library.Model{{Facts: gguf.Facts{Name: "One"}}, {Facts: gguf.Facts{Name: "Two"}}, {Facts: gguf.Facts{Name: "Three"}}}
	}
	b.engine.Become(engine.State{Phase: engine.NotLoaded})
	b.until("it is unloaded", func() bool { return !b.State().Vision.Sees })
	s := b.State()
	if !strings.Contains(s.Vision.Text, "can see") || len(s.Vision.Set) != maxSeers || s.Run.Off == "" {
		t.Errorf("it says %+v", s.Vision)
	}
	b.Press()
	if b.engine.requests() != 0 {
		t.Error("it runs without a model")
	}
	b.SetUp(1)
	if b.setUp != "Two" {
		t.Errorf("it sets up %q", b.setUp)
	}
	b.engine.Become(engine.State{Phase: engine.Ready, Model: gguf.Facts{Name: "Blind"}})
	b.until("it is blind", func() bool { return strings.Contains(b.State().Vision.Text, "Blind can't see") })
	b.Presenter.seams.Seers = nil
	b.engine.Become(engine.State{Phase: engine.Loading})
	b.until("it loads", func() bool { return strings.Contains(b.State().Vision.Text, "not ready") })
	b.engine.Become(engine.State{Phase: engine.NotLoaded})
	b.until("there is none", func() bool { return strings.Contains(b.State().Vision.Text, "none is in the library") })
	b.engine.Become(seeing())
	b.until("it sees", func() bool { return b.State().Run.Off == "" })
}

func TestAnEngineThatGoesPausesAndTheRunGoesOnWithTheNext(t *testing.T) {
	b := newBench(t)
	b.add(folder(t, 3), 3)
	b.engine.mu.Lock()
	b.engine.err = engine.ErrNotReady
	b.engine.mu.Unlock()
	b.Press()
	b.until("it says why", func() bool {
		r := b.State().Run
		return r.Paused && r.Bad && b.stands("Paused. ")
	})
	// What else is done meanwhile takes nothing of that away.
	b.add(folder(t, 1), 4)
	if !b.stands("Paused. ") || !strings.Contains(b.State().Note.Text, "1 picture added") {
		t.Errorf("it says %+v and %+v", b.State().Standing, b.State().Note)
	}
	b.engine.mu.Lock()
	b.engine.err = nil
	b.engine.mu.Unlock()
	b.Press()
	b.ends()
	if c := b.State().Counts; c.Done != 4 || b.stands("Paused. ") {
		t.Errorf("there are %+v, and it says %+v", c, b.State().Standing)
	}
}

// stands tells whether something holds on that is said so.
func (b *bench) stands(part string) bool {
	return slices.ContainsFunc(b.State().Standing, func(n Note) bool { return strings.Contains(n.Text, part) })
}

// interrupted is a bench with four pictures of which one was done anew before Paddock
// ended in the middle of a run over all.
func interrupted(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.add(folder(t, 4), 4)
	b.runAll()
	b.engine.say("A dog.")
	b.engine.gate = make(chan struct{})
	b.AskAgain()
	b.Answer(0)
	b.engine.gate <- struct{}{}
	b.until("one is new", func() bool { return b.State().Run.Left == 3 })
	shut(t, b.Presenter)
	b.engine.mu.Lock()
	b.engine.gate = nil
	b.engine.mu.Unlock()
	b.open()
	return b
}

func TestARunOfLastTimeIsResumedUnlessTheInstructionChanges(t *testing.T) {
	b := interrupted(t)
	if s := b.State(); s.Run.Interrupted != 3 || !b.stands("3 pictures are left") || s.Counts.Done != 4 {
		t.Fatalf("it says %+v, %+v", s.Standing, s.Run)
	}
	b.SetPrompt("Another one")
	if b.State().Run.Interrupted != 0 || b.stands("interrupted") {
		t.Error("another instruction would be resumed")
	}
	b.Preset(job.Caption)
	before := b.engine.requests()
	b.Press()
	b.until("it has gone on", func() bool { return !b.State().Run.On && b.State().Run.Interrupted == 0 })
	for _, item := range b.State().Items {
		if item.Text != "A dog." {
			t.Errorf("%+v", item)
		}
	}
	if n := b.engine.requests() - before; n != 3 {
		t.Errorf("%d were asked", n)
	}
}

func TestThatPicturesWereRepeatedWithoutSpeculationIsSaid(t *testing.T) {
	b := newBench(t)
	b.add(folder(t, 1), 1)
	s := seeing()
	from := s.Plan
	from.SpecTypes = plan.SpecMTP
	s.FellBack = &engine.FellBack{From: from, To: s.Plan, OnRequest: true, Err: errors.New("no speculative batch")}
	b.engine.Become(s)
	b.until("it is said", func() bool { return b.stands("failed with MTP") && b.stands("repeated") })
	s.FellBack = nil
	b.engine.Become(s)
	b.until("it is over", func() bool { return !b.stands("repeated") })
}

func TestATextOfTheUsersThatARunFailedOnIsAskedAbout(t *testing.T) {
	b := newBench(t)
	b.add(folder(t, 1), 1)
	b.Edit(b.State().Items[0].ID, "mine")
	b.until("it is edited", func() bool { return b.State().Counts.Edited == 1 })
	b.engine.say("")
	b.Again()
	b.Answer(0)
	b.until("it has failed", func() bool { return b.State().Counts.Failed == 1 && !b.State().Run.On })
	b.engine.say("A dog.")
	b.Again()
	if b.State().Question == nil || b.State().Items[0].Text != "mine" {
		t.Errorf("it does not ask, or %+v", b.State().Items[0])
	}
}

func TestTextFilesAreCountedAskedAboutAndWritten(t *testing.T) {
	b := newBench(t)
	dir := folder(t, 3)
	put(t, filepath.Join(dir, "00.txt"), []byte("something else"))
	b.add(dir, 3)
	b.runAll()
	b.ExportBeside()
	b.until("it asks", func() bool { return b.State().Question != nil })
	if q := b.State().Question; !strings.Contains(q.Text, "2 new") || !strings.Contains(q.Text, "1 that say something else") || len(q.Choices) != 2 {
		t.Fatalf("it asks %+v", q)
	}
	b.Answer(1)
	b.until("they are written", func() bool { return strings.Contains(b.State().Note.Text, "2 text files written, 1 left") })
	if got := text(t, filepath.Join(dir, "00.txt")); got != "something else" {
		t.Errorf("a file was replaced by %q", got)
	}
	if got := text(t, filepath.Join(dir, "01.txt")); strings.TrimSpace(got) != "A cat." {
		t.Errorf("a file says %q", got)
	}
	b.ExportBeside()
	b.until("it asks", func() bool { return b.State().Question != nil })
	b.Answer(0)
	b.until("it is replaced", func() bool { return strings.Contains(b.State().Note.Text, "1 text file written") })
	b.ExportBeside()
	b.until("nothing is left", func() bool { return strings.HasPrefix(b.State().Note.Text, "Nothing to write") })
}

func TestATextThatHasNoFileNameOfItsOwnIsSaid(t *testing.T) {
	b := newBench(t)
	dir := folder(t, 1)
	for _, name := range []string{"scan.txt", "scan.txt.txt"} {
		put(t, filepath.Join(dir, name), picturetest.Encode(t, "png", picturetest.Quadrants(40, 40)))
	}
	b.add(dir, 3)
	b.Edit(b.State().Items[1].ID, "mine")
	b.ExportBeside()
	b.until("it is said", func() bool { return b.State().Busy == "" })
	b.wantNote(widgets.Bad, "no file name for the text of scan.txt")
	b.runAll()
	b.ExportBeside()
	b.until("it asks", func() bool { return b.State().Question != nil })
	b.Answer(0)
	b.until("they are written", func() bool { return b.State().Busy == "" })
	b.wantNote(widgets.Bad, "no file name for the text of scan.txt")
	if got := text(t, filepath.Join(dir, "00.txt")); strings.TrimSpace(got) != "A cat." {
		t.Errorf("a file says %q", got)
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestResultsAreExportedAndCopied(t *testing.T) {
	b := newBench(t)
	b.add(folder(t, 2), 2)
	b.runAll()
	for _, format := range []job.Format{job.CSV, job.JSONLines, job.Markdown} {
		path := filepath.Join(t.TempDir(), "out."+string(format))
		b.Export(format, path)
		b.until("it is written", func() bool { return b.State().Busy == "" })
		b.wantNote(widgets.Good, "out."+string(format)+" is written")
		if said := strings.Contains(b.State().Note.Text, "in the folder out-pictures beside it"); said != (format == job.Markdown) {
			t.Errorf("of %s it says %q", format, b.State().Note.Text)
		}
		if got := text(t, path); strings.Count(got, "A cat.") != 2 {
			t.Errorf("%s says %q", format, got)
		}
	}
	b.Export(job.CSV, filepath.Join(t.TempDir(), "no", "such", "folder.csv"))
	b.until("it fails", func() bool { return b.State().Busy == "" })
	b.wantNote(widgets.Bad, "can't be written")
	b.CopyOne()
	if b.copied != "A cat." {
		t.Errorf("it copies %q", b.copied)
	}
	b.CopyAll()
	if strings.Count(b.copied, "A cat.") != 2 {
		t.Errorf("it copies %q", b.copied)
	}
}

func TestWhatCannotBeAddedIsSaid(t *testing.T) {
	b := newBench(t)
	dir := t.TempDir()
	put(t, filepath.Join(dir, "note.txt"), []byte("no picture"))
	for _, test := range []struct {
		path string
		part string
	}{
		{dir, "no picture in what"},
		{filepath.Join(dir, "gone"), ""},
	} {
		b.Add(true, test.path)
		b.until("it is looked at", func() bool { return b.State().Busy == "" })
		if test.part != "" {
			b.wantNote(widgets.Cautious, test.part)
		}
	}
	good := folder(t, 1)
	before := len(b.State().Items)
	b.add(good, before+1)
	b.Add(true, good)
	b.until("it is known", func() bool { return strings.Contains(b.State().Note.Text, "already") })
}

func TestAPictureIsPasted(t *testing.T) {
	b := newBench(t)
	b.Paste()
	b.until("it says so", func() bool { return strings.Contains(b.State().Note.Text, "no picture on the clipboard") })
	b.paste = picturetest.Encode(t, "png", picturetest.Quadrants(20, 20))
	b.Paste()
	b.until("it is there", func() bool { return len(b.State().Items) == 1 && b.State().At == 0 })
	b.wantNote(widgets.Good, "1 picture added")
	b.Undo()
	if len(b.State().Items) != 0 {
		t.Error("that can't be undone")
	}
	b.Paste()
	b.until("it is there again", func() bool { return len(b.State().Items) == 1 && b.State().Undo })
	b.Paste()
	b.until("it is known", func() bool { return b.State().Busy == "" })
	if s := b.State(); len(s.Items) != 1 || s.Undo {
		t.Errorf("it is there twice: %+v", s)
	}
	b.runAll()
	b.Remove()
	if s := b.State(); s.Question != nil || len(s.Items) != 0 {
		t.Errorf("it asks %+v about what the model can say again", s.Question)
	}
	b.Undo()
	if i := b.State().Item(); i == nil || i.Text != "A cat." {
		t.Errorf("%+v is back", i)
	}
}

func TestATextOfTheUsersGoesOnlyAfterAQuestion(t *testing.T) {
	b := newBench(t)
	b.add(folder(t, 1), 1)
	b.Edit(b.State().Items[0].ID, "mine")
	b.until("it is edited", func() bool { return b.State().Counts.Edited == 1 })
	b.Remove()
	if q := b.State().Question; q == nil || !strings.Contains(q.Text, "you wrote") || !q.Choices[0].Danger {
		t.Fatalf("it asks %+v", q)
	}
	b.Answer(-1)
	if s := b.State(); len(s.Items) != 1 || s.Items[0].Text != "mine" {
		t.Errorf("it is gone after all: %+v", s.Items)
	}
	b.Remove()
	b.Answer(0)
	b.until("it is gone", func() bool { return len(b.State().Items) == 0 })
}

func TestRemovingChoosesTheNextAndAllAreAskedAbout(t *testing.T) {
	b := newBench(t)
	b.add(folder(t, 3), 3)
	b.Move(1)
	second, third := b.State().Items[1].ID, b.State().Items[2].ID
	b.Remove()
	b.until("it is gone", func() bool { return len(b.State().Items) == 2 })
	if item := b.State().Item(); item == nil || item.ID != third || item.ID == second {
		t.Errorf("%+v is chosen", item)
	}
	b.Move(100)
	b.Remove()
	b.until("it is gone", func() bool { return len(b.State().Items) == 1 })
	if b.State().At != 0 {
		t.Error("the one before is not chosen")
	}
	b.AskRemoveAll()
	b.Answer(0)
	b.until("all are gone", func() bool { return len(b.State().Items) == 0 })
}

func TestASetThatCannotBeReadIsSaid(t *testing.T) {
	b := &bench{t: t, loop: apptest.NewLoop(), engine: &fakeEngine{Watched: apptest.NewWatched(seeing())}}
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "images.jsonl"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.seams = Seams{Engine: b.engine, Folder: folder, Thumbs: job.NewThumbnails(t.TempDir(), 1<<20)}
	b.open()
	if !b.stands("are not saved") || b.State().Note.Text != "" {
		t.Errorf("it says %+v and %+v", b.State().Standing, b.State().Note)
	}
}

func TestAnErrorOfTheEngineIsASentence(t *testing.T) {
	b := newBench(t)
	b.add(folder(t, 1), 1)
	b.engine.err = errors.New("boom")
	b.Press()
	b.until("it has failed or paused", func() bool { s := b.State(); return s.Counts.Failed == 1 || s.Run.Bad })
}

func TestWhatWentWrongHasItsRemedyEverywhere(t *testing.T) {
	failed := &job.Item{Phase: job.Failed, Err: &job.Error{Problem: job.Unfinished, Path: "/a/x.png"}}
	if got := cardText(failed); !strings.Contains(got, "x.png") || !strings.Contains(got, "Allow more tokens") {
		t.Errorf("the card says %q", got)
	}
	if _, got := aboutOf(failed); !strings.Contains(got, "Allow more tokens") {
		t.Errorf("beside it stands %q", got)
	}
	b := newBench(t)
	b.add(folder(t, 1), 1)
	b.engine.say("")
	b.Press()
	b.until("it has failed", func() bool { return b.State().Counts.Failed == 1 && !b.State().Run.On })
	path := filepath.Join(t.TempDir(), "out.jsonl")
	b.Export(job.JSONLines, path)
	b.until("it is written", func() bool { return b.State().Busy == "" })
	if got := text(t, path); !strings.Contains(got, "Try it again") {
		t.Errorf("the file says %q", got)
	}
}

func TestInstructionsAreKeptInTheOrderTheyAreSavedIn(t *testing.T) {
	b := newBench(t)
	var kept [][]Saved
	b.Presenter.seams.Keep = func(saved []Saved, done func(error)) {
		kept = append(kept, saved)
		done(nil)
	}
	for _, prompt := range []string{"one", "two"} {
		b.SetPrompt(prompt)
		b.SaveInstruction()
	}
	if len(kept) != 2 || len(kept[0]) != 1 || len(kept[1]) != 2 {
		t.Errorf("kept are %v", kept)
	}
	b.until("it is shown", func() bool { return b.State().Busy == "" })
}
