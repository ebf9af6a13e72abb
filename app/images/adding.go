package images

import (
	"paddock/app/widgets"
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

// addedNote says what became of files and folders.
func addedNote(a job.Added) Note {
	switch data := map[string]any{"Count": len(a.Items), "Known": len(a.Known), "Skipped": a.Skipped}; {
	case len(a.Errors) > 0:
		return problem(a.Errors[0])
	case len(a.Items) == 0 && len(a.Known) == 0:
		return Note{widgets.Cautious, words.T("pictures.added.none")}
	case len(a.Items) == 0:
		return Note{widgets.Info, words.T("pictures.added.known", data)}
	default:
		return Note{widgets.Good, words.T("pictures.added", data)}
	}
}
