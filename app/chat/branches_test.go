package chat

import (
	"strings"
	"testing"
	"time"

	store "paddock/engine/chat"
)

func TestAnAnswerAskedForAgainIsAnotherVersion(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("first")
		b.last()
		b.send("second")
		b.last()
		b.engine.answer = says("other words than before and more of them.")
		s := b.do(func() { b.p.Regenerate(b.p.State().Turns[1].ID) })
		if len(s.Turns) != 1 || s.Answer == nil {
			b.Fatalf("while it is written: %+v", s)
		}
		time.Sleep(40 * time.Millisecond)
		if a := b.state().Answer; a == nil || a.Branch != (Branch{2, 2}) {
			b.Errorf("while it is written: %+v", a)
		}
		b.last()
		if got := b.texts(); got != "first|other words than before and more of them." {
			b.Errorf("got %s", got)
		}
		if s = b.state(); s.Turns[1].Branch != (Branch{2, 2}) {
			b.Errorf("its place is %+v", s.Turns[1].Branch)
		}
		b.do(func() { b.p.SwitchBranch(s.Turns[1].ID, -1) })
		if got := b.texts(); got != "first|one two three.|second|one two three." {
			b.Errorf("the version before is %s", got)
		}
		if got := b.do(func() {}).ContextUsed; got != 23 {
			b.Errorf("%d tokens are used", got)
		}
	})
}

func TestTurnsStayAsTheyAreWhileAnAnswerIsWritten(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("first")
		b.last()
		b.engine.answer = says(strings.Repeat("word ", 1000))
		s := b.send("second")
		if s.TurnsOff == "" || s.ContinueOff == "" {
			b.Errorf("it is not said: %+v", s)
		}
		for _, try := range []func(){
			func() { b.p.Edit(s.Turns[0].ID) }, func() { b.p.DeleteTurn(s.Turns[0].ID) },
			func() { b.p.Regenerate(s.Turns[1].ID) }, b.p.Continue, b.p.Send,
		} {
			b.do(try)
		}
		if got := b.texts(); got != "first|one two three.|second" || b.state().Editing != 0 || len(b.engine.asked()) != 2 {
			b.Errorf("got %s", got)
		}
	})
}

func TestADeletedTurnComesBack(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("first")
		b.last()
		b.send("second")
		b.last()
		s := b.do(func() { b.p.DeleteTurn(b.p.State().Turns[2].ID) })
		if got := b.texts(); got != "first|one two three." || s.Undo == "" {
			b.Errorf("deleted: %s, %q", got, s.Undo)
		}
		b.send("third")
		b.last()
		s = b.do(b.p.Undo)
		if got := b.texts(); got != "first|one two three.|second|one two three." || s.Turns[2].Branch != (Branch{1, 2}) {
			b.Errorf("brought back: %s, %+v", got, s.Turns[2].Branch)
		}
		b.do(func() { b.p.DeleteTurn(s.Turns[0].ID) })
		if s = b.do(b.p.DismissUndo); len(s.Turns) != 0 || s.Undo != "" {
			b.Errorf("got %+v", s)
		}
	})
}

func TestADeletedFirstTurnComesBackAlsoAfterItsChatWasLeft(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("another")
		b.last()
		another := b.do(b.p.New).Conversations[0].ID
		b.send("first")
		b.last()
		b.do(func() { b.p.DeleteTurn(b.p.State().Turns[0].ID) })
		s := b.do(func() { b.p.Select(another) })
		if len(s.Conversations) != 1 || s.Undo == "" {
			b.Fatalf("after leaving: %+v", s)
		}
		s = b.do(b.p.Undo)
		if got := b.texts(); got != "first|one two three." || s.Undo != "" || s.Banner != nil || len(s.Conversations) != 2 {
			b.Errorf("brought back: %s, %+v", got, s)
		}
		b.again()
		if s = b.state(); len(s.Conversations) != 2 {
			b.Error("at the next start it is gone")
		}
	})
}

func TestWhatCantBeBroughtBackNowIsOfferedAgain(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("first")
		b.last()
		b.deleteCurrent()
		u := b.p.undo[0]
		b.do(func() {
			b.p.undo = nil
			b.p.notBroughtBack(u, &store.Error{Problem: store.Full})
		})
		if s := b.state(); s.Undo == "" {
			b.Error("it is not offered any more")
		}
		b.do(func() {
			b.p.undo = nil
			b.p.notBroughtBack(u, &store.Error{Problem: store.Missing})
		})
		if s := b.state(); s.Undo != "" {
			b.Error("what is gone for good is offered")
		}
	})
}

func TestAStoppedAnswerGoesOn(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.answer = says(strings.Repeat("word ", 1000))
		b.send("go")
		time.Sleep(500 * time.Millisecond)
		b.do(b.p.Stop)
		stopped := b.last()
		b.engine.answer = says("the end.")
		b.do(b.p.Continue)
		if turn := b.last(); turn.Text != stopped.Text+"the end." || turn.ID != stopped.ID || turn.End != Whole {
			b.Errorf("got %+v", turn)
		}
		b.do(b.p.Continue)
		if n := len(b.engine.asked()); n != 2 {
			b.Errorf("a whole answer went on: %d requests", n)
		}
	})
}

func TestStoppingBeforeTheAnswerBeganKeepsTheMessage(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.ui(func() {
			b.p.SetDraft("go")
			b.p.Send()
			b.p.Stop()
		})
		time.Sleep(time.Second)
		s := b.do(func() {})
		if len(s.Turns) == 0 || s.Turns[0].Text != "go" || s.Answer != nil || s.ContinueOff != "" {
			b.Fatalf("got %+v", s)
		}
		b.do(b.p.Continue)
		if turn := b.last(); turn.Text != "one two three." {
			b.Errorf("got %+v", turn)
		}
	})
}
