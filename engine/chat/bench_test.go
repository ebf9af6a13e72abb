package chat

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

// vocabulary is English-like: some words are everywhere, most are rare.
func vocabulary(r *rand.Rand) func() string {
	var words []string
	for range 20_000 {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			b.WriteByte("bcdfghklmnprstvwz"[r.IntN(17)])
			b.WriteByte("aeiou"[r.IntN(5)])
		}
		words = append(words, b.String())
	}
	zipf := rand.NewZipf(r, 1.1, 4, uint64(len(words)-1))
	return func() string { return words[zipf.Uint64()] }
}

// insertMany makes conversations with turns of so many words in one transaction.
func insertMany(b *testing.B, s *Store, conversations, turns, words int) (first ID) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	word := vocabulary(r)
	ctx := b.Context()
	err := s.write(ctx, func(c conn) error {
		for n := range conversations {
			d := draft{Conversation: Conversation{Created: time.Now(), Updated: time.Now()}}
			for i := range turns {
				var text []string
				for range words {
					text = append(text, word())
				}
				if n%1000 == 7 && i == 0 {
					text = append(text, "needleinhaystack", "日本語")
				}
				t := draftTurn{Turn: Turn{Role: []Role{User, Assistant}[i%2], Text: strings.Join(text, " ")}, id: fmt.Sprint(i)}
				if i > 0 {
					t.parent = fmt.Sprint(i - 1)
				}
				d.turns = append(d.turns, t)
			}
			id, err := s.insertDraft(ctx, c, d)
			if err != nil {
				return err
			}
			if n == 0 {
				first = id
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return first
}

func benchStore(b *testing.B) *Store {
	b.Helper()
	k := defaults()
	s, _, err := open(b.Context(), b.TempDir(), nil, k)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

// BenchmarkSearch searches 10,000 conversations as a query is typed.
func BenchmarkSearch(b *testing.B) {
	s := benchStore(b)
	begun := time.Now()
	insertMany(b, s, 10_000, 6, 60)
	info, err := os.Stat(s.path + "-wal")
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("filled in %v, %d MB of log", time.Since(begun).Round(time.Second), info.Size()>>20)
	for _, query := range []string{"n", "ne", "nee", "needle", "needleinhaystack", "日", "日本", "日本語", "ba", "bata", "bata kine", "ba ki ru", "zz", "qqqq", "x", "bababa", "bakirutano", "ba bakirutano ki zupale", "b", "a i u"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Search(b.Context(), query, 50); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Conversations(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			if damage, err := check(context.Background(), s.path); damage != "" || err != nil {
				b.Fatal(damage, err)
			}
		}
	})
	b.Run("backup", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			s.knobs.now = func() time.Time { return time.Now().Add(time.Duration(n) * 24 * time.Hour) }
			if err := s.backUp(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkPath reads a conversation of 5,000 messages.
func BenchmarkPath(b *testing.B) {
	s := benchStore(b)
	id := insertMany(b, s, 1, 5000, 100)
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			if path, err := s.Path(b.Context(), id); err != nil || len(path) != 5000 {
				b.Fatal(len(path), err)
			}
		}
	})
	b.Run("add", func(b *testing.B) {
		for b.Loop() {
			shown, err := s.Conversation(b.Context(), id)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := s.Add(b.Context(), Turn{Conversation: id, Parent: shown.Current, Role: User, Text: "another message"}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
