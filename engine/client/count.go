package client

import "context"

// Count is how many tokens the texts of a request are in the loaded model's
// template. Pictures are not counted: what one takes is known once it has been
// seen. The error is a *Error.
func (c *Client) Count(ctx context.Context, r Request) (int, error) {
	marker, err := c.mediaMarker(ctx)
	if err != nil {
		return 0, err
	}
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	var question struct {
		Messages []message      `json:"messages"`
		Template map[string]any `json:"chat_template_kwargs,omitempty"`
	}
	for _, m := range turns(r.Messages, marker) {
		question.Messages = append(question.Messages, message{m.Role, m.Text})
	}
	if thinking := r.thinking(); thinking != nil {
		question.Template = map[string]any{"enable_thinking": *thinking}
	}
	var prompt struct {
		Prompt string `json:"prompt"`
	}
	if err := c.post(ctx, "/apply-template", question, bodyLimit, &prompt); err != nil {
		return 0, err
	}
	return c.Tokens(ctx, prompt.Prompt)
}

// Tokens is how many tokens a text is, special ones written in it among them. The
// error is a *Error.
func (c *Client) Tokens(ctx context.Context, text string) (int, error) {
	question := struct {
		Content string `json:"content"`
		Special bool   `json:"add_special"`
		Parse   bool   `json:"parse_special"`
	}{text, true, true}
	var answer struct {
		Tokens []int `json:"tokens"`
	}
	err := c.post(ctx, "/tokenize", question, bodyLimit, &answer)
	return len(answer.Tokens), err
}
