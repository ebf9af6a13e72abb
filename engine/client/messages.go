package client

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"
)

// turns are the messages as the engine is told them. Many chat templates refuse
// two turns of one role in a row, so neighbours become one and empty turns (an
// answer cancelled before its first word) are left out. The engine's media
// marker is masked: anywhere in a text it would stand for a picture that isn't
// there, and fail this and every later request of the conversation.
func turns(messages []Message, marker string) []Message {
	var turns []Message
	for _, m := range messages {
		if m.Role == "system" || m.Role == "assistant" {
			m.Pictures = nil // the engine knows them in a user's turn only
		}
		if m.Text == "" && len(m.Pictures) == 0 {
			continue
		}
		if last := len(turns) - 1; last >= 0 && turns[last].Role == m.Role {
			turns[last] = joined(turns[last], m)
			continue
		}
		turns = append(turns, m)
	}
	for i := range turns {
		turns[i].Text = mask(turns[i].Text, marker)
	}
	return turns
}

// joined is one turn of two: the pictures of both, then the texts of both.
func joined(a, b Message) Message {
	a.Pictures = slices.Concat(a.Pictures, b.Pictures) // never in the caller's own
	if a.Text != "" && b.Text != "" {
		a.Text += "\n\n"
	}
	a.Text += b.Text
	return a
}

// mask breaks the marker after its first character. It stays readable.
func mask(text, marker string) string {
	if len(marker) < 2 {
		return text
	}
	return strings.ReplaceAll(text, marker, marker[:1]+" "+marker[1:])
}

func parameters(turns []Message) []openai.ChatCompletionMessageParamUnion {
	messages := make([]openai.ChatCompletionMessageParamUnion, 0, len(turns))
	for _, m := range turns {
		switch m.Role {
		case "system":
			messages = append(messages, openai.SystemMessage(m.Text))
		case "assistant":
			messages = append(messages, openai.AssistantMessage(m.Text))
		default:
			messages = append(messages, user(m))
		}
	}
	return messages
}

// user is a user's turn: its text, or with pictures a list of parts. Pictures
// come first, as the models were trained and as the engine's cache likes it: a
// later question about the same picture reuses what it has seen.
func user(m Message) openai.ChatCompletionMessageParamUnion {
	if len(m.Pictures) == 0 {
		return openai.UserMessage(m.Text)
	}
	parts := make([]openai.ChatCompletionContentPartUnionParam, 0, len(m.Pictures)+1)
	for _, p := range m.Pictures {
		url := "data:" + p.MIME + ";base64," + base64.StdEncoding.EncodeToString(p.Bytes)
		parts = append(parts, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: url}))
	}
	if m.Text != "" {
		parts = append(parts, openai.TextContentPart(m.Text))
	}
	return openai.UserMessage(parts)
}
