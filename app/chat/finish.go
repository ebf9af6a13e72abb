package chat

import (
	"context"
	"errors"
	"strings"

	store "paddock/engine/chat"
	"paddock/engine/client"
	"paddock/words"
)

// finish keeps an answer as it ended.
func (p *Presenter) finish(r *running, q query, answer client.Answer, err error) {
	r.turn.Stalled = 0
	if p.closing { // it stays interrupted
		return
	}
	var problem *client.Error
	if errors.As(err, &problem) && problem.Kind == client.ContextExceeded && r.turn.Text == "" && r.resume == nil {
		p.refused(r, q, problem)
		return
	}
	p.running = nil
	end, full := p.endOf(r, q, answer, err)
	o := store.Outcome{Thinking: r.turn.Thinking, End: end, Full: full, Numbers: store.Numbers{
		TokensPerSecond: answer.TokensPerSecond, FirstToken: answer.FirstToken,
		PromptTokens: answer.PromptTokens, AnswerTokens: answer.AnswerTokens,
		DraftedTokens: answer.DraftedTokens, AcceptedTokens: answer.AcceptedTokens,
	}}
	if err != nil && end == store.Broken {
		o.Problem = writeProblem(problemOf(q, err))
	}
	c, t := r.conversation, r.writer.Turn()
	t.Text, t.Thought, t.Thinking = r.turn.Text, r.turn.Thought, r.turn.Thinking
	t.Numbers, t.End, t.Full, t.Problem = o.Numbers, end, full, o.Problem
	used := c.used
	p.add(c, t)
	if answer.PromptTokens > 0 {
		c.used, c.about = answer.PromptTokens+answer.AnswerTokens, false
	} else { // the engine only tells at the end of a whole answer
		c.used, c.about = used+r.tokens, true
	}
	p.keep(func(ctx context.Context, s *store.Store) (func(), error) {
		if err := r.writer.Finish(ctx, o); err != nil {
			return nil, err
		}
		head, err := s.Conversation(ctx, c.ref)
		if err != nil {
			return nil, ifThere(err)
		}
		return func() {
			p.entry(head)
			p.publish()
		}, nil
	})
	p.publish()
}

// problemOf says why there is no answer. What the engine says of a schema it can't
// use names neither the schema nor where to change it.
func problemOf(q query, err error) words.Sentence {
	var problem *client.Error
	if strings.TrimSpace(q.settings.Schema) == "" || !errors.As(err, &problem) || problem.Kind != client.BadRequest {
		return sentence(err)
	}
	said := strings.ToLower(problem.Message)
	for _, of := range []string{"sampler", "grammar", "schema"} {
		if strings.Contains(said, of) {
			return words.Of("chat.schema.refused", nil)
		}
	}
	return sentence(err)
}

// refused takes away an answer that the engine had no room for, and offers what can
// be done.
func (p *Presenter) refused(r *running, q query, e *client.Error) {
	p.keep(func(ctx context.Context, s *store.Store) (func(), error) {
		if err := r.writer.Finish(ctx, store.Outcome{End: store.Broken, Full: true}); err != nil {
			return nil, err
		}
		return nil, ifThere(s.DeleteTurn(ctx, r.writer.Turn().ID))
	})
	if e.ContextTokens > 0 {
		q.contextTokens = e.ContextTokens
	}
	p.overflows(r, q, max(e.PromptTokens, q.contextTokens), e.PromptTokens == 0)
}
