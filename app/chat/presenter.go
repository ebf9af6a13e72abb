// Package chat is the Chat tab: conversations with the loaded model, kept until
// Paddock closes.
package chat

import (
	"context"
	"slices"
	"time"
	"unicode/utf8"

	"paddock/engine"
	"paddock/engine/client"
	"paddock/words"
)

// An Engine answers. Its methods are safe from any goroutine, and Watch calls
// back from one of its own.
type Engine interface {
	Chat(context.Context, client.Request, func(client.Delta)) (client.Answer, error)
	State() engine.State
	Watch(func(engine.State)) (stop func())
}

// A Presenter decides what the tab shows. Its methods, and show, run on one
// goroutine: the one that do posts to.
type Presenter struct {
	engine Engine
	do     func(func())
	show   func(State)
	now    func() time.Time
	every  time.Duration // between two updates of an answer

	loaded        engine.State
	conversations []*conversation // the latest first
	current       *conversation
	running       *running // the answer being written; there is one at a time
	deleted       *conversation
	ids           int
}

// NewPresenter makes a presenter with one empty conversation. An answer being
// written is shown again after that much time.
func NewPresenter(e Engine, do func(func()), every time.Duration, show func(State)) *Presenter {
	p := &Presenter{engine: e, do: do, show: show, every: every, now: time.Now}
	p.loaded = e.State()
	p.current = p.start()
	states := NewMailbox(do, every, func(s engine.State) {
		p.loaded = s
		p.publish()
	})
	e.Watch(states.Put) // for as long as the window is there
	return p
}

// State is what the tab shows now.
func (p *Presenter) State() State {
	c := p.current
	s := State{
		Current: c.id, Title: c.title, Turns: c.turns, Draft: c.draft,
		ContextUsed: c.used,
	}
	if p.loaded.Phase == engine.Ready {
		s.Model, s.ContextTokens = p.loaded.Model.Name, p.loaded.Plan.ContextTokens
	}
	for _, text := range c.pasted {
		s.Pasted = append(s.Pasted, Paste{firstWords(text, previewRunes), utf8.RuneCountInString(text)})
	}
	for _, other := range p.conversations {
		s.Conversations = append(s.Conversations, other.summary(p.running != nil && p.running.conversation == other))
	}
	if p.running != nil && p.running.conversation == c {
		answer := p.running.turn
		s.Answer = &answer
		s.ContextUsed = c.used + p.running.tokens
	}
	s.SendOff, s.OfferLoad = p.sendOff()
	s.CanSend = s.SendOff == "" && s.Answer == nil && c.toSend() != ""
	if p.loaded.Phase != engine.Ready {
		s.ContinueOff = words.T("chat.when_ready")
	} else if p.running != nil {
		s.ContinueOff = words.T("chat.when_done")
	}
	if p.deleted != nil {
		s.Deleted = p.deleted.title
	}
	return s
}

func (p *Presenter) publish() { p.show(p.State()) }

// sendOff says why nothing can be sent, and whether loading a model would help.
func (p *Presenter) sendOff() (reason string, offerLoad bool) {
	switch p.loaded.Phase {
	case engine.Ready:
		if p.running != nil && p.running.conversation != p.current {
			return words.T("chat.off.busy", map[string]any{"Title": p.running.conversation.title}), false
		}
		return "", false
	case engine.Checking, engine.Loading, engine.Proving:
		return words.T("chat.off.loading"), false
	case engine.Stopping:
		return words.T("chat.off.stopping"), false
	case engine.Failed:
		return words.T("chat.off.failed"), true
	}
	return words.T("chat.off.none"), true
}

// SetDraft keeps what is being typed.
func (p *Presenter) SetDraft(text string) {
	before := p.State().CanSend
	p.current.draft = text
	if p.State().CanSend != before {
		p.publish()
	}
}

// Paste takes a text too long for the composer's entry, and says whether it did.
func (p *Presenter) Paste(text string) bool {
	if len(text) <= maxDraftBytes {
		return false
	}
	p.current.pasted = append(p.current.pasted, text)
	p.publish()
	return true
}

// RemovePaste takes away what was pasted.
func (p *Presenter) RemovePaste(i int) {
	p.current.pasted = slices.Delete(p.current.pasted, i, i+1)
	p.publish()
}

// Send sends the draft.
func (p *Presenter) Send() {
	if !p.State().CanSend {
		return
	}
	c := p.current
	c.add(Turn{ID: p.nextID(), User: true, Text: c.toSend()})
	c.draft, c.pasted = "", nil
	p.raise(c)
	p.ask(c, Turn{ID: p.nextID()})
}

// Continue lets the last answer go on where it stopped, or asks again when there
// was none.
func (p *Presenter) Continue() {
	c := p.current
	if last := c.last(); last != nil && !last.User && (last.End != Whole || last.Text == "") && p.State().ContinueOff == "" {
		turn := *last
		c.dropLast()
		p.ask(c, turn)
	}
}

// New goes to an empty conversation: the one on view when it is empty.
func (p *Presenter) New() {
	if len(p.current.turns) > 0 {
		p.current = p.start()
	}
	p.publish()
}

// NewWithLast starts a new conversation. A question for whose answer there was no
// room becomes its draft.
func (p *Presenter) NewWithLast() {
	question := ""
	if n := len(p.current.turns); n > 1 && p.current.turns[n-1].Text == "" {
		question = p.current.turns[n-2].Text
	}
	if len(p.current.turns) > 0 {
		p.current = p.start()
	}
	if question != "" {
		p.current.setDraft(question)
	}
	p.publish()
}

// Select goes to a conversation.
func (p *Presenter) Select(id int) {
	for _, c := range p.conversations {
		if c.id == id {
			p.current = c
		}
	}
	p.publish()
}

// Delete takes the conversation on view away. Undo brings it back, until the next
// one is deleted.
func (p *Presenter) Delete() {
	c := p.current
	if p.running != nil && p.running.conversation == c {
		p.Stop()
	}
	i := slices.Index(p.conversations, c)
	p.conversations = slices.Delete(p.conversations, i, i+1)
	if len(c.turns) > 0 {
		p.deleted = c
	}
	if len(p.conversations) == 0 {
		p.current = p.start()
	} else {
		p.current = p.conversations[min(i, len(p.conversations)-1)]
	}
	p.publish()
}

// Undo brings back the conversation that was deleted last.
func (p *Presenter) Undo() {
	if p.deleted == nil {
		return
	}
	p.raise(p.deleted)
	p.current, p.deleted = p.deleted, nil
	p.publish()
}

func (p *Presenter) start() *conversation {
	c := &conversation{id: p.nextID(), started: p.now()}
	p.raise(c)
	return c
}

// raise puts a conversation at the top of the list.
func (p *Presenter) raise(c *conversation) {
	p.conversations = slices.DeleteFunc(p.conversations, func(o *conversation) bool { return o == c })
	p.conversations = slices.Insert(p.conversations, 0, c)
}

func (p *Presenter) nextID() int {
	p.ids++
	return p.ids
}
