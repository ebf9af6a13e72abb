package client

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
)

// textLimit bounds what of an engine's answer may be of one text, in bytes: a
// vector of 16384 numbers, written out.
const textLimit = 1 << 19

// Embed asks for the vector of each text, in the order of the texts and with the
// engine's own numbers. Every vector has the same length and only finite numbers;
// an engine that answers anything else gives a *Error of kind NoVectors. The error
// is ctx's when ctx ends or the client is closed, else a *Error. No text gives no
// vector, without a request.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return c.embed(ctx, texts, toLength1)
}

// EmbedRaw is Embed for vectors as the network makes them, which are of any length.
func (c *Client) EmbedRaw(ctx context.Context, texts []string) ([][]float32, error) {
	return c.embed(ctx, texts, asTheyAre)
}

// What the engine is told to do to vectors (common_embd_normalize in
// common/common.cpp).
const (
	asTheyAre = -1
	toLength1 = 2
)

func (c *Client) embed(ctx context.Context, texts []string, normalise int) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	var answer struct {
		Data []struct {
			Index     *int
			Embedding []*float32 // null for what is no number
		}
	}
	request := map[string]any{"input": texts, "encoding_format": "float", "embd_normalize": normalise}
	if err := c.ofTexts(ctx, "/v1/embeddings", request, len(texts), &answer); err != nil {
		return nil, err
	}
	if len(answer.Data) != len(texts) {
		return nil, noVectors("%d vectors for %d texts", len(answer.Data), len(texts))
	}
	vectors := make([][]float32, len(texts))
	for at, item := range answer.Data {
		if item.Index != nil {
			at = *item.Index
		}
		if at < 0 || at >= len(texts) || vectors[at] != nil {
			return nil, noVectors("a vector for text %d of %d, or a second one", at, len(texts))
		}
		if len(item.Embedding) == 0 || len(item.Embedding) != len(answer.Data[0].Embedding) {
			return nil, noVectors("a vector of %d numbers beside one of %d", len(item.Embedding), len(answer.Data[0].Embedding))
		}
		vectors[at] = make([]float32, len(item.Embedding))
		for i, number := range item.Embedding {
			if number == nil {
				return nil, noVectors("value %d of the vector for text %d is no number", i, at)
			}
			vectors[at][i] = *number
		}
	}
	return vectors, nil
}

// Rerank asks how well each text answers the query: the higher, the better. The
// scores are in the order of the texts, finite, and of no fixed range. Errors are
// as those of Embed.
func (c *Client) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	var answer struct {
		Results []struct {
			Index int
			Score *float64 `json:"relevance_score"`
		}
	}
	request := map[string]any{"query": query, "documents": texts}
	if err := c.ofTexts(ctx, "/v1/rerank", request, len(texts), &answer); err != nil {
		return nil, err
	}
	if len(answer.Results) != len(texts) {
		return nil, noVectors("%d scores for %d texts", len(answer.Results), len(texts))
	}
	scores := make([]float64, len(texts))
	for i := range scores {
		scores[i] = math.NaN() // until one came
	}
	for _, result := range answer.Results {
		switch {
		case result.Index < 0 || result.Index >= len(texts) || !math.IsNaN(scores[result.Index]):
			return nil, noVectors("a score for text %d of %d, or a second one", result.Index, len(texts))
		case result.Score == nil:
			return nil, noVectors("the score of text %d is no number", result.Index)
		}
		scores[result.Index] = *result.Score
	}
	return scores, nil
}

// VectorWidth is how many numbers a vector of the loaded model has, 0 when the
// engine does not say. The error is a *Error.
func (c *Client) VectorWidth(ctx context.Context) (int, error) {
	var models struct {
		Data []struct {
			Meta struct {
				Width int `json:"n_embd"`
			}
		}
	}
	if err := c.get(ctx, "/v1/models", &models); err != nil || len(models.Data) == 0 {
		return 0, err
	}
	return models.Data[0].Meta.Width, nil
}

func (c *Client) ofTexts(ctx context.Context, path string, request any, texts int, into any) error {
	err := c.post(ctx, path, request, bodyLimit+int64(texts)*textLimit, into)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case c.closed.Err() != nil:
		return c.closed.Err()
	}
	return tooLong(err)
}

// beyondBatch is how the engine refuses a text that it would have to compute in
// one go. The batch is as large as the context where Paddock starts the engine.
var beyondBatch = regexp.MustCompile(`input \((\d+) tokens\) is too large to process\D*\(current batch size: (\d+)\)`)

// tooLong gives an error that is about a text's length its kind.
func tooLong(err error) error {
	var failed *Error
	if !errors.As(err, &failed) {
		return err
	}
	if sizes := beyondBatch.FindStringSubmatch(failed.Message); sizes != nil {
		failed.Kind = TextTooLong
		failed.PromptTokens, _ = strconv.Atoi(sizes[1])
		failed.ContextTokens, _ = strconv.Atoi(sizes[2])
	} else if failed.Kind == ContextExceeded {
		failed.Kind = TextTooLong
	}
	return err
}

func noVectors(format string, values ...any) error {
	return &Error{Kind: NoVectors, Err: fmt.Errorf(format, values...)}
}
