package chat

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"paddock/app/widgets"
	"paddock/engine"
	store "paddock/engine/chat"
	"paddock/engine/client"
	"paddock/words"
)

// The time between two updates of an answer being written. Where software draws
// the window, thirty a second cost more than half a core, fifteen a third.
const (
	UpdateInterval     = 33 * time.Millisecond
	SlowUpdateInterval = 66 * time.Millisecond
)

// A running is an answer being written, and the message before it being kept.
type running struct {
	conversation *conversation
	ctx          context.Context
	cancel       context.CancelFunc
	stopped      bool // by the user

	path   []store.Turn // the model is asked about
	resume *store.Turn  // the answer that goes on, or nil
	sent   bool         // the last turn of path was just sent, and can be given back
	tries  int          // at making it fit

	asked    bool // the message is kept
	shownNow bool
	doing    string
	turn     Turn // as it was shown last
	tokens   int  // received so far, about
	writer   *store.Writer
	box      *widgets.Mailbox[written]
}

// A written is how far an answer has come.
type written struct {
	text, thought string
	thinking      time.Duration
	stalled       time.Duration
	tokens        int
}

// start begins something that ends in an answer.
func (p *Presenter) start(c *conversation) *running {
	r := &running{conversation: c}
	r.ctx, r.cancel = context.WithCancel(p.keeper.ctx)
	r.box = widgets.NewMailbox(p.do, p.seams.Every, func(w written) { p.grow(r, w) })
	p.running = r
	return r
}

// Send sends the draft: it is kept, and then the model is asked.
func (p *Presenter) Send() {
	if !p.canSend() {
		return
	}
	c := p.current
	d, edited, parent := c.draft, c.editing, c.lastID()
	if i := c.at(edited); edited != 0 && i >= 0 {
		parent = c.kept[i].Parent
	}
	hashes, sizes := d.pictures()
	c.settings = c.settings.with(sizes)
	settings := c.settings.encode()
	c.endEdit()
	c.recalled = 0
	c.unsaved, c.unset = false, false // all of it goes with the message
	rest := keepDraft(c.draft)
	r := p.start(c)
	p.keep(func(ctx context.Context, s *store.Store) (func(), error) {
		turn, head, err := addMessage(ctx, s, c, settings, store.Turn{Parent: parent, Role: store.User, Text: d.message(), Pictures: hashes}, d.firstName())
		if err == nil {
			err = s.SetDraft(ctx, c.ref, rest.encode())
		}
		if err != nil {
			return func() { p.unkept(r, d, edited) }, err
		}
		return func() {
			if i := c.at(edited); i >= 0 {
				p.cut(c, i)
			}
			p.add(c, turn)
			p.begin(c, head)
			p.measure(c)
			r.sent = true
			p.ask(r)
		}, nil
	})
	p.publish()
}

// addMessage keeps a message with what belongs to it. One without a word of its own
// is called by what is attached.
func addMessage(ctx context.Context, s *store.Store, c *conversation, settings string, t store.Turn, name string) (store.Turn, store.Conversation, error) {
	id, err := c.begun(ctx, s, settings)
	if err != nil {
		return t, store.Conversation{}, err
	}
	t.Conversation = id
	if err := s.SetSettings(ctx, id, settings); err != nil {
		return t, store.Conversation{}, err
	}
	if t, err = s.Add(ctx, t); err != nil {
		return t, store.Conversation{}, err
	}
	head, err := s.Conversation(ctx, id)
	if err == nil && !head.TitleGiven && name != "" && (head.Title == "" || strings.HasPrefix(head.Title, "<file")) {
		if err = s.Rename(ctx, id, name); err == nil {
			head, err = s.Conversation(ctx, id)
		}
	}
	return t, head, err
}

// firstName is that of the first attachment.
func (d draft) firstName() string {
	if len(d.attached) == 0 {
		return ""
	}
	return d.attached[0].Name
}

// unkept gives back a message that could not be kept, before what was written since.
func (p *Presenter) unkept(r *running, d draft, edited store.ID) {
	c := r.conversation
	p.running = nil
	r.cancel()
	if edited != 0 {
		aside := c.draft
		c.aside, c.editing, c.draft = &aside, edited, d
	} else {
		c.draft = d.and(c.draft)
	}
	c.unset = true
	p.touch(c)
	p.publish()
}

// Continue lets the last answer go on where it stopped, or asks again when there
// was none.
func (p *Presenter) Continue() {
	c := p.current
	last := c.last()
	if last == nil || c.reading || p.State().ContinueOff != "" {
		return
	}
	switch shown := c.turns[len(c.turns)-1]; {
	case last.Role == store.User:
		p.ask(p.start(c))
	case shown.canGoOn():
		resume := *last
		r := p.start(c)
		r.resume = &resume
		r.turn = Turn{ID: shown.ID, Role: shown.Role, Text: shown.Text, Thought: shown.Thought, Thinking: shown.Thinking, Branch: shown.Branch, Model: shown.Model}
		p.cut(c, len(c.kept)-1)
		p.ask(r)
	}
}

// Regenerate asks for another version of an answer, with all before it.
func (p *Presenter) Regenerate(turn int) {
	c := p.current
	i := c.at(store.ID(turn))
	if i <= 0 || c.kept[i].Role != store.Assistant || p.State().ContinueOff != "" {
		return
	}
	r := p.start(c)
	p.cut(c, i)
	p.ask(r)
}

// ask asks the engine about all turns of a conversation.
func (p *Presenter) ask(r *running) {
	c := r.conversation
	r.path = c.kept
	if r.stopped || p.closing {
		p.giveUp(r)
		return
	}
	r.asked, r.shownNow, r.doing = true, true, words.T("chat.reading")
	if r.turn.Role == "" {
		r.turn = Turn{Role: string(store.Assistant), Branch: Branch{1, 1}, Model: p.loaded.Model.Name}
	}
	q := p.query(r)
	p.publish()
	go p.answer(r, q)
}

// giveUp ends something before there was an answer.
func (p *Presenter) giveUp(r *running) {
	p.running = nil
	r.cancel()
	p.reread(r.conversation)
	p.publish()
}

// answer gets the answer. It runs on a goroutine of its own.
func (p *Presenter) answer(r *running, q query) {
	defer r.cancel()
	a := newAssembly(q.resume, p.now)
	put := func() { r.box.Put(a.written()) }
	settle := a.watch(p.stall, put)
	defer settle()
	request, err := q.request(r.ctx, p.keeper.open())
	var writer *store.Writer
	if err == nil {
		tokens, about := q.counted(r.ctx, p.seams.Engine, request)
		if r.ctx.Err() == nil && tokens+q.room() > q.contextTokens && q.contextTokens > 0 {
			p.do(func() { p.overflows(r, q, tokens, about) })
			return
		}
		writer, err = p.beginAnswer(r, q)
	}
	if err != nil {
		p.do(func() {
			if r.ctx.Err() == nil {
				p.failed(err)
			}
			p.giveUp(r)
		})
		return
	}
	p.do(func() {
		t := writer.Turn()
		r.writer, r.turn.ID, r.turn.Branch = writer, int(t.ID), branchOf(t)
	})
	answer, err := p.seams.Engine.Chat(r.ctx, request, func(d client.Delta) {
		writer.Append(d.Text, d.Reasoning, a.add(d))
		put()
	})
	settle()
	p.do(func() {
		r.box.Deliver()
		p.finish(r, q, answer, err)
	})
}

// beginAnswer keeps an answer that is about to come.
func (p *Presenter) beginAnswer(r *running, q query) (writer *store.Writer, err error) {
	c := r.conversation
	t := store.Turn{Role: store.Assistant, Model: r.turn.Model}
	if n := len(q.turns); n > 0 {
		t.Parent = q.turns[n-1].ID
	}
	err = p.keeper.call(func(ctx context.Context, s *store.Store) (err error) {
		if q.resume != nil {
			writer, err = s.Resume(ctx, q.resume.ID)
			return err
		}
		t.Conversation = c.ref
		writer, err = s.Begin(ctx, t)
		return err
	})
	return writer, err
}

// An assembly puts deltas together. They come on one goroutine; another one sees
// when none does.
type assembly struct {
	now func() time.Time

	mu            sync.Mutex
	text, thought strings.Builder
	tokens        int
	began, last   time.Time // of the reasoning, of what came
	before        time.Duration
	thinking      time.Duration
	stalled       time.Duration
	quiet         *time.Timer
	limit         time.Duration
	settled       bool
}

func newAssembly(resume *store.Turn, now func() time.Time) *assembly {
	a := &assembly{now: now, last: now()}
	if resume != nil {
		a.text.WriteString(resume.Text)
		a.thought.WriteString(resume.Thought)
		a.before, a.thinking = resume.Thinking, resume.Thinking
	}
	return a
}

// add adds what came, and says how long the model has reasoned.
func (a *assembly) add(d client.Delta) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tokens++
	a.last, a.stalled = a.now(), 0
	if a.quiet != nil {
		a.quiet.Reset(a.limit)
	}
	if d.Reasoning != "" {
		if a.began.IsZero() {
			a.began = a.last
		}
		a.thinking = a.before + a.last.Sub(a.began)
	}
	a.thought.WriteString(d.Reasoning)
	a.text.WriteString(d.Text)
	return a.thinking
}

// written shares the builders' text: they only ever add to it.
func (a *assembly) written() written {
	a.mu.Lock()
	defer a.mu.Unlock()
	return written{a.text.String(), a.thought.String(), a.thinking, a.stalled, a.tokens}
}

// watch calls back when nothing has come for that long, and then every second, until
// settle is called.
func (a *assembly) watch(limit time.Duration, put func()) (settle func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.limit = limit
	a.quiet = time.AfterFunc(limit, func() {
		if a.isQuiet() {
			put()
		}
	})
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.quiet.Stop()
		a.stalled, a.settled = 0, true
	}
}

// isQuiet notes for how long nothing has come, and looks again later. It tells
// whether that is worth saying: something may have come at the same moment.
func (a *assembly) isQuiet() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	idle := a.now().Sub(a.last)
	switch {
	case a.settled:
		return false
	case idle < a.limit:
		a.quiet.Reset(a.limit - idle)
		return false
	}
	a.stalled = idle
	a.quiet.Reset(time.Second)
	return true
}

func (p *Presenter) grow(r *running, w written) {
	if p.running != r {
		return
	}
	r.turn.Text, r.turn.Thought, r.turn.Thinking, r.turn.Stalled, r.tokens = w.text, w.thought, w.thinking, w.stalled, w.tokens
	p.publish()
}

// Stop ends the answer being written and keeps what is there of it.
func (p *Presenter) Stop() {
	if p.running != nil {
		p.running.stopped = true
		p.running.cancel()
	}
}

// endOf is how an answer ended, and whether for want of context.
func (p *Presenter) endOf(r *running, q query, answer client.Answer, err error) (end store.End, full bool) {
	var problem *client.Error
	cancelled := answer.Stop == client.StopCancelled || errors.Is(err, context.Canceled)
	most := q.settings.Sampling.MaxTokens
	switch {
	case cancelled && r.stopped:
		return store.Stopped, false
	case cancelled, err != nil && p.unloaded():
		return store.Unloaded, false
	case errors.As(err, &problem) && problem.Kind == client.ContextExceeded:
		return store.Cut, true
	case err != nil || answer.Stop == client.StopBroken:
		return store.Broken, false
	case answer.Stop == client.StopLength:
		return store.Cut, most == nil || *most <= 0 || answer.AnswerTokens < *most
	}
	return store.Whole, false
}

// unloaded tells whether the model is gone because somebody wanted that. The
// engine is asked: what it publishes comes later than the end of its answers.
func (p *Presenter) unloaded() bool {
	phase := p.seams.Engine.State().Phase
	return phase != engine.Ready && phase != engine.Failed
}

// tooLong tells whether an answer is none because the context has no room for its
// question.
func (t Turn) tooLong() bool { return t.Full && t.End == Broken && t.Text == "" }

// canGoOn tells whether a turn is an answer that can be continued or asked for
// again.
func (t Turn) canGoOn() bool {
	return t.Role == string(store.Assistant) && !t.tooLong() && (t.End != Whole || t.Text == "")
}
