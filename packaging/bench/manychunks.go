package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"time"

	"paddock/engine/embed"
)

// manyChunks is how many a run has whose memory is looked at.
const manyChunks = 100_000

// A heap is a file of chunks that exist only when they are asked for. It is its own
// embedder, one that takes next to no time.
type heap struct{}

func (heap) Open(context.Context, string) (embed.Source, error) { return heap{}, nil }

func (heap) SHA256() string { return "heap" }

func (heap) Close() {}

func (heap) Cut(_ context.Context, each func(embed.Chunk) error, _ func(error)) error {
	for i := range manyChunks {
		if err := each(embed.Chunk{Index: i, Tokens: 200, Text: fmt.Sprint(i, strings.Repeat(" a passage of some length", 40))}); err != nil {
			return err
		}
	}
	return nil
}

func (heap) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		seed := uint64(len(text))
		for _, c := range []byte(text[:min(len(text), 32)]) {
			seed = seed*31 + uint64(c)
		}
		random := rand.New(rand.NewPCG(seed, 1))
		vectors[i] = make([]float32, indexDimensions)
		for n := range vectors[i] {
			vectors[i][n] = float32(random.NormFloat64())
		}
	}
	return vectors, nil
}

// runs measures a run of many chunks without an engine: cutting, keeping and writing
// them, and what of it is in memory.
func runs(ctx context.Context) ([]row, error) {
	folder, err := os.MkdirTemp("", "pb")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	out := filepath.Join(folder, "out")
	start := time.Now()
	job := embed.Start(ctx, embed.Options{
		Files: []string{"heap"}, Cutter: heap{}, Embedder: heap{}, Settings: embed.Settings{Normalise: embed.L2}, Meta: embed.Meta{Chunker: "heap"},
		StatePath: embed.StatePath(out), Outputs: []embed.Output{{Format: embed.JSONL, Path: out + ".jsonl"}, {Format: embed.SQLite, Path: out + ".sqlite"}},
	})
	var highest uint64
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		job.Wait()
	}()
	for running := true; running; {
		select {
		case <-ended:
			running = false
		case <-time.After(50 * time.Millisecond):
		}
		inUse := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(inUse)
		highest = max(highest, inUse[0].Value.Uint64())
	}
	state, err := job.Wait()
	if err != nil {
		return nil, err
	}
	if state.ChunksDone != manyChunks {
		return nil, fmt.Errorf("%d of %d chunks embedded", state.ChunksDone, manyChunks)
	}
	took := time.Since(start)
	return []row{
		{"a run of 100,000 chunks, the engine left out", seconds(took), "<= 120 s", took <= 2*time.Minute},
		{"the same: live heap at its highest", fmt.Sprintf("%d MiB", highest>>20), "<= 64 MiB", highest <= 64<<20},
	}, nil
}
