// Package chat is the Chat tab: conversations with the loaded model, kept until
// Paddock closes.
package chat

import (
	"context"
	"slices"
	"time"

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
	running       *running        // the answer being written; there is one at a time
	deleted       []*conversation // the latest last
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
		ContextUsed: c.used, ContextAbout: c.about,
	}
	if p.loaded.Phase == engine.Ready {
		s.Model, s.ContextTokens = p.loaded.Model.Name, p.loaded.Plan.ContextTokens
		s.ModelPath = p.loaded.Model.Path
	}
	for _, p := range c.pasted {
		s.Pasted = append(s.Pasted, p.shown)
	}
	for _, other := range p.conversations {
		s.Conversations = append(s.Conversations, other.summary(p.answers(other)))
	}
	if p.answers(c) {
		answer := p.running.turn
		s.Answer = &answer
		s.ContextUsed, s.ContextAbout = c.used+p.running.tokens, true
	}
	s.SendOff, s.OfferLoad = p.sendOff()
	s.CanSend = p.canSend()
	if p.loaded.Phase != engine.Ready {
		s.ContinueOff = words.T("chat.when_ready")
	} else if p.running != nil {
		s.ContinueOff = words.T("chat.when_done")
	}
	if n := len(p.deleted); n > 0 {
		s.Deleted = p.deleted[n-1].title
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

func (p *Presenter) canSend() bool {
	off, _ := p.sendOff()
	return off == "" && !p.answers(p.current) && p.current.hasText()
}

// SetDraft keeps what is being typed.
func (p *Presenter) SetDraft(text string) {
	before := p.canSend()
	p.current.draft = text
	if p.canSend() != before {
		p.publish()
	}
}

// Paste takes a text too long for the composer's entry, and says whether it did.
func (p *Presenter) Paste(text string) bool {
	if len(text) <= maxDraftBytes {
		return false
	}
	p.current.pasted = append(p.current.pasted, newPasted(text))
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
	c.send(p.nextID())
	p.raise(c)
	p.ask(c, Turn{ID: p.nextID()})
}

// Continue lets the last answer go on where it stopped, or asks again when there
// was none.
func (p *Presenter) Continue() {
	c := p.current
	if last := c.last(); last != nil && last.canGoOn() && p.State().ContinueOff == "" {
		turn := *last
		c.dropLast()
		p.ask(c, turn)
	}
}

// New goes to an empty conversation: the one on view when it is empty, or one
// that was left before anything was written in it.
func (p *Presenter) New() {
	if len(p.current.turns) > 0 {
		p.current = p.unused()
	}
	p.publish()
}

// unused is an empty conversation at the top of the list.
func (p *Presenter) unused() *conversation {
	for _, c := range p.conversations {
		if len(c.turns) == 0 && !c.hasText() && c != p.current && !p.answers(c) {
			c.started = p.now()
			p.raise(c)
			return c
		}
	}
	return p.start()
}

func (p *Presenter) answers(c *conversation) bool {
	return p.running != nil && p.running.conversation == c
}

// NewWithLast starts a new conversation. A message for which there was no room
// goes with it, as it stands in the composer.
func (p *Presenter) NewWithLast() {
	before := p.current
	if len(before.turns) > 0 {
		p.current = p.unused()
	}
	if last := before.last(); last != nil && last.tooLong() {
		p.current.draft, p.current.pasted = before.draft, before.pasted
		before.draft, before.pasted = "", nil
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

// Step goes to the conversation that many places down the list, up when negative.
func (p *Presenter) Step(places int) {
	i := slices.Index(p.conversations, p.current) + places
	p.current = p.conversations[min(max(i, 0), len(p.conversations)-1)]
	p.publish()
}

// maxDeleted is how many conversations can be brought back.
const maxDeleted = 20

// Delete takes a conversation away. Undo brings it back.
func (p *Presenter) Delete(id int) {
	i := slices.IndexFunc(p.conversations, func(c *conversation) bool { return c.id == id })
	if i < 0 {
		return
	}
	c := p.conversations[i]
	if p.answers(c) {
		p.Stop()
	}
	p.conversations = slices.Delete(p.conversations, i, i+1)
	if len(c.turns) > 0 {
		p.deleted = append(p.deleted, c)
		p.deleted = p.deleted[max(0, len(p.deleted)-maxDeleted):]
	}
	switch {
	case len(p.conversations) == 0:
		p.current = p.start()
	case c == p.current:
		p.current = p.conversations[min(i, len(p.conversations)-1)]
	}
	p.publish()
}

// Undo brings back the conversation that was deleted last, then the one before.
func (p *Presenter) Undo() {
	n := len(p.deleted)
	if n == 0 {
		return
	}
	p.current, p.deleted = p.deleted[n-1], p.deleted[:n-1]
	p.raise(p.current)
	p.publish()
}

// Begun is how many conversations there are in which something was said.
func (p *Presenter) Begun() int {
	begun := 0
	for _, c := range p.conversations {
		if len(c.turns) > 0 {
			begun++
		}
	}
	return begun
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
