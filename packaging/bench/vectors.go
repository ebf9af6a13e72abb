package main

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"paddock/engine/build"
	"paddock/engine/client"
	"paddock/engine/embed"
	"paddock/engine/embed/chunk"
	"paddock/engine/gguf"
	"paddock/engine/plan"
	"paddock/engine/server"
)

// What is embedded: files whose chunks are of a usual size.
const (
	textFiles    = 8
	fileWords    = 3000
	chunkTokens  = 256
	embedRounds  = 3
	vectorsJudge = 100 // chunks a second of the fastest model a person runs on a processor
)

// What is searched.
const (
	indexRows       = 100_000
	indexDimensions = 384
	searches        = 25
)

// embeddings measures files turned into vectors, read, cut, counted, embedded and
// written, against the same chunks handed to the engine as it takes them fastest.
func embeddings(ctx context.Context, enginePath, modelPath string) ([]row, error) {
	b := build.Identify(ctx, enginePath, build.Bundled)
	if err := b.Err(); err != nil {
		return nil, err
	}
	facts, err := gguf.Read(modelPath)
	if err != nil {
		return nil, err
	}
	strategy := chunk.Strategy{Method: chunk.Tokens, Tokens: chunkTokens}
	family := embed.FamilyOf(facts)
	settings := embed.SettingsOf(family, facts)
	p, _ := plan.Complete(embed.PlanFor(facts, family, embed.LargestTokens(strategy, len(settings.Prefix)), 1), plan.Given{Model: facts})
	folder, err := os.MkdirTemp("", "pb")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	files, err := writeTexts(folder)
	if err != nil {
		return nil, err
	}
	engine, err := server.Start(ctx, server.Options{Build: b, Plan: p, RuntimeDir: filepath.Join(folder, "r"), LogDir: folder})
	if err != nil {
		return nil, err
	}
	defer engine.Stop(context.WithoutCancel(ctx))

	cutter := embed.Documents{Strategy: strategy, Prefix: settings.Prefix, Limit: embed.ChunkLimit(p, facts), Tokenizer: engine}
	texts, err := cutAll(ctx, cutter, files)
	if err != nil {
		return nil, err
	}
	var app, bare []float64
	for i := range embedRounds {
		out := filepath.Join(folder, fmt.Sprint(i, ".sqlite"))
		start := time.Now()
		state, err := embed.Start(ctx, embed.Options{
			Files: files, Cutter: cutter, Embedder: engine, Settings: settings,
			StatePath: embed.StatePath(out), Outputs: []embed.Output{{Format: embed.SQLite, Path: out}},
		}).Wait()
		if err != nil {
			return nil, err
		}
		if state.ChunksDone != len(texts) {
			return nil, fmt.Errorf("%d of %d chunks embedded", state.ChunksDone, len(texts))
		}
		app = append(app, float64(len(texts))/time.Since(start).Seconds())
		best, err := fastest(ctx, engine.Client(), texts)
		if err != nil {
			return nil, err
		}
		bare = append(bare, best)
	}
	same := func(x float64) float64 { return x }
	ours, theirs := median(app, same), median(bare, same)
	return []row{{
		fmt.Sprintf("chunks/s from files to vectors, of the bare engine's (%d chunks)", len(texts)),
		fmt.Sprintf("%.3f (%.0f of %.0f)", ours/theirs, ours, theirs),
		fmt.Sprintf(">= 0.95 below %d chunks/s", vectorsJudge), ours/theirs >= 0.95 || theirs > vectorsJudge,
	}}, nil
}

// fastest is how many texts a second the engine takes, by the best of several ways
// to hand them over.
func fastest(ctx context.Context, c *client.Client, texts []string) (best float64, err error) {
	for _, way := range []struct{ inFlight, texts int }{{1, 1}, {2, 1}, {4, 1}, {2, 8}} {
		start := time.Now()
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(way.inFlight)
		for at := 0; at < len(texts); at += way.texts {
			group.Go(func() error {
				_, err := c.Embed(ctx, texts[at:min(at+way.texts, len(texts))])
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return 0, err
		}
		best = max(best, float64(len(texts))/time.Since(start).Seconds())
	}
	return best, nil
}

// writeTexts writes files of words, in paragraphs.
func writeTexts(folder string) ([]string, error) {
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the sea is deep and cold hello there a letter about apples in october who keeps the wall in repair")
	var files []string
	for f := range textFiles {
		var text strings.Builder
		for i := range fileWords {
			text.WriteString(words[random.IntN(len(words))])
			if text.WriteByte(' '); i%60 == 59 {
				text.WriteString("\n\n")
			}
		}
		files = append(files, filepath.Join(folder, fmt.Sprintf("%d.txt", f)))
		if err := os.WriteFile(files[f], []byte(text.String()), 0o644); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// cutAll are the inputs for all chunks of files.
func cutAll(ctx context.Context, cutter embed.Documents, files []string) (texts []string, err error) {
	for _, file := range files {
		source, err := cutter.Open(ctx, file)
		if err != nil {
			return nil, err
		}
		err = source.Cut(ctx, func(c embed.Chunk) error {
			texts = append(texts, cutter.Prefix+c.Text)
			return nil
		}, func(error) {})
		source.Close()
		if err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// search measures a search among many vectors, the passages read.
func search(ctx context.Context) ([]row, error) {
	folder, err := os.MkdirTemp("", "pb")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "index.sqlite")
	random := rand.New(rand.NewPCG(3, 4))
	vector := func() []float32 {
		v := make([]float32, indexDimensions)
		for i := range v {
			v[i] = float32(random.NormFloat64())
		}
		return v
	}
	rows := func(ctx context.Context, each func(embed.Row) error) error {
		for i := range indexRows {
			err := each(embed.Row{
				Path: fmt.Sprintf("file %d", i/1000), Vector: vector(),
				Chunk: embed.Chunk{Index: i % 1000, Tokens: 200, Text: strings.Repeat("a passage of some length ", 40)},
			})
			if err != nil {
				return err
			}
		}
		return ctx.Err()
	}
	meta := embed.Meta{Dimensions: indexDimensions, Normalise: embed.L2}
	start := time.Now()
	if _, err := (embed.Output{Format: embed.SQLite, Path: path}).Write(ctx, meta, indexRows, rows); err != nil {
		return nil, err
	}
	written := time.Since(start)
	index, err := embed.OpenIndex(path)
	if err != nil {
		return nil, err
	}
	defer index.Close()
	var took []time.Duration
	for range searches {
		query := embed.Query{Vector: vector(), Top: 10}
		start := time.Now()
		hits, err := index.Search(ctx, query)
		if err != nil {
			return nil, err
		}
		if len(hits) != 10 {
			return nil, sql.ErrNoRows
		}
		took = append(took, time.Since(start))
	}
	ms := median(took, func(d time.Duration) float64 { return d.Seconds() * 1000 })
	start = time.Now()
	if _, _, err := index.Map(ctx); err != nil {
		return nil, err
	}
	mapped := time.Since(start)
	return []row{
		{"a search among 100,000 vectors of 384", fmt.Sprintf("%.0f ms", ms), "<= 100 ms", ms <= 100},
		{"their map", seconds(mapped), "<= 10 s", mapped <= 10*time.Second},
		{"writing them", seconds(written), "<= 30 s", written <= 30*time.Second},
	}, nil
}
