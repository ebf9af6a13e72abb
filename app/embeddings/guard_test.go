package embeddings

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"paddock/app/apptest"
	"paddock/engine/client"
	"paddock/engine/embed"
	"paddock/engine/embed/chunk"
	"paddock/engine/server"
)

// slowly has the engine answer one request after the other of many files, so that a
// run is met in its middle.
func slowly(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t)
	d.notes()
	d.SetEngine(d.ready())
	d.SetMethod(chunk.Headings)
	d.engine.gate = make(chan struct{}, 1000)
	d.engine.gate <- struct{}{} // for the check
	d.Start()
	d.until("it works", func() bool { return d.job != nil && d.State().Job.Phase == embed.Running })
	d.Pause()
	return d
}

func (d *desk) other() string {
	return d.write("other-nomic-embed-text-v1.5.gguf", "another model")
}

func TestARunIsNotGoneOnWithByAnotherModel(t *testing.T) {
	for name, c := range map[string]func(d *desk) (model, pooling string){
		"another file":               func(d *desk) (string, string) { return d.other(), "" },
		"the same, pooled otherwise": func(d *desk) (string, string) { return d.model, "cls" },
	} {
		d := slowly(t)
		close(d.engine.gate)
		d.until("it is paused", func() bool { return d.State().Job.Phase == embed.Paused })
		before := d.State().Choices
		stranger := d.ready()
		stranger.Model.Path, stranger.Plan.Pooling = c(d)
		stranger.Model.Name = "Stranger"
		d.SetEngine(stranger)
		if s := d.State(); !s.Stranger || s.Choices.Settings != before.Settings {
			t.Errorf("%s: %v, settings %+v", name, s.Stranger, s.Choices.Settings)
		}
		if _, _, on := main(d.State()); on {
			t.Errorf("%s: it can be gone on with", name)
		}
		d.Pause()
		if s := d.State(); s.Run != Paused || !s.Job.Phase.Ended() && s.Job.Phase != embed.Paused {
			t.Errorf("%s: it went on: %s, %s", name, s.Run, s.Job.Phase)
		}
		d.SetEngine(d.ready())
		if d.State().Stranger {
			t.Errorf("%s: the run's own model is a stranger", name)
		}
		d.Pause()
		d.over()
		if s := d.State(); s.Job.Phase != embed.Done || s.Job.ChunksDone != 14 {
			t.Errorf("%s: %s, %v", name, s.Job.Phase, s.Problem)
		}
	}
}

func TestAfterARunTheSettingsAreThoseOfWhatWasLoadedMeanwhile(t *testing.T) {
	d := slowly(t)
	stranger := d.ready()
	stranger.Model.Path, stranger.Model.Name = d.other(), "nomic-embed-text-v1.5"
	d.SetEngine(stranger)
	d.Cancel()
	d.over()
	if s := d.State(); s.Stranger || s.Choices.Settings.Family != "nomic-1.5" {
		t.Errorf("%v, %+v", s.Stranger, s.Choices.Settings)
	}
	// To go on with that one is another run, and said.
	close(d.engine.gate)
	d.Start()
	d.over()
	var file *embed.FileError
	if s := d.State(); !errors.As(s.Problem, &file) || file.Problem != embed.OtherRun || s.Offer != StartOver {
		t.Errorf("%v, %q", s.Problem, s.Offer)
	}
}

func TestAModelThatIsExchangedUnderARunEndsIt(t *testing.T) {
	d := slowly(t)
	d.Pause() // on
	d.until("it works again", func() bool { return d.State().Run == Working })
	stranger := d.ready()
	stranger.Model.Path = d.other()
	d.engine.become(stranger) // before the window hears of it
	close(d.engine.gate)
	d.over()
	var file *embed.FileError
	if s := d.State(); !errors.As(s.Problem, &file) || file.Problem != embed.ModelChanged || file.Path != stranger.Model.Path || s.Offer != GoOn {
		t.Fatalf("%v, %q", s.Problem, s.Offer)
	}
	if !strings.Contains(sentence(d.State().Problem), "Another model was loaded during the run") {
		t.Errorf("it says %q", sentence(d.State().Problem))
	}
	d.engine.become(d.ready())
	d.Start()
	d.over()
	if s := d.State(); s.Job.Phase != embed.Done || s.Job.ChunksDone != 14 {
		t.Errorf("%s, %v", s.Job.Phase, s.Problem)
	}
}

func TestAModelWhoseFileBecameAnotherIsNotGoneOnWith(t *testing.T) {
	d := slowly(t)
	close(d.engine.gate)
	d.until("it is paused", func() bool { return d.State().Job.Phase == embed.Paused })
	was, err := os.ReadFile(d.model)
	if err != nil {
		t.Fatal(err)
	}
	d.write(filepath.Base(d.model), "another model of the same name")
	d.Pause()
	d.until("it is said", func() bool { return d.State().Problem != nil })
	var file *embed.FileError
	if s := d.State(); s.Run != Paused || !errors.As(s.Problem, &file) || file.Problem != embed.ModelChanged {
		t.Fatalf("%s, %v", s.Run, s.Problem)
	}
	d.write(filepath.Base(d.model), string(was))
	d.Pause()
	d.over()
	if s := d.State(); s.Job.Phase != embed.Done || s.Problem != nil {
		t.Errorf("%s, %v", s.Job.Phase, s.Problem)
	}
}

func TestNamesAndFoldersThatCannotBeAreRefusedWithASentence(t *testing.T) {
	d := newDesk(t)
	for _, name := range []string{"..", ".", "", " ", "../notes", "a/b", `a\b`, "/etc", "a\x00b", "what?", strings.Repeat("long", 60)} {
		d.SetName(name)
		if s := d.State(); s.Choices.Name != "vectors" || s.NameProblem == "" {
			t.Errorf("%q is taken: %q, said %q", name, s.Choices.Name, s.NameProblem)
		}
	}
	d.SetName("vectors")
	if s := d.State(); s.NameProblem != "" {
		t.Errorf("of the name as it is it says %q", s.NameProblem)
	}
	for _, name := range []string{"notes", ".notes", "v1.5 notes", "日本"} {
		d.SetName("..")
		d.SetName(name)
		if s := d.State(); s.Choices.Name != name || s.NameProblem != "" {
			t.Errorf("%q is not taken: %q", name, s.NameProblem)
		}
		for _, o := range d.outputs() {
			if filepath.Dir(o.Path) != d.State().Choices.Folder {
				t.Errorf("%q leads to %s", name, o.Path)
			}
		}
	}
	was := d.State().Choices.Folder
	for _, folder := range []string{"", "notes", "./notes", "../up", "~ana/notes", d.dir + "\x00"} {
		d.SetFolder(folder)
		if s := d.State(); s.Choices.Folder != was || s.FolderProblem == "" {
			t.Errorf("%q is taken: %q", folder, s.Choices.Folder)
		}
	}
	d.SetFolder("~/elsewhere/")
	if s := d.State(); s.Choices.Folder != filepath.Join(d.dir, "elsewhere") || s.FolderProblem != "" {
		t.Errorf("%q, said %q", s.Choices.Folder, s.FolderProblem)
	}
}

func TestWhateverIsAddedGivesANameInTheFolder(t *testing.T) {
	root := string(filepath.Separator)
	for path, want := range map[string]string{
		root + "home/.notes": "notes", root: "vectors", root + "home/...": "vectors", root + "home/notes.md": "notes", root + "home/.notes.txt": ".notes",
		root + "home/a b": "a b",
	} {
		if name := nameFor(path); name != want {
			t.Errorf("%s gives %q, want %q", path, name, want)
		}
	}
}

func TestAFileBesideAnOutputIsNotWrittenOverUnasked(t *testing.T) {
	d := newDesk(t)
	d.notes()
	d.SetEngine(d.ready())
	d.Start()
	d.over()
	path := d.write("vectors/notes.csv.meta.json", "mine") // a run has been here, but did not write that
	d.SetFormat(embed.CSV, true)
	embedded := d.engine.texts("wall")
	d.Start()
	d.over()
	var file *embed.FileError
	if s := d.State(); !errors.As(s.Problem, &file) || file.Problem != embed.Exists || file.Path != path || s.Offer != WriteOver {
		t.Fatalf("%v, %q", s.Problem, s.Offer)
	}
	d.Take()
	d.over()
	if text, _ := os.ReadFile(path); d.State().Job.Phase != embed.Done || string(text) == "mine" {
		t.Errorf("it was not written over: %v", d.State().Problem)
	}
	if d.engine.texts("wall") != embedded {
		t.Error("what was embedded is embedded again")
	}
}

func TestWhatPaddockWroteIsNotEmbedded(t *testing.T) {
	d := newDesk(t)
	folder := d.notes()
	d.SetEngine(d.ready())
	d.SetFolder(folder)
	for _, f := range embed.Formats() {
		d.SetFormat(f, true)
	}
	d.Start()
	d.over()
	if s := d.State(); s.Job.Phase != embed.Done {
		t.Fatalf("%s, %v", s.Job.Phase, s.Problem)
	}
	d.SetName("later")
	d.Add([]string{folder})
	d.until("the files are listed again", func() bool { return !d.State().Listing })
	s := d.State()
	if len(s.Rows) != 14 || s.LeftOut != 10 {
		t.Errorf("%d files, %d left out", len(s.Rows), s.LeftOut)
	}
	for _, r := range s.Rows {
		if strings.HasPrefix(r.Name, "notes.") {
			t.Errorf("%s would be embedded", r.Name)
		}
	}
}

func TestOnlyAnEngineThatIsGoneIsSaidToBe(t *testing.T) {
	for _, c := range []struct {
		err  error
		gone bool
	}{
		{&server.Failure{Kind: server.Killed}, true},
		{&client.Error{Kind: client.Unreachable}, true},
		{&client.Error{Kind: client.Broken}, true},
		{&client.Error{Kind: client.BadRequest}, false},
		{&embed.FileError{Problem: embed.DiskFull}, false},
		{&embed.VectorError{Problem: embed.Same}, false},
	} {
		if ofEngine(c.err) != c.gone {
			t.Errorf("%v: %t", c.err, !c.gone)
		}
	}
}

func TestTheQuestionIsPutOnTheMapWhenThereIsOne(t *testing.T) {
	d := made(t)
	points, place := d.state.Points, d.place
	d.state.Points, d.place = nil, embed.Projection{} // as before it was made
	d.Search("honey")
	d.until("it is found", func() bool { return !d.State().Searching })
	if s := d.State(); s.AskedThere || len(s.Hits) == 0 {
		t.Errorf("on no map: %v", s.Asked)
	}
	d.state.Points, d.place = points, place
	d.putQuestion()
	if s := d.State(); !s.AskedThere || s.Asked.X == 0 && s.Asked.Y == 0 {
		t.Errorf("on the map: %v, %v", s.AskedThere, s.Asked)
	}
}

func TestAQuestionThatCameTooEarlyIsAnsweredWhenItCanBe(t *testing.T) {
	d := newDesk(t)
	d.notes()
	d.SetEngine(d.ready())
	d.Search("bees make honey")
	if s := d.State(); s.Searching || s.Query == "" {
		t.Errorf("%+v", s)
	}
	d.Start()
	d.over()
	d.until("it is answered", func() bool { return len(d.State().Hits) > 0 })
	if hit := d.State().Hits[0]; filepath.Base(hit.Path) != "bees.md" {
		t.Errorf("%+v", hit)
	}

	index := d.State().Index
	d.again()
	d.until("they are open again", func() bool { return d.State().Index == index })
	d.Search("bees make honey")
	if s := d.State(); s.Searching || len(s.Hits) > 0 {
		t.Error("it is answered without a model")
	}
	d.SetEngine(d.ready())
	d.until("it is answered then", func() bool { return len(d.State().Hits) > 0 })
}

func TestAnEmptiedSearchIsTakenBack(t *testing.T) {
	d := made(t)
	d.Search("honey")
	d.until("it is found", func() bool { return !d.State().Searching })
	held := make(chan struct{})
	d.engine.set("", held)
	d.Search("ice")
	d.Search("  ")
	if s := d.State(); s.Searching || len(s.Hits) != 0 || s.AskedThere || s.Query != "" {
		t.Errorf("%+v", s)
	}
	d.engine.set("", nil)
	close(held)
	d.Search("wall")
	d.until("the next is found", func() bool { return !d.State().Searching })
	if s := d.State(); !strings.Contains(s.Hits[0].Text, "wall") {
		t.Errorf("%+v", s.Hits)
	}
}

func TestASearchIsMadeAsTheVectorsWere(t *testing.T) {
	d := made(t)
	d.SetPrefixes("other: ", "ask: ")
	d.Search("honey")
	d.until("it is found", func() bool { return !d.State().Searching })
	d.engine.mu.Lock()
	asked := slices.Clone(d.engine.asked)
	d.engine.mu.Unlock()
	if last := asked[len(asked)-1]; last != "query: honey" {
		t.Errorf("asked was %q", last)
	}
	pooled := d.ready()
	pooled.Plan.Pooling = "cls"
	d.SetEngine(pooled)
	d.Search("honey")
	d.until("it is refused", func() bool { return !d.State().Searching })
	if s := d.State(); len(s.Hits) != 0 || !strings.Contains(s.Note.Text, "made with the pooling mean") {
		t.Errorf("%+v, %d hits", s.Note, len(s.Hits))
	}
}

func TestAKeyDoesNothingThatItsButtonDoesNot(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.SetEngine(s.ready())
	s.notes()
	held := make(chan struct{})
	s.engine.set("", held)
	s.press(t, "Make vectors")
	s.until("it is checked", func() bool { return s.job != nil })
	s.tab.files.press()
	if s.State().Run != Working {
		t.Errorf("the check was paused: %s", s.State().Run)
	}
	s.engine.set("", nil)
	close(held)
	s.over()
}

func TestSettingsAreOffDuringARun(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.SetEngine(s.ready())
	s.notes()
	off := func() (n int) {
		apptest.Each(s.tab.settings.box, func(o fyne.CanvasObject) {
			if d, can := o.(fyne.Disableable); can && d.Disabled() {
				n++
			}
		})
		return n
	}
	if n := off(); n != 0 {
		t.Errorf("%d settings are off", n)
	}
	held := make(chan struct{})
	s.engine.set("", held)
	s.press(t, "Make vectors")
	if n := off(); n < 17 {
		t.Errorf("during a run %d are", n)
	}
	s.wants(t, "Settings are off while vectors are made")
	s.engine.set("", nil)
	close(held)
	s.over()
	if n := off(); n != 0 {
		t.Errorf("after it %d are", n)
	}
}

func TestWhatIsNotTakenIsSaidBesideItsField(t *testing.T) {
	s := newScreen(t, apptest.Narrow)
	s.tab.settings.name.SetText("../up")
	s.tab.settings.name.OnSubmitted("../up")
	s.tab.settings.folder.SetText("here")
	s.tab.settings.folder.OnSubmitted("here")
	s.wants(t, "A file can't be called ../up", "here is no folder's whole path")
	s.tab.settings.name.OnSubmitted("fine")
	s.tab.settings.folder.SetText("~/fine")
	s.tab.settings.folder.OnSubmitted("~/fine")
	if shown := apptest.Shown(s.window.Content()); strings.Contains(shown, "can't be called") || strings.Contains(shown, "whole path") {
		t.Error("it still says so")
	}
}

func TestThePoolingIsThatOfTheEngineWhateverFamilyIsChosen(t *testing.T) {
	d := newDesk(t)
	d.notes()
	silent := d.ready()
	silent.Model.Pooling, silent.Model.Name = "", "Model without a family"
	silent.Model.Path = d.write("silent.gguf", "a model that says nothing of pooling")
	silent.Plan.Pooling = "last"
	d.SetEngine(silent)
	d.SetFamily("bge") // pooled by its first token
	if s := d.State(); s.Choices.Settings.Family != "bge" || s.Choices.Settings.Pooling != "last" {
		t.Errorf("%+v", s.Choices.Settings)
	}
	d.Start()
	d.over()
	d.until("the vectors are there", func() bool { return d.State().Index != "" })
	if m := d.State().Meta; m.Pooling != "last" || m.Family != "bge" {
		t.Errorf("kept with the vectors is %+v", m)
	}
	d.Search("honey")
	d.until("it is found", func() bool { return !d.State().Searching })
	if s := d.State(); len(s.Hits) == 0 || s.Note.Bad {
		t.Errorf("%+v", s.Note)
	}
}
