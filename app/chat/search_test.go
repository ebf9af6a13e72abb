package chat

import (
	"testing"
	"time"
)

func TestASearchFindsWordsAsTheyAreTyped(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("How many posts for the fence?")
		b.last()
		fence := b.state().Current
		b.do(b.p.New)
		b.engine.answer = says("The paddock needs a gate.")
		b.send("Anything else?")
		b.last()
		b.ui(func() {
			for _, text := range []string{"p", "po", "pos", "posts"} {
				b.p.Search(text)
			}
		})
		time.Sleep(time.Second)
		s := b.do(func() {})
		if s.Searching || len(s.Hits) != 1 || s.Hits[0].ID != fence || s.Search != "posts" {
			b.Fatalf("got %+v", s.Hits)
		}
		h := s.Hits[0]
		if len(h.InTitle) != 1 || h.Title[h.InTitle[0].From:h.InTitle[0].To] != "posts" {
			b.Errorf("in the title: %+v", h)
		}
		s = b.do(func() { b.p.Search("GATE") })
		if len(s.Hits) != 1 || s.Hits[0].Turn == 0 || s.Hits[0].Snippet[s.Hits[0].InSnippet[0].From:s.Hits[0].InSnippet[0].To] != "gate" {
			b.Fatalf("got %+v", s.Hits)
		}
		b.do(b.p.New)
		s = b.do(func() { b.p.SelectHit(0) })
		if s.Found != s.Turns[1].ID || s.Title != "Anything else?" {
			b.Errorf("chosen: %+v", s)
		}
		if s = b.do(func() { b.p.Search("") }); len(s.Hits) != 0 || s.Searching {
			b.Errorf("got %+v", s.Hits)
		}
	})
}

func TestAHitOnAnotherBranchComesOnView(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.answer = says("A llama.")
		b.send("What is it?")
		b.last()
		b.engine.answer = says("An alpaca.")
		b.do(func() { b.p.Regenerate(b.p.State().Turns[1].ID) })
		b.last()
		for _, leave := range []bool{false, true} {
			if leave {
				b.do(func() { b.p.SwitchBranch(b.p.State().Turns[1].ID, 1) })
				b.do(b.p.New)
			}
			s := b.do(func() { b.p.Search("llama") })
			if len(s.Hits) != 1 {
				b.Fatalf("got %+v", s.Hits)
			}
			s = b.do(func() { b.p.SelectHit(0) })
			if got := b.texts(); got != "What is it?|A llama." || s.Found != s.Turns[1].ID {
				b.Errorf("got %s", got)
			}
			b.do(func() { b.p.Search("") })
		}
	})
}
