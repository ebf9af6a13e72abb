package client

import (
	"context"
	"fmt"
)

// betweenTexts parts texts in a request to count tokens: the engine takes a list
// of texts and tokens, and gives tokens back as they are. No vocabulary has it.
const betweenTexts = -1

// tokenBytes is the most an engine writes for one token, in bytes.
const tokenBytes = 12

// CountTokens counts the tokens of each text, each as an input of its own with the
// special tokens the model puts around it: what Embed would have the engine
// compute. It is one request, and one more the first time. The error is ctx's when
// ctx ends or the client is closed, else a *Error. A text must not be so long that
// it can't be held a few times.
func (c *Client) CountTokens(ctx context.Context, texts []string) ([]int, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	special, err := c.specialTokens(ctx)
	if err != nil {
		return nil, err
	}
	parts := make([]any, 0, 2*len(texts))
	size := 0
	for _, text := range texts {
		parts = append(parts, text, betweenTexts)
		size += len(text) + 1
	}
	tokens, err := c.tokenize(ctx, parts, false, size)
	if err != nil {
		return nil, err
	}
	counts := make([]int, 0, len(texts))
	counted := special
	for _, token := range tokens {
		if token == betweenTexts {
			counts, counted = append(counts, counted), special
			continue
		}
		counted++
	}
	if len(counts) != len(texts) {
		return nil, &Error{Kind: Unintelligible, Err: fmt.Errorf("/tokenize: %d texts of %d", len(counts), len(texts))}
	}
	return counts, nil
}

// specialTokens is how many tokens the model puts around every text.
func (c *Client) specialTokens(ctx context.Context) (int, error) {
	if known := c.special.Load(); known != nil {
		return *known, nil
	}
	without, err := c.tokenize(ctx, "a", false, 1)
	if err != nil {
		return 0, err
	}
	with, err := c.tokenize(ctx, "a", true, 1)
	if err != nil {
		return 0, err
	}
	special := max(0, len(with)-len(without))
	c.special.Store(&special)
	return special, nil
}

// tokenize asks for the tokens of texts of so many bytes. Words that stand for
// special tokens count as such, as they do where vectors are made.
func (c *Client) tokenize(ctx context.Context, content any, special bool, bytes int) ([]int, error) {
	request := map[string]any{"content": content, "add_special": special, "parse_special": true}
	var answer struct{ Tokens []int }
	err := c.post(ctx, "/tokenize", request, bodyLimit+int64(bytes)*tokenBytes, &answer)
	switch {
	case err == nil:
		return answer.Tokens, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case c.closed.Err() != nil:
		return nil, c.closed.Err()
	}
	return nil, err
}
