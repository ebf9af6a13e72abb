package chat

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
)

const (
	addedBy   = 15
	addConvos = 3
)

// insist does something until the others leave the time for it.
func insist(f func() error) {
	for {
		err := f()
		if err == nil {
			return
		}
		if !hasProblem(err, Busy) {
			panic(err)
		}
	}
}

// addMany is a process that adds conversations.
func addMany(folder string) {
	ctx := context.Background()
	var s *Store
	insist(func() (err error) {
		s, _, err = open(ctx, folder, nil, quick())
		return err
	})
	for range addConvos {
		var c Conversation
		insist(func() (err error) {
			c, err = s.Start(ctx, "")
			return err
		})
		var parent ID
		for n := range addedBy {
			insist(func() error {
				turn, err := s.Add(ctx, Turn{Conversation: c.ID, Parent: parent, Role: User, Text: fmt.Sprint("turn ", n)})
				if err == nil {
					parent = turn.ID
				}
				return err
			})
		}
	}
	insist(s.Close)
	fmt.Println("done")
}

func TestTwoProcessesAndTwoStoresShareAFolder(t *testing.T) {
	folder := t.TempDir()
	var here sync.WaitGroup
	var writers []*Writer
	for range 2 {
		s, _ := openStore(t, folder, quick())
		writers = append(writers, begin(t, s))
	}
	_, one := run(t, "add", folder)
	_, two := run(t, "add", folder)
	for _, w := range writers {
		here.Go(func() {
			for range 200 {
				w.Append("word ", "", 0)
			}
			insist(func() error { return w.Finish(context.Background(), Outcome{}) })
		})
	}
	for _, lines := range []interface {
		Scan() bool
		Text() string
	}{one, two} {
		if !lines.Scan() || lines.Text() != "done" {
			t.Fatal("a process has failed")
		}
	}
	here.Wait()
	s, opened := openStore(t, folder, quick())
	if opened != (Opened{}) {
		t.Errorf("opened with %+v", opened)
	}
	all, err := s.Conversations(t.Context())
	must(t, err)
	if len(all) != 2*addConvos+2 {
		t.Fatalf("%d conversations", len(all))
	}
	for _, c := range all {
		turns := path(t, s, c.ID)
		if c.Title == "question" && turns[1].Text != strings.Repeat("word ", 200) {
			t.Errorf("an answer of %d bytes", len(turns[1].Text))
		}
		if c.Title != "question" && len(turns) != addedBy {
			t.Errorf("%d turns", len(turns))
		}
	}
}

func TestAllMethodsAtOnce(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	id := start(t, s)
	root := say(t, s, id, 0, User, "hello there")
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for range 10 {
				turn, err := s.Add(ctx, Turn{Conversation: id, Parent: root, Role: Assistant, Text: fmt.Sprint("answer ", n)})
				if err != nil {
					t.Error(err)
					return
				}
				for _, err := range []error{
					s.Choose(ctx, turn.ID), s.Pin(ctx, id, n%2 == 0), s.SetDraft(ctx, id, "d"), s.DeleteTurn(ctx, turn.ID), s.UndeleteTurn(ctx, turn.ID),
				} {
					if err != nil {
						t.Error(err)
					}
				}
				if _, err := s.Search(ctx, "he", 5); err != nil {
					t.Error(err)
				}
				if _, err := s.Path(ctx, id); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := len(path(t, s, id)[1].Siblings); got != 40 {
		t.Errorf("%d versions", got)
	}
}
