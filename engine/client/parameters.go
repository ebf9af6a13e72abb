package client

import (
	"encoding/json"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// params are the request in openai-go's types, and in options what only
// llama-server knows.
func (r Request) params(marker string) (openai.ChatCompletionNewParams, []option.RequestOption) {
	params := openai.ChatCompletionNewParams{
		Messages:      parameters(turns(r.Messages, marker)),
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	if r.MaxTokens > 0 {
		params.MaxTokens = openai.Int(int64(r.MaxTokens))
	}
	if r.Temperature != nil {
		params.Temperature = openai.Float(*r.Temperature)
	}
	if r.TopP != nil {
		params.TopP = openai.Float(*r.TopP)
	}
	if r.Seed != nil {
		params.Seed = openai.Int(*r.Seed)
	}
	var options []option.RequestOption
	set := func(name string, value any) { options = append(options, option.WithJSONSet(name, value)) }
	if r.TopK != nil {
		set("top_k", *r.TopK)
	}
	if r.MinP != nil {
		set("min_p", *r.MinP)
	}
	if r.RepeatPenalty != nil {
		set("repeat_penalty", *r.RepeatPenalty)
	}
	if r.Schema != "" {
		set("response_format", map[string]any{
			"type": "json_schema", "json_schema": map[string]any{"schema": json.RawMessage(r.Schema)},
		})
	}
	if thinking := r.thinking(); thinking != nil {
		set("chat_template_kwargs", map[string]any{"enable_thinking": *thinking})
	}
	if r.IgnoreEnd {
		set("ignore_eos", true)
	}
	return params, options
}

// thinking is whether the model reasons. The engine refuses to let an answer go on
// while reasoning is on: it would begin with it again.
func (r Request) thinking() *bool {
	if last := len(r.Messages) - 1; last >= 0 && r.Messages[last].Role == "assistant" {
		return new(bool)
	}
	return r.Thinking
}
