package chat

import (
	"context"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"paddock/app/widgets"
	"paddock/engine"
	"paddock/engine/client"
	"paddock/words"
)

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

func TestAMessageForWhichThereIsNoRoomIsAQuestion(t *testing.T) {
	s := showTab(t, ready)
	s.engine.answer = tooLong
	test.Type(s.composer.entry, "Summarise this:")
	s.press(fyne.KeyReturn)
	s.run(func(s State) bool { return s.Overflow != nil })
	popup := s.window.Canvas().Overlays().Top()
	if popup == nil {
		t.Fatal("there is no dialog")
	}
	if said := text(popup); strings.Contains(said, "exceed_context") || !strings.Contains(said, words.T("chat.overflow")) {
		t.Errorf("it says\n%s", said)
	}
	if _, ok := s.window.Canvas().Focused().(*widgets.Button); !ok {
		t.Error("no offer has the focus")
	}
	if !s.CloseDialog() {
		t.Fatal("Escape does not close it")
	}
	s.run(func(s State) bool { return s.Overflow == nil && s.Draft != "" })
	if s.composer.entry.Text != "Summarise this:" || s.window.Canvas().Overlays().Top() != nil {
		t.Errorf("the composer says %q", s.composer.entry.Text)
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
				s.engine.Become(engine.State{Phase: engine.Stopping})
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
