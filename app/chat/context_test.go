package chat

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"paddock/engine"
	"paddock/engine/client"
	"paddock/words"
)

func TestTheContextIsEstimatedUntilTheEngineTellsIt(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		is := func(when string, used int, about bool) {
			b.Helper()
			if s := b.state(); s.ContextUsed != used || s.ContextAbout != about {
				b.Errorf("%s: %d tokens, about %t, want %d and %t", when, s.ContextUsed, s.ContextAbout, used, about)
			}
		}
		is("at first", 0, false)
		b.engine.answer = breaks("part", &client.Error{Kind: client.Broken})
		b.send(strings.Repeat("é", 36)) // 10.3 tokens
		b.last()
		is("after a broken answer", 11+1, true)
		b.engine.answer = says("one two three.")
		b.send("go on")
		time.Sleep(5 * time.Millisecond)
		is("while the prompt is read", 12+2, true)
		b.last()
		is("after a whole answer", 20+3, false)
		b.engine.answer = says(strings.Repeat("word ", 1000))
		b.send("1234567")
		time.Sleep(95 * time.Millisecond)
		b.ui(b.p.Stop)
		b.last()
		is("after a stopped answer", 23+2+9, true)
	})
}

func TestAnEstimateIsMarkedAsOne(t *testing.T) {
	s := showTab(t, ready)
	s.engine.answer = breaks("part", &client.Error{Kind: client.Broken})
	test.Type(s.composer.entry, strings.Repeat("x", 35))
	s.press(fyne.KeyReturn)
	s.run(answered)
	if got := text(s.composer.content); !strings.Contains(got, "≈ 11 / 2,048") {
		t.Errorf("the composer says\n%s", got)
	}
	s.says("whole")
	s.act(0, actContinue)
	s.run(func(s State) bool { return !s.ContextAbout })
	if got := text(s.composer.content); !strings.Contains(got, "1,024 / 2,048") || strings.Contains(got, "≈") {
		t.Errorf("the composer says\n%s", got)
	}
}

var tooLong = breaks("", &client.Error{Kind: client.ContextExceeded, Status: 400, PromptTokens: 3000, ContextTokens: 2048})

func TestAMessageLongerThanTheContextIsGivenBack(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("first")
		b.last()
		used := b.state().ContextUsed
		long := strings.Repeat("all work ", 10_000)
		b.engine.answer = func(ctx context.Context, each func(client.Delta)) (client.Answer, error) {
			time.Sleep(time.Second)
			return tooLong(ctx, each)
		}
		b.ui(func() { b.p.Paste(long) })
		b.send("Summarise this:")
		b.ui(func() { b.p.SetDraft("written since") })
		if turn := b.last(); !turn.Full || turn.Problem.Message == "" {
			b.Errorf("the answer is %+v", turn)
		}
		s := b.state()
		if s.Draft != "Summarise this:\n\nwritten since" || len(s.Pasted) != 1 || s.Pasted[0].Runes != 90_000 || !s.CanSend {
			b.Errorf("the draft is %q with %+v", s.Draft, s.Pasted)
		}
		if s.ContextUsed != used || s.ContextAbout {
			b.Errorf("%d tokens are used, before there were %d", s.ContextUsed, used)
		}
		b.ui(b.p.Continue)
		if b.state().Answer != nil {
			b.Error("it asks again with what is too long")
		}
		b.engine.answer = says("Hello.")
		b.ui(func() { b.p.RemovePaste(0) })
		b.send("hi")
		if turn := b.last(); turn.Text != "Hello." || turn.End != Whole {
			b.Errorf("the next answer is %+v", turn)
		}
		if got := fmt.Sprint(b.engine.requests[2].Messages); got != "[{user first} {assistant one two three.} {user hi}]" {
			b.Errorf("the engine was told %.200s", got)
		}
	})
}

func TestAMessageGivenBackGoesToANewChatWithItsLongTexts(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.answer = tooLong
		b.ui(func() { b.p.Paste(strings.Repeat("all work ", 10_000)) })
		b.send("Summarise this:")
		b.last()
		first := b.state().Current
		b.ui(b.p.NewWithLast)
		if s := b.state(); s.Draft != "Summarise this:" || len(s.Pasted) != 1 || len(s.Turns) != 0 {
			b.Errorf("the new chat is %+v", s)
		}
		b.ui(func() { b.p.Select(first) })
		if s := b.state(); s.Draft != "" || len(s.Pasted) != 0 {
			b.Errorf("the chat before keeps %q and %+v", s.Draft, s.Pasted)
		}
	})
}

func TestAMessageGivenBackStandsInTheComposer(t *testing.T) {
	s := showTab(t, ready)
	s.engine.answer = tooLong
	s.Paste(strings.Repeat("all work ", 10_000))
	test.Type(s.composer.entry, "Summarise this:")
	s.press(fyne.KeyReturn)
	s.run(answered)
	if s.composer.entry.Text != "Summarise this:" || !strings.Contains(text(s.composer.pasted), "all work") {
		t.Errorf("the composer says %q and\n%s", s.composer.entry.Text, text(s.composer.pasted))
	}
	s.messages.ScrollToEnd()
	if said := strings.ReplaceAll(text(s.messages), "\n", " "); !strings.Contains(said, words.T("chat.new")) || !strings.Contains(said, "Shorten it,") {
		t.Errorf("it says\n%s", said)
	}
}

func TestAnUnloadedModelIsNotCalledStoppedByTheUser(t *testing.T) {
	for name, c := range map[string]struct {
		said, note string
		end        func(context.Context) (client.Answer, error)
	}{
		"the client was closed": {"half a", "chat.end.unloaded", func(context.Context) (client.Answer, error) {
			return client.Answer{Stop: client.StopCancelled}, nil
		}},
		"the engine hung up": {"half a", "chat.end.unloaded", func(context.Context) (client.Answer, error) {
			return client.Answer{Stop: client.StopBroken}, &client.Error{Kind: client.Broken}
		}},
		"before the first word": {"", "chat.end.unloaded.early", func(context.Context) (client.Answer, error) {
			return client.Answer{Stop: client.StopBroken}, engine.ErrNotReady
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := showTab(t, ready)
			s.engine.answer = func(ctx context.Context, each func(client.Delta)) (client.Answer, error) {
				each(client.Delta{Text: c.said})
				s.engine.become(engine.State{Phase: engine.Stopping})
				return c.end(ctx)
			}
			test.Type(s.composer.entry, "go")
			s.press(fyne.KeyReturn)
			s.run(answered)
			if turn := s.State().Turns[1]; turn.End != Unloaded || turn.Problem.Message != "" {
				t.Errorf("the answer is %+v", turn)
			}
			if said := text(s.messages); !strings.Contains(said, words.T(c.note)) {
				t.Errorf("it says\n%s", said)
			}
		})
	}
}
