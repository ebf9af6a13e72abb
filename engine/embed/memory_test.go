package embed

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"
)

// manyTexts is a file of long chunks that exist only when they are asked for.
type manyTexts struct{ chunks int }

func (m manyTexts) Open(context.Context, string) (Source, error) { return m, nil }

func (m manyTexts) SHA256() string { return fmt.Sprint(m.chunks) }

func (m manyTexts) Close() {}

func (m manyTexts) Cut(_ context.Context, each func(Chunk) error, _ func(error)) error {
	for i := range m.chunks {
		if err := each(Chunk{Index: i, Tokens: 700, Text: fmt.Sprint(i, strings.Repeat(" text", 8000))}); err != nil {
			return err
		}
	}
	return nil
}

// TestMemoryStaysTheSameHoweverManyChunks looks at what is still in use while chunks
// of 40 kB are embedded and written.
func TestMemoryStaysTheSameHoweverManyChunks(t *testing.T) {
	peak := func(chunks int) uint64 {
		o := optionsFor(t.TempDir(), []string{"many"})
		o.Cutter, o.Embedder, o.Outputs = manyTexts{chunks}, silent{}, o.Outputs[:4]
		stop, highest := make(chan struct{}), make(chan uint64)
		go func() {
			var most uint64
			for {
				runtime.GC()
				// What the collector found in use: not what was allocated since.
				live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
				metrics.Read(live)
				most = max(most, live[0].Value.Uint64())
				select {
				case <-stop:
					highest <- most
					return
				case <-time.After(5 * time.Millisecond):
				}
			}
		}()
		if s := finish(t, Start(t.Context(), o)); s.ChunksDone != chunks {
			t.Errorf("%d chunks of %d", s.ChunksDone, chunks)
		}
		close(stop)
		return <-highest
	}
	const few, many = 900, 2700
	// A group of Parquet is in memory several times while it is written. The texts of
	// the many are 70 MiB more than those of the few.
	const allowed = 3 * groupBytes
	first, second := peak(few), peak(many)
	t.Logf("%d MiB with %d chunks, %d MiB with %d", first>>20, few, second>>20, many)
	if second > first+allowed {
		t.Errorf("%d MiB with %d chunks, %d MiB with %d", first>>20, few, second>>20, many)
	}
}
