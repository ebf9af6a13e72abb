package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"
)

// An ErrorKind says what an engine did not do, and why.
type ErrorKind string

// The kinds of error.
const (
	Unreachable     ErrorKind = "unreachable"     // nothing answers at the address
	StillLoading    ErrorKind = "loading"         // the model is not loaded yet
	ContextExceeded ErrorKind = "contextExceeded" // the conversation is longer than the context
	NotSupported    ErrorKind = "notSupported"    // the engine was not started for this
	Unauthorized    ErrorKind = "unauthorized"    // another engine, or a wrong key
	BadRequest      ErrorKind = "badRequest"      // the engine refuses the request
	EngineFailed    ErrorKind = "engineFailed"    // the engine reports an error of its own
	Broken          ErrorKind = "broken"          // the answer ended before its end
	Unintelligible  ErrorKind = "unintelligible"  // what came back is no answer of an engine
	TextTooLong     ErrorKind = "textTooLong"     // a text to embed or to rank is longer than the context
	NoVectors       ErrorKind = "noVectors"       // not one vector or score of numbers for each text
)

// An Error is a request that failed.
type Error struct {
	Kind          ErrorKind
	Status        int    // of HTTP, 0 when there was none
	Message       string // the engine's own words, may be empty
	PromptTokens  int    // of ContextExceeded and TextTooLong
	ContextTokens int    // of ContextExceeded and TextTooLong
	Err           error
}

func (e *Error) Error() string {
	text := "engine request: " + string(e.Kind)
	if e.Status != 0 {
		text += fmt.Sprintf(" (%d)", e.Status)
	}
	if e.Message != "" {
		return text + ": " + e.Message
	}
	if e.Err != nil {
		return text + ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// errorObject is llama-server's, in a body with an error status and inside a
// stream that began with 200.
type errorObject struct {
	Code          json.RawMessage `json:"code"` // a number, in some builds a word
	Message       string          `json:"message"`
	Type          string          `json:"type"`
	PromptTokens  int             `json:"n_prompt_tokens"`
	ContextTokens int             `json:"n_ctx"`
}

// newError makes an Error of an error object. status is 0 inside a stream.
func newError(status int, object []byte, err error) *Error {
	var o errorObject
	if json.Unmarshal(object, &o) != nil {
		// A proxy's page, or an error that is a mere string.
		o.Message = string(object)
	}
	if status == 0 {
		_ = json.Unmarshal(o.Code, &status)
	}
	return &Error{
		Kind: kindOf(status, o.Type), Status: status, Message: o.Message,
		PromptTokens: o.PromptTokens, ContextTokens: o.ContextTokens, Err: err,
	}
}

func kindOf(status int, kind string) ErrorKind {
	switch {
	case kind == "exceed_context_size_error":
		return ContextExceeded
	case status == http.StatusServiceUnavailable:
		return StillLoading
	case status == http.StatusNotImplemented:
		return NotSupported
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return Unauthorized
	case status >= 400 && status < 500:
		return BadRequest
	}
	return EngineFailed
}

// refused is the Error of a request that brought no answer.
func refused(err error, response *http.Response) *Error {
	var api *openai.Error
	switch {
	case errors.As(err, &api):
		return newError(api.StatusCode, []byte(api.RawJSON()), nil)
	case response != nil && response.StatusCode >= 400:
		return newError(response.StatusCode, nil, err)
	case response != nil:
		return &Error{Kind: Unintelligible, Status: response.StatusCode, Err: err}
	}
	return &Error{Kind: Unreachable, Err: err}
}

// interrupted is the Error of a stream that did not come to its end. err is nil
// when it just stopped.
func interrupted(err error) *Error {
	var inStream *ssestream.StreamError
	if errors.As(err, &inStream) {
		var event struct{ Error json.RawMessage }
		_ = json.Unmarshal(inStream.Event.Data, &event)
		return newError(0, event.Error, nil)
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return &Error{Kind: Unintelligible, Err: err}
	}
	return &Error{Kind: Broken, Err: err}
}
