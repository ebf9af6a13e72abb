package chat

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"paddock/words"
)

// readable is an answer as Markdown that people read: JSON stands in a code box,
// and so do the calls of tools, which models write between tags.
func readable(role, text string, growing bool) string {
	if role == "tool" || role == "system" {
		if box, ok := jsonBox(text, false); ok {
			return box
		}
		return text
	}
	if box, ok := jsonBox(text, growing); ok {
		return box
	}
	return toolCalls(text)
}

// jsonBox puts a text that is JSON into a code box. One that is still written
// counts when it begins as an object does.
func jsonBox(text string, growing bool) (string, bool) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' {
		return "", false
	}
	if growing {
		rest := strings.TrimLeft(trimmed[1:], " \n\r\t")
		if trimmed[0] == '{' && strings.HasPrefix(rest, `"`) {
			return "```json\n" + trimmed, true
		}
		return "", false
	}
	var indented bytes.Buffer
	if len(trimmed) < 3 || json.Indent(&indented, []byte(trimmed), "", "  ") != nil {
		return "", false
	}
	return "```json\n" + indented.String() + "\n```", true
}

var toolCall = regexp.MustCompile(`(?s)<tool_call>\s*(.*?)\s*</tool_call>`)

// toolCalls puts the calls of tools in an answer into code boxes, with the tool's
// name above.
func toolCalls(text string) string {
	if !strings.Contains(text, "<tool_call>") {
		return text
	}
	return toolCall.ReplaceAllStringFunc(text, func(call string) string {
		body := toolCall.FindStringSubmatch(call)[1]
		var known struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		title, language := words.T("chat.tool"), ""
		if json.Unmarshal([]byte(body), &known) == nil && known.Name != "" {
			title = words.T("chat.tool.named", map[string]any{"Name": "`" + strings.ReplaceAll(shownLine(known.Name), "`", "'") + "`"})
			var indented bytes.Buffer
			if json.Indent(&indented, known.Arguments, "", "  ") == nil {
				body, language = indented.String(), "json"
			}
		}
		fence := "```"
		for strings.Contains(body, fence) {
			fence += "`"
		}
		return "\n\n**" + title + "**\n\n" + fence + language + "\n" + body + "\n" + fence + "\n\n"
	})
}
