package images

import (
	"slices"

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
		id, err := set.AddBytes(words.T("pictures.pasted"), data)
		return func() {
			if err != nil {
				p.note = problem(err)
				return
			}
			p.chosen = id
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

// Remove takes the chosen picture out of the list, after a question where a text goes
// with it. The file stays.
func (p *Presenter) Remove() {
	p.keepTyped()
	at := p.State().At
	if at < 0 {
		return
	}
	item := p.kept.Items[at]
	if item.Text == "" {
		p.remove(item.ID)
		return
	}
	p.question = &Question{
		Title:   words.T("pictures.removeOne.title", map[string]any{"File": gguf.Printable(item.Name)}),
		Text:    words.T("pictures.removeOne.text", map[string]any{"Edited": item.Own()}),
		Choices: []Choice{{Label: words.T("pictures.removeOne"), Danger: item.Own(), Replaces: true, do: func() { p.remove(item.ID) }}},
	}
	p.publish()
}

// remove takes a picture out of the list. Where it is the chosen one its neighbour is
// chosen.
func (p *Presenter) remove(id job.ID) {
	at := slices.IndexFunc(p.kept.Items, func(i *job.Item) bool { return i.ID == id })
	if at < 0 || p.chosen != id {
		go p.set.Remove(id)
		return
	}
	p.chosen = 0
	if at+1 < len(p.kept.Items) {
		p.chosen = p.kept.Items[at+1].ID
	} else if at > 0 {
		p.chosen = p.kept.Items[at-1].ID
	}
	set := p.set
	p.publish()
	go set.Remove(id)
}

// AskRemoveAll asks before all pictures and texts go from the list.
func (p *Presenter) AskRemoveAll() {
	n := len(p.kept.Items)
	if n == 0 {
		return
	}
	p.question = &Question{
		Title: words.T("pictures.removeAll.title"),
		Text:  words.T("pictures.removeAll.text", map[string]any{"Count": n, "Edited": p.kept.Counts.Edited}),
		Choices: []Choice{{Label: words.T("pictures.removeAll"), Danger: true, do: func() {
			ids := make([]job.ID, 0, n)
			for _, i := range p.kept.Items {
				ids = append(ids, i.ID)
			}
			set := p.set
			p.chosen = 0
			go set.Remove(ids...)
		}}},
	}
	p.publish()
}
