package images

import (
	"context"

	"paddock/engine/client"
	"paddock/engine/picture"
)

// An Asker answers a request, as client.Chat does: a client, an engine process or
// a supervisor.
type Asker interface {
	Chat(ctx context.Context, request client.Request, each func(client.Delta)) (client.Answer, error)
}

// Repeated is a note beside those of picture.Prepare: the answer is one that the engine
// was asked for twice, the second time without guessing ahead.
const Repeated picture.Note = "repeated"

// An Overwrite says which texts a run may replace.
type Overwrite int

// What may be overwritten.
const (
	OverwriteNothing Overwrite = iota
	OverwriteAnswers           // what a model said
	OverwriteEdited            // and what the user made of it
)

// A Run is what to ask of which pictures.
type Run struct {
	Preset      string    `json:"preset,omitempty"` // id, empty for an instruction of the user's own
	Prompt      string    `json:"prompt"`
	Schema      string    `json:"schema,omitempty"`      // JSON schema of the answers, empty for none
	MaxTokens   int       `json:"maxTokens,omitempty"`   // of an answer, 0 for as many as fit
	Temperature *float64  `json:"temperature,omitempty"` // nil: the engine's default
	Seed        *int64    `json:"seed,omitempty"`
	MaxSide     int       `json:"maxSide,omitempty"` // longest side of the pictures in pixels, 0: picture.DefaultMaxSide
	Overwrite   Overwrite `json:"-"`                 // nothing: only pictures without a text are done
	RetryFailed bool      `json:"-"`                 // those that failed, too
	Only        []ID      `json:"-"`                 // nil: all, and those that are added meanwhile
}

// wants reports whether a run does a picture.
func (r Run) wants(i *Item) bool {
	switch i.settled() {
	case Waiting:
		return true
	case Failed:
		return r.RetryFailed && (!i.edited || r.Overwrite >= OverwriteEdited)
	case Done:
		return r.Overwrite >= OverwriteAnswers
	}
	return r.Overwrite >= OverwriteEdited
}

func (r Run) request(p picture.Prepared) client.Request {
	return client.Request{
		Messages: []client.Message{{
			Role: "user", Text: r.Prompt, Pictures: []client.Picture{{MIME: p.MIME, Bytes: p.Bytes}},
		}},
		MaxTokens: r.MaxTokens, Temperature: r.Temperature, Seed: r.Seed, Schema: r.Schema,
	}
}
