package engine

import (
	"context"

	"paddock/engine/client"
)

// Count is how many tokens the texts of a request are for the loaded model, as
// client.Count has it. Without a loaded model the error is ErrNotReady.
func (s *Supervisor) Count(ctx context.Context, r client.Request) (int, error) {
	s.mu.Lock()
	instance := s.instance
	s.mu.Unlock()
	if instance == nil {
		return 0, ErrNotReady
	}
	return instance.Client().Count(ctx, r)
}
