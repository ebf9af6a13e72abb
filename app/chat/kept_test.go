package chat

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	store "paddock/engine/chat"
	"paddock/engine/client"
)

func TestAnAnswerIsThereAtTheNextStart(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("hello")
		b.last()
		if s := b.state(); s.Saved.IsZero() {
			b.Error("it is not said when it was saved")
		}
		b.again()
		s := b.state()
		if s.Current != 0 || len(s.Turns) != 0 || len(s.Conversations) != 1 || s.Conversations[0].Title != "hello" || s.Conversations[0].Preview != "one two three." {
			b.Fatalf("at the start: %+v", s)
		}
		s = b.do(func() { b.p.Select(s.Conversations[0].ID) })
		if got := b.texts(); got != "hello|one two three." {
			b.Fatalf("got %s", got)
		}
		if turn := s.Turns[1]; turn.Numbers.TokensPerSecond != 100 || turn.Model != "Test model" || turn.End != Whole {
			b.Errorf("the answer is %+v", turn)
		}
		if s.ContextUsed != 23 || s.ContextAbout {
			b.Errorf("%d tokens are used, about %t", s.ContextUsed, s.ContextAbout)
		}
	})
}

func TestAnAnswerCutOffByTheEndOfTheProgramGoesOn(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.answer = says(strings.Repeat("word ", 1000))
		b.send("go")
		time.Sleep(500 * time.Millisecond)
		b.again()
		s := b.do(func() { b.p.Select(b.p.State().Conversations[0].ID) })
		if len(s.Turns) != 2 || s.Turns[1].End != Interrupted || strings.Count(s.Turns[1].Text, "word") < 40 {
			b.Fatalf("got %+v", s.Turns)
		}
		b.engine.answer = says("and the end.")
		b.do(b.p.Continue)
		turn := b.last()
		if turn.End != Whole || !strings.HasPrefix(turn.Text, "word word") || !strings.HasSuffix(turn.Text, "word and the end.") {
			b.Errorf("continued it is %+v", turn)
		}
		b.kept(func(st *store.Store) {
			turns, err := st.Path(context.Background(), store.ID(s.Current))
			if err != nil || len(turns) != 2 || turns[1].Text != turn.Text {
				b.Errorf("kept is %+v, %v", turns, err)
			}
		})
	})
}

// What comes is on the disk half a second later, whatever happens then.
func TestAnAnswerIsKeptWhileItIsWritten(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.answer = says(strings.Repeat("word ", 1000))
		s := b.send("go")
		time.Sleep(3 * time.Second)
		b.kept(func(st *store.Store) {
			turns, err := st.Path(context.Background(), store.ID(s.Current))
			if err != nil || len(turns) != 2 || turns[1].End != store.Interrupted || strings.Count(turns[1].Text, "word") < 250 {
				b.Errorf("kept is %+v, %v", turns, err)
			}
		})
	})
}

func TestAMessageWhoseAnswerNeverBeganIsAskedAgain(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		var id store.ID
		b.kept(func(s *store.Store) {
			c, err := s.Start(b.Context(), "")
			if err == nil {
				_, err = s.Add(b.Context(), store.Turn{Conversation: c.ID, Role: store.User, Text: "anybody?"})
			}
			if err != nil {
				b.Fatal(err)
			}
			id = c.ID
		})
		b.again()
		b.do(func() { b.p.Select(int(id)) })
		b.do(b.p.Continue)
		b.last()
		if got := b.texts(); got != "anybody?|one two three." {
			b.Errorf("got %s", got)
		}
	})
}

func TestAFolderThatCantBeUsedIsSaidAndChattingWorks(t *testing.T) {
	folder := t.TempDir() + "/file"
	mustWrite(t, folder, "x")
	inFolder(t, folder, ready, func(b *bench) {
		s := b.state()
		if s.Banner == nil || !s.Banner.Bad || !strings.Contains(s.Banner.Text.Remedy, "until Paddock closes") {
			b.Fatalf("the banner is %+v", s.Banner)
		}
		b.send("hello")
		if turn := b.last(); turn.Text != "one two three." {
			b.Errorf("got %+v", turn)
		}
	})
}

func TestTroubleWithSavingStandsAboveUntilItIsOver(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		full := &store.Error{Problem: store.Full, Path: "/data/chats.db", Err: errors.New("disk full")}
		s := b.do(func() { b.p.troubled(full) })
		if s.Banner == nil || s.Banner.Dismiss || s.Banner.Text.Remedy == "" {
			b.Fatalf("the banner is %+v", s.Banner)
		}
		if s = b.do(b.p.DismissBanner); s.Banner == nil {
			b.Error("it can be dismissed")
		}
		if s = b.do(func() { b.p.troubled(nil) }); s.Banner != nil {
			b.Errorf("the banner is %+v", s.Banner)
		}
	})
}

func TestAMessageThatCantBeKeptIsGivenBack(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		s := b.send("first")
		b.last()
		b.kept(func(st *store.Store) { // somebody else deletes the conversation
			if err := st.Delete(b.Context(), store.ID(s.Current)); err != nil {
				b.Fatal(err)
			}
		})
		s = b.send("second")
		if s.Draft != "second" || s.Sending || s.Answer != nil || s.Banner == nil || !s.CanSend {
			b.Errorf("got %+v, said %q", s, b.said)
		}
	})
}

func TestAStallIsSaidAndCanBeStopped(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.answer = func(ctx context.Context, each func(client.Delta)) (client.Answer, error) {
			each(client.Delta{Text: "a word"})
			select {
			case <-ctx.Done():
				return client.Answer{Stop: client.StopCancelled}, nil
			case <-time.After(100 * time.Second):
			}
			each(client.Delta{Text: " more"})
			<-ctx.Done()
			return client.Answer{Stop: client.StopCancelled}, nil
		}
		b.send("go")
		time.Sleep(59 * time.Second)
		if a := b.state().Answer; a == nil || a.Stalled != 0 {
			b.Errorf("before a minute: %+v", a)
		}
		time.Sleep(11 * time.Second)
		if a := b.state().Answer; a == nil || a.Stalled < 69*time.Second || a.Text != "a word" {
			b.Errorf("after a minute: %+v", a)
		}
		time.Sleep(31 * time.Second)
		if a := b.state().Answer; a == nil || a.Stalled != 0 || a.Text != "a word more" {
			b.Errorf("when it goes on: %+v", a)
		}
		time.Sleep(61 * time.Second)
		b.do(b.p.Stop)
		if turn := b.last(); turn.End != Stopped || turn.Text != "a word more" || turn.Stalled != 0 {
			b.Errorf("stopped it is %+v", turn)
		}
	})
}

func TestAnEngineThatHangsBeforeTheAnswerIsSaidAndStopped(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.hangs = true
		b.send(strings.Repeat("word ", 1000))
		time.Sleep(70 * time.Second)
		if a := b.state().Answer; a == nil || a.Stalled < time.Minute {
			b.Errorf("after a minute: %+v", a)
		}
		s := b.do(b.p.Stop)
		if s.Answer != nil || len(s.Turns) == 0 || s.ContinueOff != "" {
			b.Fatalf("stopped: %+v", s)
		}
		b.engine.hangs = false
		b.do(b.p.Continue)
		if turn := b.last(); turn.Text != "one two three." {
			b.Errorf("asked again: %+v", turn)
		}
	})
}

func TestWhereTheEngineCantCountAnEstimateDoes(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.uncounted = &client.Error{Kind: client.NotSupported}
		if s := b.send(strings.Repeat("word ", 1000)); s.Overflow != nil {
			b.Errorf("it fits: %+v", s.Overflow)
		}
		b.last()
		if s := b.send(strings.Repeat("word ", 800)); s.Overflow == nil || !s.Overflow.About {
			b.Errorf("it doesn't: %+v", s.Overflow)
		}
	})
}

func TestGarbageOfTheEngineIsSaidInASentence(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.answer = breaks("half \xff\xfe", &client.Error{Kind: client.Unintelligible, Err: errors.New("invalid character '<'")})
		b.send("go")
		turn := b.last()
		if turn.End != Broken || turn.Problem.Message == "" || !strings.HasPrefix(turn.Text, "half") {
			b.Errorf("got %+v", turn)
		}
		b.again()
		s := b.do(func() { b.p.Select(b.p.State().Conversations[0].ID) })
		if kept := s.Turns[1]; kept.Problem.Message != turn.Problem.Message || kept.Problem.Remedy != turn.Problem.Remedy || kept.End != Broken {
			b.Errorf("at the next start: %+v, it was %+v", kept, turn)
		}
	})
}

func TestFiveThousandTurnsAreShared(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		id := long(b, b.folder, 5000)
		b.again()
		s := b.do(func() { b.p.Select(int(id)) })
		if len(s.Turns) != 5000 || s.Reading {
			b.Fatalf("%d turns", len(s.Turns))
		}
		if again := b.state(); &again.Turns[0] != &s.Turns[0] || again.TurnsVersion != s.TurnsVersion {
			b.Error("the turns are copied for every state")
		}
		if n := testing.AllocsPerRun(20, func() { b.p.State() }); n > 100 {
			b.Errorf("a state takes %v allocations", n)
		}
	})
}
