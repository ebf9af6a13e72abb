package app

import (
	"cmp"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/storage"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// The pickers ask for a path in the window. done is called with it or with what
// went wrong, and not at all when the user gives up.

// A pickKind is what is picked for: a tab, by the page's id, and the key of the title
// that its picker has.
type pickKind struct{ page, title string }

const modelTitle = "shell.pick.model.title"

func (w *Window) pickFolder(done func(string, error)) {
	w.pickFolderFrom("", "shell.pick.folder.title", done)
}

// pickDownloads asks where downloads are to go, beginning where they go now.
func (w *Window) pickDownloads(now string, done func(string, error)) {
	w.pickFolderFrom(now, "shell.pick.downloads.title", done)
}

// pickFolderFrom begins in a folder, or the next above it that is there; with
// none where the last one was picked.
func (w *Window) pickFolderFrom(start, title string, done func(string, error)) {
	kind := pickKind{w.current.id, title}
	d := dialog.NewFolderOpen(func(folder fyne.ListableURI, err error) {
		switch {
		case err != nil:
			done("", err)
		case folder != nil:
			w.picks[kind] = filepath.Dir(folder.Path())
			done(folder.Path(), nil)
		}
	}, w.fyne)
	d.SetTitleText(words.T(title))
	d.SetView(dialog.ListView)
	d.SetConfirmText(words.T("shell.pick.folder"))
	begin(d, cmp.Or(start, w.picks[kind]))
	w.showDialog(d)
}

// begin has a dialog begin in a folder, or the next above it that is there; with none
// it begins where the last of Fyne's dialogs ended.
func begin(d *dialog.FileDialog, folder string) {
	if at := nearest(folder); at != nil {
		d.SetLocation(at)
	}
}

// nearest is a folder, or the next above it that is there; nil without one.
func nearest(folder string) fyne.ListableURI {
	for folder != "" {
		if at, err := storage.ListerForURI(storage.NewFileURI(folder)); err == nil {
			return at
		}
		above := filepath.Dir(folder)
		if above == folder {
			break
		}
		folder = above
	}
	return nil
}

// pickGGUF asks for a model.
func (w *Window) pickGGUF(done func(string, error)) {
	w.pickFile(modelTitle, storage.NewExtensionFileFilter([]string{".gguf", ".GGUF"}), done)
}

// pickProgram asks for a llama-server.
func (w *Window) pickProgram(done func(string, error)) {
	w.pickFile("shell.pick.engine.title", programFilter{}, done)
}

// programFilter leaves out what has the name of something else than a program.
type programFilter struct{}

func (programFilter) Matches(u fyne.URI) bool {
	name := strings.ToLower(u.Name())
	return strings.Contains(name, "llama") && !strings.HasSuffix(name, ".gguf")
}

func (w *Window) pickFile(title string, filter storage.FileFilter, done func(string, error)) {
	kind := pickKind{w.current.id, title}
	d := dialog.NewFileOpen(func(file fyne.URIReadCloser, err error) {
		switch {
		case err != nil:
			done("", err)
		case file != nil:
			path := file.URI().Path()
			file.Close() // whoever asked opens it by its path
			w.picks[kind] = filepath.Dir(path)
			done(path, nil)
		}
	}, w.fyne)
	d.SetFilter(filter)
	d.SetTitleText(words.T(title))
	d.SetView(dialog.ListView) // where names are whole
	d.SetConfirmText(words.T("shell.pick.file"))
	begin(d, w.picks[kind])
	w.showDialog(d)
}

// isVeil says whether an overlay is what showDialog puts under a dialog.
func isVeil(o fyne.CanvasObject) bool {
	_, ok := o.(*canvas.Rectangle)
	return ok
}

// showDialog opens a dialog over a veil and leaves some of the window visible
// around it.
func (w *Window) showDialog(d dialog.Dialog) {
	c := w.fyne.Canvas()
	veil := w.addVeil()
	d.SetOnClosed(func() { c.Overlays().Remove(veil) })
	d.Show() // a file dialog has no size before
	d.Resize(fyne.NewSize(min(900, c.Size().Width-96), min(640, c.Size().Height-96)))
}

// addVeil dims the window for a dialog to stand on.
func (w *Window) addVeil() fyne.CanvasObject {
	c := w.fyne.Canvas()
	widgets.HideTip(c)
	veil := canvas.NewRectangle(theme.Veil())
	veil.Resize(c.Size())
	c.Overlays().Add(veil)
	return veil
}
