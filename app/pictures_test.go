package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"paddock/engine"
	job "paddock/engine/images"
	"paddock/engine/picture/picturetest"
	"paddock/engine/plan"
)

func TestPicturesAndFoldersWithoutModelsAreDroppedOnImages(t *testing.T) {
	dir := t.TempDir()
	picture := write(t, filepath.Join(dir, "cat"), string(picturetest.Encode(t, "png", picturetest.Quadrants(20, 20))))
	note := write(t, filepath.Join(dir, "note.txt"), "hello")
	model := write(t, filepath.Join(dir, "a.gguf"), "GGUF")
	album, models := filepath.Join(dir, "album"), filepath.Join(dir, "models")
	for _, folder := range []string{album, models} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(models, "b.gguf"), "GGUF")
	pictures, others := forImages([]string{picture, note, model, album, models, filepath.Join(dir, "gone.png")})
	if want := []string{picture, album}; !slices.Equal(pictures, want) {
		t.Errorf("pictures are %v, want %v", pictures, want)
	}
	if want := []string{note, model, models, filepath.Join(dir, "gone.png")}; !slices.Equal(others, want) {
		t.Errorf("others are %v, want %v", others, want)
	}
}

func TestAPictureGoesToTheImagesWhileTheyAreOnView(t *testing.T) {
	b := newBench(t, nil)
	path := write(t, filepath.Join(t.TempDir(), "cat.png"), string(picturetest.Encode(t, "png", picturetest.Quadrants(20, 20))))
	b.GoTo(pageImages)
	b.Open([]string{path})
	b.until("it is in the list", func() bool { return len(b.imagesTab().State().Items) == 1 })
	if b.current.id != pageImages {
		t.Errorf("%s is on view", b.current.id)
	}
}

// sees is an engine with a model that sees.
func sees() engine.State {
	return engine.State{Phase: engine.Ready, Model: loadedModel, Plan: plan.Plan{ModelPath: loadedModel.Path, ProjectorPath: "/m/mmproj.gguf", Slots: 1}}
}

func TestAModelSetUpForImagesLeadsBackThere(t *testing.T) {
	blind := engine.State{Phase: engine.Ready, Model: loadedModel}
	for name, c := range map[string]struct {
		from  string
		ready engine.State
		want  string
	}{
		"from Images":                      {pageImages, sees(), pageImages},
		"from Images, but it does not see": {pageImages, blind, pageChat},
		"from Models":                      {pageModels, sees(), pageChat},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.GoTo(c.from)
			b.GoTo(pageLoad)
			b.show(engine.State{Phase: engine.Loading, Model: loadedModel})
			b.show(c.ready)
			if b.current.id != c.want {
				t.Errorf("it leads to %s", b.current.id)
			}
		})
	}
}

// running is a window in which two pictures are gone through, and how it is closed
// without an answer for them.
func running(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, nil)
	b.engine.endless = true
	b.show(sees())
	dir := t.TempDir()
	for _, name := range []string{"a.png", "b.png"} {
		write(t, filepath.Join(dir, name), string(picturetest.Encode(t, "png", picturetest.Quadrants(20, 20))))
	}
	b.GoTo(pageImages)
	tab := b.imagesTab()
	tab.Add(false, dir)
	b.until("they can be run", func() bool { s := tab.State(); return len(s.Items) == 2 && s.Run.Off == "" })
	tab.Press()
	b.until("one is asked about", func() bool { return tab.State().Counts.Running == 1 })
	return b
}

func TestClosingAsksWhilePicturesAreGoneThroughAndTheRunCanBeResumed(t *testing.T) {
	b := running(t)
	b.GoTo(pageSettings)
	b.askClose()
	if !b.asks() || b.closing {
		t.Fatal("it did not ask")
	}
	var said []string
	eachText(b.fyne.Canvas().Overlays().Top(), fyne.Position{}, func(text *canvas.Text, _ fyne.Position) { said = append(said, text.Text) })
	if all := strings.Join(said, " "); !strings.Contains(all, "2 pictures of the run in Images are not done yet") {
		t.Errorf("it says %q", all)
	}
	b.closeDialog()
	b.imagesTab().Press()
	b.until("it is pausing", func() bool { return b.imagesTab().State().Run.Paused })
	b.askClose()
	b.askClose()
	if !b.closing {
		t.Fatal("it stays open")
	}
	<-b.stopped
	set, err := job.Open(filepath.Join(b.options.Config.Folders().Data, imagesFolder))
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	if s := set.State(); s.Interrupted != 2 || s.Counts.Waiting != 2 {
		t.Errorf("after that there are %+v, %d of the run", s.Counts, s.Interrupted)
	}
}
