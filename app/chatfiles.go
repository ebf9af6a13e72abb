package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

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
			w.Notify(words.Error(err).Text())
			return
		}
		done(path)
	}
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
	return parted(list, func(path string) bool {
		model := isModel(path)
		if onView && isFolder(path) {
			model = holdsModels(path)
		}
		return !model && (onView || isPicture(path))
	})
}

// holdsModels says whether a folder has a model right in it.
func holdsModels(folder string) bool {
	entries, err := os.ReadDir(folder)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return strings.EqualFold(filepath.Ext(e.Name()), ".gguf")
	})
}
