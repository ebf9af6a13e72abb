package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"paddock/engine"
	"paddock/engine/client"
	"paddock/engine/gguf"
	"paddock/engine/plan"
)

var ready = engine.State{
	Phase: engine.Ready,
	Model: gguf.Facts{Name: "Test model"},
	Plan:  plan.Plan{ContextTokens: 2048},
}

// A scriptedEngine answers as a test says.
type scriptedEngine struct {
	mu       sync.Mutex
	state    engine.State
	watchers []func(engine.State)
	requests []client.Request
	answer   func(ctx context.Context, each func(client.Delta)) (client.Answer, error)
}

func (e *scriptedEngine) Chat(ctx context.Context, r client.Request, each func(client.Delta)) (client.Answer, error) {
	e.mu.Lock()
	e.requests = append(e.requests, r)
	answer := e.answer
	e.mu.Unlock()
	return answer(ctx, each)
}

func (e *scriptedEngine) State() engine.State {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state
}

func (e *scriptedEngine) Watch(f func(engine.State)) func() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.watchers = append(e.watchers, f)
	return func() {}
}

func (e *scriptedEngine) become(s engine.State) {
	e.mu.Lock()
	e.state = s
	watchers := e.watchers
	e.mu.Unlock()
	for _, f := range watchers {
		f(s)
	}
}

// says answers word by word, a word every 10 ms.
func says(text string) func(context.Context, func(client.Delta)) (client.Answer, error) {
	return func(ctx context.Context, each func(client.Delta)) (client.Answer, error) {
		said := ""
		tokens := strings.SplitAfter(text, " ")
		for i, token := range tokens {
			select {
			case <-ctx.Done():
				return client.Answer{Text: said, AnswerTokens: i, Stop: client.StopCancelled}, nil
			case <-time.After(10 * time.Millisecond):
			}
			said += token
			each(client.Delta{Text: token})
		}
		return client.Answer{
			Text: said, PromptTokens: 20, AnswerTokens: len(tokens), TokensPerSecond: 100,
			FirstToken: 10 * time.Millisecond, Stop: client.StopEnd,
		}, nil
	}
}

// breaks says something and then fails.
func breaks(text string, err error) func(context.Context, func(client.Delta)) (client.Answer, error) {
	return func(_ context.Context, each func(client.Delta)) (client.Answer, error) {
		if text != "" {
			each(client.Delta{Text: text})
		}
		return client.Answer{Text: text, Stop: client.StopBroken}, err
	}
}

// A bench is a presenter with its own UI goroutine: whoever has the lock.
type bench struct {
	*testing.T
	mu     sync.Mutex
	engine *scriptedEngine
	p      *Presenter
	states []State
}

// inTime runs a test on a presenter in time that passes by itself.
func inTime(t *testing.T, state engine.State, f func(b *bench)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{T: t, engine: &scriptedEngine{state: state, answer: says("one two three.")}}
		b.p = NewPresenter(b.engine, b.ui, UpdateInterval, func(s State) { b.states = append(b.states, s) })
		f(b)
		b.ui(b.p.Stop)
		synctest.Wait()
	})
}

func (b *bench) ui(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

func (b *bench) state() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.p.State()
}

func (b *bench) send(text string) {
	b.ui(func() {
		b.p.SetDraft(text)
		b.p.Send()
	})
}

func (b *bench) deleteCurrent() { b.ui(func() { b.p.Delete(b.p.State().Current) }) }

// last is the last turn once everything has come to rest.
func (b *bench) last() Turn {
	b.Helper()
	time.Sleep(time.Minute)
	s := b.state()
	if s.Answer != nil || len(s.Turns) == 0 {
		b.Fatalf("no answer has ended: %+v", s)
	}
	return s.Turns[len(s.Turns)-1]
}

func TestAnAnswerStreamsAndIsKept(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("  How many posts do I need?\n")
		time.Sleep(15 * time.Millisecond)
		s := b.state()
		if s.Answer == nil || s.Draft != "" || s.CanSend || len(s.Turns) != 1 || s.Turns[0].Text != "How many posts do I need?" {
			b.Fatalf("after sending: %+v", s)
		}
		time.Sleep(8 * time.Millisecond)
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
		got := fmt.Sprint(b.engine.requests[1].Messages)
		if want := "[{user first} {assistant one two three.} {user second}]"; got != want {
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
				b.engine.become(ready)
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
		b.engine.become(engine.State{Phase: engine.Failed})
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
		b.engine.become(ready)
		time.Sleep(time.Second)
		b.ui(b.p.Continue)
		again := b.last()
		if again.Text != "The end of this sentence." || again.End != Whole || again.ID != turn.ID {
			b.Errorf("continued it is %+v", again)
		}
		if got := fmt.Sprint(b.engine.requests[1].Messages); got != "[{user go} {assistant The end of this sen}]" {
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

func TestAQuestionLongerThanTheContextGoesToANewChat(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("first")
		b.last()
		b.engine.answer = breaks("", &client.Error{Kind: client.ContextExceeded, Status: 400, PromptTokens: 3000, ContextTokens: 2048})
		b.send("a long one")
		turn := b.last()
		if !turn.Full || turn.End != Broken || turn.Problem.Message == "" || turn.Problem.Remedy == "" {
			b.Errorf("got %+v", turn)
		}
		b.ui(b.p.NewWithLast)
		s := b.state()
		if len(s.Turns) != 0 || s.Draft != "a long one" || len(s.Conversations) != 2 || !s.CanSend {
			b.Errorf("the new chat is %+v", s)
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
		if s := b.state(); s.ContextUsed != s.ContextTokens {
			b.Errorf("%d of %d tokens are used", s.ContextUsed, s.ContextTokens)
		}
		b.ui(b.p.NewWithLast)
		if s := b.state(); s.Draft != "" {
			b.Errorf("an answered question became a draft: %q", s.Draft)
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

func TestAnAnswerGoesToTheChatThatAsked(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.engine.answer = says(strings.Repeat("word ", 100))
		b.send("asked here")
		asked := b.state().Current
		b.ui(func() {
			b.p.New()
			b.p.SetDraft("asked there")
		})
		s := b.state()
		if s.Answer != nil || s.CanSend || !strings.Contains(s.SendOff, "chat.off.busy") && !strings.Contains(s.SendOff, "asked here") {
			b.Errorf("in the other chat: %+v", s)
		}
		if !s.Conversations[1].Answering || s.Conversations[0].Answering {
			b.Errorf("the list says %+v", s.Conversations)
		}
		time.Sleep(time.Minute)
		if s := b.state(); len(s.Turns) != 0 || !s.CanSend || s.Draft != "asked there" {
			b.Errorf("afterwards in the other chat: %+v", s)
		}
		b.ui(func() { b.p.Select(asked) })
		if turn := b.last(); strings.Count(turn.Text, "word") != 100 {
			b.Errorf("the answer is %q", turn.Text)
		}
	})
}

func TestEachChatHasItsDraft(t *testing.T) {
	inTime(t, engine.State{}, func(b *bench) {
		b.engine.become(ready)
		time.Sleep(time.Second)
		b.send("one")
		b.last()
		first := b.state().Current
		b.ui(func() {
			b.p.SetDraft("draft of one")
			b.p.New()
			b.p.SetDraft("draft of two")
			b.p.Select(first)
		})
		if got := b.state().Draft; got != "draft of one" {
			b.Errorf("got %q", got)
		}
	})
}

func TestANewChatIsNotMadeTwice(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.ui(b.p.New)
		b.ui(b.p.New)
		if n := len(b.state().Conversations); n != 1 {
			b.Errorf("%d chats", n)
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
		if s.Current == id || s.Deleted != "keep me" || len(s.Conversations) != 1 || len(s.Turns) != 0 {
			b.Errorf("after deleting: %+v", s)
		}
		b.ui(b.p.Undo)
		s = b.state()
		if s.Current != id || s.Deleted != "" || len(s.Turns) != 2 {
			b.Errorf("after undoing: %+v", s)
		}
		b.ui(b.p.Undo)
		if again := b.state(); len(again.Conversations) != len(s.Conversations) {
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
		b.ui(func() { b.p.SetDraft("next") })
		if s := b.state(); !s.CanSend {
			b.Errorf("got %+v", s)
		}
	})
}

func TestLongTextsArePastedBesideTheDraft(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		long := strings.Repeat("all work ", 100_000)
		b.ui(func() {
			if b.p.Paste("short") {
				b.Error("a short text was taken")
			}
			if !b.p.Paste(long) || !b.p.Paste("x"+long) {
				b.Error("a long text was not taken")
			}
			b.p.RemovePaste(1)
			b.p.SetDraft("Summarise this:")
		})
		s := b.state()
		if len(s.Pasted) != 1 || s.Pasted[0].Runes != 900_000 || !strings.HasPrefix(s.Pasted[0].First, "all work") || s.Draft != "Summarise this:" {
			b.Errorf("got %+v", s)
		}
		b.ui(b.p.Send)
		if got := b.state().Turns[0].Text; got != "Summarise this:\n\n"+strings.TrimSpace(long) {
			b.Errorf("%d bytes were sent", len(got))
		}
		if len(b.state().Pasted) != 0 {
			b.Error("the text is still there")
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

func TestATitleIsTheFirstWords(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"How many posts?", "How many posts?"},
		{"  # A heading\nand more", "A heading and more"},
		{"**Bold** `code`", "Bold code"},
		{strings.Repeat("abc ", 30), "abc abc abc abc abc abc abc abc abc abc abc abc…"},
		{strings.Repeat("x", 100), strings.Repeat("x", 48) + "…"},
		{strings.Repeat("語", 100), strings.Repeat("語", 48) + "…"},
		{"a \xff b", "a b"},
	} {
		if got := firstWords(c.text, titleRunes); got != c.want {
			t.Errorf("%.20q: got %q, want %q", c.text, got, c.want)
		}
	}
}
