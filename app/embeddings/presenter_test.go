package embeddings

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paddock/engine"
	"paddock/engine/embed"
	"paddock/engine/embed/chunk"
	"paddock/engine/gguf"
)

func (d *desk) row(name string) Row {
	d.t.Helper()
	for _, r := range d.State().Rows {
		if r.Name == name {
			return r
		}
	}
	d.t.Fatalf("no file %s in %+v", name, d.State().Rows)
	return Row{}
}

func TestAFolderBecomesVectorsThatCanBeSearched(t *testing.T) {
	d := newDesk(t)
	d.notes()
	d.SetEngine(d.ready())
	d.SetMethod(chunk.Headings)
	if s := d.State(); s.Choices.Settings.Family != "e5" || s.Choices.Settings.Prefix != "passage: " || s.Choices.Settings.QueryPrefix != "query: " {
		t.Fatalf("the family's settings are %+v", s.Choices.Settings)
	}
	for _, f := range embed.Formats() {
		d.SetFormat(f, true)
	}
	d.Start()
	d.over()
	s := d.State()
	if s.Problem != nil || s.Job.Phase != embed.Done {
		t.Fatalf("the run ended with %v, %v", s.Job.Phase, s.Problem)
	}
	if len(s.Job.Outputs) != len(embed.Formats()) {
		t.Errorf("outputs are %+v", s.Job.Outputs)
	}
	for _, o := range s.Job.Outputs {
		if filepath.Dir(o.Path) != filepath.Join(d.dir, "vectors") || !strings.HasPrefix(filepath.Base(o.Path), "notes.") {
			t.Errorf("an output is %s", o.Path)
		}
	}
	if bees := d.row("bees.md"); bees.Phase != embed.FileDone || bees.Chunks != 2 {
		t.Errorf("bees.md is %+v", bees)
	}
	if scan := d.row("scan.pdf"); scan.Phase != embed.FileFailed || scan.Err == nil || len(scan.problems()) == 0 {
		t.Errorf("a PDF that is none is %+v", scan)
	}
	d.until("the vectors are there to search", func() bool { return d.State().Index != "" && !d.State().Mapping })
	d.Search("bees make honey in summer")
	d.until("it is found", func() bool { return !d.State().Searching })
	s = d.State()
	if len(s.Hits) == 0 || filepath.Base(s.Hits[0].Path) != "bees.md" || s.Hits[0].Score <= s.Hits[1].Score || !strings.Contains(s.Hits[0].Text, "honey") {
		t.Fatalf("found are %+v, %v", s.Hits, s.Note)
	}
	if len(s.Points) != 14 || !s.AskedThere {
		t.Errorf("the map has %d points", len(s.Points))
	}
	d.SetOnly(d.row("wall-03.txt").Path)
	d.until("it is found in one file", func() bool { return !d.State().Searching })
	if hits := d.State().Hits; len(hits) != 1 || filepath.Base(hits[0].Path) != "wall-03.txt" {
		t.Errorf("in one file only: %+v", hits)
	}
	d.ChoosePoint(d.State().Points[0].Number)
	d.until("a point's passage shows", func() bool { return d.State().PassageOn })
	if p := d.State().Passage; p.Path != d.State().Points[0].Path || p.Text == "" {
		t.Errorf("the passage is %+v", p)
	}
}

func TestARunIsPausedCancelledAndGoneOnWith(t *testing.T) {
	d := newDesk(t)
	d.notes()
	d.SetEngine(d.ready())
	d.SetMethod(chunk.Headings)
	d.Start()
	d.until("it works", func() bool { return d.job != nil && d.State().Job.Phase == embed.Running || !d.State().Runs() })
	d.Pause()
	if d.State().Runs() {
		d.until("it is paused", func() bool {
			return d.State().Run == Paused && d.State().Job.Phase == embed.Paused || !d.State().Runs()
		})
		d.Pause()
	}
	d.over()
	if s := d.State(); s.Job.Phase != embed.Done {
		t.Fatalf("ended with %v, %v", s.Job.Phase, s.Problem)
	}

	d.write("notes/late.txt", "A late note about the moon.")
	d.Add([]string{filepath.Join(d.dir, "notes")})
	d.until("the files are listed again", func() bool { return !d.State().Listing && len(d.State().Rows) == 15 })
	before := d.engine.texts("wall number 3")
	d.Start()
	d.over()
	if s := d.State(); s.Job.Phase != embed.Done || d.row("wall-03.txt").Phase != embed.FileKept || d.row("late.txt").Phase != embed.FileDone {
		t.Errorf("the second run: %v, %v", s.Job.Phase, s.Problem)
	}
	if after := d.engine.texts("wall number 3"); after != before {
		t.Error("an unchanged file was embedded again")
	}
}

func TestACancelledRunKeepsWhatItHas(t *testing.T) {
	d := newDesk(t)
	d.notes()
	d.SetEngine(d.ready())
	d.engine.set("", make(chan struct{}))
	d.Start()
	if d.Start(); d.State().Run != Preparing {
		t.Fatalf("the run is %s", d.State().Run)
	}
	d.SetMethod(chunk.File)
	if d.State().Choices.Strategy.Method != chunk.Tokens {
		t.Error("the settings changed during a run")
	}
	d.Cancel()
	d.over()
	if s := d.State(); s.Problem != nil || s.Offer != GoOn || s.Job.Phase != embed.Cancelled || totals(s) != "14 files" {
		t.Fatalf("%v, %q, %v, %q", s.Problem, s.Offer, s.Job.Phase, totals(s))
	}
	d.engine.set("", nil)
	d.Start()
	d.over()
	if s := d.State(); s.Job.Phase != embed.Done || s.Offer != NoOffer {
		t.Errorf("gone on with: %v, %v", s.Job.Phase, s.Problem)
	}
}

func TestFailedChunksOnlyAreTriedAgain(t *testing.T) {
	d := newDesk(t)
	d.notes()
	d.SetEngine(d.ready())
	d.engine.set("number 7", nil)
	d.Start()
	d.over()
	s := d.State()
	if s.Offer != GoOn {
		t.Fatalf("with a refused chunk: %v, %v, %q, %d failed", s.Job.Phase, s.Problem, s.Offer, s.Job.ChunksFailed)
	}
	before := d.engine.texts("number 3 ")
	d.engine.set("", nil)
	d.Start()
	d.over()
	if s := d.State(); s.Job.Phase != embed.Done || s.Job.ChunksFailed != 0 || s.Offer != NoOffer {
		t.Errorf("tried again: %v, %v, %d failed", s.Job.Phase, s.Problem, s.Job.ChunksFailed)
	}
	if after := d.engine.texts("number 3 "); after != before {
		t.Error("a chunk that had its vector was embedded again")
	}
}

func TestOtherSettingsAskBeforeStartingOver(t *testing.T) {
	d := newDesk(t)
	d.notes()
	d.SetEngine(d.ready())
	d.Start()
	d.over()
	d.SetPrefixes("text: ", "query: ")
	if !d.State().Own {
		t.Error("a prefix by hand is not known as such")
	}
	d.Start()
	d.over()
	var file *embed.FileError
	if s := d.State(); !errors.As(s.Problem, &file) || file.Problem != embed.OtherRun || s.Offer != StartOver {
		t.Fatalf("%v, %q", s.Problem, s.Offer)
	}
	d.until("the earlier vectors can be searched again", func() bool { return d.State().Index != "" })
	d.Take()
	d.over()
	if s := d.State(); s.Job.Phase != embed.Done || s.Job.Meta.Prefix != "text: " {
		t.Errorf("started over: %v, %v, %+v", s.Job.Phase, s.Problem, s.Job.Meta)
	}
}

func TestAFileOfAnotherProgramIsNotWrittenOver(t *testing.T) {
	d := newDesk(t)
	d.notes()
	d.SetEngine(d.ready())
	path := d.write("vectors/notes.jsonl", "mine")
	d.Start()
	d.over()
	var exists *embed.FileError
	if s := d.State(); !errors.As(s.Problem, &exists) || exists.Problem != embed.Exists || exists.Path != path || s.Offer != WriteOver {
		t.Fatalf("%v, %q", s.Problem, s.Offer)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
		t.Fatalf("the file is %q, %v", text, err)
	}
	d.Take()
	d.over()
	if text, _ := os.ReadFile(path); d.State().Job.Phase != embed.Done || string(text) == "mine" {
		t.Errorf("it was not written over: %v", d.State().Problem)
	}
}

func TestWithoutAModelForVectorsNothingStarts(t *testing.T) {
	reranker := gguf.Facts{Path: "rank.gguf", Name: "Rank", Pooling: "rank"}
	for _, c := range []struct {
		name  string
		state engine.State
		says  string
	}{
		{"none is loaded", engine.State{Phase: engine.NotLoaded}, "No embedding model"},
		{"one is being loaded", engine.State{Phase: engine.Loading, Model: gguf.Facts{Name: "E5"}}, "E5 is being loaded"},
		{"one failed", engine.State{Phase: engine.Failed, Model: gguf.Facts{Name: "E5"}}, "E5 is not running"},
		{"a reranker", engine.State{Phase: engine.Ready, Model: reranker}, "rank.gguf is a reranker"},
	} {
		d := newDesk(t)
		d.notes()
		d.SetEngine(c.state)
		d.Start()
		if s := d.State(); s.Run != Idle || s.Startable() || !strings.HasPrefix(whyNot(s), c.says) {
			t.Errorf("%s: %s, %q", c.name, s.Run, whyNot(s))
		}
	}
}

func TestVectorsOfAnotherModelAreNotSearched(t *testing.T) {
	d := made(t)
	other := d.ready()
	other.Model.Path = d.write("other.gguf", "another model")
	d.SetEngine(other)
	d.Search("honey")
	d.until("it says so", func() bool { return !d.State().Searching })
	if s := d.State(); len(s.Hits) != 0 || !s.Note.Bad || !strings.Contains(s.Note.Text, "other.gguf is not the model") {
		t.Errorf("%+v, %+v", s.Note, s.Hits)
	}
	d.OpenIndex(d.write("broken.sqlite", "no database"))
	d.until("a file that is no index is refused", func() bool { return d.State().Note.Bad })
	if s := d.State(); s.Index != "" || !strings.Contains(s.Note.Text, "broken.sqlite") {
		t.Errorf("%+v", s.Note)
	}
}

func TestPatternsLeaveFilesOut(t *testing.T) {
	d := newDesk(t)
	d.notes()
	d.SetPatterns("*.txt", "wall-0*")
	d.until("the files are listed again", func() bool { return !d.State().Listing })
	if rows := d.State().Rows; len(rows) != 2 || rows[0].Name != "wall-10.txt" {
		t.Errorf("left are %+v", rows)
	}
	d.SetPatterns("[", "")
	d.until("a pattern that is none is told", func() bool { return !d.State().Listing })
	if len(d.State().Unlisted) == 0 {
		t.Error("nothing is said about a wrong pattern")
	}
	d.Clear()
	d.until("the list is empty", func() bool { return !d.State().Listing })
	if s := d.State(); len(s.Rows) != 0 || len(s.Sources) != 0 {
		t.Errorf("left are %+v", s.Rows)
	}
}
