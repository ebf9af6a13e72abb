package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// A saveDialog asks for the folder and name of a file to write. Unlike Fyne's own it
// neither makes the file nor empties one that is there: whoever asked writes it, whole
// or not at all.
type saveDialog struct {
	window *Window
	done   func(path string)
	folder string
	asked  int // number of the latest look at the disk; an older one says nothing

	name    *widgets.Entry
	where   *widgets.TextLabel
	note    *widgets.Reason
	save    *widgets.Button
	replace *widgets.Button
	dialog  *widgets.Dialog
}

// saveDialogWidth has room for the sentences below a name.
const saveDialogWidth = 552

// pickSave asks where to write a file that is to be called name. One that is there
// already is chosen only after a question.
func (w *Window) pickSave(name string, done func(path string)) {
	if w.saved == "" {
		w.saved = homeFolder()
	}
	d := &saveDialog{window: w, done: done, folder: w.saved}
	d.name = widgets.NewEntry()
	d.name.SetText(name)
	d.name.OnChanged = func(string) { d.forgive() }
	d.name.OnSubmitted = func(string) { d.press(false) }
	d.where = widgets.Text(widgets.Quiet, d.folder).EllipsisAhead()
	d.note = widgets.NewReason(widgets.Cautious, "")
	folder := widgets.NewButton(words.T("shell.save.folder"), theme.IconFolder, widgets.Edged, d.pickFolder)
	cancel := widgets.NewButton(words.T("shell.save.cancel"), "", widgets.Edged, func() { d.dialog.Close() })
	d.save = widgets.NewButton(words.T("shell.save.save"), "", widgets.Filled, func() { d.press(false) })
	d.replace = widgets.NewButton(words.T("shell.save.replace"), "", widgets.Danger, func() { d.press(true) })
	d.replace.Hide()
	veil := w.addVeil()
	d.dialog = widgets.NewDialog(w.fyne.Canvas(), saveDialogWidth, words.T("shell.save.title"), widgets.VGap(12,
		widgets.HGap(8, widgets.Text(widgets.Quiet, words.T("shell.save.name")), widgets.Grow(d.name)),
		widgets.HGap(8, widgets.Grow(d.where), folder),
		d.note,
	), widgets.Buttons(cancel, d.save, d.replace))
	d.dialog.OnClosed = func() { w.fyne.Canvas().Overlays().Remove(veil) }
	d.dialog.Show(d.name)
	d.name.TypedShortcut(&fyne.ShortcutSelectAll{})
}

// homeFolder is where the user's files are.
func homeFolder() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return string(filepath.Separator)
	}
	return home
}

// forgive takes back what was said of another name.
func (d *saveDialog) forgive() {
	d.asked++
	d.say("")
}

// say says what is in the way of the name; with nothing in the way it is empty.
func (d *saveDialog) say(text string) {
	d.note.Set(widgets.Cautious, text)
	d.save.Show()
	d.replace.Hide()
	d.dialog.Fit()
}

func (d *saveDialog) pickFolder() {
	d.window.pickFolderFrom(d.folder, "shell.save.folder.title", d.window.picked(func(path string) {
		d.folder = path
		d.where.SetText(path)
		d.forgive()
	}))
}

// press takes the name, when nothing is in its way, or with replace a file that is.
func (d *saveDialog) press(replace bool) {
	name := strings.TrimSpace(d.name.Text)
	path := filepath.Join(d.folder, name)
	if name == "" || filepath.Base(path) != name {
		d.say(words.T("shell.save.badName"))
		return
	}
	d.asked++
	asked := d.asked
	go func() {
		key, there := inTheWay(path)
		d.window.do(func() {
			if asked != d.asked || d.window.closing || !d.dialog.Open() {
				return
			}
			if key == "" && (!there || replace) {
				d.dialog.Close()
				d.window.saved = d.folder
				d.done(path)
				return
			}
			if there {
				key = "shell.save.there"
			}
			d.say(words.T(key, map[string]any{"File": name}))
			if there {
				d.save.Hide()
				d.replace.Show()
				d.dialog.Fit() // the name keeps the focus: Enter twice must not replace a file
			}
		})
	}()
}

// inTheWay is the key of the sentence why a file can't be written there, or whether
// there is one that would be replaced.
func inTheWay(path string) (key string, there bool) {
	if folder, err := os.Stat(filepath.Dir(path)); err != nil || !folder.IsDir() {
		return "shell.save.noFolder", false
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false
	case errors.Is(err, fs.ErrPermission):
		return "shell.save.denied", false
	case err != nil:
		return "shell.save.badName", false
	case info.IsDir():
		return "shell.save.isFolder", false
	}
	return "", true
}
