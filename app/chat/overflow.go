package chat

import (
	"context"
	"errors"
	"slices"

	store "paddock/engine/chat"
	"paddock/engine/client"
	"paddock/words"
)

// An overflow is a question for which there is no room.
type overflow struct {
	conversation *conversation
	query        query
	path         []store.Turn
	resume       *store.Turn
	sent         bool // the last turn was just sent, and can be given back
	tries        int
	tokens       int
	about        bool
	scale        float64 // tokens for every one that is estimated
	drop         int     // so many turns at the beginning would have to be left out; 0 when that isn't enough
	noLarger     string  // why no longer context would do; empty where one would
}

// maxTries is how often more is left out until it fits: the engine counts otherwise
// than we estimate.
const maxTries = 4

// overflows offers what can be done about a question that is too long. When the
// user has chosen to leave something out, more is.
func (p *Presenter) overflows(r *running, q query, tokens int, about bool) {
	p.running = nil
	r.cancel()
	if r.stopped || p.closing {
		p.giveUp(r)
		return
	}
	o := &overflow{
		conversation: r.conversation, query: q, path: r.path, resume: r.resume, sent: r.sent, tries: r.tries,
		tokens: tokens, about: about,
	}
	o.noLarger = p.noLarger(o)
	o.drop = o.enough()
	p.overflow = o
	if r.tries > 0 && r.tries < maxTries && o.drop > 0 {
		p.leaveOut(q.summary)
		return
	}
	p.publish()
}

// noLarger says why loading the model with a longer context would not make room, empty
// where it would.
func (p *Presenter) noLarger(o *overflow) string {
	trained := p.loaded.Model.ContextTokens
	has := p.loaded.Plan.ContextTokens / max(p.loaded.Plan.Slots, 1) // of one conversation
	data := map[string]any{"Trained": words.Count(trained)}
	switch {
	case p.seams.Larger == nil:
		return words.T("chat.overflow.larger.off")
	case trained <= 0: // the model doesn't tell
		return ""
	case has >= trained:
		return words.T("chat.overflow.larger.most", data)
	case o.tokens >= trained: // there must be some room for an answer, too
		return words.T("chat.overflow.larger.never", data)
	}
	return ""
}

// enough is how many turns have to be left out so that the rest fits: up to one of
// the user's.
func (o *overflow) enough() int {
	outside := len(o.path) - len(o.query.turns)
	all := 1
	for _, t := range o.query.turns {
		all += estimate(t.Text) + perMessage
	}
	o.scale = max(float64(o.tokens)/float64(all), 0.1)
	over := float64(o.tokens+o.query.room()-o.query.contextTokens) * 1.05
	for i := outside; i < len(o.path)-1; i++ {
		over -= float64(o.size(o.path[i]))
		if over <= 0 && o.path[i+1].Role == store.User {
			return i + 1
		}
	}
	return 0
}

// size is about how many tokens a turn takes, by what all take together.
func (o *overflow) size(t store.Turn) int {
	return int(float64(estimate(t.Text)+perMessage) * o.scale)
}

// alone tells whether the last message fits without anything before it.
func (o *overflow) alone() bool { return o.drop > 0 || o.lastFits() }

func (o *overflow) lastFits() bool {
	if len(o.path) < 2 {
		return false
	}
	return o.size(o.path[len(o.path)-1])+o.query.room() <= o.query.contextTokens
}

// turnsOut are the turns that would be left out.
func (o *overflow) turnsOut() []store.Turn { return o.path[len(o.path)-len(o.query.turns) : o.drop] }

// sumsUp tells whether the turns to be left out fit into the context themselves.
func (o *overflow) sumsUp() bool {
	tokens := o.summaryTokens() + 4*perMessage + estimate(o.query.summary)
	for _, t := range o.turnsOut() {
		tokens += o.size(t)
	}
	return tokens <= o.query.contextTokens
}

func (o *overflow) isAbout(c *conversation) bool { return o != nil && o.conversation == c }

// shown is the dialog, nil when it is about another conversation.
func (o *overflow) shown(c *conversation) *Overflow {
	if !o.isAbout(c) {
		return nil
	}
	data := map[string]any{"Tokens": words.Count(o.tokens), "Context": words.Count(o.query.contextTokens), "Room": words.Count(o.query.room()), "Turns": 0}
	drop := OverflowOffer{ID: OverflowDrop, Label: words.T("chat.overflow.drop")}
	sum := OverflowOffer{ID: OverflowSummarise, Label: words.T("chat.overflow.sum"), Text: words.T("chat.overflow.sum.text")}
	larger := OverflowOffer{ID: OverflowLarger, Label: words.T("chat.overflow.larger"), Text: words.T("chat.overflow.larger.text")}
	other := OverflowOffer{ID: OverflowNew, Label: words.T("chat.overflow.new"), Text: words.T("chat.overflow.new.text")}
	if o.drop == 0 {
		drop.Off, sum.Off = words.T("chat.overflow.alone"), words.T("chat.overflow.alone")
	} else {
		data["Turns"] = len(o.turnsOut())
		drop.Text = words.T("chat.overflow.drop.text", data)
		if !o.sumsUp() {
			sum.Off = words.T("chat.overflow.sum.long")
		}
	}
	larger.Off = o.noLarger
	if !o.sent || !o.alone() {
		other.Off = words.T("chat.overflow.alone")
	}
	return &Overflow{
		Title: words.T("chat.overflow"), Text: words.T("chat.overflow.text", data),
		PromptTokens: o.tokens, AnswerTokens: o.query.room(), ContextTokens: o.query.contextTokens, About: o.about,
		Offers: []OverflowOffer{drop, sum, larger, other},
	}
}

// Resolve does one of the offers of State.Overflow.
func (p *Presenter) Resolve(offer string) {
	o := p.overflow
	if o == nil {
		return
	}
	i := slices.IndexFunc(o.shown(o.conversation).Offers, func(of OverflowOffer) bool { return of.ID == offer && of.Off == "" })
	if i < 0 {
		return
	}
	switch offer {
	case OverflowDrop:
		p.leaveOut(o.query.summary)
	case OverflowSummarise:
		p.sumUp(o)
	case OverflowLarger:
		p.CancelOverflow()
		p.seams.Larger()
	case OverflowNew:
		p.sendElsewhere(o)
	}
}

// leaveOut asks again without the oldest turns. What was summed up of turns before
// goes with them, unless there is a summary of all.
func (p *Presenter) leaveOut(summary string) {
	o := p.overflow
	c := o.conversation
	p.overflow = nil
	c.settings = c.settings.from(o.path[o.drop].ID, summary)
	settings := c.settings.encode()
	p.keep(func(ctx context.Context, s *store.Store) (func(), error) {
		return nil, ifThere(s.SetSettings(ctx, c.ref, settings))
	})
	p.setTurns(c, o.path, 0)
	p.measure(c)
	p.askAgain(o)
}

// askAgain asks what there was no room for.
func (p *Presenter) askAgain(o *overflow) {
	r := p.start(o.conversation)
	r.sent, r.tries, r.resume = o.sent, o.tries+1, o.resume
	if o.resume != nil {
		shown := p.shown(o.conversation, *o.resume, false)
		r.turn = Turn{ID: shown.ID, Role: shown.Role, Text: shown.Text, Thought: shown.Thought, Thinking: shown.Thinking, Branch: shown.Branch, Model: shown.Model}
	}
	p.ask(r)
}

// summaryTokens is how long a summary may become.
func (o *overflow) summaryTokens() int { return min(400, o.query.contextTokens/8) }

// sumUp has the model sum up what is left out, and then asks again.
func (p *Presenter) sumUp(o *overflow) {
	p.overflow = nil
	r := p.start(o.conversation)
	r.asked, r.shownNow, r.doing = true, true, words.T("chat.summing")
	r.turn = Turn{Role: string(store.Assistant), Branch: Branch{1, 1}}
	q := o.query
	q.turns, q.resume, q.settings.Schema = o.turnsOut(), nil, ""
	off := false
	request := client.Request{Messages: q.messages(), MaxTokens: o.summaryTokens(), Thinking: &off}
	request.Messages = append(request.Messages, client.Message{Role: "user", Text: words.T("chat.summary.ask")})
	p.publish()
	go func() {
		defer r.cancel()
		answer, err := p.seams.Engine.Chat(r.ctx, request, nil)
		p.do(func() { p.summedUp(r, o, answer, err) })
	}()
}

func (p *Presenter) summedUp(r *running, o *overflow, answer client.Answer, err error) {
	if p.closing {
		return
	}
	p.running = nil
	if p.deleted[o.conversation.id] {
		p.publish()
		return
	}
	p.overflow = o
	if err == nil && answer.Text == "" && !r.stopped {
		err = errors.New(words.T("chat.end.nothing"))
	}
	if err != nil || r.stopped || answer.Stop == client.StopCancelled {
		if err != nil && !r.stopped {
			p.warn(words.Sentence{Key: "chat.summing.failed", Message: words.T("chat.summing.failed", map[string]any{"Reason": sentence(err).Message}), Remedy: sentence(err).Remedy})
		}
		p.publish()
		return
	}
	p.leaveOut(answer.Text)
}

// CancelOverflow gives the message back as the draft.
func (p *Presenter) CancelOverflow() {
	o := p.overflow
	if o == nil {
		return
	}
	p.overflow = nil
	p.takeBack(o, o.conversation)
	p.publish()
}

// takeBack takes a message that was just sent away, and puts it into the composer of
// a conversation, before what has been written since.
func (p *Presenter) takeBack(o *overflow, into *conversation) {
	c := o.conversation
	if o.sent {
		last := o.path[len(o.path)-1]
		into.draft = p.draftFrom(c, last).and(into.draft)
		p.touch(into)
		p.keep(func(ctx context.Context, s *store.Store) (func(), error) {
			return nil, ifThere(s.DeleteTurn(ctx, last.ID))
		})
	}
	p.reread(c)
}

// sendElsewhere sends the message in a new conversation with the same settings.
func (p *Presenter) sendElsewhere(o *overflow) {
	p.overflow = nil
	c := p.fresh()
	c.settings.Settings = o.conversation.settings.Settings
	c.settings.Pictures = o.conversation.settings.Pictures
	p.takeBack(o, c)
	p.goTo(c)
	p.Send()
}

// NewWithLast starts a new conversation with the settings of the one on view.
func (p *Presenter) NewWithLast() {
	settings := p.current.settings.Settings
	p.New()
	if p.current.unused() {
		p.current.settings.Settings = settings
	}
	p.publish()
}
