package chat

import (
	"strings"
	"time"
	"unicode/utf8"

	"paddock/engine/client"
)

const (
	titleRunes    = 48
	previewRunes  = 80
	maxDraftBytes = 16 << 10 // of a text that can be edited without waiting
)

// A conversation is kept in memory, until Paddock closes.
type conversation struct {
	id      int
	title   string // from the first words of the first message
	turns   []Turn // never changed in place: states share it
	preview string
	draft   string
	pasted  []string
	started time.Time
	used    int // tokens in the context after the last answer
}

func (c *conversation) add(t Turn) {
	c.turns = append(c.turns[:len(c.turns):len(c.turns)], t)
	if c.title == "" && t.User {
		c.title = firstWords(t.Text, titleRunes)
	}
	if words := firstWords(t.Text, previewRunes); words != "" {
		c.preview = words
	}
}

// dropLast takes the last turn away.
func (c *conversation) dropLast() { c.turns = c.turns[:len(c.turns)-1] }

func (c *conversation) last() *Turn {
	if len(c.turns) == 0 {
		return nil
	}
	return &c.turns[len(c.turns)-1]
}

// messages is the conversation as the engine is told it. Answers without a word
// are left out.
func (c *conversation) messages() []client.Message {
	var messages []client.Message
	for _, t := range c.turns {
		switch {
		case t.User:
			messages = append(messages, client.Message{Role: "user", Text: t.Text})
		case t.Text != "":
			messages = append(messages, client.Message{Role: "assistant", Text: t.Text})
		}
	}
	return messages
}

// setDraft makes a text the draft, or what goes with it when it is long.
func (c *conversation) setDraft(text string) {
	if len(text) > maxDraftBytes {
		c.pasted = append(c.pasted, text)
		return
	}
	c.draft = text
}

// toSend is the draft with everything that goes with it.
func (c *conversation) toSend() string {
	parts := append([]string{strings.TrimSpace(c.draft)}, c.pasted...)
	return strings.TrimSpace(strings.Join(parts, "\n\n"))
}

func (c *conversation) summary(answering bool) Summary {
	return Summary{ID: c.id, Title: c.title, Preview: c.preview, Started: c.started, Answering: answering}
}

// firstWords is the beginning of a text on one line, without Markdown's marks,
// cut at a word.
func firstWords(text string, limit int) string {
	if len(text) > 8*limit {
		text = text[:8*limit]
	}
	line := strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	line = strings.TrimLeft(line, "#>*-`| ")
	line = strings.NewReplacer("**", "", "`", "").Replace(line)
	if utf8.RuneCountInString(line) <= limit {
		return line
	}
	cut := string([]rune(line)[:limit])
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		cut = cut[:space]
	}
	return strings.TrimRight(cut, " ,.;:") + "…"
}
