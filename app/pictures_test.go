package app

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"paddock/engine/picture/picturetest"
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
