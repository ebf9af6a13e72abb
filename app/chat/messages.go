package chat

import (
	"fmt"
	"time"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// A turnLook is what the way a turn is shown depends on beside the turn.
type turnLook struct {
	last        bool // of a conversation that isn't answering: it offers what can be done about it
	edited      bool
	outside     bool   // the first the model is no longer told
	continueOff string // why an answer can't be asked for
	turnsOff    string // why turns can't be changed
}

// message is how a finished turn is shown.
func message(t Turn, look turnLook) widgets.Message {
	m := widgets.Message{
		ID: t.ID, User: t.User, Text: t.Text, Quiet: t.Outside, Marked: look.edited,
		Branch: widgets.Branch{At: t.Branch.At, Of: t.Branch.Of, Off: look.turnsOff},
	}
	if look.outside {
		m.Label = words.T("chat.outside")
	}
	more := widgets.Action{ID: actMore, Label: words.T("chat.more"), Icon: theme.IconDots, Menu: true}
	if t.User {
		m.Pictures, m.Files = picturesOf(t), filesOf(t)
		m.Tools = []widgets.Action{
			{ID: actEdit, Label: words.T("chat.edit"), Icon: theme.IconPencil, Off: look.turnsOff}, more,
		}
		return m
	}
	m.Text = readable(t.Role, t.Text, false)
	switch t.Role {
	case "system":
		m.Label = words.T("chat.role.system")
		m.Quiet = true
		return m
	case "tool":
		m.Label = words.T("chat.role.tool")
		return m
	}
	m.Thought = t.Thought
	m.ThoughtLabel = words.T("chat.thought", map[string]any{"Seconds": seconds(t.Thinking)})
	if t.Thinking == 0 {
		m.ThoughtLabel = words.T("chat.thought.untimed")
	}
	m.Facts = facts(t.Numbers)
	m.Note = note(t, look.continueOff)
	if m.Note != nil && !look.last {
		m.Note.Actions = nil
	}
	off := look.continueOff
	if off == "" {
		off = look.turnsOff
	}
	m.Tools = []widgets.Action{
		{ID: actRegenerate, Label: words.T("chat.regenerate"), Icon: theme.IconRefresh, Off: off}, more,
	}
	return m
}

func picturesOf(t Turn) []widgets.MessagePicture {
	var list []widgets.MessagePicture
	for _, p := range t.Pictures {
		shown := widgets.MessagePicture{Path: p.Path, Name: shownLine(p.Name)}
		switch {
		case p.Missing:
			shown.Path, shown.Text = "", words.T("chat.picture.gone")
		case p.Tokens > 0:
			shown.Text = tokensText("chat.tokens", p.TheTokens)
		}
		list = append(list, shown)
	}
	return list
}

func filesOf(t Turn) []string {
	var list []string
	for _, f := range t.Files {
		line := shownLine(f.Name) + " · " + size(f.Bytes)
		if f.First != "" {
			line += " · " + shownLine(f.First)
		}
		list = append(list, line)
	}
	return list
}

// growing is how an answer is shown while it is written.
func growing(t Turn, doing string) widgets.Message {
	m := widgets.Message{ID: t.ID, Text: readable(t.Role, t.Text, true), Thought: t.Thought, Growing: true}
	switch {
	case t.Text != "":
		m.ThoughtLabel = words.T("chat.thought", map[string]any{"Seconds": seconds(t.Thinking)})
	case t.Thought != "":
		m.ThoughtLabel = words.T("chat.thinking", map[string]any{"Seconds": seconds(t.Thinking)})
	case doing != "":
		m.Status = doing
	default:
		m.Status = words.T("chat.reading")
	}
	if t.Stalled > 0 {
		m.Status = ""
		m.Note = &widgets.Note{Text: words.T("chat.stalled", map[string]any{"Seconds": words.Count(int(t.Stalled.Seconds()))})}
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
	case t.End == Interrupted && t.Text != "":
		n.Text = words.T("chat.end.interrupted")
	case t.End == Interrupted:
		n.Text = words.T("chat.end.interrupted.early")
	case t.End == Unloaded && t.Text != "":
		n.Text, n.Calm = words.T("chat.end.unloaded"), true
	case t.End == Unloaded:
		n.Text, n.Calm = words.T("chat.end.unloaded.early"), true
	case t.tooLong():
		n.Remedy = words.T("chat.end.long.remedy")
	case t.End == Cut && !t.Full:
		n.Text, n.Calm = words.T("chat.end.length"), true
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

// speed is words.Speed with a decimal more, as there is room for it.
func speed(tokensPerSecond float64) string {
	if tokensPerSecond >= 999.95 {
		return words.Speed(tokensPerSecond)
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
