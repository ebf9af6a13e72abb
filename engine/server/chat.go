package server

import (
	"context"
	"errors"
	"io/fs"
	"os"
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
	return answer, i.orEnd(err)
}

// Embed asks for vectors, as client.Embed does. When the engine ends under it, the
// error is its *Failure.
func (i *Instance) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := i.client.Embed(ctx, texts)
	return vectors, i.orEnd(err)
}

// EmbedRaw asks for vectors, as client.EmbedRaw does. Errors are those of Embed.
func (i *Instance) EmbedRaw(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := i.client.EmbedRaw(ctx, texts)
	return vectors, i.orEnd(err)
}

// CountTokens counts the tokens of texts, as client.CountTokens does. Errors are
// those of Embed.
func (i *Instance) CountTokens(ctx context.Context, texts []string) ([]int, error) {
	counts, err := i.client.CountTokens(ctx, texts)
	return counts, i.orEnd(err)
}

// Rerank asks for scores, as client.Rerank does. When the engine ends under it,
// the error is its *Failure.
func (i *Instance) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	scores, err := i.client.Rerank(ctx, query, texts)
	return scores, i.orEnd(err)
}

// endUnreachable ends an engine that runs and can't be reached any more, because its
// socket was deleted: only another start makes another.
func (i *Instance) endUnreachable() {
	if i.options.loopback || i.stopping.Load() {
		return
	}
	if _, err := os.Stat(i.place.socket); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	i.lost.Store(true)
	ctx, cancel := context.WithTimeout(context.Background(), discardTime)
	defer cancel()
	if i.process.end(ctx) {
		<-i.done
	}
}

// orEnd is why the engine has ended, where that is what broke a request off.
func (i *Instance) orEnd(err error) error {
	var failed *client.Error
	if !errors.As(err, &failed) || failed.Kind != client.Broken && failed.Kind != client.Unreachable {
		return err
	}
	select {
	case <-i.done:
	case <-time.After(brokenTime):
		i.endUnreachable()
	}
	if failure := i.Failure(); failure != nil {
		return failure
	}
	return err
}
