package chat

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"
)

func TestATurnKeepsAllOfItself(t *testing.T) {
	s := newStore(t)
	id := start(t, s)
	picture, err := s.PutPicture(t.Context(), []byte("one"))
	must(t, err)
	other, err := s.PutPicture(t.Context(), []byte("other"))
	must(t, err)
	said, err := s.Add(t.Context(), Turn{Conversation: id, Role: User, Text: "Look 👩‍👩‍👧 \x00 é", Pictures: []Hash{picture, other, picture}})
	must(t, err)
	answer, err := s.Add(t.Context(), Turn{
		Conversation: id, Parent: said.ID, Role: Assistant, Text: "Seen", Thought: "Hm", Thinking: 1500 * time.Millisecond,
		Numbers: Numbers{12.5, 200 * time.Millisecond, 100, 50, 20, 10}, End: Broken, Problem: "engine.crashed", Full: true, Model: "Guide",
		Created: time.UnixMilli(1_700_000_000_123),
	})
	must(t, err)
	if got := path(t, s, id); !reflect.DeepEqual(got, []Turn{said, answer}) {
		t.Errorf("\n got %+v\nwant %+v", got, []Turn{said, answer})
	}
}

func TestRegeneratingAndEditingMakeBranches(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	id := start(t, s)
	question := say(t, s, id, 0, User, "question")
	first := say(t, s, id, question, Assistant, "answer 1")
	follow := say(t, s, id, first, User, "follow-up")
	say(t, s, id, follow, Assistant, "answer to it")

	second := say(t, s, id, question, Assistant, "answer 2") // asked for again
	if got := texts(t, s, id); !slices.Equal(got, []string{"question", "answer 2"}) {
		t.Fatal(got)
	}
	if got := path(t, s, id)[1].Siblings; !slices.Equal(got, []ID{first, second}) {
		t.Fatalf("siblings %v", got)
	}
	must(t, s.Choose(ctx, first))
	if got := texts(t, s, id); !slices.Equal(got, []string{"question", "answer 1", "follow-up", "answer to it"}) {
		t.Fatal(got)
	}
	edited := say(t, s, id, first, User, "follow-up, edited")
	must(t, s.Choose(ctx, follow))
	must(t, s.Choose(ctx, second))
	must(t, s.Choose(ctx, first)) // with the version that was on view last, not the newest
	if got := texts(t, s, id); !slices.Equal(got, []string{"question", "answer 1", "follow-up", "answer to it"}) {
		t.Fatal(got)
	}
	if got := path(t, s, id)[2].Siblings; !slices.Equal(got, []ID{follow, edited}) {
		t.Fatalf("siblings %v", got)
	}
	other := say(t, s, id, 0, User, "question, edited")
	if got := path(t, s, id); len(got) != 1 || !slices.Equal(got[0].Siblings, []ID{question, other}) {
		t.Fatalf("%+v", got)
	}
}

// TestDeletedTurnsComeBack deletes turns of a tree with two answers, each with a
// follow-up.
func TestDeletedTurnsComeBack(t *testing.T) {
	cases := map[string]struct {
		delete, left, back string
	}{
		"the end of a branch":                      {"two's follow-up", "[question two]", "[question two two's follow-up]"},
		"an answer with another, and what follows": {"two", "[question one one's follow-up]", "[question two two's follow-up]"},
		"all":                {"question", "[]", "[question two two's follow-up]"},
		"what isn't on view": {"one", "[question two two's follow-up]", "[question one one's follow-up]"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			id := start(t, s)
			turns := map[string]ID{}
			add := func(parent, text string) { turns[text] = say(t, s, id, turns[parent], User, text) }
			add("", "question")
			add("question", "one")
			add("one", "one's follow-up")
			add("question", "two")
			add("two", "two's follow-up")
			must(t, s.DeleteTurn(t.Context(), turns[c.delete]))
			if got := fmt.Sprint(texts(t, s, id)); got != c.left {
				t.Fatalf("left %s, want %s", got, c.left)
			}
			must(t, s.UndeleteTurn(t.Context(), turns[c.delete]))
			if got := fmt.Sprint(texts(t, s, id)); got != c.back {
				t.Fatalf("back %s, want %s", got, c.back)
			}
		})
	}
}

func TestWhatWasDeletedBeforeStaysDeletedWhenItsParentComesBack(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	id := start(t, s)
	one := say(t, s, id, 0, User, "one")
	two := say(t, s, id, one, Assistant, "two")
	must(t, s.DeleteTurn(ctx, two))
	must(t, s.DeleteTurn(ctx, one))
	wantProblem(t, s.UndeleteTurn(ctx, two), Missing)
	must(t, s.UndeleteTurn(ctx, one))
	if got := texts(t, s, id); !slices.Equal(got, []string{"one"}) {
		t.Fatal(got)
	}
	must(t, s.UndeleteTurn(ctx, two))
	if got := texts(t, s, id); !slices.Equal(got, []string{"one", "two"}) {
		t.Fatal(got)
	}
}

func TestATurnComesBackWithTheConversationThatWasDeletedAfterIt(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	id := start(t, s)
	one := say(t, s, id, 0, User, "one")
	must(t, s.DeleteTurn(ctx, one))
	must(t, s.Delete(ctx, id))
	must(t, s.UndeleteTurn(ctx, one))
	if got := texts(t, s, id); !slices.Equal(got, []string{"one"}) {
		t.Errorf("back are %v", got)
	}
	if all, err := s.Conversations(ctx); err != nil || len(all) != 1 {
		t.Errorf("the conversations are %v, %v", all, err)
	}
}
