package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Props are what an engine says it runs.
type Props struct {
	ModelPath     string
	ContextTokens int // of one slot
	Slots         int
	ChatTemplate  string
	MediaMarker   string // stands for a picture in a prompt
	Vision, Audio bool
	BuildInfo     string // "b11669-Debian"
}

// A Slot is one sequence an engine can work on.
type Slot struct {
	ID            int  `json:"id"`
	ContextTokens int  `json:"n_ctx"`
	Speculative   bool `json:"speculative"`
}

// Props asks the engine who it is and what it runs. The error is a *Error.
func (c *Client) Props(ctx context.Context) (Props, error) {
	var p struct {
		Generation struct {
			ContextTokens int `json:"n_ctx"`
		} `json:"default_generation_settings"`
		ModelPath    string `json:"model_path"`
		Slots        int    `json:"total_slots"`
		ChatTemplate string `json:"chat_template"`
		MediaMarker  string `json:"media_marker"`
		Modalities   struct{ Vision, Audio bool }
		BuildInfo    string `json:"build_info"`
	}
	if err := c.get(ctx, "/props", &p); err != nil {
		return Props{}, err
	}
	c.marker.Store(&p.MediaMarker)
	return Props{
		ModelPath: p.ModelPath, ContextTokens: p.Generation.ContextTokens, Slots: p.Slots,
		ChatTemplate: p.ChatTemplate, MediaMarker: p.MediaMarker,
		Vision: p.Modalities.Vision, Audio: p.Modalities.Audio, BuildInfo: p.BuildInfo,
	}, nil
}

// Slots asks for the engine's slots. The error is a *Error.
func (c *Client) Slots(ctx context.Context) ([]Slot, error) {
	var slots []Slot
	err := c.get(ctx, "/slots", &slots)
	return slots, err
}

// Health is nil when a model is loaded, which is not yet a proof of anything, and
// a *Error of kind StillLoading while it is loading.
func (c *Client) Health(ctx context.Context) error {
	return c.get(ctx, "/health", new(json.RawMessage))
}

func (c *Client) mediaMarker(ctx context.Context) (string, error) {
	if marker := c.marker.Load(); marker != nil {
		return *marker, nil
	}
	props, err := c.Props(ctx)
	return props.MediaMarker, err
}

// bodyLimit bounds what an engine's answer to a question may be, in bytes: /props
// carries the chat template, the rest is small.
const bodyLimit = 32 << 20

func (c *Client) get(ctx context.Context, path string, into any) error {
	return c.exchange(ctx, http.MethodGet, path, nil, bodyLimit, into)
}

// post sends a request as JSON. limit bounds the answer, in bytes.
func (c *Client) post(ctx context.Context, path string, request any, limit int64, into any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return &Error{Kind: BadRequest, Err: err}
	}
	return c.exchange(ctx, http.MethodPost, path, body, limit, into)
}

func (c *Client) exchange(ctx context.Context, method, path string, content []byte, limit int64, into any) error {
	ctx, done := c.begin(ctx)
	defer done()
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(content))
	if err != nil {
		return &Error{Kind: Unreachable, Err: err}
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	if content != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return &Error{Kind: Unreachable, Err: err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, limit))
	if err != nil {
		return &Error{Kind: Broken, Status: response.StatusCode, Err: err}
	}
	if response.StatusCode != http.StatusOK {
		var e struct{ Error json.RawMessage }
		if json.Unmarshal(body, &e) != nil {
			e.Error = body
		}
		return newError(response.StatusCode, e.Error, nil)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return &Error{Kind: Unintelligible, Status: response.StatusCode, Err: fmt.Errorf("%s: %w", path, err)}
	}
	return nil
}
