package chat

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestConversationsComePinnedFirstThenTheLatest(t *testing.T) {
	clock := newClock()
	k := quick()
	k.now = clock.Now
	s, _ := openStore(t, t.TempDir(), k)
	var ids []ID
	for _, text := range []string{"first", "second", "third"} {
		clock.pass(time.Minute)
		id := start(t, s)
		say(t, s, id, 0, User, text)
		ids = append(ids, id)
	}
	if got := titles(t, s.Conversations); !slices.Equal(got, []string{"third", "second", "first"}) {
		t.Fatal(got)
	}
	must(t, s.Pin(t.Context(), ids[1], true))
	clock.pass(time.Minute)
	say(t, s, ids[0], 0, User, "again")
	if got := titles(t, s.Conversations); !slices.Equal(got, []string{"second", "first", "third"}) {
		t.Fatal(got)
	}
	must(t, s.Pin(t.Context(), ids[1], false))
	if got := titles(t, s.Conversations); !slices.Equal(got, []string{"first", "third", "second"}) {
		t.Fatal(got)
	}
}

func TestAConversationKeepsWhatItIsGiven(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	c, err := s.Start(ctx, `{"seed": 7}`)
	must(t, err)
	say(t, s, c.ID, 0, User, "What is a paddock?")
	say(t, s, c.ID, path(t, s, c.ID)[0].ID, Assistant, "A small field.\nFor horses.")
	must(t, s.SetSettings(ctx, c.ID, `{"seed": 8}`))
	must(t, s.SetDraft(ctx, c.ID, "And then"))
	got, err := s.Conversation(ctx, c.ID)
	must(t, err)
	if got.Title != "What is a paddock?" || got.TitleGiven || got.Settings != `{"seed": 8}` || got.Preview != "A small field. For horses." || got.Pinned {
		t.Errorf("%+v", got)
	}
	if draft, err := s.Draft(ctx, c.ID); err != nil || draft != "And then" {
		t.Error(draft, err)
	}
	must(t, s.Rename(ctx, c.ID, "  Fields\n\u202e "))
	if got, _ = s.Conversation(ctx, c.ID); got.Title != "Fields" || !got.TitleGiven {
		t.Errorf("%+v", got)
	}
	must(t, s.Rename(ctx, c.ID, ""))
	if got, _ = s.Conversation(ctx, c.ID); got.Title != "What is a paddock?" || got.TitleGiven {
		t.Errorf("%+v", got)
	}
}

func TestAnAnswerWithoutAWordLeavesThePreviewToItsQuestion(t *testing.T) {
	s := newStore(t)
	c, err := s.Start(t.Context(), "")
	must(t, err)
	say(t, s, c.ID, 0, User, "What is a paddock?")
	say(t, s, c.ID, path(t, s, c.ID)[0].ID, Assistant, "")
	if got, err := s.Conversation(t.Context(), c.ID); err != nil || got.Preview != "What is a paddock?" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestATitleThatWasGivenIsNotReplacedByTheFirstMessage(t *testing.T) {
	s := newStore(t)
	id := start(t, s)
	must(t, s.Rename(t.Context(), id, "Mine"))
	say(t, s, id, 0, User, "Hello")
	if got := titles(t, s.Conversations); !slices.Equal(got, []string{"Mine"}) {
		t.Fatal(got)
	}
}

func TestADeletedConversationComesBack(t *testing.T) {
	clock := newClock()
	k := quick()
	k.now = clock.Now
	s, _ := openStore(t, t.TempDir(), k)
	ctx := t.Context()
	one, two := start(t, s), start(t, s)
	say(t, s, one, 0, User, "one")
	say(t, s, two, 0, User, "two")
	must(t, s.Delete(ctx, one))
	clock.pass(time.Second)
	must(t, s.Delete(ctx, two))
	if got := titles(t, s.Conversations); len(got) != 0 {
		t.Fatal(got)
	}
	_, err := s.Path(ctx, one)
	wantProblem(t, err, Missing)
	must(t, s.Undelete(ctx, one))
	if got := texts(t, s, one); !slices.Equal(got, []string{"one"}) {
		t.Fatal(got)
	}
	wantProblem(t, s.Undelete(ctx, one), Missing)
}

func TestWhatIsNotThereIsMissing(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	id := start(t, s)
	_, add := s.Add(ctx, Turn{Conversation: id, Parent: 99, Role: User})
	_, elsewhere := s.Add(ctx, Turn{Conversation: 99, Role: User})
	_, begin := s.Begin(ctx, Turn{Conversation: 99, Role: Assistant})
	_, resume := s.Resume(ctx, 99)
	_, draft := s.Draft(ctx, 99)
	_, picture := s.Picture(ctx, hashOf([]byte("never put")))
	_, escape := s.Picture(ctx, "../chat.db")
	for what, err := range map[string]error{
		"a parent": add, "a conversation to add to": elsewhere, "one to begin in": begin, "a turn to resume": resume, "a draft": draft,
		"a picture": picture, "a path as a picture": escape,
		"a conversation to rename": s.Rename(ctx, 99, "x"), "to pin": s.Pin(ctx, 99, true), "to delete": s.Delete(ctx, 99),
		"a turn to choose": s.Choose(ctx, 99), "a turn to delete": s.DeleteTurn(ctx, 99), "a turn to bring back": s.UndeleteTurn(ctx, 99),
	} {
		if !hasProblem(err, Missing) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestAClosedStoreSaysSo(t *testing.T) {
	s := newStore(t)
	id := start(t, s)
	closeStore(t, s)
	_, err := s.Path(t.Context(), id)
	wantProblem(t, err, Closed)
	wantProblem(t, s.Pin(t.Context(), id, true), Closed)
}

func TestWhatWasDeletedADayAgoIsRemovedAtTheNextOpen(t *testing.T) {
	clock := newClock()
	k := quick()
	k.now = clock.Now
	folder := t.TempDir()
	s, _ := openStore(t, folder, k)
	ctx := t.Context()
	kept, whole := start(t, s), start(t, s)
	picture, err := s.PutPicture(ctx, []byte("a picture"))
	must(t, err)
	var gone ID
	long := draft{}
	for n := range 1200 { // more levels than SQLite cascades
		turn := draftTurn{Turn: Turn{Role: User, Text: "purgeable", Pictures: []Hash{picture}}, id: fmt.Sprint(n)}
		if n > 0 {
			turn.parent = fmt.Sprint(n - 1)
		}
		long.turns = append(long.turns, turn)
	}
	must(t, s.write(ctx, func(c conn) (err error) {
		gone, err = s.insertDraft(ctx, c, long)
		return err
	}))
	first := say(t, s, kept, 0, User, "kept")
	say(t, s, kept, first, Assistant, "purgeable too")
	say(t, s, whole, 0, User, "whole")
	must(t, s.Delete(ctx, gone))
	must(t, s.DeleteTurn(ctx, path(t, s, kept)[1].ID))
	closeStore(t, s)

	clock.pass(23 * time.Hour)
	s, _ = openStore(t, folder, k)
	must(t, s.Undelete(ctx, gone))
	if got := len(path(t, s, gone)); got != 1200 {
		t.Fatalf("%d turns", got)
	}
	must(t, s.Delete(ctx, gone))
	closeStore(t, s)

	clock.pass(25 * time.Hour)
	s, _ = openStore(t, folder, k)
	wantProblem(t, s.Undelete(ctx, gone), Missing)
	if got := texts(t, s, kept); !slices.Equal(got, []string{"kept"}) {
		t.Fatal(got)
	}
	var turns, grams, pictures int
	must(t, s.read(ctx, func(c conn) error {
		return c.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM turns), (SELECT count(*) FROM grams), (SELECT count(*) FROM turn_pictures)`).
			Scan(&turns, &grams, &pictures)
	}))
	if turns != 2 || grams != 4 || pictures != 0 { // two turns and two titles
		t.Errorf("%d turns, %d indexed, %d pictures left", turns, grams, pictures)
	}
	eventually(t, "the picture is removed", func() bool { _, err := s.Picture(ctx, picture); return hasProblem(err, Missing) })
}
