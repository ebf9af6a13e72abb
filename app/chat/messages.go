package chat

import (
	"fmt"
	"time"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// What the buttons of a note do.
const (
	actContinue = "continue"
	actNew      = "new"
)

// message is how a finished turn is shown. Only the last turn of a conversation
// offers what can be done about it.
func message(t Turn, last bool, continueOff string) widgets.Message {
	m := widgets.Message{ID: t.ID, User: t.User, Text: t.Text}
	if t.User {
		return m
	}
	m.Thought = t.Thought
	m.ThoughtLabel = words.T("chat.thought", map[string]any{"Seconds": seconds(t.Thinking)})
	m.Facts = facts(t.Numbers)
	m.Note = note(t, continueOff)
	if m.Note != nil && !last {
		m.Note.Actions = nil
	}
	return m
}

// growing is how an answer is shown while it is written.
func growing(t Turn) widgets.Message {
	m := widgets.Message{ID: t.ID, Text: t.Text, Thought: t.Thought, Growing: true}
	switch {
	case t.Text != "":
		m.ThoughtLabel = words.T("chat.thought", map[string]any{"Seconds": seconds(t.Thinking)})
	case t.Thought != "":
		m.ThoughtLabel = words.T("chat.thinking", map[string]any{"Seconds": seconds(t.Thinking)})
	default:
		m.Status = words.T("chat.reading")
	}
	return m
}

// facts are the numbers below an answer; those the engine did not tell are left
// out.
func facts(n Numbers) []string {
	var list []string
	add := func(known bool, key string, data map[string]any) {
		if known {
			list = append(list, words.T(key, data))
		}
	}
	add(n.TokensPerSecond > 0, "chat.fact.speed", map[string]any{"Speed": speed(n.TokensPerSecond)})
	add(n.FirstToken > 0, "chat.fact.first", map[string]any{"Seconds": firstToken(n.FirstToken)})
	add(n.PromptTokens > 0, "chat.fact.in", map[string]any{"Tokens": words.Count(n.PromptTokens)})
	add(n.AnswerTokens > 0, "chat.fact.out", map[string]any{"Tokens": words.Count(n.AnswerTokens)})
	if n.DraftedTokens > 0 {
		add(true, "chat.fact.drafted", map[string]any{
			"Drafted": words.Count(n.DraftedTokens), "Accepted": words.Count(n.AcceptedTokens),
			"Percent": (100*n.AcceptedTokens + n.DraftedTokens/2) / n.DraftedTokens,
		})
	}
	return list
}

// note says how an answer ended that is not whole, and what can be done.
func note(t Turn, continueOff string) *widgets.Note {
	goOn := widgets.Action{ID: actContinue, Label: words.T("chat.continue"), Icon: theme.IconContinue, Off: continueOff}
	if t.Text == "" {
		goOn.Label, goOn.Icon = words.T("chat.again"), theme.IconRefresh
	}
	fresh := widgets.Action{ID: actNew, Label: words.T("chat.new"), Icon: theme.IconPlus}
	n := &widgets.Note{Text: t.Problem.Message, Remedy: t.Problem.Remedy, Actions: []widgets.Action{goOn}}
	switch {
	case t.End == Whole && t.Text != "":
		return nil
	case t.End == Whole:
		n.Text = words.T("chat.end.nothing")
	case t.End == Stopped && t.Text != "":
		n.Text, n.Calm = words.T("chat.end.stopped"), true
	case t.End == Stopped:
		n.Text, n.Calm = words.T("chat.end.stopped.early"), true
	case t.End == Unloaded && t.Text != "":
		n.Text, n.Calm = words.T("chat.end.unloaded"), true
	case t.End == Unloaded:
		n.Text, n.Calm = words.T("chat.end.unloaded.early"), true
	case t.tooLong():
		n.Remedy = words.T("chat.end.long.remedy")
	case t.End == Cut:
		n.Text, n.Remedy = words.T("chat.end.full"), words.T("chat.end.full.remedy")
	case t.Text != "":
		n.Text, n.Remedy = words.T("chat.end.broken"), t.Problem.Message
	}
	if t.Full {
		n.Actions = []widgets.Action{fresh}
	}
	return n
}

func speed(tokensPerSecond float64) string {
	if tokensPerSecond >= 1000 {
		return words.Count(int(tokensPerSecond + 0.5))
	}
	return fmt.Sprintf("%.1f", tokensPerSecond)
}

func firstToken(d time.Duration) string {
	if d < 5*time.Millisecond {
		return "<0.01"
	}
	return fmt.Sprintf("%.2f", d.Seconds())
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()) }
