package embeddings

import (
	"context"
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
	d := newDesk(t)
	d.notes()
	d.SetEngine(d.ready())
	d.Start()
	d.over()
	d.until("the vectors are open", func() bool { return d.State().Vectors > 0 && !d.State().Mapping })
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
	d.again()
	d.engine.gate = nil
	d.until("it is offered", func() bool { return d.State().Offer == GoOn })
	d.SetEngine(d.ready())
	d.Take()
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

func TestAListThatCannotBeReadOrKeptIsSaid(t *testing.T) {
	d := newDesk(t)
	kept := d.write("data/embeddings.json", "{broken")
	d.again()
	d.until("it is said", func() bool { return d.State().Unkept != nil })
	if text := sentence(d.State().Unkept); !strings.Contains(text, "embeddings.json") || len(d.State().Rows) != 0 {
		t.Errorf("it says %q", text)
	}
	d.SetMethod(chunk.Lines)
	d.until("it is kept again", func() bool { return d.State().Unkept == nil })
	if err := os.Remove(kept); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(kept, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.SetMethod(chunk.File)
	d.until("it is said", func() bool { return d.State().Unkept != nil })
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
