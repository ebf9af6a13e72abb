package embed

import (
	"context"
	"errors"

	"paddock/engine/embed/chunk"
	"paddock/engine/embed/document"
)

// flushChunks is how many chunks are kept at a time while a file is cut. A file of
// fewer is kept at its end.
const flushChunks = 256

// cut has all files cut into chunks that the store doesn't have yet. The error is
// ctx's, the store's or the engine's that counts tokens; that of a file is in its state.
func (j *Job) cut(ctx context.Context) error {
	for at := range j.ids {
		if err := j.pass(ctx, false); err != nil {
			return err
		}
		err := j.cutFile(ctx, at)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
		case ofFile(err):
			if err := j.giveUp(at, err); err != nil {
				return err
			}
		default:
			return err
		}
	}
	return nil
}

// ofFile says whether an error of cutting is the file's, so that others may do. A
// file is never given up for what became of the engine or of the state.
func ofFile(err error) bool {
	var read *document.Error
	var cut *chunk.Error
	return errors.As(err, &read) || errors.As(err, &cut) || ofText(err)
}

// giveUp takes a file that can't be read out of the run.
func (j *Job) giveUp(at int, problem error) error {
	if err := j.store.giveUp(j.ids[at], problem); err != nil {
		return err
	}
	j.changeFile(at, func(s *State, f *FileState) {
		s.Chunks -= f.Chunks
		s.ChunksDone -= f.ChunksDone
		s.ChunksFailed -= f.ChunksFailed
		s.Tokens -= f.Tokens
		s.TokensDone -= f.tokensDone
		j.failedTokens -= f.tokensFailed
		f.Chunks, f.ChunksDone, f.ChunksFailed, f.Tokens, f.tokensDone, f.tokensFailed = 0, 0, 0, 0, 0, 0
		f.fail(s, problem)
	})
	return nil
}

// cutFile cuts a file, unless that was done before with the same content.
func (j *Job) cutFile(ctx context.Context, at int) error {
	j.changeFile(at, func(_ *State, f *FileState) { f.Phase = FileReading })
	id := j.ids[at]
	source, err := j.options.Cutter.Open(ctx, j.paths[at])
	if err != nil {
		return err
	}
	defer source.Close()
	before, cut, err := j.store.cutAlready(id, source.SHA256())
	if err != nil {
		return err
	}
	if cut {
		j.changeFile(at, func(s *State, f *FileState) {
			f.Chunks, f.ChunksDone, f.Tokens, f.tokensDone = before.chunks, before.done, before.tokens, before.doneTokens
			s.Chunks += before.chunks
			s.ChunksDone += before.done
			s.Tokens += before.tokens
			s.TokensDone += before.doneTokens
			for _, problem := range before.partial {
				f.problem(problem)
			}
			f.settle(s, FileKept)
		})
		j.stir()
		return nil
	}
	if err := j.store.begin(id, source.SHA256()); err != nil {
		return err
	}
	var chunks []Chunk
	var partial []error // the first, to be kept
	flush := func(last bool) error {
		if err := j.store.add(id, chunks, partial, last); err != nil {
			return err
		}
		tokens := 0
		for _, c := range chunks {
			tokens += c.Tokens
		}
		n := len(chunks)
		j.changeFile(at, func(s *State, f *FileState) {
			f.Chunks += n
			f.Tokens += tokens
			s.Chunks += n
			s.Tokens += tokens
			if last {
				f.settle(s, FileDone)
			}
		})
		chunks = chunks[:0]
		j.stir()
		return j.pass(ctx, false)
	}
	err = source.Cut(ctx, func(c Chunk) error {
		chunks = append(chunks, c)
		if len(chunks) < flushChunks {
			return nil
		}
		return flush(false)
	}, func(problem error) {
		if len(partial) < problemLimit {
			partial = append(partial, problem)
		}
		j.changeFile(at, func(_ *State, f *FileState) { f.problem(problem) })
	})
	if err != nil {
		return err
	}
	return flush(true)
}

// settle gives a file that is cut its phase: whole is that of one that is through.
func (f *FileState) settle(s *State, whole FilePhase) {
	f.Phase = FileEmbedding
	if f.ChunksDone+f.ChunksFailed == f.Chunks {
		f.Phase = whole
		s.FilesDone++
	}
}

// fail gives a file up that can't be read.
func (f *FileState) fail(s *State, problem error) {
	f.Phase, f.Err = FileFailed, problem
	s.FilesDone++
}

// stir tells that there may be chunks to take.
func (j *Job) stir() {
	select {
	case j.fresh <- struct{}{}:
	default:
	}
}
