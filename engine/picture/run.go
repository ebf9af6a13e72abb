package picture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// timeLimit is how long one picture may take, waiting for others not counted. The
// largest ones take seconds; a file made to keep a decoder busy must not for ever.
const timeLimit = 3 * time.Minute

var errSlow = errors.New("decoding took too long")

// memory is handed out to the pictures that are being decoded.
var memory = semaphore.NewWeighted(MaxDecodeBytes)

// largeBytes is from where on memory goes back to the system at once: models want
// it. What is less is soon used again.
const largeBytes = 96 << 20

// run opens a picture and works on it in a goroutine that is left behind when ctx
// ends: decoders stop at their next read then, but what they do between reads can't
// be interrupted.
func run[T any](ctx context.Context, source Source, work func(*file) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil { // a decoder's
				o = outcome{err: &Error{Problem: Broken, Path: source.Path, Err: fmt.Errorf("panic: %v", p)}}
			}
			done <- o
		}()
		var f *file
		if f, o.err = open(ctx, cancel, source); o.err != nil {
			return
		}
		defer f.Close()
		o.value, o.err = work(f)
	}()
	var o outcome
	select {
	case o = <-done:
	case <-ctx.Done():
	}
	var none T
	switch cause := context.Cause(ctx); {
	case cause == nil && o.err == nil:
		return o.value, nil
	case cause == nil:
		return none, o.err
	case errors.Is(cause, errSlow):
		return none, &Error{Problem: Broken, Path: source.Path, Err: errSlow}
	}
	return none, ctx.Err()
}

// reserve waits until bytes of memory may be used for decoding, and starts the
// time that may take. free gives them back; when the time is over they count as
// free, so that a decoder that hangs does not stop all others.
func (f *file) reserve(bytes uint64) (free func(), err error) {
	if err := memory.Acquire(f.ctx, int64(bytes)); err != nil {
		return nil, err
	}
	release := sync.OnceFunc(func() { memory.Release(int64(bytes)) })
	timer := time.AfterFunc(timeLimit, func() {
		f.cancel(errSlow)
		release()
	})
	return func() {
		timer.Stop()
		if bytes > largeBytes {
			debug.FreeOSMemory()
		}
		release()
	}, nil
}

// A bounded reader is what of a file decoders get to read: until ctx ends.
type bounded struct {
	ctx context.Context
	*io.SectionReader
}

func (b bounded) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.SectionReader.Read(p)
}

func (b bounded) ReadAt(p []byte, offset int64) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.SectionReader.ReadAt(p, offset)
}
