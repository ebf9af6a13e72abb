package app

import (
	"path/filepath"

	"fyne.io/fyne/v2/storage"

	"paddock/app/images"
	"paddock/app/widgets"
	"paddock/config"
	"paddock/engine"
	job "paddock/engine/images"
)

// imagesFolder is where pictures' texts are kept, in the data folder, and
// thumbnails in the cache's.
const (
	imagesFolder     = "images"
	thumbnailsFolder = "thumbnails"
)

func (w *Window) newImages() widgets.Tab {
	folders := w.options.Config.Folders()
	var follow func(*job.Job)
	if supervisor, ok := w.options.Engine.(*engine.Supervisor); ok {
		follow = func(j *job.Job) { j.Follow(supervisor) }
	}
	return images.New(images.Options{
		Seams: images.Seams{
			Engine:     w.options.Engine,
			Follow:     follow,
			Folder:     filepath.Join(folders.Data, imagesFolder),
			Seers:      w.seeing,
			SetUp:      w.setUp,
			Copy:       w.copy,
			Thumbs:     job.NewThumbnails(filepath.Join(folders.Cache, thumbnailsFolder), job.DefaultThumbnailBytes),
			PasteImage: w.pasteImage,
			Saved:      savedPrompts(w.options.Config.Get()),
			Keep:       w.keepPrompts,
		},
		Do:         w.do,
		Models:     func() { w.GoTo(pageModels) },
		PickImage:  w.pickImage,
		PickFolder: func(done func(string)) { w.pickFolder(w.picked(done)) },
		PickSave:   w.pickSave,
	})
}

// imagesTab is the Images tab, made when there is none yet.
func (w *Window) imagesTab() *images.Tab {
	return w.tab(w.page(pageImages)).(*images.Tab)
}

// pickImage asks for a picture.
func (w *Window) pickImage(done func(path string)) {
	w.pickFile("pictures.pick.image", storage.NewMimeTypeFileFilter([]string{"image/*"}), w.picked(done))
}

// forImages tells which of what was dropped on Images goes there: pictures, and
// folders without models right in them.
func forImages(list []string) (pictures, others []string) {
	return parted(list, func(path string) bool { return isPicture(path) || isFolder(path) && !holdsModels(path) })
}

// savedPrompts are the instructions the user has saved.
func savedPrompts(c config.Config) []images.Saved {
	var saved []images.Saved
	for _, p := range c.ImagePrompts {
		saved = append(saved, images.Saved(p))
	}
	return saved
}

// keepPrompts saves instructions, beside the UI goroutine.
func (w *Window) keepPrompts(saved []images.Saved, done func(error)) {
	w.options.Config.Later(func(c *config.Config) {
		c.ImagePrompts = nil
		for _, p := range saved {
			c.ImagePrompts = append(c.ImagePrompts, config.ImagePrompt(p))
		}
	}, done)
}
