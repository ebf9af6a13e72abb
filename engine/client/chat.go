package client

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/respjson"
)

// Chat asks for one answer and calls each, when it is not nil, for everything
// that comes, on the caller's goroutine. When ctx ends or the client is closed
// it returns at once what has come so far, with StopCancelled and no error. When
// the engine fails it returns what has come, with StopBroken and a *Error.
func (c *Client) Chat(ctx context.Context, request Request, each func(Delta)) (Answer, error) {
	ctx, done := c.begin(ctx)
	defer done()
	a := assembly{started: time.Now(), each: each}

	marker, err := c.mediaMarker(ctx)
	if err != nil {
		return a.stopped(ctx, err)
	}
	params, options := request.params(marker)
	var response *http.Response
	stream := c.chat.NewStreaming(ctx, params, append(options, option.WithResponseInto(&response))...)
	defer stream.Close()
	if err := stream.Err(); err != nil {
		return a.stopped(ctx, refused(err, response))
	}
	for stream.Next() {
		a.add(stream.Current())
	}
	// The engine says how an answer finished; a stream that just ends is broken.
	if a.finish == "" {
		return a.stopped(ctx, interrupted(stream.Err()))
	}
	return a.finished(), nil
}

// timings are llama-server's own measures, in the last event of a stream.
type timings struct {
	PredictedTokens    int     `json:"predicted_n"`
	PredictedPerSecond float64 `json:"predicted_per_second"`
	DraftedTokens      int     `json:"draft_n"` // absent when nothing was drafted
	AcceptedTokens     int     `json:"draft_n_accepted"`
}

// An assembly puts an answer together from the events of its stream.
type assembly struct {
	each            func(Delta)
	started         time.Time
	first, last     time.Time // deltas
	pieces          int
	text, reasoning strings.Builder
	finish          string
	answer          Answer
}

func (a *assembly) add(chunk openai.ChatCompletionChunk) {
	if len(chunk.Choices) > 0 {
		choice := chunk.Choices[0]
		a.delta(Delta{Text: choice.Delta.Content, Reasoning: extraText(choice.Delta.JSON.ExtraFields, "reasoning_content")})
		if choice.FinishReason != "" {
			a.finish = choice.FinishReason
		}
	}
	if chunk.Usage.TotalTokens > 0 {
		a.answer.PromptTokens = int(chunk.Usage.PromptTokens)
		a.answer.AnswerTokens = int(chunk.Usage.CompletionTokens)
	}
	if field, ok := chunk.JSON.ExtraFields["timings"]; ok {
		var t timings
		if json.Unmarshal([]byte(field.Raw()), &t) == nil {
			a.answer.TokensPerSecond = t.PredictedPerSecond
			a.answer.DraftedTokens, a.answer.AcceptedTokens = t.DraftedTokens, t.AcceptedTokens
			if a.answer.AnswerTokens == 0 {
				a.answer.AnswerTokens = t.PredictedTokens
			}
		}
	}
}

func (a *assembly) delta(d Delta) {
	if d == (Delta{}) {
		return
	}
	a.last = time.Now()
	if a.pieces++; a.pieces == 1 {
		a.first = a.last
		a.answer.FirstToken = a.first.Sub(a.started)
	}
	a.text.WriteString(d.Text)
	a.reasoning.WriteString(d.Reasoning)
	if a.each != nil {
		a.each(d)
	}
}

func (a *assembly) finished() Answer {
	a.answer.Text, a.answer.Reasoning, a.answer.Stop = a.text.String(), a.reasoning.String(), a.finish
	return a.answer
}

// stopped is what there is of an answer that err interrupted. When ctx has ended
// that was the reason, whatever the error says.
func (a *assembly) stopped(ctx context.Context, err error) (Answer, error) {
	answer := a.finished()
	if answer.AnswerTokens == 0 {
		answer.AnswerTokens = a.pieces
	}
	if span := a.last.Sub(a.first).Seconds(); answer.TokensPerSecond == 0 && span > 0 {
		answer.TokensPerSecond = float64(a.pieces-1) / span
	}
	if ctx.Err() != nil {
		answer.Stop = StopCancelled
		return answer, nil
	}
	answer.Stop = StopBroken
	return answer, err
}

func extraText(fields map[string]respjson.Field, name string) string {
	var text string
	if field, ok := fields[name]; ok {
		_ = json.Unmarshal([]byte(field.Raw()), &text) // null leaves it empty
	}
	return text
}
