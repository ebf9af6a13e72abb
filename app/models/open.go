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

// NearFunc finds a model and the files that lie near it: library.Scanner's Neighbours,
// or a script in tests.
type NearFunc func(context.Context, library.Model) ([]library.Model, error)

// neededBy are the files near an opened model without which it can't do all it was
// made for: the best projector, and the best head for guessing ahead.
func (p *Presenter) neededBy(m library.Model) []library.Model {
	if p.seams.Near == nil || m.Problem != nil || m.Facts.Kind != gguf.Model {
		return nil
	}
	near, err := p.seams.Near(p.ctx, m)
	if err != nil {
		return nil // the window closes
	}
	c := p.seams.Pair(near)[m.Facts.Path]
	var needed []library.Model
	for _, list := range [][]library.Companion{c.Projectors, c.MTP} {
		if len(list) > 0 {
			needed = append(needed, list[0].Model)
		}
	}
	return needed
}

// Open takes files and folders the user dropped, picked or started Paddock with.
// GGUF files join the list, each with the projector and the head beside it, and the
// first of them is selected; folders are added and scanned; anything else gets a
// sentence that names it.
func (p *Presenter) Open(paths []string) {
	from := p.from
	p.opening.Go(func() {
		folders, files := sortOut(paths)
		var problems []words.Sentence
		var mu sync.Mutex
		var models []library.Model
		err := p.seams.Scan(p.ctx, library.Sources{Files: files}, func(m library.Model) {
			mu.Lock()
			models = append(models, m)
			mu.Unlock()
		})
		if err != nil {
			problems = append(problems, words.Error(err))
		}
		from.folders = p.config.Get().ModelFolders
		from.folders = append(from.folders, folders...)
		var opened []Row
		for _, m := range models {
			if notGGUF(m.Problem) {
				problems = append(problems, words.Error(m.Problem))
			} else {
				opened = append(opened, newRow(m, from))
			}
		}
		for _, m := range models {
			for _, beside := range p.neededBy(m) {
				row := newRow(beside, from)
				if !slices.ContainsFunc(opened, func(r Row) bool { return r.Path == row.Path }) {
					opened = append(opened, row)
				}
			}
		}
		if err := p.remember(folders, opened); err != nil {
			problems = append(problems, words.Error(err))
		}
		p.do(func() { p.opened(folders, opened, problems) })
	})
}

// opened shows what Open found.
func (p *Presenter) opened(folders []string, rows []Row, problems []words.Sentence) {
	p.awaiting = false
	p.state.Notice, p.state.Undo = inOne(problems), Undo{}
	if len(rows) > 0 || len(folders) > 0 {
		p.state.Filter, p.state.Source = "", sourceAll
	}
	if len(rows) > 0 {
		p.wanted = rows[0].Path
		for _, r := range rows {
			p.rows[r.Path] = known{Row: r, round: p.scanning.round}
		}
		p.shelf = nil
		p.match()
	}
	if len(folders) > 0 {
		p.Rescan()
		return
	}
	p.publish()
}

// inOne is what went wrong with several files. What to do is said once where it is the
// same for those that follow each other.
func inOne(problems []words.Sentence) string {
	var parts []string
	for i, s := range problems {
		if i+1 < len(problems) && problems[i+1].Remedy == s.Remedy {
			s.Remedy = ""
		}
		parts = append(parts, s.Text())
	}
	return strings.Join(parts, " ")
}

// sortOut tells folders from files. What a desktop drops is not always either: a
// picture dragged out of a browser arrives as a path that does not exist, of which the
// scan says so.
func sortOut(paths []string) (folders, files []string) {
	for _, path := range paths {
		if absolute, err := filepath.Abs(path); err == nil {
			path = absolute
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			folders = append(folders, path)
		} else {
			files = append(files, path)
		}
	}
	return folders, files
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
// a folder that is scanned anyway is not written down, and what was taken out of
// the list is in it again.
func (p *Presenter) remember(folders []string, rows []Row) error {
	if len(folders)+len(rows) == 0 {
		return nil
	}
	return p.config.Update(func(c *config.Config) {
		for _, folder := range folders {
			if !slices.Contains(c.ModelFolders, folder) {
				c.ModelFolders = append(c.ModelFolders, folder)
			}
		}
		for _, r := range rows {
			if r.Source == sourceOpened && !slices.Contains(c.ModelFiles, r.Path) {
				c.ModelFiles = append(c.ModelFiles, r.Path)
			}
			c.Forgotten = without(c.Forgotten, r.Path)
		}
	})
}

// without is a list without some of its entries.
func without(list []string, gone ...string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return slices.Contains(gone, s) })
}

// canForget says whether a row can be taken out of the list.
func (p *Presenter) canForget(r Row) bool {
	if r.Folder { // one that was added; of others those above them
		return slices.Contains(p.config.Get().ModelFolders, r.Path)
	}
	return r.Known() && r.Source != sourceBuiltIn
}

// Forget takes a row out of the list. Its file, or folder, stays where it is.
func (p *Presenter) Forget(r Row) {
	if !p.canForget(r) {
		return
	}
	edit, undo := forgetting(r)
	p.change(edit, func() {
		p.state.Notice, p.state.Undo = "", Undo{Path: r.Path, Name: r.Name}
		p.undo = undo
		if r.Folder {
			p.look(true)
		}
	})
}

// forgetting is how a row is taken out of the list, and how that is taken back.
func forgetting(r Row) (edit, undo func(*config.Config)) {
	list := func(c *config.Config) *[]string {
		switch {
		case r.Folder:
			return &c.ModelFolders
		case r.Source == sourceOpened:
			return &c.ModelFiles
		}
		return nil
	}
	edit = func(c *config.Config) {
		c.ModelFiles = without(c.ModelFiles, append([]string{r.Path}, r.Model.Files...)...)
		if l := list(c); l != nil {
			*l = without(*l, r.Path)
		} else if !slices.Contains(c.Forgotten, r.Path) {
			c.Forgotten = append(c.Forgotten, r.Path)
		}
	}
	undo = func(c *config.Config) {
		c.Forgotten = without(c.Forgotten, r.Path)
		if l := list(c); l != nil && !slices.Contains(*l, r.Path) {
			*l = append(*l, r.Path)
		}
	}
	return edit, undo
}

// Undo puts back what was just taken out of the list.
func (p *Presenter) Undo() {
	if p.undo == nil {
		return
	}
	path := p.state.Undo.Path
	p.change(p.undo, func() {
		p.state.Undo, p.undo = Undo{}, nil
		p.wanted = path
		p.RescanIfChanged()
	})
}
