package engine

import (
	"context"

	"paddock/engine/client"
	"paddock/engine/server"
)

// Count is how many tokens the texts of a request are for the loaded model, as
// client.Count has it. Without a loaded model the error is ErrNotReady.
func (s *Supervisor) Count(ctx context.Context, r client.Request) (tokens int, err error) {
	err = s.with(func(i *server.Instance) error {
		tokens, err = i.Client().Count(ctx, r)
		return err
	})
	return tokens, err
}
