package chat

import (
	"strings"
	"testing"
	"time"

	"paddock/engine"
)

func TestAnAnswerGoesToTheChatThatAsked(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.answer = says(strings.Repeat("word ", 100))
		b.send("asked here")
		asked := b.state().Current
		s := b.do(func() {
			b.p.New()
			b.p.SetDraft("asked there")
		})
		if s.Answer != nil || s.CanSend || !strings.Contains(s.SendOff, "asked here") {
			b.Errorf("in the other chat: %+v", s)
		}
		if s.Answering != asked || s.Current == asked {
			b.Errorf("the list says %d is answered", s.Answering)
		}
		time.Sleep(time.Minute)
		if s := b.state(); len(s.Turns) != 0 || !s.CanSend || s.Draft != "asked there" || s.Answering != 0 {
			b.Errorf("afterwards in the other chat: %+v", s)
		}
		b.do(func() { b.p.Select(asked) })
		if turn := b.last(); strings.Count(turn.Text, "word") != 100 {
			b.Errorf("the answer is %q", turn.Text)
		}
	})
}

func TestAnAnswerIsSeenAgainWhileItIsWritten(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.answer = says(strings.Repeat("word ", 100))
		s := b.send("asked here")
		b.do(b.p.New)
		time.Sleep(200 * time.Millisecond)
		again := b.do(func() { b.p.Select(s.Current) })
		if again.Answer == nil || !strings.Contains(again.Answer.Text, "word") || len(again.Turns) != 1 || again.Key != s.Key {
			b.Errorf("got %+v", again)
		}
	})
}

func TestEachChatHasItsDraft(t *testing.T) {
	inTime(t, engine.State{}, func(b *bench) {
		b.engine.Become(ready)
		time.Sleep(time.Second)
		b.send("one")
		b.last()
		first := b.state().Current
		s := b.do(func() {
			b.p.SetDraft("draft of one")
			b.p.New()
			b.p.SetDraft("draft of two")
		})
		if s.Current != 0 || s.Draft != "draft of two" {
			b.Errorf("the new chat is %+v", s)
		}
		if got := b.do(func() { b.p.Select(first) }).Draft; got != "draft of one" {
			b.Errorf("got %q", got)
		}
		second := 0
		for _, c := range b.state().Conversations {
			if c.ID != first {
				second = c.ID
			}
		}
		if got := b.do(func() { b.p.Select(second) }).Draft; got != "draft of two" {
			b.Errorf("got %q", got)
		}
	})
}

func TestANewChatIsKeptOnceThereIsSomethingInIt(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.do(b.p.New)
		s := b.do(b.p.New)
		if len(s.Conversations) != 0 || s.Current != 0 {
			b.Fatalf("an empty chat is kept: %+v", s)
		}
		key := s.Key
		b.do(func() { b.p.SetDraft("hm") })
		time.Sleep(time.Second)
		s = b.do(func() {})
		if len(s.Conversations) != 1 || s.Current == 0 || s.Key != key || s.Draft != "hm" {
			b.Errorf("with a draft: %+v", s)
		}
		b.do(func() { b.p.SetDraft("") })
		s = b.do(b.p.New)
		if len(s.Conversations) != 1 || s.Current == 0 {
			b.Errorf("the empty one is not taken again: %+v", s)
		}
		b.send("hello")
		b.last()
		b.do(b.p.New)
		b.do(func() { b.p.SetDraft("x") })
		time.Sleep(time.Second)
		b.do(func() { b.p.SetDraft("") })
		s = b.do(func() { b.p.Step(2) })
		if len(s.Conversations) != 1 || len(s.Turns) != 2 {
			b.Errorf("one that was left empty is still there: %+v", s)
		}
	})
}

func TestADeletedChatCanBeBroughtBack(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("keep me")
		b.last()
		id := b.state().Current
		b.deleteCurrent()
		s := b.state()
		if s.Current == id || !strings.Contains(s.Undo, "keep me") || len(s.Conversations) != 0 || len(s.Turns) != 0 {
			b.Errorf("after deleting: %+v", s)
		}
		s = b.do(b.p.Undo)
		if s.Current != id || s.Undo != "" || len(s.Turns) != 2 || len(s.Conversations) != 1 {
			b.Errorf("after undoing: %+v", s)
		}
		if again := b.do(b.p.Undo); len(again.Conversations) != 1 {
			b.Error("undone twice")
		}
	})
}

func TestDeletingAChatStopsItsAnswer(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.answer = says(strings.Repeat("word ", 1000))
		b.send("go")
		time.Sleep(100 * time.Millisecond)
		b.deleteCurrent()
		time.Sleep(100 * time.Millisecond)
		if s := b.do(func() { b.p.SetDraft("next") }); !s.CanSend || s.Banner != nil || len(b.said) > 0 {
			b.Errorf("got %+v, said %q", s, b.said)
		}
		if s := b.do(b.p.Undo); len(s.Turns) != 2 || s.Turns[1].End != Stopped {
			b.Errorf("brought back it is %+v", s.Turns)
		}
	})
}

func TestDeletingAChatBeforeItsAnswerBeginsSaysNothing(t *testing.T) {
	tests := map[string]struct {
		hangs bool // the engine, while it counts
		send  func(b *bench)
	}{
		"while the message is counted": {true, func(b *bench) { b.send(strings.Repeat("word ", 1000)) }},
		"while the message is kept": {false, func(b *bench) {
			b.ui(func() {
				b.p.SetDraft("again")
				b.p.Send()
				b.p.Delete(b.p.State().Current)
			})
		}},
		"while its draft waits to be saved": {false, func(b *bench) {
			id := b.state().Current
			b.do(func() {
				b.p.SetDraft("hm")
				b.p.New()
				b.p.Delete(id)
			})
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inTime(t, ready, func(b *bench) {
				b.send("first")
				b.last()
				b.engine.hangs = test.hangs
				test.send(b)
				b.deleteCurrent()
				time.Sleep(time.Minute)
				s := b.do(func() {})
				if s.Banner != nil || len(s.Conversations) != 0 || s.Answering != 0 || len(b.said) > 0 {
					b.Errorf("got %+v, said %q", s, b.said)
				}
				s = b.do(b.p.Undo)
				if len(s.Conversations) != 1 || len(s.Turns) < 2 {
					b.Errorf("brought back it is %+v", s)
				}
			})
		})
	}
}

func TestTheListIsInGroups(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		for _, name := range []string{"a", "b", "c", "d"} {
			b.do(b.p.New)
			b.send(name)
			b.last()
			wait := map[string]time.Duration{"a": 10 * 24 * time.Hour, "b": 3 * 24 * time.Hour, "c": 24 * time.Hour}[name]
			time.Sleep(wait)
		}
		of := func(s State) string {
			var all []string
			for _, c := range s.Conversations {
				all = append(all, c.Title+" "+string(c.Group))
			}
			return strings.Join(all, ", ")
		}
		s := b.state()
		if got := of(s); got != "d today, c yesterday, b week, a older" {
			b.Errorf("got %s", got)
		}
		oldest := s.Conversations[3].ID
		if got := of(b.do(func() { b.p.Pin(oldest, true) })); got != "a pinned, d today, c yesterday, b week" {
			b.Errorf("pinned: %s", got)
		}
		if got := of(b.do(func() { b.p.Rename(oldest, "  My fence\n") })); !strings.HasPrefix(got, "My fence pinned") {
			b.Errorf("renamed: %s", got)
		}
		b.again()
		if got := of(b.state()); !strings.HasPrefix(got, "My fence pinned, d today") {
			b.Errorf("at the next start: %s", got)
		}
		if s := b.do(func() { b.p.Select(oldest) }); !s.Pinned || !s.TitleGiven || s.Title != "My fence" {
			b.Errorf("on view: %+v", s)
		}
		if got := of(b.do(func() { b.p.Rename(oldest, "") })); !strings.HasPrefix(got, "a pinned") {
			b.Errorf("without a title: %s", got)
		}
	})
}

func TestKeysGoThroughTheList(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		for _, name := range []string{"a", "b", "c"} {
			b.do(b.p.New)
			b.send(name)
			b.last()
		}
		b.do(b.p.New)
		for i, want := range []string{"c", "b", "a", "a"} {
			if got := b.do(func() { b.p.Step(1) }).Title; got != want {
				b.Errorf("step %d: %q, want %q", i, got, want)
			}
		}
		if got := b.do(func() { b.p.Step(-1) }).Title; got != "b" {
			b.Errorf("back: %q", got)
		}
	})
}
