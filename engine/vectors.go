package engine

import (
	"context"
	"errors"

	"paddock/engine/server"
)

// Embed asks the loaded model for vectors, as client.Embed does. When the engine
// ends under it, the error is its *server.Failure and the state is Failed. Without
// a loaded model it is ErrNotReady.
func (s *Supervisor) Embed(ctx context.Context, texts []string) (vectors [][]float32, err error) {
	err = s.with(func(i *server.Instance) error {
		vectors, err = i.Embed(ctx, texts)
		return err
	})
	return vectors, err
}

// EmbedRaw is Embed as client.EmbedRaw does it: for vectors of any length.
func (s *Supervisor) EmbedRaw(ctx context.Context, texts []string) (vectors [][]float32, err error) {
	err = s.with(func(i *server.Instance) error {
		vectors, err = i.EmbedRaw(ctx, texts)
		return err
	})
	return vectors, err
}

// CountTokens counts the tokens of texts, as client.CountTokens does. Errors are
// those of Embed.
func (s *Supervisor) CountTokens(ctx context.Context, texts []string) (counts []int, err error) {
	err = s.with(func(i *server.Instance) error {
		counts, err = i.CountTokens(ctx, texts)
		return err
	})
	return counts, err
}

// Rerank asks the loaded model for scores, as client.Rerank does. Errors are those
// of Embed.
func (s *Supervisor) Rerank(ctx context.Context, query string, texts []string) (scores []float64, err error) {
	err = s.with(func(i *server.Instance) error {
		scores, err = i.Rerank(ctx, query, texts)
		return err
	})
	return scores, err
}

// with asks the loaded engine something and takes note when it ends under it.
func (s *Supervisor) with(ask func(*server.Instance) error) error {
	s.mu.Lock()
	instance := s.instance
	s.mu.Unlock()
	if instance == nil {
		return ErrNotReady
	}
	err := ask(instance)
	var failure *server.Failure
	if errors.As(err, &failure) {
		s.ended(instance, failure)
	}
	return err
}
