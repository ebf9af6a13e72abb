package chat

import (
	"context"
	"errors"
	"strings"
	"time"

	"paddock/engine"
	"paddock/engine/client"
	"paddock/words"
)

// A running is an answer being written.
type running struct {
	conversation *conversation
	turn         Turn // as it was shown last
	tokens       int  // received so far, about
	cancel       context.CancelFunc
	stopped      bool // by the user
	box          *Mailbox[written]
}

// A written is how far an answer has come.
type written struct {
	text, thought string
	thinking      time.Duration
	tokens        int
}

// ask asks the engine for an answer to a conversation. A turn that already has
// text is continued: the model is given its beginning.
func (p *Presenter) ask(c *conversation, turn Turn) {
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{conversation: c, turn: Turn{ID: turn.ID, Text: turn.Text, Thought: turn.Thought, Thinking: turn.Thinking}, cancel: cancel}
	p.running = r
	request := client.Request{Messages: c.messages()}
	if turn.Text != "" {
		request.Messages = append(request.Messages, client.Message{Role: "assistant", Text: turn.Text})
	}
	r.box = NewMailbox(p.do, p.every, func(w written) { p.grow(r, w) })
	a := &assembly{thinking: turn.Thinking, now: p.now}
	a.text.WriteString(turn.Text)
	a.thought.WriteString(turn.Thought)
	p.publish()
	go func() {
		defer cancel()
		answer, err := p.engine.Chat(ctx, request, func(d client.Delta) {
			a.add(d)
			r.box.Put(a.written())
		})
		p.do(func() {
			r.box.Deliver()
			p.finish(r, answer, err)
		})
	}()
}

// An assembly puts deltas together. It belongs to the goroutine they come on.
type assembly struct {
	text, thought strings.Builder
	tokens        int
	began         time.Time // of the reasoning
	thinking      time.Duration
	now           func() time.Time
}

func (a *assembly) add(d client.Delta) {
	a.tokens++
	if d.Reasoning != "" {
		if a.began.IsZero() {
			a.began = a.now()
		}
		a.thinking = a.now().Sub(a.began)
	}
	a.thought.WriteString(d.Reasoning)
	a.text.WriteString(d.Text)
}

// written shares the builders' text: they only ever add to it.
func (a *assembly) written() written {
	return written{a.text.String(), a.thought.String(), a.thinking, a.tokens}
}

func (p *Presenter) grow(r *running, w written) {
	if p.running != r {
		return
	}
	r.turn.Text, r.turn.Thought, r.turn.Thinking, r.tokens = w.text, w.thought, w.thinking, w.tokens
	p.publish()
}

// Stop ends the answer being written and keeps what is there of it.
func (p *Presenter) Stop() {
	if p.running != nil {
		p.running.stopped = true
		p.running.cancel()
	}
}

// finish keeps an answer as it ended.
func (p *Presenter) finish(r *running, answer client.Answer, err error) {
	p.running = nil
	t := r.turn
	t.Numbers = Numbers{
		TokensPerSecond: answer.TokensPerSecond, FirstToken: answer.FirstToken,
		PromptTokens: answer.PromptTokens, AnswerTokens: answer.AnswerTokens,
		DraftedTokens: answer.DraftedTokens, AcceptedTokens: answer.AcceptedTokens,
	}
	t.End, t.Full = p.endOf(r, answer, err)
	if err != nil && t.End == Broken {
		t.Problem = words.Error(err)
	}
	c := r.conversation
	if t.tooLong() {
		c.takeBack()
	}
	c.add(t)
	if answer.PromptTokens > 0 {
		c.used, c.about = answer.PromptTokens+answer.AnswerTokens, false
	} else { // the engine only tells at the end of a whole answer
		c.used += r.tokens
	}
	p.publish()
}

// endOf is how an answer ended, and whether for want of context.
func (p *Presenter) endOf(r *running, answer client.Answer, err error) (end End, full bool) {
	var problem *client.Error
	cancelled := answer.Stop == client.StopCancelled || errors.Is(err, context.Canceled)
	switch {
	case cancelled && r.stopped:
		return Stopped, false
	case cancelled, err != nil && p.unloaded():
		return Unloaded, false
	case errors.As(err, &problem) && problem.Kind == client.ContextExceeded:
		return Broken, true
	case err != nil || answer.Stop == client.StopBroken:
		return Broken, false
	case answer.Stop == client.StopLength:
		return Cut, true
	}
	return Whole, false
}

// unloaded tells whether the model is gone because somebody wanted that. The
// engine is asked: what it publishes comes later than the end of its answers.
func (p *Presenter) unloaded() bool {
	phase := p.engine.State().Phase
	return phase != engine.Ready && phase != engine.Failed
}

// tooLong tells whether an answer is none because the context has no room for its
// question.
func (t Turn) tooLong() bool { return t.Full && t.End == Broken && t.Text == "" }

// canGoOn tells whether a turn is an answer that can be continued or asked for
// again.
func (t Turn) canGoOn() bool {
	return !t.User && !t.tooLong() && (t.End != Whole || t.Text == "")
}
