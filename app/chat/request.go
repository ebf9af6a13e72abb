package chat

import (
	"context"
	"errors"
	"net/http"
	"strings"

	store "paddock/engine/chat"
	"paddock/engine/client"
	"paddock/words"
)

// A query is what the model is asked, as values that a goroutine can have.
type query struct {
	turns    []store.Turn // that it is told
	resume   *store.Turn  // an answer that goes on, or nil
	settings Settings
	summary  string // of earlier turns
	names    map[store.Hash]sizeOf
	sees     bool

	contextTokens int
	pictures      int // tokens of all pictures, about
}

func (p *Presenter) query(r *running) query {
	c := r.conversation
	told := r.path[c.settings.outside(r.path):]
	q := query{
		turns: told, resume: r.resume, settings: c.settings.Settings, summary: c.settings.summary(r.path),
		names: c.settings.Pictures, sees: p.sees, contextTokens: p.loaded.Plan.ContextTokens,
	}
	if !p.canReason() {
		q.settings.Thinking = nil
	}
	for _, t := range told {
		q.pictures += p.pictureTokens(c.settings.sizes(t.Pictures)...)
	}
	return q
}

// messages are the conversation as the engine is told it, without pictures.
func (q query) messages() []client.Message {
	var messages []client.Message
	system := q.settings.System
	if q.summary != "" {
		if system != "" {
			system += "\n\n"
		}
		system += words.T("chat.summary.told") + "\n" + q.summary
	}
	if system != "" {
		messages = append(messages, client.Message{Role: "system", Text: system})
	}
	for _, t := range q.turns {
		messages = append(messages, q.message(t))
	}
	if q.resume != nil && q.resume.Text != "" {
		messages = append(messages, client.Message{Role: "assistant", Text: q.resume.Text})
	}
	return messages
}

// message is one turn. A model that can't see is told that there was a picture: the
// engine would refuse it, and all that comes after.
func (q query) message(t store.Turn) client.Message {
	m := client.Message{Role: "user", Text: t.Text}
	switch t.Role {
	case store.Assistant:
		m.Role = "assistant"
	case store.System:
		m.Role = "system"
	}
	if !q.sees {
		for _, hash := range t.Pictures {
			m.Text = words.T("chat.picture.told", map[string]any{"Name": q.names[hash].Name}) + "\n" + m.Text
		}
	}
	return m
}

// request is what the engine is asked. Pictures are read from the store; one that
// is gone is told as it is to a model that can't see. The error is that of one that is
// there and can't be read.
func (q query) request(ctx context.Context, s *store.Store) (client.Request, error) {
	r := client.Request{
		Temperature: q.settings.Sampling.Temperature, TopP: q.settings.Sampling.TopP, TopK: q.settings.Sampling.TopK,
		MinP: q.settings.Sampling.MinP, RepeatPenalty: q.settings.Sampling.RepeatPenalty, Seed: q.settings.Sampling.Seed,
		Schema: strings.TrimSpace(q.settings.Schema), Thinking: q.settings.Thinking, Messages: q.messages(),
	}
	if n := q.settings.Sampling.MaxTokens; n != nil {
		r.MaxTokens = *n
	}
	if !q.sees {
		return r, nil
	}
	at := 0
	if len(r.Messages) > 0 && r.Messages[0].Role == "system" && (q.settings.System != "" || q.summary != "") {
		at = 1
	}
	for _, t := range q.turns {
		for _, hash := range t.Pictures {
			data, err := s.Picture(ctx, hash)
			switch {
			case isGone(err):
				r.Messages[at].Text = words.T("chat.picture.told", map[string]any{"Name": q.names[hash].Name}) + "\n" + r.Messages[at].Text
			case err != nil:
				return r, err
			default:
				picture := client.Picture{MIME: http.DetectContentType(data), Bytes: data}
				r.Messages[at].Pictures = append(r.Messages[at].Pictures, picture)
			}
		}
		at++
	}
	return r, nil
}

// isGone tells whether a picture's file is not there any more, or no longer what it was.
func isGone(err error) bool {
	var e *store.Error
	return errors.As(err, &e) && (e.Problem == store.Missing || e.Problem == store.Damaged)
}

// room is how many tokens are kept for the answer.
func (q query) room() int {
	room := max(min(q.contextTokens/8, 512), 1)
	if n := q.settings.Sampling.MaxTokens; n != nil && *n > 0 {
		room = min(*n, q.contextTokens/2)
	}
	return room
}

// perMessage is about what a template adds to a message, in tokens.
const perMessage = 8

// counted is how many tokens a request takes, and whether that is only estimated.
// The engine is asked where it could matter.
func (q query) counted(ctx context.Context, e Engine, r client.Request) (tokens int, about bool) {
	most, guess := q.pictures, q.pictures
	for _, m := range r.Messages {
		most += len(m.Text) + 4*perMessage
		guess += estimate(m.Text) + perMessage
	}
	if most+4*perMessage+q.room() <= q.contextTokens { // a token is a byte at least
		return guess, true
	}
	if guess > 4*q.contextTokens { // the engine would take seconds to say the same
		return guess, true
	}
	n, err := e.Count(ctx, r)
	if err != nil {
		return guess, true
	}
	return n + q.pictures, q.pictures > 0
}
