package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	kept "paddock/engine/chat"
)

const (
	conversations = 10_000
	messages      = 5000
)

// store measures the conversations that are kept: a search as it is typed in
// 10,000 of them, and reading one of 5,000 messages.
func store(ctx context.Context) ([]row, error) {
	dir, err := os.MkdirTemp("", "pb")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s, err := fill(ctx, filepath.Join(dir, "many"), conversations, 6)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var slowest time.Duration
	var typed string
	for _, query := range []string{"k", "ki", "kit", "kitab", "kitabane", "ba ki", "bababa", "日", "日本", "日本語", "zq", "nowhere"} {
		took, err := middle(5, func() error {
			_, err := s.Search(ctx, query, 50)
			return err
		})
		if err != nil {
			return nil, err
		}
		if took > slowest {
			slowest, typed = took, query
		}
	}
	start := time.Now()
	again, _, err := kept.Open(ctx, filepath.Join(dir, "many"), nil)
	if err != nil {
		return nil, err
	}
	opened := time.Since(start)
	again.Close()

	long, err := fill(ctx, filepath.Join(dir, "long"), 1, messages)
	if err != nil {
		return nil, err
	}
	defer long.Close()
	all, err := long.Conversations(ctx)
	if err != nil {
		return nil, err
	}
	read, err := middle(5, func() error {
		path, err := long.Path(ctx, all[0].ID)
		if err == nil && len(path) != messages {
			err = fmt.Errorf("%d messages read", len(path))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return []row{
		{fmt.Sprintf("10,000 conversations searched, the slowest of 12 (%s)", typed), milliseconds(slowest), "<= 50 ms", slowest <= 50*time.Millisecond},
		{"10,000 conversations opened and checked", seconds(opened), "", true},
		{"a conversation of 5,000 messages read", milliseconds(read), "<= 300 ms", read <= 300*time.Millisecond},
	}, nil
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

// middle is the middle one of so many times: what else the machine does is not
// what is measured.
func middle(times int, f func() error) (time.Duration, error) {
	var took []time.Duration
	for range times {
		start := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return took[times/2], nil
}

// fill makes a store with conversations of so many messages of 60 words.
func fill(ctx context.Context, folder string, conversations, messages int) (*kept.Store, error) {
	s, _, err := kept.Open(ctx, folder, nil)
	if err != nil {
		return nil, err
	}
	if _, err := s.Import(ctx, bytes.NewReader(chats(conversations, messages)), nil); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// chats are conversations as a file to import. Their words are made up; as in a
// language, a few of them are everywhere and most are rare.
func chats(conversations, messages int) []byte {
	type turn struct {
		ID     int    `json:"id"`
		Parent int    `json:"parent,omitempty"`
		Role   string `json:"role"`
		Text   string `json:"text"`
	}
	type conversation struct {
		Turns []turn `json:"turns"`
	}
	r := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 20_000)
	for i := range words {
		for range 1 + r.IntN(4) {
			words[i] += string("bcdfghklmnprstvwz"[r.IntN(17)]) + string("aeiou"[r.IntN(5)])
		}
	}
	often := rand.NewZipf(r, 1.1, 4, uint64(len(words)-1))
	all := make([]conversation, conversations)
	for i := range all {
		for n := range messages {
			text := make([]string, 60)
			for w := range text {
				text[w] = words[often.Uint64()]
			}
			if n == 0 && i%1000 == 7 {
				text = append(text, "日本語")
			}
			role := "user"
			if n%2 == 1 {
				role = "assistant"
			}
			all[i].Turns = append(all[i].Turns, turn{ID: n + 1, Parent: n, Role: role, Text: strings.Join(text, " ")})
		}
	}
	file, err := json.Marshal(map[string]any{"format": "paddock.chat", "version": 1, "conversations": all})
	if err != nil {
		panic(err) // of plain values
	}
	return file
}
