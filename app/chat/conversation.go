package chat

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"paddock/engine/client"
)

const (
	titleRunes    = 48
	previewRunes  = 80
	runesPerToken = 3.5      // in most languages and models, about
	maxDraftBytes = 16 << 10 // of a text that can be edited without waiting
)

// A conversation is kept in memory, until Paddock closes.
type conversation struct {
	id      int
	title   string // from the first words of the first message
	turns   []Turn // never changed in place: states share it
	preview string
	draft   string
	pasted  []pasted
	sent    sent // the last message as it was written
	started time.Time
	used    int  // tokens in the context after the last turn
	about   bool // used is partly estimated
}

// A sent message can be taken back.
type sent struct {
	draft  string
	pasted []pasted
	used   int // of the conversation before it
	about  bool
}

// A pasted text is long: what is shown of it is found once.
type pasted struct {
	text  string
	shown Paste
	blank bool
}

func newPasted(text string) pasted {
	return pasted{
		text:  text,
		shown: Paste{firstWords(text, previewRunes), utf8.RuneCountInString(text)},
		blank: strings.TrimSpace(text) == "",
	}
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
		case t.Unsent:
		case t.User:
			messages = append(messages, client.Message{Role: "user", Text: t.Text})
		case t.Text != "":
			messages = append(messages, client.Message{Role: "assistant", Text: t.Text})
		}
	}
	return messages
}

// send makes the draft a turn.
func (c *conversation) send(id int) {
	text := c.toSend()
	c.add(Turn{ID: id, User: true, Text: text})
	c.sent = sent{c.draft, c.pasted, c.used, c.about}
	c.draft, c.pasted = "", nil
	c.used += estimate(text)
	c.about = true
}

// takeBack makes the message sent last the draft again, before what has been
// written since. The engine is no longer told it.
func (c *conversation) takeBack() {
	for i := len(c.turns) - 1; i >= 0; i-- {
		if t := c.turns[i]; t.User {
			c.turns = slices.Clone(c.turns)
			c.turns[i].Unsent = true
			break
		}
	}
	c.draft = strings.TrimSpace(c.sent.draft + "\n\n" + c.draft)
	c.pasted = append(c.sent.pasted[:len(c.sent.pasted):len(c.sent.pasted)], c.pasted...)
	c.used, c.about = c.sent.used, c.sent.about
	c.sent = sent{}
}

// estimate is about how many tokens a text is.
func estimate(text string) int {
	return int(math.Ceil(float64(utf8.RuneCountInString(text)) / runesPerToken))
}

// toSend is the draft with everything that goes with it.
func (c *conversation) toSend() string {
	parts := []string{strings.TrimSpace(c.draft)}
	for _, p := range c.pasted {
		parts = append(parts, p.text)
	}
	return strings.TrimSpace(strings.Join(parts, "\n\n"))
}

// hasText is whether there is anything to send.
func (c *conversation) hasText() bool {
	return strings.TrimSpace(c.draft) != "" ||
		slices.ContainsFunc(c.pasted, func(p pasted) bool { return !p.blank })
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
