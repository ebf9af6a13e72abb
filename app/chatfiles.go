package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/storage"

	"paddock/engine/picture"
	"paddock/words"
)

// pickAttachment asks for a file to go with a message.
func (w *Window) pickAttachment(done func(path string)) {
	w.pickFile("chat.pick.attach", nil, w.picked(done))
}

// pickChats asks for a file with exported chats.
func (w *Window) pickChats(done func(path string)) {
	w.pickFile("chat.pick.import", storage.NewExtensionFileFilter([]string{".json", ".jsonl", ".JSON"}), w.picked(done))
}

// picked says what went wrong, or goes on.
func (w *Window) picked(done func(path string)) func(string, error) {
	return func(path string, err error) {
		if err != nil {
			w.Notify(words.Error(err).Message)
			return
		}
		done(path)
	}
}

// pickSave asks where to write a file. Fyne's dialog leaves an empty one there,
// which whoever asked writes over.
func (w *Window) pickSave(name string, done func(path string)) {
	d := dialog.NewFileSave(func(file fyne.URIWriteCloser, err error) {
		switch {
		case err != nil:
			w.Notify(words.Error(err).Message)
		case file != nil:
			path := file.URI().Path()
			file.Close()
			done(path)
		}
	}, w.fyne)
	d.SetFileName(name)
	d.SetTitleText(words.T("chat.pick.save"))
	d.SetView(dialog.ListView)
	d.SetConfirmText(words.T("chat.pick.save.here"))
	w.showDialog(d)
}

// isPicture says whether a file is a picture, by its first bytes.
func isPicture(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	return picture.Likely(path)
}

// forChat tells which of what was dropped goes to the chat: all but models while
// it is on view, and pictures wherever they are dropped.
func forChat(list []string, onView bool) (chat, others []string) {
	for _, path := range list {
		model := isModel(path)
		if info, err := os.Stat(path); onView && err == nil && info.IsDir() {
			model = holdsModels(path)
		}
		if !model && (onView || isPicture(path)) {
			chat = append(chat, path)
		} else {
			others = append(others, path)
		}
	}
	return chat, others
}

// holdsModels says whether a folder has a model right in it.
func holdsModels(folder string) bool {
	entries, err := os.ReadDir(folder)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return strings.EqualFold(filepath.Ext(e.Name()), ".gguf")
	})
}
