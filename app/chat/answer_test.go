package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"paddock/engine"
	"paddock/engine/client"
)

func TestAnAnswerStreamsAndIsKept(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		s := b.send("  How many posts do I need?\n")
		if s.Answer == nil || s.Draft != "" || s.CanSend || len(s.Turns) != 1 || s.Turns[0].Text != "How many posts do I need?" {
			b.Fatalf("after sending: %+v", s)
		}
		time.Sleep(23 * time.Millisecond)
		if got := b.state().Answer.Text; got == "" || got == "one two three." {
			b.Errorf("while streaming the answer is %q", got)
		}
		turn := b.last()
		if turn.Text != "one two three." || turn.End != Whole || turn.Numbers.TokensPerSecond != 100 || turn.Numbers.PromptTokens != 20 {
			b.Errorf("the answer is %+v", turn)
		}
		s = b.state()
		if s.Title != "How many posts do I need?" || s.ContextUsed != 23 || s.ContextTokens != 2048 || s.Model != "Test model" {
			b.Errorf("afterwards: %+v", s)
		}
		if s.Conversations[0].Preview != "one two three." {
			b.Errorf("the preview is %q", s.Conversations[0].Preview)
		}
	})
}

func TestTheEngineIsToldTheWholeConversation(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("first")
		b.last()
		b.send("second")
		b.last()
		got := messages(b.engine.asked()[1])
		if want := "user: first|assistant: one two three.|user: second"; got != want {
			b.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestNothingIsSentWithoutAModel(t *testing.T) {
	for _, c := range []struct {
		phase engine.Phase
		key   string
		load  bool
	}{
		{engine.NotLoaded, "chat.off.none", true},
		{engine.Checking, "chat.off.loading", false},
		{engine.Loading, "chat.off.loading", false},
		{engine.Proving, "chat.off.loading", false},
		{engine.Stopping, "chat.off.stopping", false},
		{engine.Failed, "chat.off.failed", true},
	} {
		t.Run(string(c.phase), func(t *testing.T) {
			inTime(t, engine.State{Phase: c.phase}, func(b *bench) {
				b.send("hello")
				s := b.state()
				if s.CanSend || s.Answer != nil || s.SendOff == "" || s.OfferLoad != c.load {
					b.Errorf("got %+v", s)
				}
				if s.Draft != "hello" {
					b.Error("the draft is lost")
				}
				b.engine.Become(ready)
				time.Sleep(time.Second)
				if s := b.state(); !s.CanSend || s.SendOff != "" {
					b.Errorf("once a model is ready: %+v", s)
				}
			})
		})
	}
}

func TestAnEmptyDraftIsNotSent(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send(" \n\t")
		if s := b.state(); s.CanSend || s.SendOff != "" || len(s.Turns) > 0 {
			b.Errorf("got %+v", s)
		}
	})
}

func TestStopKeepsWhatIsThere(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.answer = says(strings.Repeat("word ", 1000))
		b.send("go")
		time.Sleep(500 * time.Millisecond)
		start := time.Now()
		b.ui(b.p.Stop)
		for b.state().Answer != nil {
			time.Sleep(time.Millisecond)
		}
		if took := time.Since(start); took > 100*time.Millisecond {
			b.Errorf("stopping took %v", took)
		}
		turn := b.last()
		if words := strings.Count(turn.Text, "word"); turn.End != Stopped || words < 45 || words > 55 {
			b.Errorf("%d words are kept, the end is %q", words, turn.End)
		}
		if used := b.state().ContextUsed; used < 45 || used > 55 {
			b.Errorf("%d tokens are used", used)
		}
		if turn.Problem.Message != "" {
			b.Errorf("stopping is called a problem: %+v", turn.Problem)
		}
	})
}

func TestAnEngineThatDiesLeavesThePartAndTheDraft(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.answer = func(_ context.Context, each func(client.Delta)) (client.Answer, error) {
			each(client.Delta{Text: "The end of this sen"})
			time.Sleep(time.Second)
			return client.Answer{Stop: client.StopBroken}, &client.Error{Kind: client.Broken, Err: errors.New("unexpected EOF")}
		}
		b.send("go")
		time.Sleep(100 * time.Millisecond)
		b.ui(func() { b.p.SetDraft("my next question") })
		b.engine.Become(engine.State{Phase: engine.Failed})
		turn := b.last()
		if turn.Text != "The end of this sen" || turn.End != Broken || turn.Problem.Message == "" {
			b.Errorf("the answer is %+v", turn)
		}
		s := b.state()
		if s.Draft != "my next question" || s.ContinueOff == "" {
			b.Errorf("got %+v", s)
		}
		b.ui(b.p.Continue)
		if b.state().Answer != nil {
			b.Fatal("continues without an engine")
		}
		b.engine.answer = says("tence.")
		b.engine.Become(ready)
		time.Sleep(time.Second)
		b.ui(b.p.Continue)
		again := b.last()
		if again.Text != "The end of this sentence." || again.End != Whole || again.ID != turn.ID {
			b.Errorf("continued it is %+v", again)
		}
		if got := messages(b.engine.asked()[1]); got != "user: go|assistant: The end of this sen" {
			b.Errorf("the engine was told %s", got)
		}
		if b.state().Draft != "my next question" {
			b.Error("the draft is lost")
		}
	})
}

func TestAFailureBeforeTheFirstWordCanBeTriedAgain(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.answer = breaks("", &client.Error{Kind: client.EngineFailed, Message: "kaput"})
		b.send("go")
		if turn := b.last(); turn.Text != "" || turn.End != Broken || turn.Problem.Message == "" {
			b.Errorf("got %+v", turn)
		}
		b.engine.answer = says("fine")
		b.ui(b.p.Continue)
		if turn := b.last(); turn.Text != "fine" || turn.End != Whole {
			b.Errorf("got %+v", turn)
		}
		if n := len(b.state().Turns); n != 2 {
			b.Errorf("%d turns, want the question and one answer", n)
		}
	})
}

func TestAnAnswerThatFillsTheContextIsCut(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.answer = func(_ context.Context, each func(client.Delta)) (client.Answer, error) {
			each(client.Delta{Text: "on and on"})
			return client.Answer{PromptTokens: 2000, AnswerTokens: 48, Stop: client.StopLength}, nil
		}
		b.send("go")
		if turn := b.last(); turn.End != Cut || !turn.Full {
			b.Errorf("got %+v", turn)
		}
		if s := b.state(); s.ContextUsed != 2048 {
			b.Errorf("%d of %d tokens are used", s.ContextUsed, s.ContextTokens)
		}
	})
}

func TestReasoningIsKeptApartAndTimed(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.answer = func(_ context.Context, each func(client.Delta)) (client.Answer, error) {
			for range 20 {
				each(client.Delta{Reasoning: "hm "})
				time.Sleep(100 * time.Millisecond)
			}
			each(client.Delta{Text: "Yes."})
			time.Sleep(time.Second)
			return client.Answer{Stop: client.StopEnd}, nil
		}
		b.send("go")
		time.Sleep(time.Second)
		if a := b.state().Answer; a.Text != "" || a.Thought == "" || a.Thinking < 800*time.Millisecond {
			b.Errorf("while it reasons: %+v", a)
		}
		turn := b.last()
		if turn.Text != "Yes." || strings.Count(turn.Thought, "hm") != 20 || turn.Thinking != 1900*time.Millisecond {
			b.Errorf("got %+v", turn)
		}
	})
}

func TestAFastAnswerDoesNotFloodTheWindow(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.answer = func(_ context.Context, each func(client.Delta)) (client.Answer, error) {
			for range 10 {
				for range 10_000 {
					each(client.Delta{Text: "x"})
				}
				time.Sleep(100 * time.Millisecond)
			}
			return client.Answer{Stop: client.StopEnd}, nil
		}
		b.send("go")
		if n := len(b.last().Text); n != 100_000 {
			b.Errorf("%d letters arrived, want 100000", n)
		}
		if n := len(b.states); n > 45 {
			b.Errorf("the window was drawn %d times for 100,000 tokens in a second", n)
		}
	})
}

func TestAPublishedStateNeverChanges(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.answer = breaks("part", errors.New("gone"))
		b.send("one")
		b.last()
		before := b.state()
		copied := fmt.Sprintf("%+v", before)
		b.engine.answer = says("more")
		b.ui(b.p.Continue)
		b.last()
		b.send("two")
		b.last()
		if after := fmt.Sprintf("%+v", before); after != copied {
			b.Errorf("was\n%s\nis\n%s", copied, after)
		}
	})
}
