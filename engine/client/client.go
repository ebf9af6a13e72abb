// Package client talks to a running engine over its private socket: chat as a
// stream, and the questions a proof asks.
package client

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// A Message is one turn as the engine is told it.
type Message struct {
	Role     string // "system", "user" or "assistant"
	Text     string
	Pictures []Picture // of a user's turn, before its text; with other roles they are left out
}

// A Picture is a file as the engine gets it, made by picture.Prepare: other formats
// and sizes fail in the engine.
type Picture struct {
	MIME  string // "image/png" or "image/jpeg"
	Bytes []byte
}

// A Request asks for one answer. Zero sampling values leave the engine's own. When
// the last message is the model's, its answer goes on from there.
type Request struct {
	Messages      []Message
	MaxTokens     int      // 0: until the model ends or the context is full
	Temperature   *float64 // nil: the engine's default
	TopP          *float64
	TopK          *int // 0: all
	MinP          *float64
	RepeatPenalty *float64 // 1: none
	Seed          *int64
	Schema        string // JSON schema of the answer, empty for none
	Thinking      *bool  // reasoning on or off, where the template knows it; nil: as the template has it
	IgnoreEnd     bool   // the model may not end its answer: for proofs and measurements, with MaxTokens
}

// A Delta is what one event of the stream adds.
type Delta struct {
	Text      string
	Reasoning string
}

// An Answer is what came back, whole or up to where it stopped.
type Answer struct {
	Text            string
	Reasoning       string
	PromptTokens    int
	AnswerTokens    int           // of an interrupted answer: the pieces that came, about one a token
	TokensPerSecond float64       // the engine's own measure; of an interrupted answer, ours
	FirstToken      time.Duration // from the request to the first delta
	DraftedTokens   int
	AcceptedTokens  int
	Stop            string // StopEnd, StopLength, StopCancelled or StopBroken
	Repeated        bool   // the engine could not compute it guessing ahead, and was asked again without; only a supervisor does that
}

// Why an answer stopped.
const (
	StopEnd       = "stop"      // the model ended it
	StopLength    = "length"    // MaxTokens, or the context is full
	StopCancelled = "cancelled" // whoever asked did not want more
	StopBroken    = "broken"    // the engine failed, or went away
)

// A Client talks to one engine process. It is safe for concurrent use.
type Client struct {
	base     string
	key      string
	http     *http.Client
	chat     openai.ChatCompletionService
	closed   context.Context
	close    context.CancelFunc
	requests atomic.Int64
	marker   atomic.Pointer[string] // the engine's media marker, nil until Props told it
	special  atomic.Pointer[int]    // tokens around every text, nil until they were counted
}

// New is a client for the engine at address, a unix socket's path or a base URL
// such as http://127.0.0.1:4711, that lets in who knows key.
func New(address, key string) *Client {
	c := &Client{base: address, key: key}
	// The engine drops a kept connection after some seconds, and a request sent
	// at that moment would fail; a new one costs less than 0.1 ms.
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	if !strings.HasPrefix(address, "http://") {
		c.base = "http://engine"
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", address)
		}
	}
	c.http = &http.Client{Transport: transport}
	// The service is made by itself, not through openai.NewClient: that one reads
	// keys and addresses from the environment.
	c.chat = openai.NewChatCompletionService(
		option.WithBaseURL(c.base+"/v1/"),
		option.WithAPIKey(key),
		option.WithHTTPClient(c.http),
		option.WithMaxRetries(0),
	)
	c.closed, c.close = context.WithCancel(context.Background())
	return c
}

// Close ends every request, which return as cancelled, and waits up to limit
// until the last one has. An engine that is told to end while a client is
// connected hangs.
func (c *Client) Close(limit time.Duration) {
	c.close()
	for end := time.Now().Add(limit); c.requests.Load() > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}

// begin is the context of one request: it ends with ctx and with Close.
func (c *Client) begin(ctx context.Context) (context.Context, func()) {
	c.requests.Add(1)
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(c.closed, cancel)
	return ctx, func() {
		unhook()
		cancel()
		c.requests.Add(-1)
	}
}
