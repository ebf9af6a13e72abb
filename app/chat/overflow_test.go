package chat

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"paddock/engine/client"
)

// fill has a conversation of so many questions with 60 words each.
func (b *bench) fill(questions int) {
	b.engine.answer = says("one.")
	for i := range questions {
		b.send(fmt.Sprintf("q%d%s", i, strings.Repeat(" word", 60)))
		b.last()
	}
}

// tight has a context of 400 tokens, which the scripted engine counts as words.
func tight(t *testing.T, f func(b *bench)) {
	state := ready
	state.Plan.ContextTokens = 400
	inTime(t, state, f)
}

func offer(s State, id string) OverflowOffer {
	for _, o := range s.Overflow.Offers {
		if o.ID == id {
			return o
		}
	}
	return OverflowOffer{}
}

func TestBeforeTheContextOverflowsThereIsAChoice(t *testing.T) {
	tight(t, func(b *bench) {
		b.fill(5)
		asked := len(b.engine.asked())
		s := b.send("last" + strings.Repeat(" word", 60))
		if s.Overflow == nil || s.Answer != nil || s.CanSend || len(b.engine.asked()) != asked {
			b.Fatalf("got %+v", s)
		}
		if s.Overflow.PromptTokens != 371 || s.Overflow.ContextTokens != 400 || s.Overflow.AnswerTokens != 50 || s.Overflow.About {
			b.Errorf("it says %+v", s.Overflow)
		}
		for _, id := range []string{OverflowDrop, OverflowSummarise, OverflowNew} {
			if o := offer(s, id); o.Off != "" || o.Label == "" || o.Text == "" {
				b.Errorf("%s: %+v", id, o)
			}
		}
		if o := offer(s, OverflowLarger); o.Off == "" {
			b.Errorf("a longer context can't be had here: %+v", o)
		}
	})
}

func TestTheOldestTurnsAreLeftOut(t *testing.T) {
	tight(t, func(b *bench) {
		b.fill(5)
		b.send("last" + strings.Repeat(" word", 60))
		b.do(func() { b.p.Resolve(OverflowDrop) })
		b.last()
		s := b.state()
		if len(s.Turns) != 12 || !s.Turns[0].Outside || !s.Turns[1].Outside || s.Turns[len(s.Turns)-2].Outside {
			b.Errorf("got %+v", s.Turns)
		}
		requests := b.engine.asked()
		if told := messages(requests[len(requests)-1]); strings.Contains(told, "q0") || !strings.Contains(told, "q4") || !strings.HasPrefix(told, "user: q") {
			b.Errorf("the engine was told %s", told)
		}
		b.again()
		s = b.do(func() { b.p.Select(b.p.State().Conversations[0].ID) })
		if !s.Turns[0].Outside || s.Turns[11].Outside {
			b.Error("at the next start all are told again")
		}
	})
}

func TestTheOldestTurnsAreSummedUp(t *testing.T) {
	tight(t, func(b *bench) {
		b.fill(5)
		b.send("last" + strings.Repeat(" word", 60))
		b.engine.answer = says("They counted posts.")
		s := b.do(func() { b.p.Resolve(OverflowSummarise) })
		if s.Answer == nil || !strings.Contains(s.Doing, "Summing up") {
			b.Errorf("meanwhile: %+v", s)
		}
		b.last()
		requests := b.engine.asked()
		sum, told := messages(requests[len(requests)-2]), messages(requests[len(requests)-1])
		if !strings.HasPrefix(sum, "user: q0") || requests[len(requests)-2].MaxTokens == 0 {
			b.Errorf("to sum up it was told %s", sum)
		}
		if !strings.HasPrefix(told, "system: Of the conversation before") || !strings.Contains(told, "They counted posts.") || strings.Contains(told, "q0") {
			b.Errorf("then it was told %s", told)
		}
	})
}

func TestASummaryThatFailsLeavesTheChoice(t *testing.T) {
	tight(t, func(b *bench) {
		b.fill(5)
		b.send("last" + strings.Repeat(" word", 60))
		b.engine.answer = breaks("", &client.Error{Kind: client.EngineFailed, Message: "kaput"})
		s := b.do(func() { b.p.Resolve(OverflowSummarise) })
		if s.Overflow == nil || s.Banner == nil || s.Answer != nil {
			b.Errorf("got %+v, said %q", s.Overflow, b.said)
		}
	})
}

func TestACancelledOverflowGivesTheMessageBack(t *testing.T) {
	tight(t, func(b *bench) {
		b.fill(5)
		long := "last" + strings.Repeat(" word", 60)
		b.send(long)
		b.do(func() { b.p.SetDraft("written since") })
		s := b.do(b.p.CancelOverflow)
		if s.Overflow != nil || s.Draft != long+"\n\nwritten since" || len(s.Turns) != 10 || !s.CanSend {
			b.Errorf("got %+v", s)
		}
		b.again()
		if s = b.do(func() { b.p.Select(b.p.State().Conversations[0].ID) }); len(s.Turns) != 10 || !strings.HasPrefix(s.Draft, "last word") {
			b.Errorf("at the next start: %+v", s)
		}
	})
}

func TestLeavingAChatWithAnOverflowGivesTheMessageBackThere(t *testing.T) {
	tight(t, func(b *bench) {
		b.fill(5)
		first := b.send("last" + strings.Repeat(" word", 60)).Current
		b.do(b.p.New)
		if s := b.send("hi"); s.Overflow != nil || len(s.Turns) != 1 {
			b.Errorf("in the other chat: %+v", s)
		}
		b.last()
		if s := b.do(func() { b.p.Select(first) }); s.Overflow != nil || !strings.HasPrefix(s.Draft, "last word") || len(s.Turns) != 10 {
			b.Errorf("back there: %+v", s)
		}
	})
}

func TestAnOverflowWhileAnotherChatIsOnViewWaits(t *testing.T) {
	tight(t, func(b *bench) {
		b.fill(5)
		first := b.state().Current
		b.ui(func() {
			b.p.SetDraft("last" + strings.Repeat(" word", 60))
			b.p.Send()
			b.p.New()
		})
		if s := b.do(func() {}); s.Overflow != nil || s.Current == first {
			b.Errorf("in the other chat: %+v", s)
		}
		if s := b.do(func() { b.p.Select(first) }); s.Overflow == nil || len(s.Turns) != 11 {
			b.Errorf("back there: %+v", s)
		}
		b.do(func() { b.p.Resolve(OverflowDrop) })
		b.last()
	})
}

func TestAMessageWithoutRoomGoesToANewChat(t *testing.T) {
	tight(t, func(b *bench) {
		b.do(func() { b.p.SetSettings(Settings{System: "Be brief."}) })
		b.fill(5)
		first := b.state().Current
		b.send("last" + strings.Repeat(" word", 60))
		b.do(func() { b.p.Resolve(OverflowNew) })
		b.last()
		s := b.state()
		if s.Current == first || len(s.Turns) != 2 || !strings.HasPrefix(s.Turns[0].Text, "last word") || s.Settings.System != "Be brief." {
			b.Errorf("the new chat is %+v", s)
		}
		if s = b.do(func() { b.p.Select(first) }); len(s.Turns) != 10 || s.Draft != "" {
			b.Errorf("the one before is %+v", s)
		}
	})
}

func TestAMessageThatIsTooLongAloneCanOnlyBeGivenBack(t *testing.T) {
	tight(t, func(b *bench) {
		larger := false
		b.p.seams.Larger = func() { larger = true }
		b.do(func() { b.p.Paste(strings.Repeat("all work ", 1_200_000)) }) // 10 MB
		s := b.send("Summarise this:")
		if s.Overflow == nil || !s.Overflow.About {
			b.Fatalf("got %+v", s)
		}
		for _, id := range []string{OverflowDrop, OverflowSummarise, OverflowNew} {
			if offer(s, id).Off == "" {
				b.Errorf("%s is offered", id)
			}
		}
		s = b.do(func() { b.p.Resolve(OverflowLarger) })
		if !larger || s.Draft != "Summarise this:" || len(s.Attachments) != 1 || s.Attachments[0].Bytes != 10_800_000 || len(s.Turns) != 0 {
			b.Errorf("afterwards: %t, %q, %+v", larger, s.Draft, s.Attachments)
		}
	})
}

// Where we count wrong the engine has the last word, and never to the user.
func TestTheEnginesOwnWordsAboutTheContextAreAChoiceToo(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("first")
		b.last()
		b.engine.answer = breaks("", &client.Error{Kind: client.ContextExceeded, Status: 400, PromptTokens: 3000, ContextTokens: 2048, Message: "exceed_context_size_error"})
		s := b.send("a long one")
		if s.Overflow == nil || s.Overflow.PromptTokens != 3000 || len(s.Turns) != 3 {
			b.Fatalf("got %+v", s)
		}
		if all := fmt.Sprintf("%+v", s); strings.Contains(all, "exceed_context") {
			b.Errorf("it says %s", all)
		}
		b.engine.answer = says("fine.")
		b.do(func() { b.p.Resolve(OverflowDrop) })
		if turn := b.last(); turn.Text != "fine." || len(b.state().Turns) != 4 {
			b.Errorf("got %+v", b.state().Turns)
		}
	})
}

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
		is("while the prompt is read", 11+2+2, true)
		b.last()
		is("after a whole answer", 20+3, false)
		b.engine.answer = says(strings.Repeat("word ", 1000))
		b.send("1234567")
		time.Sleep(95 * time.Millisecond)
		b.do(b.p.Stop)
		b.last()
		is("after a stopped answer", 23+2+9, true)
	})
}

func TestAnUnloadedModelIsNotCalledStopped(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.answer = func(ctx context.Context, each func(client.Delta)) (client.Answer, error) {
			each(client.Delta{Text: "half a"})
			s := b.engine.State()
			s.Phase = "stopping"
			b.engine.Become(s)
			return client.Answer{Stop: client.StopBroken}, &client.Error{Kind: client.Broken}
		}
		b.send("go")
		if turn := b.last(); turn.End != Unloaded || turn.Problem.Message != "" {
			b.Errorf("the answer is %+v", turn)
		}
	})
}

func TestMaxTokensAreNoFullContext(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		most := 5
		b.do(func() { b.p.SetSettings(Settings{Sampling: Sampling{MaxTokens: &most}}) })
		b.engine.answer = func(_ context.Context, each func(client.Delta)) (client.Answer, error) {
			each(client.Delta{Text: "a b c d e"})
			return client.Answer{PromptTokens: 9, AnswerTokens: 5, Stop: client.StopLength}, nil
		}
		b.send("go")
		if turn := b.last(); turn.End != Cut || turn.Full {
			b.Errorf("got %+v", turn)
		}
		if r := b.engine.asked()[0]; r.MaxTokens != 5 {
			b.Errorf("asked for %d tokens", r.MaxTokens)
		}
	})
}

func TestAnAnswerThatFilledTheContextGoesOnAfterAChoice(t *testing.T) {
	tight(t, func(b *bench) {
		b.fill(4)
		b.engine.answer = func(_ context.Context, each func(client.Delta)) (client.Answer, error) {
			text := strings.Repeat("word ", 60)
			each(client.Delta{Text: text})
			return client.Answer{Text: text, PromptTokens: 305, AnswerTokens: 95, Stop: client.StopLength}, nil
		}
		b.send("last" + strings.Repeat(" word", 60))
		cut := b.last()
		if cut.End != Cut || !cut.Full {
			b.Fatalf("the answer is %+v", cut)
		}
		b.engine.answer = says("and the end.")
		if s := b.do(b.p.Continue); s.Overflow == nil || offer(s, OverflowNew).Off == "" {
			b.Fatalf("there is no choice: %+v", s.Overflow)
		}
		if s := b.do(b.p.CancelOverflow); len(s.Turns) != 10 || s.Draft != "" || s.Turns[9].Text != cut.Text {
			b.Errorf("cancelled: %+v", s)
		}
		b.do(b.p.Continue)
		b.do(func() { b.p.Resolve(OverflowDrop) })
		if turn := b.last(); turn.Text != cut.Text+"and the end." || turn.ID != cut.ID || turn.End != Whole {
			b.Errorf("continued it is %+v", turn)
		}
	})
}

func TestALongerContextIsOfferedOnlyWhereOneMakesRoom(t *testing.T) {
	for name, c := range map[string]struct {
		trained int
		message int // words of it
		want    string
	}{
		"it has the longest one already":            {400, 60, "no longer one than 400 tokens"},
		"a longer one holds it":                     {800, 60, ""},
		"the longest one does not hold the message": {800, 900, "Even the longest one of this model, 800 tokens"},
		"the model does not tell":                   {0, 900, ""},
	} {
		state := ready
		state.Plan.ContextTokens, state.Model.ContextTokens = 400, c.trained
		t.Run(name, func(t *testing.T) {
			inTime(t, state, func(b *bench) {
				larger := false
				b.p.seams.Larger = func() { larger = true }
				b.fill(5)
				s := b.send("last" + strings.Repeat(" word", c.message))
				if s.Overflow == nil {
					b.Fatal("it fits")
				}
				if off := offer(s, OverflowLarger).Off; !strings.Contains(off, c.want) || c.want == "" && off != "" {
					b.Errorf("it is off for %q", off)
				}
				b.do(func() { b.p.Resolve(OverflowLarger) })
				if larger != (c.want == "") {
					b.Errorf("it leads to a longer one: %t", larger)
				}
			})
		})
	}
}
