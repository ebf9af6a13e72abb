package images

import (
	"errors"
	"path/filepath"
	"strings"

	"paddock/app/widgets"
	"paddock/engine/gguf"
	job "paddock/engine/images"
	"paddock/words"
)

// Add adds files and what is in folders, and in the folders in those when
// recursive.
func (p *Presenter) Add(recursive bool, paths ...string) {
	p.beside(words.T("pictures.adding"), func(set *job.Set) func() {
		added := set.Add(p.ctx, recursive, paths...)
		return func() {
			p.note = addedNote(added)
			p.rememberAdded(added.Items)
			p.chooseFirst(added.Items, added.Known)
		}
	})
}

// Paste adds the picture on the clipboard.
func (p *Presenter) Paste() {
	p.beside(words.T("pictures.adding"), func(set *job.Set) func() {
		data, ok := p.seams.PasteImage()
		if !ok {
			return func() { p.note = Note{widgets.Info, words.T("pictures.paste.none")} }
		}
		before := len(set.State().Items)
		id, err := set.AddBytes(words.T("pictures.pasted"), data)
		return func() {
			if err != nil {
				p.note = problem(err)
				return
			}
			p.chosen = id
			if len(p.kept.Items) > before { // else it was there already
				p.note = addedNote(job.Added{Items: []job.ID{id}})
				p.rememberAdded([]job.ID{id})
			}
		}
	})
}

// chooseFirst chooses the first picture of some, when none is chosen or a single
// one was added.
func (p *Presenter) chooseFirst(lists ...[]job.ID) {
	if p.State().At >= 0 && len(lists[0]) != 1 {
		return
	}
	for _, ids := range lists {
		if len(ids) > 0 {
			p.chosen = ids[0]
			return
		}
	}
}

// namedFolders is how many folders that can't be read are named; the others are counted.
const namedFolders = 3

// addedNote says what became of files and folders, and what was left out.
func addedNote(a job.Added) Note {
	data := map[string]any{"Count": len(a.Items), "Known": len(a.Known), "Skipped": a.Skipped}
	var n Note
	switch {
	case len(a.Items) > 0:
		n = Note{widgets.Good, words.T("pictures.added", data)}
	case len(a.Known) > 0:
		n = Note{widgets.Info, words.T("pictures.added.known", data)}
	case len(a.Errors) == 0 || a.Skipped > 0:
		n = Note{widgets.Cautious, words.T("pictures.added.none", data)}
	}
	if len(a.Errors) > 0 {
		n.Kind, n.Text = widgets.Bad, strings.TrimSpace(n.Text+" "+unread(a.Errors))
	}
	return n
}

// unread says which folders can't be read: of one also why.
func unread(errs []error) string {
	if len(errs) == 1 {
		return words.Error(errs[0]).Text()
	}
	var names []string
	for _, err := range errs[:min(len(errs), namedFolders)] {
		if failed := (*job.Error)(nil); errors.As(err, &failed) {
			names = append(names, gguf.Printable(filepath.Base(failed.Path)))
		}
	}
	return words.T("pictures.added.unread", map[string]any{"Names": strings.Join(names, ", "), "More": len(errs) - len(names)})
}
