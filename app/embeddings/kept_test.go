package embeddings

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paddock/engine/embed"
	"paddock/engine/embed/chunk"
)

// again is the desk after a restart of the program.
func (d *desk) again() {
	d.t.Helper()
	d.Close()
	d.Wait(context.Background())
	d.Presenter = NewPresenter(d.seams(), d.loop.Do, func(State) {})
	d.t.Cleanup(func() {
		d.Close()
		d.Wait(context.Background())
	})
}

func TestListAndChoicesAreThereAfterARestart(t *testing.T) {
	d := newDesk(t)
	folder := d.notes()
	d.SetEngine(d.ready())
	d.SetMethod(chunk.Headings)
	d.SetTokens(100, 10)
	d.SetPrefixes("text: ", "ask: ")
	d.SetNormalise(false)
	d.SetFormat(embed.Parquet, true)
	d.SetFolder(filepath.Join(d.dir, "elsewhere"))
	d.SetName("mine")
	d.SetColumns("body", "key")
	d.ChooseRow(0)
	gone := d.State().Rows[0].Path
	d.Remove()
	want := d.State().Choices
	for _, loadedFirst := range []bool{false, true} {
		d.again()
		if loadedFirst {
			d.SetEngine(d.ready())
		}
		d.until("the list is back", func() bool { return len(d.State().Rows) == 13 && !d.State().Listing })
		if !loadedFirst {
			d.SetEngine(d.ready())
		}
		s := d.State()
		if got := s.Choices; got.Strategy != want.Strategy || got.Settings != want.Settings || got.Reading != want.Reading || got.Folder != want.Folder ||
			got.Name != "mine" || !slices.Equal(got.Formats, want.Formats) || !s.Own {
			t.Errorf("loaded first %t: %+v, want %+v", loadedFirst, got, want)
		}
		if len(s.Sources) != 1 || s.Sources[0] != folder || slices.ContainsFunc(s.Rows, func(r Row) bool { return r.Path == gone }) || s.Offer != NoOffer {
			t.Errorf("%v, %q, %d rows", s.Sources, s.Offer, len(s.Rows))
		}
	}
	// Another model has its own family's settings.
	d.again()
	d.until("the list is back", func() bool { return len(d.State().Rows) == 13 })
	other := d.ready()
	other.Model.Path, other.Model.Name = d.other(), "nomic-embed-text-v1.5"
	d.SetEngine(other)
	if s := d.State(); s.Choices.Settings.Prefix != "search_document: " || s.Own {
		t.Errorf("%+v", s.Choices.Settings)
	}
}

func TestWhatWasSearchedIsOpenAfterARestart(t *testing.T) {
	d := made(t)
	index := d.State().Index
	d.again()
	d.until("they are open again", func() bool { return d.State().Index == index && len(d.State().Points) > 0 })
	d.SetEngine(d.ready())
	d.Search("bees make honey")
	d.until("they are searched", func() bool { return len(d.State().Hits) > 0 })

	d.Close()
	d.Wait(context.Background())
	if err := os.Remove(index); err != nil {
		t.Fatal(err)
	}
	d.again()
	d.until("the list is back", func() bool { return len(d.State().Rows) > 0 && !d.State().Listing })
	if s := d.State(); s.Index != "" || s.Note.Text != "" {
		t.Errorf("%q is open, and it says %q", s.Index, s.Note.Text)
	}
}

func TestAnUnfinishedRunIsOfferedAfterARestart(t *testing.T) {
	d := slowly(t)
	d.Pause() // on
	d.engine.gate <- struct{}{}
	d.until("some chunks have vectors", func() bool { return d.State().Job.ChunksDone > 0 && d.State().Job.Chunks == 14 })
	d.Close()
	d.Wait(context.Background())
	was, err := embed.StateOf(t.Context(), embed.StatePath(d.base()))
	if err != nil || was.ChunksDone == 0 {
		t.Fatal(err, was.ChunksDone)
	}
	d.again()
	d.until("it is offered", func() bool { return d.State().Offer == GoOn })
	s := d.State()
	if want := fmt.Sprintf("Not finished · %d of 14 chunks are kept", was.ChunksDone); totals(s) != want || whyNot(s) == "" {
		t.Errorf("it says %q, want %q", totals(s), want)
	}
	done := 0
	for i, row := range s.Rows {
		if row.Phase != was.Files[i].Phase || row.ChunksDone != was.Files[i].ChunksDone {
			t.Errorf("%+v, want %+v", row.FileState, was.Files[i])
		}
		if standing(row) == "Done" {
			done++
		}
	}
	if done == 0 {
		t.Error("no file is said to be done")
	}
	d.OpenIndex(d.write("no.sqlite", "no index")) // what else is done takes nothing back
	d.until("it is refused", func() bool { return d.State().Note.Bad })
	d.keep()
	d.again()
	d.engine.gate = nil
	d.until("it is offered again", func() bool { return d.State().Offer == GoOn })
	d.SetEngine(d.ready())
	d.Start()
	d.over()
	if s := d.State(); s.Job.Phase != embed.Done || s.Job.ChunksDone != 14 {
		t.Fatalf("%s, %v", s.Job.Phase, s.Problem)
	}
	d.again()
	d.until("the list is back", func() bool { return len(d.State().Rows) == 14 })
	if s := d.State(); s.Offer != NoOffer {
		t.Errorf("a run that is done is offered: %q", s.Offer)
	}
}

func TestARunWithoutAStateIsNotOfferedAfterARestart(t *testing.T) {
	d := slowly(t)
	d.Close()
	d.Wait(context.Background())
	if err := embed.Discard(embed.StatePath(d.base())); err != nil {
		t.Fatal(err)
	}
	d.again()
	d.until("the list is back", func() bool { return len(d.State().Rows) == 14 && !d.State().Listing })
	if s := d.State(); s.Offer != NoOffer || totals(s) != "14 files" {
		t.Errorf("%q, %q", s.Offer, totals(s))
	}
}

func TestWhatIsToBeOpenAgainIsNotForgottenWhileItCannotBe(t *testing.T) {
	d := made(t)
	index := d.State().Index
	kept := func() string {
		d.t.Helper()
		d.keeper.wait()
		k, err := readKept(d.seams().Kept)
		if err != nil {
			t.Fatal(err)
		}
		return k.Index
	}
	if kept() != index {
		t.Fatalf("%q is kept", kept())
	}
	// The list changes while they are being opened.
	d.again()
	d.until("the list is back", func() bool { return len(d.State().Sources) > 0 })
	d.SetMethod(chunk.Lines)
	if d.State().Index != "" {
		t.Fatal("they were faster")
	}
	if kept() != index {
		t.Errorf("%q is kept while they are being opened", kept())
	}
	d.until("they are open", func() bool { return d.State().Index == index })
	// They are on a disk that fails.
	real := index + ".real"
	if err := os.Rename(index, real); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Base(index), index); err != nil { // round and round
		t.Fatal(err)
	}
	d.again()
	d.until("it is said", func() bool { return d.State().Note.Bad })
	d.SetMethod(chunk.File)
	if kept() != index {
		t.Errorf("%q is kept when they can't be opened", kept())
	}
	// Others are opened instead.
	d.OpenIndex(real)
	d.until("they are open", func() bool { return d.State().Index == real })
	if kept() != real {
		t.Errorf("%q is kept when others are open", kept())
	}
}

func TestAFileOfAListThatIsDamagedIsSetAside(t *testing.T) {
	d := newDesk(t)
	d.keeper.earlier() // nothing is there yet
	kept := d.write("data/embeddings.json", "{broken")
	d.again()
	d.SetMethod(chunk.Lines) // at once
	d.until("it is said", func() bool { return d.State().Damaged != nil })
	d.keeper.wait()
	if text, err := os.ReadFile(kept + ".broken-1"); err != nil || string(text) != "{broken" {
		t.Errorf("set aside is %q, %v", text, err)
	}
	if text := sentence(d.State().Damaged); !strings.Contains(text, "It is kept as embeddings.json.broken-1") || d.State().Unkept != nil {
		t.Errorf("it says %q, %v", text, d.State().Unkept)
	}
	d.again()
	d.until("the list is kept again", func() bool { return d.State().Choices.Strategy.Method == chunk.Lines })
	if s := d.State(); s.Damaged != nil || s.Unkept != nil {
		t.Errorf("%v, %v", s.Damaged, s.Unkept)
	}
}

func TestAListThatCannotBeReadIsNotWrittenOver(t *testing.T) {
	d := newDesk(t)
	d.keeper.earlier() // nothing is there yet
	kept := d.write("data/embeddings.json", "{}")
	if err := os.Remove(kept); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("embeddings.json", kept); err != nil { // round and round
		t.Fatal(err)
	}
	d.again()
	d.until("it is said", func() bool { return d.State().Unkept != nil })
	d.SetMethod(chunk.Lines)
	d.keeper.wait()
	if to, err := os.Readlink(kept); err != nil || to != "embeddings.json" {
		t.Errorf("it was written over: %q, %v", to, err)
	}
	if text := sentence(d.State().Unkept); !strings.Contains(text, "embeddings.json") || !strings.Contains(text, "can't be used") {
		t.Errorf("it says %q", text)
	}
}

func TestAListThatCannotBeKeptIsSaid(t *testing.T) {
	d := newDesk(t)
	d.SetMethod(chunk.Lines)
	d.keeper.wait()
	kept := d.seams().Kept
	if err := os.Remove(kept); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(kept, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.SetMethod(chunk.File)
	d.until("it is said", func() bool { return d.State().Unkept != nil })
	if err := os.RemoveAll(kept); err != nil {
		t.Fatal(err)
	}
	d.SetMethod(chunk.Lines)
	d.until("it is kept again", func() bool { return d.State().Unkept == nil })
}

func TestWhatMakesNoSenseIsNotTakenFromWhatWasKept(t *testing.T) {
	d := newDesk(t)
	before := d.State().Choices
	d.write("data/embeddings.json", `{"Sources":["relative","`+filepath.ToSlash(d.dir)+`/gone"],"Choices":{"Strategy":{"Method":"words","Tokens":-3},"Formats":["xyz"],"Folder":"here","Name":"../up"},"Named":true}`)
	d.again()
	d.until("it is listed", func() bool { return len(d.State().Unlisted) == 1 })
	if c := d.State().Choices; c.Strategy != before.Strategy || !slices.Equal(c.Formats, before.Formats) || c.Folder != before.Folder || c.Name != before.Name || d.named {
		t.Errorf("%+v", c)
	}
}

func TestTheFirstChunksAreShownBeforeARun(t *testing.T) {
	d := newDesk(t)
	d.notes()
	if v := d.State().Preview; v.Path != "" {
		t.Errorf("without a model: %+v", v)
	}
	d.SetEngine(d.ready())
	d.SetMethod(chunk.Headings)
	shown := func() {
		t.Helper()
		d.until("the preview is cut", func() bool { return !d.State().Preview.Making })
	}
	shown()
	v := d.State().Preview
	if filepath.Base(v.Path) != "bees.md" || len(v.Chunks) != 2 || v.More || !strings.Contains(v.Chunks[0].Text, "honey") || v.Chunks[0].Tokens != 2+8 {
		t.Fatalf("%+v", v)
	}
	d.StepPreview(-1)
	d.StepPreview(1)
	d.StepPreview(1)
	if at := d.State().Preview.At; at != 1 {
		t.Errorf("at %d", at)
	}
	d.SetMethod(chunk.File)
	shown()
	if v := d.State().Preview; len(v.Chunks) != 1 || v.At != 0 {
		t.Errorf("as whole files: %+v", v)
	}
	d.write("notes/long.txt", strings.Repeat("One line of many.\n", 50))
	d.Add([]string{filepath.Join(d.dir, "notes")})
	d.SetMethod(chunk.Lines)
	d.until("the files are listed again", func() bool { return !d.State().Listing })
	at := slices.IndexFunc(d.State().Rows, func(r Row) bool { return r.Name == "long.txt" })
	d.ChooseRow(at)
	shown()
	if v := d.State().Preview; len(v.Chunks) != previewChunks || !v.More {
		t.Errorf("of a long file: %d chunks, more %t", len(v.Chunks), v.More)
	}
	d.ChooseRow(slices.IndexFunc(d.State().Rows, func(r Row) bool { return r.Name == "scan.pdf" }))
	shown()
	if v := d.State().Preview; len(v.Chunks) != 0 || !strings.Contains(v.Problem, "scan.pdf is damaged") {
		t.Errorf("of a broken file: %+v", v)
	}
	if len(d.engine.asked) != 0 {
		t.Error("a preview asked for vectors")
	}
	d.Start()
	if v := d.State().Preview; v.Path != "" {
		t.Errorf("during a run: %+v", v)
	}
	d.over()
}
