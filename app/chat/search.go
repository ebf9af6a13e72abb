package chat

import (
	"context"
	"strings"

	store "paddock/engine/chat"
)

// maxHits is how many conversations a search finds at most.
const maxHits = 200

// A finding is a search and what it has found.
type finding struct {
	text      string
	hits      []Hit
	searching bool
	version   int
	number    int // of the latest search: others are too late
	stop      context.CancelFunc
}

func (f *finding) cancel() {
	if f.stop != nil {
		f.stop()
		f.stop = nil
	}
}

// Search looks for words in titles and texts, as they are typed. Empty shows the
// list again.
func (p *Presenter) Search(text string) {
	f := &p.find
	if text == f.text {
		return
	}
	f.cancel()
	f.text = text
	f.number++
	s := p.keeper.open()
	if strings.TrimSpace(text) == "" || s == nil {
		p.found(nil)
		return
	}
	f.searching = true
	ctx, cancel := context.WithCancel(p.keeper.ctx)
	f.stop = cancel
	number := f.number
	go func() {
		defer cancel()
		hits, err := s.Search(ctx, text, maxHits)
		shown := make([]Hit, 0, len(hits))
		for _, h := range hits {
			shown = append(shown, Hit{Summary: summary(h.Conversation), InTitle: spans(h.InTitle), Snippet: h.Snippet, InSnippet: spans(h.InSnippet), Turn: int(h.Turn)})
		}
		p.do(func() {
			if number != p.find.number {
				return
			}
			if err != nil {
				p.failed(err)
			}
			p.found(shown)
		})
	}()
	p.publish()
}

func (p *Presenter) found(hits []Hit) {
	p.versions++
	p.find.hits, p.find.searching, p.find.version = hits, false, p.versions
	p.publish()
}

func spans(found []store.Span) []Span {
	all := make([]Span, 0, len(found))
	for _, s := range found {
		all = append(all, Span(s))
	}
	return all
}

// SelectHit goes to the conversation of State.Hits[i], at the turn it was found in.
func (p *Presenter) SelectHit(i int) {
	if i < 0 || i >= len(p.find.hits) {
		return
	}
	h := p.find.hits[i]
	if int(p.current.id) != h.ID {
		p.goTo(p.of(store.ID(h.ID)))
	}
	c := p.current
	c.found = store.ID(h.Turn)
	if h.Turn != 0 && !p.answers(c) {
		p.keeper.put(func(ctx context.Context, s *store.Store) (func(), error) {
			return func() { p.reveal(c, store.ID(h.Turn)) }, nil
		})
	}
	p.publish()
}

// reveal puts the branch on view that a turn is in. It comes after the conversation
// was read.
func (p *Presenter) reveal(c *conversation, turn store.ID) {
	if c.at(turn) >= 0 || p.answers(c) {
		return
	}
	p.keep(func(ctx context.Context, s *store.Store) (func(), error) { return nil, s.Choose(ctx, turn) })
	p.reread(c)
}
