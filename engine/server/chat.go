package server

import (
	"context"
	"errors"
	"time"

	"paddock/engine/client"
)

// brokenTime is how long an engine may take to end after it has broken an answer
// off.
const brokenTime = time.Second

// Chat asks for an answer, as client.Chat does. When the engine ends under it, the
// error is its *Failure.
func (i *Instance) Chat(ctx context.Context, request client.Request, each func(client.Delta)) (client.Answer, error) {
	answer, err := i.client.Chat(ctx, request, each)
	var failed *client.Error
	if !errors.As(err, &failed) || failed.Kind != client.Broken && failed.Kind != client.Unreachable {
		return answer, err
	}
	select {
	case <-i.done:
	case <-time.After(brokenTime):
	}
	if failure := i.Failure(); failure != nil {
		return answer, failure
	}
	return answer, err
}
