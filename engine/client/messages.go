package client

import (
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
		if m.Text == "" {
			continue
		}
		if last := len(turns) - 1; last >= 0 && turns[last].Role == m.Role {
			turns[last].Text += "\n\n" + m.Text
			continue
		}
		turns = append(turns, m)
	}
	for i := range turns {
		turns[i].Text = mask(turns[i].Text, marker)
	}
	return turns
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
			messages = append(messages, openai.UserMessage(m.Text))
		}
	}
	return messages
}
