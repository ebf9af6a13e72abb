package images

import (
	"slices"
	"time"

	job "paddock/engine/images"
)

// typingRest is how long typing rests before what was typed is kept: the journal takes a
// whole line each time.
const typingRest = 500 * time.Millisecond

// typed is a text that is being typed and that the set does not have yet.
type typed struct {
	id   job.ID
	text string
}

// Type takes over what the user makes of a picture's text. The first letter counts at
// once: it makes the text the user's and takes the picture out of a run. The others
// count when typing rests, or something is done that needs them.
func (p *Presenter) Type(id job.ID, text string) {
	at := slices.IndexFunc(p.kept.Items, func(i *job.Item) bool { return i.ID == id })
	if at < 0 || p.kept.Items[at].Phase != job.Edited {
		p.Edit(id, text)
		return
	}
	if p.rest != nil {
		p.rest.Stop()
	}
	p.typed = &typed{id, text}
	p.rest = time.AfterFunc(typingRest, func() { p.do(p.keepTyped) })
}

// keepTyped makes what was typed the picture's text now.
func (p *Presenter) keepTyped() {
	if t := p.typed; t != nil {
		p.rest.Stop()
		p.Edit(t.id, t.text)
	}
}

// Edit makes a picture's text the user's. What is shown next has it, also before
// the set tells of it.
func (p *Presenter) Edit(id job.ID, text string) {
	if p.typed != nil && p.typed.id == id {
		p.typed = nil
	}
	if p.set != nil {
		p.set.Edit(id, text)
		p.kept = p.set.State()
	}
}
