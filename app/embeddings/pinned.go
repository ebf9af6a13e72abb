package embeddings

import (
	"context"
	"os"
	"time"

	"paddock/engine"
	"paddock/engine/embed"
)

// A pinned engine is of use only while it has the model that a run began with, and
// has it loaded the same way: vectors of two models can't be compared, and what
// another one counts are no tokens of this.
type pinned struct {
	Engine
	path, pooling string
}

func pin(e Engine, s engine.State) pinned {
	return pinned{Engine: e, path: s.Model.Path, pooling: poolingOf(s)}
}

// poolingOf is the pooling an engine was told, or what its model's file says.
func poolingOf(s engine.State) string {
	if s.Plan.Pooling != "" {
		return s.Plan.Pooling
	}
	return embed.SettingsOf(embed.FamilyOf(s.Model), s.Model).Pooling
}

// is says whether an engine that is ready has that model.
func (p pinned) is(s engine.State) bool {
	return s.Model.Path == p.path && poolingOf(s) == p.pooling
}

// check is the error of an answer that another model may have given.
func (p pinned) check(err error) error {
	if s := p.State(); err == nil && s.Phase == engine.Ready && !p.is(s) {
		return &embed.FileError{Problem: embed.ModelChanged, Path: s.Model.Path}
	}
	return err
}

// Embed asks the engine, and looks who answered.
func (p pinned) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := p.Engine.Embed(ctx, texts)
	return vectors, p.check(err)
}

// EmbedRaw does the same for vectors of any length.
func (p pinned) EmbedRaw(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := p.Engine.EmbedRaw(ctx, texts)
	return vectors, p.check(err)
}

// CountTokens does the same for numbers of tokens.
func (p pinned) CountTokens(ctx context.Context, texts []string) ([]int, error) {
	counts, err := p.Engine.CountTokens(ctx, texts)
	return counts, p.check(err)
}

// sums are the hashes of models, each worked out once as long as its file stays the
// same. Its methods are safe from any goroutine.
type sums struct {
	turn  chan struct{} // held by who reads or hashes: two never hash one file
	known map[string]sum
}

type sum struct {
	sizeBytes int64
	modTime   time.Time
	sha256    string
}

func newSums() *sums { return &sums{turn: make(chan struct{}, 1), known: map[string]sum{}} }

// of is the SHA-256 of a file. The error is ctx's or a *embed.FileError.
func (s *sums) of(ctx context.Context, path string) (string, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	info, err := os.Stat(path)
	if err == nil {
		if k := s.known[path]; k.sha256 != "" && k.sizeBytes == info.Size() && k.modTime.Equal(info.ModTime()) {
			return k.sha256, nil
		}
	}
	hash, hashErr := embed.HashFile(ctx, path)
	if hashErr == nil && err == nil {
		s.known[path] = sum{info.Size(), info.ModTime(), hash}
	}
	return hash, hashErr
}
