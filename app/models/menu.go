package models

import (
	"path/filepath"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"paddock/app/widgets"
	"paddock/words"
)

// rowMenu is what can be done with a row.
func (t *Tab) rowMenu(r Row) *fyne.Menu {
	item := func(key string, on bool, do func()) *fyne.MenuItem {
		i := fyne.NewMenuItem(words.T(key), do)
		i.Disabled = !on
		return i
	}
	copyPath := item("models.files.copy", true, func() { t.options.Copy(r.Path) })
	if r.Folder {
		return fyne.NewMenu("", item("models.rescan", true, t.Rescan), copyPath,
			item("models.forget", t.canForget(r), func() { t.Forget(r) }))
	}
	files := r.Model.Files
	hash := item("models.hash.start", len(files) > 0, func() {
		t.showFiles()
		if len(files) == 1 { // of many, each is asked for by itself
			t.Hash(files[0])
		}
	})
	return fyne.NewMenu("",
		item("models.setUp", r.Off == "", func() { t.options.SetUp(r.Model) }),
		item("models.showFiles", true, t.showFiles),
		fyne.NewMenuItemSeparator(),
		item("models.files.open", true, func() { t.openFolder(r.Path) }),
		copyPath,
		hash,
		fyne.NewMenuItemSeparator(),
		item("models.forget", t.canForget(r), func() { t.Forget(r) }),
	)
}

// menuAt shows the chosen row's menu at a place in the window.
func (t *Tab) menuAt(at fyne.Position) {
	if r := t.State().Selected; r.Known() {
		widgets.MenuAt(t.content, t.rowMenu(r), at)
	}
}

// menuUnder shows the chosen row's menu under a button, ending where it does.
func (t *Tab) menuUnder(button fyne.CanvasObject) {
	if r := t.State().Selected; r.Known() {
		widgets.MenuUnder(button, t.rowMenu(r))
	}
}

// openFolder shows the folder a file is in.
func (t *Tab) openFolder(path string) { t.options.OpenPath(filepath.Dir(path)) }

// showFiles turns the detail pane to the chosen row's files.
func (t *Tab) showFiles() { t.detail.turnTo(filesTab) }

// shiftHeld says whether the shift key is held now.
func shiftHeld() bool {
	d, ok := fyne.CurrentApp().Driver().(desktop.Driver)
	return ok && d.CurrentKeyModifiers()&fyne.KeyModifierShift != 0
}
