package chat

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

// withoutIDs is a path as it is in every store that has the same conversation.
func withoutIDs(turns []Turn) []Turn {
	var all []Turn
	for _, t := range turns {
		t.ID, t.Parent, t.Conversation = 0, 0, 0
		t.Siblings = make([]ID, len(t.Siblings))
		all = append(all, t)
	}
	return all
}

// exportable makes a conversation with all there is.
func exportable(t *testing.T, s *Store) ID {
	t.Helper()
	c, err := s.Start(t.Context(), `{"system": "Be <kind>"}`)
	must(t, err)
	picture, err := s.PutPicture(t.Context(), []byte("\x89PNG picture"))
	must(t, err)
	add := func(turn Turn) ID {
		turn.Conversation = c.ID
		turn, err := s.Add(t.Context(), turn)
		must(t, err)
		return turn.ID
	}
	question := add(Turn{Role: User, Text: "What is <this> & that?", Pictures: []Hash{picture, picture}})
	first := add(Turn{Parent: question, Role: Assistant, Text: "One", End: Stopped})
	add(Turn{Parent: first, Role: User, Text: "Follow-up"})
	add(Turn{Parent: question, Role: Assistant, Text: "Two\n\n```go\nx\n```", Thought: "Let me\nsee", Thinking: 2500 * time.Millisecond, Model: "Guide",
		Numbers: Numbers{12.5, 250 * time.Millisecond, 10, 20, 5, 3}})
	must(t, s.Choose(t.Context(), first))
	return c.ID
}

func TestAnExportedConversationIsImportedAsItWas(t *testing.T) {
	s, other := newStore(t), newStore(t)
	ctx := t.Context()
	id := exportable(t, s)
	must(t, s.Pin(ctx, id, true))
	must(t, s.Rename(ctx, id, "Named"))
	var file bytes.Buffer
	must(t, s.ExportJSON(ctx, &file, id))
	done, err := other.Import(ctx, bytes.NewReader(file.Bytes()), nil)
	must(t, err)
	if len(done.Conversations) != 1 || done.LeftOut != 0 {
		t.Fatalf("%+v", done)
	}
	copied := done.Conversations[0]
	want, err := s.Conversation(ctx, id)
	must(t, err)
	got, err := other.Conversation(ctx, copied)
	must(t, err)
	want.ID, got.ID = 0, 0
	want.Current, got.Current = 0, 0
	if got != want {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	for range 2 { // both branches
		if got, want := withoutIDs(path(t, other, copied)), withoutIDs(path(t, s, id)); !reflect.DeepEqual(got, want) {
			t.Errorf("\n got %+v\nwant %+v", got, want)
		}
		must(t, s.Choose(ctx, path(t, s, id)[1].Siblings[1]))
		must(t, other.Choose(ctx, path(t, other, copied)[1].Siblings[1]))
	}
	if data, err := other.Picture(ctx, path(t, other, copied)[0].Pictures[1]); err != nil || string(data) != "\x89PNG picture" {
		t.Errorf("%q, %v", data, err)
	}
	if got := found(t, other, "follow"); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

func TestAnExportWithoutItsPicturesIsStillImported(t *testing.T) {
	s := newStore(t)
	id := exportable(t, s)
	picture := path(t, s, id)[0].Pictures[0]
	must(t, os.Remove(s.PicturePath(picture)))
	var file bytes.Buffer
	must(t, s.ExportJSON(t.Context(), &file, id))
	done, err := s.Import(t.Context(), &file, nil)
	must(t, err)
	if turns := path(t, s, done.Conversations[0]); done.LeftOut != 2 || len(turns) != 3 || turns[0].Pictures != nil {
		t.Errorf("%+v, %+v", done, turns)
	}
}

func TestMarkdownHasTheTurnsOnView(t *testing.T) {
	s := newStore(t)
	id := exportable(t, s)
	must(t, s.Choose(t.Context(), path(t, s, id)[1].Siblings[1]))
	var out strings.Builder
	must(t, s.ExportMarkdown(t.Context(), &out, id, Labels{User: "You", Assistant: "Model", Thought: "Thought", Picture: "Picture"}))
	want := "# What is <this> & that?\n\n## You\n\n*Picture 1*\n\n*Picture 2*\n\nWhat is <this> & that?\n\n" +
		"## Guide\n\n> **Thought**\n>\n> Let me\n> see\n\nTwo\n\n```go\nx\n```\n"
	if out.String() != want {
		t.Errorf("%s", out.String())
	}
	wantProblem(t, s.ExportMarkdown(t.Context(), &out, 99, Labels{}), Missing)
	wantProblem(t, s.ExportJSON(t.Context(), &out, 99), Missing)
}

// A failing writer is a disk that is full.
type failing struct{}

var errFull = errors.New("no room")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestAnExportThatCannotBeWrittenSaysSo(t *testing.T) {
	s := newStore(t)
	id := exportable(t, s)
	if err := s.ExportJSON(t.Context(), failing{}, id); !errors.Is(err, errFull) {
		t.Error(err)
	}
	if err := s.ExportMarkdown(t.Context(), failing{}, id, Labels{}); !errors.Is(err, errFull) {
		t.Error(err)
	}
}
