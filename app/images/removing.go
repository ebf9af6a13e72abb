package images

import (
	"path/filepath"
	"slices"

	"paddock/app/widgets"
	job "paddock/engine/images"
	"paddock/words"
)

// An undoable is something that was added or removed and can be taken back.
type undoable struct {
	note  Note // that offers it
	added bool // pictures were added: over when a run begins, which takes them up
	do    func()
}

// maxUndo is how much can be taken back, one after the other.
const maxUndo = 20

// remember makes a note the one with which something can be taken back.
func (p *Presenter) remember(u undoable) {
	p.note = u.note
	p.undo = append(p.undo, u)
	p.undo = p.undo[max(0, len(p.undo)-maxUndo):]
}

// undoOffered says whether the note is about what Undo would take back.
func (p *Presenter) undoOffered() bool {
	n := len(p.undo)
	return n > 0 && p.note == p.undo[n-1].note
}

// Undo takes back what was added or removed last, then what was before it.
func (p *Presenter) Undo() {
	p.keepTyped()
	n := len(p.undo)
	if n == 0 {
		return
	}
	u := p.undo[n-1]
	p.undo = p.undo[:n-1]
	u.do()
	p.publish()
}

// rememberAdded has new pictures as what can be taken back. Those stay that the user has
// written a text for meanwhile.
func (p *Presenter) rememberAdded(ids []job.ID) {
	if len(ids) == 0 {
		return
	}
	added := make(map[job.ID]bool, len(ids))
	for _, id := range ids {
		added[id] = true
	}
	p.remember(undoable{note: p.note, added: true, do: func() {
		p.takeOut(p.those(func(i *job.Item) bool { return i.Text == "" && i.Err == nil && added[i.ID] }))
	}})
}

// forgetAdded leaves what was added to a run that begins.
func (p *Presenter) forgetAdded() {
	p.undo = slices.DeleteFunc(p.undo, func(u undoable) bool { return u.added })
}

// those are the pictures that a question is true of.
func (p *Presenter) those(is func(*job.Item) bool) []*job.Item {
	var list []*job.Item
	for _, i := range p.kept.Items {
		if is(i) {
			list = append(list, i)
		}
	}
	return list
}

// Remove takes the chosen picture out of the list, after a question where a text of the
// user's goes with it. The file stays.
func (p *Presenter) Remove() {
	p.askRemove(func(i *job.Item) bool { return i.ID == p.chosen })
}

// RemoveFailed takes those out that failed.
func (p *Presenter) RemoveFailed() {
	p.askRemove(func(i *job.Item) bool { return i.Phase == job.Failed })
}

// RemoveFolder takes those out that are in the chosen picture's folder.
func (p *Presenter) RemoveFolder() {
	if folder := p.State().Folder(); folder != "" {
		p.askRemove(func(i *job.Item) bool { return inFolder(i, folder) })
	}
}

func inFolder(i *job.Item, folder string) bool { return !i.Pasted && filepath.Dir(i.Path) == folder }

// askRemove takes pictures out, and asks before where texts of the user's go with them.
func (p *Presenter) askRemove(which func(*job.Item) bool) {
	p.keepTyped()
	items := p.those(which)
	own := 0
	for _, i := range items {
		if i.Own() {
			own++
		}
	}
	if own == 0 {
		p.remove(items)
		return
	}
	q := &Question{
		Title:   words.T("pictures.removeSome.title", map[string]any{"Count": len(items)}),
		Text:    words.T("pictures.removeSome.text", map[string]any{"Edited": own}),
		Choices: []Choice{{Label: words.T("pictures.removeOne"), Danger: true, do: func() { p.remove(items) }}},
	}
	if len(items) == 1 {
		q.Title = words.T("pictures.removeOne.title", map[string]any{"File": p.State().Name(items[0])})
		q.Text = words.T("pictures.removeOne.text")
	}
	p.question = q
	p.publish()
}

// AskRemoveAll asks before all pictures and texts go from the list.
func (p *Presenter) AskRemoveAll() {
	n := len(p.kept.Items)
	if n == 0 {
		return
	}
	p.question = &Question{
		Title:   words.T("pictures.removeAll.title"),
		Text:    words.T("pictures.removeAll.text", map[string]any{"Count": n, "Edited": p.kept.Counts.Edited}),
		Choices: []Choice{{Label: words.T("pictures.removeAll"), Danger: true, do: func() { p.remove(p.kept.Items) }}},
	}
	p.publish()
}

// remove takes pictures out of the list so that they can come back.
func (p *Presenter) remove(items []*job.Item) {
	if removed := p.takeOut(items); removed != nil {
		p.remember(undoable{note: p.note, do: func() { p.putBack(removed) }})
	}
	p.publish()
}

// takeOut takes pictures out of the list and says so. Where the chosen one is among them
// the next one after it is chosen that stays, or else the one before. It is nil for none.
func (p *Presenter) takeOut(items []*job.Item) *job.Removed {
	if len(items) == 0 {
		return nil
	}
	data := map[string]any{"Count": len(items), "File": p.State().Name(items[0])}
	gone := map[job.ID]bool{}
	ids := make([]job.ID, len(items))
	for i, item := range items {
		ids[i], gone[item.ID] = item.ID, true
	}
	if gone[p.chosen] {
		at, all := p.State().At, p.kept.Items
		stays := func(i *job.Item) bool { return !gone[i.ID] }
		before := slices.Clone(all[:at])
		slices.Reverse(before)
		p.chosen = 0
		for _, list := range [][]*job.Item{before, all[at:]} { // what comes after wins
			if i := slices.IndexFunc(list, stays); i >= 0 {
				p.chosen = list[i].ID
			}
		}
	}
	removed := p.set.Take(ids...)
	p.kept = p.set.State()
	p.note = Note{widgets.Info, words.T("pictures.removed", data)}
	return removed
}

// putBack puts back what was taken out, and chooses the first of it.
func (p *Presenter) putBack(removed *job.Removed) {
	back := p.set.PutBack(removed)
	p.kept = p.set.State()
	if len(back) > 0 {
		p.chosen = back[0]
	}
	p.note = Note{widgets.Info, words.T("pictures.back", map[string]any{"Count": len(back)})}
}
