package chat

import (
	"context"
	"encoding/json"
	"io"
	"time"
)

// Ours is the format of an exported chat, so that a file says what it is.
const (
	formatName    = "paddock.chat"
	formatVersion = 1
)

type exported struct {
	Format        string                 `json:"format"`
	Version       int                    `json:"version"`
	Conversations []exportedConversation `json:"conversations"`
	Pictures      map[Hash][]byte        `json:"pictures,omitempty"` // base64
}

type exportedConversation struct {
	Title      string         `json:"title"`
	TitleGiven bool           `json:"title_given,omitempty"`
	Pinned     bool           `json:"pinned,omitempty"`
	Created    time.Time      `json:"created"`
	Updated    time.Time      `json:"updated"`
	Settings   string         `json:"settings,omitempty"`
	Current    ID             `json:"current,omitempty"`
	Turns      []exportedTurn `json:"turns"`
}

type exportedTurn struct {
	ID       ID               `json:"id"`
	Parent   ID               `json:"parent,omitempty"`
	Role     Role             `json:"role"`
	Text     string           `json:"text"`
	Thought  string           `json:"thought,omitempty"`
	Thinking float64          `json:"thinking_seconds,omitempty"`
	Numbers  *exportedNumbers `json:"numbers,omitempty"`
	End      End              `json:"end,omitempty"`
	Problem  string           `json:"problem,omitempty"`
	Full     bool             `json:"context_full,omitempty"`
	Model    string           `json:"model,omitempty"`
	Pictures []Hash           `json:"pictures,omitempty"`
	Created  time.Time        `json:"created"`
}

type exportedNumbers struct {
	TokensPerSecond float64 `json:"tokens_per_second,omitempty"`
	FirstToken      float64 `json:"first_token_seconds,omitempty"`
	PromptTokens    int     `json:"prompt_tokens,omitempty"`
	AnswerTokens    int     `json:"answer_tokens,omitempty"`
	DraftedTokens   int     `json:"drafted_tokens,omitempty"`
	AcceptedTokens  int     `json:"accepted_tokens,omitempty"`
}

// ExportJSON writes a conversation with all its branches and pictures. Import
// reads it.
func (s *Store) ExportJSON(ctx context.Context, w io.Writer, id ID) error {
	var shown Conversation
	var turns []Turn
	if err := s.read(ctx, func(c conn) (err error) {
		if shown, err = conversation(ctx, c, id); err == nil {
			turns, err = allTurns(ctx, c, id)
		}
		return err
	}); err != nil {
		return err
	}
	out := exportedConversation{
		Title: shown.Title, TitleGiven: shown.TitleGiven, Pinned: shown.Pinned,
		Created: shown.Created.UTC(), Updated: shown.Updated.UTC(), Settings: shown.Settings, Current: shown.Current,
	}
	pictures := map[Hash][]byte{}
	for _, t := range turns {
		out.Turns = append(out.Turns, exportTurn(t))
		for _, hash := range t.Pictures {
			data, err := s.Picture(ctx, hash)
			if err != nil && !hasProblem(err, Missing) && !hasProblem(err, Damaged) { // the words are worth having without it
				return err
			}
			if err == nil {
				pictures[hash] = data
			}
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	return encoder.Encode(exported{formatName, formatVersion, []exportedConversation{out}, pictures})
}

// allTurns are a conversation's on every branch, by ID.
func allTurns(ctx context.Context, c conn, id ID) ([]Turn, error) {
	var turns []Turn
	if err := rows(ctx, c, func(scan func(...any) error) error {
		t, err := scanTurn(scan)
		turns = append(turns, t)
		return err
	}, `SELECT `+turnColumns+` FROM turns t WHERE t.conversation = ? AND t.deleted IS NULL ORDER BY t.id`, id); err != nil {
		return nil, err
	}
	return turns, complete(ctx, c, id, turns)
}

func exportTurn(t Turn) exportedTurn {
	out := exportedTurn{
		ID: t.ID, Parent: t.Parent, Role: t.Role, Text: t.Text, Thought: t.Thought, Thinking: t.Thinking.Seconds(),
		End: t.End, Problem: t.Problem, Full: t.Full, Model: t.Model, Pictures: t.Pictures, Created: t.Created.UTC(),
	}
	if n := t.Numbers; n != (Numbers{}) {
		out.Numbers = &exportedNumbers{n.TokensPerSecond, n.FirstToken.Seconds(), n.PromptTokens, n.AnswerTokens, n.DraftedTokens, n.AcceptedTokens}
	}
	return out
}

func (t exportedTurn) turn() Turn {
	out := Turn{
		Role: t.Role, Text: t.Text, Thought: t.Thought, Thinking: seconds(t.Thinking),
		End: t.End, Problem: t.Problem, Full: t.Full, Model: t.Model, Pictures: t.Pictures, Created: t.Created,
	}
	if n := t.Numbers; n != nil {
		out.Numbers = Numbers{n.TokensPerSecond, seconds(n.FirstToken), n.PromptTokens, n.AnswerTokens, n.DraftedTokens, n.AcceptedTokens}
	}
	return out
}

// seconds is a duration that a file says, as far as it makes sense.
func seconds(s float64) time.Duration {
	const year = 365 * 24 * 3600
	if !(s >= 0 && s < year) { // also no number at all
		return 0
	}
	return time.Duration(s * float64(time.Second)).Round(time.Microsecond)
}
