// Package chat is the Chat tab: conversations with the loaded model, saved as they
// are written.
package chat

import (
	"context"
	"time"

	"paddock/app/widgets"
	"paddock/engine"
	store "paddock/engine/chat"
	"paddock/engine/client"
	"paddock/words"
)

// An Engine answers. Its methods are safe from any goroutine, and Watch calls
// back from one of its own.
type Engine interface {
	Chat(context.Context, client.Request, func(client.Delta)) (client.Answer, error)
	Count(context.Context, client.Request) (int, error) // tokens of a request's texts
	State() engine.State
	Watch(func(engine.State)) (stop func())
}

// Seams are what a presenter needs of the program.
type Seams struct {
	Engine Engine
	Folder string                      // where conversations are kept
	Do     func(func())                // runs a function on the UI goroutine, later
	Every  time.Duration               // between two updates of an answer
	Own    Own                         // what the user has saved; the zero value has nothing and keeps nothing
	Seers  func() []string             // names of models in the library that can be shown pictures; nil for none
	Larger func()                      // goes to where the model is loaded with a longer context; nil for nowhere
	Say    func(text string, bad bool) // says in a sentence how something went
}

// An Own is where the user's presets and prompts are kept. Keep may wait for the
// disk.
type Own struct {
	Presets []Preset
	Prompts []Prompt
	Keep    func([]Preset, []Prompt) error
}

// stallTime is how long nothing may come of an answer before that is said.
const stallTime = time.Minute

// A Presenter decides what the tab shows. Its methods, and show, run on one
// goroutine: the one that Do posts to.
type Presenter struct {
	seams  Seams
	do     func(func())
	show   func(State)
	now    func() time.Time
	stall  time.Duration
	keeper *keeper

	loaded    engine.State
	effective Sampling // of the loaded model
	schema    readSchema
	sees      bool
	seers     string // names of models that can be shown pictures, while the loaded one can't
	opening   bool
	closing   bool
	list      list
	find      finding
	current   *conversation
	running   *running // the answer being written; there is one at a time
	overflow  *overflow
	undo      []undoable // the latest last
	deleted   map[store.ID]bool
	adding    *adding
	expanding int          // AddFiles that haven't listed their files yet
	early     []*addingRow // files that came before the store was open
	question  *question
	banner    *Banner
	trouble   *Banner                // while something can't be saved
	temporary bool                   // what is kept is gone when Paddock ends
	pending   map[*conversation]bool // whose drafts could not be saved up to now
	saved     time.Time
	own       Own
	ids       int // of attachments
	keys      int // of conversations
	versions  int
}

// NewPresenter makes a presenter with one empty conversation, and begins to open
// those that are kept.
func NewPresenter(seams Seams, show func(State)) *Presenter {
	p := &Presenter{
		seams: seams, do: seams.Do, show: show, now: time.Now, stall: stallTime,
		opening: true, own: seams.Own, deleted: map[store.ID]bool{}, pending: map[*conversation]bool{},
	}
	p.current = p.fresh()
	p.become(seams.Engine.State())
	states := widgets.NewMailbox(p.do, seams.Every, func(s engine.State) {
		p.become(s)
		p.publish()
	})
	seams.Engine.Watch(states.Put) // for as long as the window is there
	p.keeper = newKeeper(p.do, p.failed)
	trouble := func(err error) { p.do(func() { p.troubled(err) }) }
	go p.keeper.run(seams.Folder, trouble, p.opened)
	return p
}

// opened shows what is kept.
func (p *Presenter) opened(how opening) {
	p.opening, p.temporary = false, how.err != nil
	p.banner = openingBanner(how)
	if p.keeper.open() == nil {
		p.opening = true // nothing can be kept, not even for this time
		p.publish()
		return
	}
	p.reload()
	p.publish()
	p.look(p.early)
	p.early = nil
}

// become takes over what the engine is.
func (p *Presenter) become(s engine.State) {
	before, projector := p.loaded.Plan.Projector(), s.Plan.Projector()
	p.loaded, p.effective = s, effective(s.Model)
	p.sees = s.Phase == engine.Ready && projector != ""
	p.lookForSeers()
	if before != projector && p.current != nil && len(p.current.settings.Pictures) > 0 {
		p.setTurns(p.current, p.current.kept, 0) // pictures take other numbers of tokens
	}
}

// State is what the tab shows now.
func (p *Presenter) State() State {
	c := p.current
	s := State{
		Opening:       p.opening,
		Conversations: p.list.shown, ListVersion: p.list.version,
		Search: p.find.text, Hits: p.find.hits, Searching: p.find.searching, HitsVersion: p.find.version,
		Key: c.key, Current: int(c.id), Reading: c.reading, Title: c.head.Title, TitleGiven: c.head.TitleGiven, Pinned: c.head.Pinned,
		Turns: c.turns, TurnsVersion: c.version, Found: int(c.found),
		Draft: c.draft.text, Editing: int(c.editing),
		ContextUsed: c.used, ContextAbout: c.about,
		Saved: p.saved, Undo: p.undoText(), Banner: p.banner,
	}
	if p.trouble != nil {
		s.Banner, s.Saved = p.trouble, time.Time{}
	}
	if p.loaded.Phase == engine.Ready {
		s.Model, s.ContextTokens = p.loaded.Model.Name, p.loaded.Plan.ContextTokens
		s.ModelPath, s.Sees = p.loaded.Model.Path, p.sees
	}
	p.stateOfAnswer(&s)
	p.stateOfDraft(&s)
	p.stateOfSettings(&s)
	s.Overflow = p.overflow.shown(c)
	s.SendOff, s.OfferLoad = p.sendOff()
	s.OfferSet = s.SendOff != "" && s.SendOff == s.SchemaProblem
	s.CanSend = p.canSend()
	return s
}

// stateOfAnswer adds what is being written, and what can be done meanwhile.
func (p *Presenter) stateOfAnswer(s *State) {
	if p.running != nil {
		s.Answering = int(p.running.conversation.id)
	}
	if p.loaded.Phase != engine.Ready {
		s.ContinueOff = words.T("chat.when_ready")
	} else if p.running != nil || p.overflow.isAbout(p.current) {
		s.ContinueOff = words.T("chat.when_done")
	}
	if !p.answers(p.current) {
		return
	}
	r := p.running
	s.TurnsOff = words.T("chat.when_done")
	s.Sending = !r.asked
	if !r.shownNow {
		return
	}
	answer := r.turn
	s.Answer, s.Doing = &answer, r.doing
	if n := r.tokens; n > 0 {
		s.ContextUsed, s.ContextAbout = s.ContextUsed+n, true
		s.Doing = ""
	}
}

func (p *Presenter) publish() { p.show(p.State()) }

// sendOff says why nothing can be sent, and whether loading a model would help.
func (p *Presenter) sendOff() (reason string, offerLoad bool) {
	switch p.loaded.Phase {
	case engine.Ready:
		return p.notNow(), false
	case engine.Checking, engine.Loading, engine.Proving:
		return words.T("chat.off.loading"), false
	case engine.Stopping:
		return words.T("chat.off.stopping"), false
	case engine.Failed:
		return words.T("chat.off.failed"), true
	}
	return words.T("chat.off.none"), true
}

// notNow says why a model that is ready isn't sent anything, empty when it can be.
func (p *Presenter) notNow() string {
	switch {
	case p.keeper.open() == nil:
		return words.T("chat.off.opening")
	case p.current.reading:
		return words.T("chat.off.reading")
	case p.running != nil && p.running.conversation != p.current:
		return words.T("chat.off.busy", map[string]any{"Title": p.running.conversation.name()})
	case p.schemaProblem() != "":
		return p.schemaProblem()
	case p.expanding > 0: // it would be sent without them
		return words.T("chat.off.files")
	}
	for _, a := range p.current.draft.attached {
		if off := p.attachmentOff(a); off != "" {
			return off
		}
	}
	return ""
}

func (p *Presenter) canSend() bool {
	off, _ := p.sendOff()
	return off == "" && p.running == nil && !p.overflow.isAbout(p.current) && p.question == nil && !p.current.draft.blank()
}

func (p *Presenter) answers(c *conversation) bool {
	return p.running != nil && p.running.conversation == c
}

// name is a conversation's title, or what stands for one.
func (c *conversation) name() string {
	if c.head.Title == "" {
		return words.T("chat.new")
	}
	return c.head.Title
}

// say says how something went.
func (p *Presenter) say(text string, bad bool) {
	if p.seams.Say != nil {
		p.seams.Say(text, bad)
	}
}

// keep does a task. What is kept when it has no error is on the disk.
func (p *Presenter) keep(t task) {
	p.keeper.put(func(ctx context.Context, s *store.Store) (func(), error) {
		then, err := t(ctx, s)
		return func() {
			if err == nil {
				p.saved = p.now()
			}
			if then != nil {
				then()
			}
		}, err
	})
}

// Close ends the answer being written, saves everything and closes the
// conversations: then the channel is closed. An answer that was cut off is there at
// the next start, to be continued.
func (p *Presenter) Close() <-chan struct{} {
	if !p.closing {
		p.writeDraft(p.current)
		p.closing = true
		p.find.cancel()
		p.CloseAdding()
		if p.running != nil {
			p.running.cancel()
		}
		p.keeper.close()
	}
	return p.keeper.done
}

// Answers tells whether an answer is being written, in whichever conversation.
func (p *Presenter) Answers() bool { return p.running != nil }
