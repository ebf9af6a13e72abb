package models

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"paddock/config"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/words"
)

// Open takes files and folders the user dropped, picked or started Paddock with.
// GGUF files join the list and the first of them is selected; folders are added
// and scanned; anything else gets a sentence that names it.
func (p *Presenter) Open(paths []string) {
	go func() {
		folders, files, notices := sortOut(paths)
		var mu sync.Mutex
		var models []library.Model
		err := p.scan(context.Background(), library.Sources{Files: files}, func(m library.Model) {
			mu.Lock()
			models = append(models, m)
			mu.Unlock()
		})
		if err != nil {
			notices = append(notices, words.Error(err).Message)
		}
		var opened []library.Model
		for _, m := range models {
			if notGGUF(m.Problem) {
				notices = append(notices, words.Error(m.Problem).Message)
			} else {
				opened = append(opened, m)
			}
		}
		if err := p.remember(folders, opened); err != nil {
			notices = append(notices, words.Error(err).Message)
		}
		p.do(func() { p.opened(folders, opened, notices) })
	}()
}

// opened shows what Open found.
func (p *Presenter) opened(folders []string, models []library.Model, notices []string) {
	p.state.Notice = strings.Join(notices, " ")
	if len(models) > 0 || len(folders) > 0 {
		p.state.Filter, p.state.Source = "", sourceAll
	}
	if len(models) > 0 {
		p.wanted = newRow(models[0], nil).Path
		p.take(p.round, models)
	}
	if len(folders) > 0 {
		p.Rescan()
		return
	}
	p.publish()
}

// sortOut tells folders from files and says which paths are neither. What a
// desktop drops is not always a file: a picture dragged out of a browser arrives
// as a path that does not exist.
func sortOut(paths []string) (folders, files, notices []string) {
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			notices = append(notices, words.Error(err).Message)
			continue
		}
		switch info, err := os.Stat(path); {
		case errors.Is(err, os.ErrNotExist):
			notices = append(notices, words.T("models.open.missing", map[string]any{"File": gguf.Printable(path)}))
		case err != nil:
			notices = append(notices, words.T("models.open.unreadable", map[string]any{"File": gguf.Printable(path)}))
		case info.IsDir():
			folders = append(folders, path)
		default:
			files = append(files, path)
		}
	}
	return folders, files, notices
}

// notGGUF says whether a file is no GGUF at all, as opposed to a damaged one,
// which stays in the list with its reason.
func notGGUF(err error) bool {
	var problem *gguf.Error
	if !errors.As(err, &problem) {
		return false
	}
	switch problem.Problem {
	case gguf.NotGGUF, gguf.Empty, gguf.Directory, gguf.Permission, gguf.Missing:
		return true
	}
	return false
}

// remember writes folders and opened files into the configuration. A file inside
// a folder that is scanned anyway is not written down.
func (p *Presenter) remember(folders []string, models []library.Model) error {
	if len(folders)+len(models) == 0 {
		return nil
	}
	return p.config.Update(func(c *config.Config) {
		for _, folder := range folders {
			if !slices.Contains(c.ModelFolders, folder) {
				c.ModelFolders = append(c.ModelFolders, folder)
			}
		}
		for _, m := range models {
			r := newRow(m, c.ModelFolders)
			if r.Source == sourceOpened && !slices.Contains(c.ModelFiles, r.Path) {
				c.ModelFiles = append(c.ModelFiles, r.Path)
			}
		}
	})
}

// Forget takes a file that was opened by itself out of the list. The file stays
// where it is.
func (p *Presenter) Forget(r Row) {
	if r.Source != sourceOpened {
		return
	}
	go func() {
		err := p.config.Update(func(c *config.Config) {
			c.ModelFiles = slices.DeleteFunc(c.ModelFiles, func(path string) bool {
				return path == r.Path || slices.Contains(r.Model.Files, path)
			})
		})
		p.do(func() {
			if err != nil {
				p.state.Notice = notice(err)
			} else {
				delete(p.rows, r.Path)
			}
			p.publish()
		})
	}()
}
