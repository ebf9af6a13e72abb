package chat

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// Labels are the words of an exported Markdown file, in the user's language.
type Labels struct {
	User, Assistant, System, Tool string // headings; an answer's is its model's name where that is known
	Thought                       string // before the reasoning
	Picture                       string // before a picture's number
}

// ExportMarkdown writes the turns on view in a conversation. Pictures are only
// named.
func (s *Store) ExportMarkdown(ctx context.Context, w io.Writer, id ID, labels Labels) error {
	shown, err := s.Conversation(ctx, id)
	if err != nil {
		return err
	}
	path, err := s.Path(ctx, id)
	if err != nil {
		return err
	}
	var b strings.Builder
	if shown.Title != "" {
		fmt.Fprintf(&b, "# %s\n\n", shown.Title)
	}
	pictures := 0
	for _, t := range path {
		fmt.Fprintf(&b, "## %s\n\n", labels.of(t))
		for range t.Pictures {
			pictures++
			fmt.Fprintf(&b, "*%s %d*\n\n", labels.Picture, pictures)
		}
		if thought := strings.TrimSpace(t.Thought); thought != "" {
			fmt.Fprintf(&b, "> **%s**\n>\n> %s\n\n", labels.Thought, strings.ReplaceAll(thought, "\n", "\n> "))
		}
		if text := strings.TrimSpace(t.Text); text != "" {
			fmt.Fprintf(&b, "%s\n\n", text)
		}
	}
	_, err = io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

func (l Labels) of(t Turn) string {
	switch t.Role {
	case User:
		return l.User
	case System:
		return l.System
	case Tool:
		return l.Tool
	}
	if t.Model != "" {
		return clean(t.Model)
	}
	return l.Assistant
}
