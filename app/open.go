package app

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"paddock/engine/gguf"
	"paddock/words"
)

// Open takes paths that were dropped, or that Paddock was started with. Models
// and folders open in Models, pictures go with the message in Chat, and so do all
// other files while Chat is on view. While Images is, pictures and folders without
// models go there; while Embeddings is, all but models do. Of what is none of these, a
// sentence says so. Files are looked at beside the UI goroutine.
func (w *Window) Open(list []string) {
	w.log.WithField("paths", list).Info("open")
	onChat, onImages, onVectors := w.current.id == pageChat, w.current.id == pageImages, w.current.id == pageVectors
	go func() {
		var pictures, texts []string
		switch {
		case onImages:
			pictures, list = forImages(list)
		case onVectors:
			texts, list = forVectors(list)
		}
		attached, rest := forChat(list, onChat)
		models, others := sortPaths(rest)
		unwanted := notModels(others)
		w.do(func() {
			if len(pictures) > 0 {
				w.imagesTab().Add(true, pictures...)
				w.log.WithField("paths", len(pictures)).Info("pictures added")
			}
			if len(texts) > 0 {
				w.embeddingsTab().Add(texts)
			}
			if len(attached) > 0 {
				w.GoTo(pageChat)
				w.chatTab().AddFiles(attached)
				w.log.WithField("files", len(attached)).Info("attach")
			}
			if len(models) > 0 {
				w.GoTo(pageModels)
				w.picks[pickKind{pageModels, modelTitle}] = filepath.Dir(models[0])
				w.modelsTab().Open(models)
			} else {
				w.modelsTab().AwaitNothing()
			}
			if unwanted != "" {
				w.Notify(unwanted)
			}
		})
	}()
}

// sortPaths tells models and folders from what Paddock has no use for. A file
// is a model by its name or by its first bytes.
func sortPaths(list []string) (models, others []string) { return parted(list, isModel) }

// parted tells which of what was dropped is wanted somewhere.
func parted(list []string, wanted func(path string) bool) (taken, others []string) {
	for _, path := range list {
		if wanted(path) {
			taken = append(taken, path)
		} else {
			others = append(others, path)
		}
	}
	return taken, others
}

// isFolder says whether a path is a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isModel(path string) bool {
	info, err := os.Stat(path)
	switch {
	case strings.EqualFold(filepath.Ext(path), ".gguf"):
		return true // Models says what is wrong with it
	case err != nil:
		return false
	case info.IsDir():
		return true
	case !info.Mode().IsRegular():
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	magic := make([]byte, 4)
	_, err = io.ReadFull(file, magic)
	return err == nil && string(magic) == "GGUF"
}

// notModels is the sentence about paths Paddock has no use for. It looks for the first.
func notModels(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	data := map[string]any{"File": fileName(paths[0]), "Count": len(paths) - 1}
	if _, err := os.Stat(paths[0]); err != nil {
		return words.T("shell.drop.missing", data)
	}
	if len(paths) > 1 {
		return words.T("shell.drop.notModels", data)
	}
	return words.T("shell.drop.notModel", data)
}

// fileName is a path's last part, safe to show.
func fileName(path string) string {
	if path == "" {
		return ""
	}
	return gguf.Printable(filepath.Base(path))
}
