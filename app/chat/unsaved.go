package chat

import (
	"context"
	"strings"
	"time"

	store "paddock/engine/chat"
	"paddock/words"
)

// Save tries to save what is written and not saved yet, and then calls done: once that
// is tried, or after a limit.
func (p *Presenter) Save(limit time.Duration, done func()) {
	for _, c := range p.inMemory() {
		p.writeDraft(c)
	}
	called := false
	once := func() {
		if !called {
			called = true
			done()
		}
	}
	late := time.AfterFunc(limit, func() { p.do(once) })
	p.keeper.put(func(_ context.Context, s *store.Store) (func(), error) {
		return func() {
			late.Stop()
			once()
		}, s.There()
	})
}

// An Unsaved is what is lost when Paddock closes now.
type Unsaved struct {
	Why  string // in a sentence
	Text string // for the clipboard; empty when there are only pictures
}

// Unsaved is what could not be saved, false for nothing. What is just being saved
// counts: Save says when that is over.
func (p *Presenter) Unsaved() (Unsaved, bool) {
	var texts []string
	any := false
	add := func(text string) {
		if text != "" {
			texts = append(texts, text)
		}
	}
	whole := p.temporary || p.trouble != nil && p.trouble.Again // nothing of the chats stays
	for _, c := range p.inMemory() {
		if whole {
			any = any || len(c.kept) > 0
			for _, t := range c.kept {
				add(t.Text)
			}
		}
		if !c.unsaved && !whole || c.id == 0 && c.draft.empty() && c.aside == nil {
			continue
		}
		any = any || c.unsaved || !c.draft.empty()
		if c.unset {
			add(c.settings.Settings.System)
		}
		if c.aside != nil {
			add(c.aside.message())
		}
		add(c.draft.message())
	}
	if s := p.keeper.open(); s != nil && !whole {
		for _, text := range s.Unsaved() {
			any = true
			add(text)
		}
	}
	any = any || whole && len(p.list.all) > 0
	return Unsaved{Why: p.whyUnsaved(), Text: strings.Join(texts, "\n\n")}, any
}

func (p *Presenter) whyUnsaved() string {
	switch {
	case p.trouble != nil:
		return p.trouble.Text.Message
	case p.temporary && p.banner != nil:
		return p.banner.Text.Message
	}
	return words.T("chat.unsaved")
}
