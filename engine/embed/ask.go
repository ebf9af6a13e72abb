package embed

import (
	"cmp"
	"context"
	"errors"
	"time"

	"paddock/engine/client"
)

// How many texts a request has: few where each takes long, so that progress is seen
// and a pause comes soon, many where they take next to nothing.
const (
	firstBatch = 4
	mostBatch  = 64
	batchTime  = 500 * time.Millisecond
)

// takeChunks is how many chunks are in memory besides those under way.
const takeChunks = 128

// deal takes chunks from the store and makes requests of them, until no more will
// come.
func (j *Job) deal(ctx context.Context, batches chan<- []waiting) error {
	var queue []waiting
	for {
		size := int(j.batch.Load())
		if len(queue) < size {
			finished := isClosed(j.cutAll) // looked at first: what was cut before is taken now
			more, err := j.store.take(ctx, takeChunks)
			if err != nil {
				return cmp.Or(ctx.Err(), err)
			}
			queue = append(queue, more...)
			if len(queue) == 0 {
				if finished {
					return nil
				}
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-j.fresh:
				case <-j.cutAll:
				}
				continue
			}
		}
		if err := j.pass(ctx, true); err != nil {
			return err
		}
		n := min(size, len(queue))
		select {
		case <-ctx.Done():
			j.leave()
			return ctx.Err()
		case batches <- queue[:n:n]:
			queue = queue[n:]
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// embed gets and keeps the vectors of chunks. The error ends the job.
func (j *Job) embed(ctx context.Context, batch []waiting) error {
	defer j.leave()
	j.change(func(s *State) {
		for _, c := range batch {
			s.Files[j.at[fileOf(c.seq)]].Begun = true
		}
	})
	start := time.Now()
	vectors, err := j.vectors(ctx, batch)
	var problems []error
	switch {
	case err == nil:
		j.adapt(len(batch), time.Since(start))
		problems = make([]error, len(batch))
	case len(batch) > 1 && ofText(err):
		// One of them is at fault: each by itself.
		for i := range batch {
			j.mu.Lock()
			j.asking++
			j.mu.Unlock()
			if err := j.embed(ctx, batch[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	case ofText(err):
		vectors, problems = make([][]float32, 1), []error{err}
	default:
		return cmp.Or(ctx.Err(), err)
	}
	alarms := j.inspect(batch, vectors, problems)
	for i, v := range vectors {
		if v != nil {
			vectors[i] = j.options.Settings.shape(v)
		}
	}
	if err := j.store.keep(batch, vectors, problems); err != nil {
		return err
	}
	j.account(batch, problems, alarms)
	return nil
}

// vectors asks for those of chunks, one for each.
func (j *Job) vectors(ctx context.Context, batch []waiting) ([][]float32, error) {
	texts := make([]string, len(batch))
	for i, c := range batch {
		texts[i] = j.options.Settings.Prefix + c.Text
	}
	vectors, err := j.options.Settings.ask(ctx, j.options.Embedder, texts)
	if err == nil && len(vectors) != len(batch) {
		err = &VectorError{Problem: Missing}
	}
	return vectors, err
}

// ofText says whether an error is about what was asked, so that other texts may
// do: not about an engine that has ended.
func ofText(err error) bool {
	var vector *VectorError
	var answer *client.Error
	switch {
	case errors.As(err, &vector):
		return true
	case errors.As(err, &answer):
		switch answer.Kind {
		case client.TextTooLong, client.BadRequest, client.EngineFailed, client.NoVectors, client.ContextExceeded:
			return true
		}
	}
	return false
}

// adapt makes requests larger or smaller, by how long one of so many texts took.
func (j *Job) adapt(texts int, took time.Duration) {
	size := j.batch.Load()
	switch {
	case int64(texts) == size && took < batchTime/2:
		j.batch.CompareAndSwap(size, min(2*size, mostBatch))
	case took > 2*batchTime:
		j.batch.CompareAndSwap(size, max(size/2, 1))
	}
}

// inspect looks at vectors, and takes those away that are none.
func (j *Job) inspect(batch []waiting, vectors [][]float32, problems []error) (alarms []*VectorError) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i, v := range vectors {
		if problems[i] != nil {
			continue
		}
		path := j.paths[j.at[fileOf(batch[i].seq)]]
		if problem := problemOf(v, j.width); problem != "" {
			alarm := &VectorError{Problem: problem, Path: path, Chunk: batch[i].Index, Size: len(v), Want: j.width}
			alarms, problems[i], vectors[i] = append(alarms, alarm), alarm, nil
			continue
		}
		if alarm := j.lookout.see(path, batch[i].Chunk, v); alarm != nil {
			alarms = append(alarms, alarm)
		}
	}
	return alarms
}

// account takes note of chunks that are through.
func (j *Job) account(batch []waiting, problems []error, alarms []*VectorError) {
	j.change(func(s *State) {
		for i, c := range batch {
			f := &s.Files[j.at[fileOf(c.seq)]]
			if f.Phase == FileFailed {
				continue // it was given up meanwhile
			}
			if err := problems[i]; err != nil {
				f.ChunksFailed++
				s.ChunksFailed++
				j.failedTokens += c.Tokens
				f.tokensFailed += c.Tokens
				f.problem(&ChunkError{Path: f.Path, Chunk: c.Index, Err: err})
			} else {
				f.ChunksDone++
				s.ChunksDone++
				s.TokensDone += c.Tokens
				f.tokensDone += c.Tokens
				j.ownTokens += c.Tokens
			}
			if f.Phase == FileEmbedding {
				f.settle(s, FileDone)
			}
		}
		s.AlarmCount += len(alarms)
		s.Alarms = append(s.Alarms[:len(s.Alarms):len(s.Alarms)], alarms[:min(len(alarms), problemLimit-len(s.Alarms))]...)
	})
}
