package chat

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"paddock/app/apptest"
	store "paddock/engine/chat"
)

// long makes a conversation of that many turns and gives its ID.
func long(tb testing.TB, folder string, turns int) store.ID {
	tb.Helper()
	s, _, err := store.Open(tb.Context(), folder, nil)
	if err != nil {
		tb.Fatal(err)
	}
	defer s.Close()
	var file strings.Builder
	file.WriteString(`{"conv":{"id":"c","name":"long","lastModified":1700000000000,"currNode":"` + fmt.Sprint(turns-1) + `"},"messages":[`)
	for i := range turns {
		fmt.Fprintf(&file, `{"id":"%d","convId":"c","type":"text","role":"%s","content":"%s","parent":"%d","children":[],"timestamp":1700000000000},`,
			i, []string{"user", "assistant"}[i%2], strings.Repeat("Some words of an answer. ", 20), i-1)
	}
	imported, err := s.Import(tb.Context(), strings.NewReader(strings.TrimSuffix(file.String(), ",")+"]}"), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return imported.Conversations[0]
}

// BenchmarkOpenLongChat puts a conversation of 5,000 messages on view.
func BenchmarkOpenLongChat(b *testing.B) {
	folder := b.TempDir()
	id := int(long(b, folder, 5000))
	r := newReal(&scriptedEngine{Watched: apptest.NewWatched(ready)}, folder)
	defer r.close()
	r.until(func(s State) bool { return len(s.Conversations) == 1 })
	for b.Loop() {
		r.do(func() { r.p.Select(id) })
		for len(r.state().Turns) != 5000 {
			time.Sleep(100 * time.Microsecond)
		}
		b.StopTimer()
		r.do(func() { r.p.New() })
		b.StartTimer()
	}
}

// BenchmarkAnswers gets a thousand answers, ten in a conversation, and says how much
// memory is kept of them.
func BenchmarkAnswers(b *testing.B) {
	e := &scriptedEngine{Watched: apptest.NewWatched(ready), answer: breaks(strings.Repeat("word ", 20), nil)}
	r := newReal(e, b.TempDir())
	defer r.close()
	r.until(func(s State) bool { return !s.Opening })
	before := heapBytes()
	for b.Loop() {
		for i := range 1000 {
			if i%10 == 0 {
				r.do(func() { r.p.New() })
			}
			r.send("hello")
			r.until(func(s State) bool { return s.Answer == nil && !s.Sending && len(s.Turns) == 2*(i%10+1) })
			e.mu.Lock()
			e.requests = nil
			e.mu.Unlock()
		}
	}
	r.do(func() { r.p.New() })
	b.ReportMetric(float64(heapBytes()-before)/(1<<20), "MiB-kept")
}

func heapBytes() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkState makes the state of a conversation of 5,000 messages, as is done
// thirty times a second while an answer is written.
func BenchmarkState(b *testing.B) {
	folder := b.TempDir()
	id := int(long(b, folder, 5000))
	r := newReal(&scriptedEngine{Watched: apptest.NewWatched(ready)}, folder)
	defer r.close()
	r.until(func(s State) bool { return len(s.Conversations) == 1 })
	r.do(func() { r.p.Select(id) })
	r.until(func(s State) bool { return len(s.Turns) == 5000 })
	for b.Loop() {
		r.state()
	}
}
