package app

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"paddock/engine"
)

// chatted is a window with some chats in which something was said.
func chatted(t *testing.T, chats int) *bench {
	t.Helper()
	b := newBench(t, nil)
	b.show(engine.State{Phase: engine.Ready, Model: loadedModel})
	b.GoTo(pageChat)
	tab := b.chatTab()
	for range chats {
		tab.New()
		tab.SetDraft("hello")
		b.until("it can be sent", func() bool { return tab.State().CanSend })
		tab.Send()
		b.until("the answer has ended", func() bool { return tab.State().Answer == nil })
	}
	return b
}

func TestClosingAsksOnceWhenChatsWouldBeLost(t *testing.T) {
	ctrlQ := ctrl(fyne.KeyQ)
	for name, c := range map[string]struct {
		chats int
		said  string
		again func(*bench)
	}{
		"then closes on another request":   {1, "1 chat will be gone", func(b *bench) { b.askClose() }},
		"then closes on Ctrl and Q":        {2, "2 chats will be gone", func(b *bench) { b.shortcut(ctrlQ) }},
		"then closes when the button says": {2, "2 chats will be gone", func(b *bench) { b.answerClose(fyne.KeyTab) }},
	} {
		t.Run(name, func(t *testing.T) {
			b := chatted(t, c.chats)
			b.shortcut(ctrlQ)
			if !b.asks() || b.closing {
				t.Fatal("it did not ask")
			}
			var said []string
			eachText(b.question, fyne.Position{}, func(text *canvas.Text, _ fyne.Position) { said = append(said, text.Text) })
			if all := strings.Join(said, " "); !strings.Contains(all, c.said) {
				t.Errorf("it says %q, want %q", all, c.said)
			}
			c.again(b)
			if !b.closing {
				t.Error("it stays open")
			}
		})
	}
}

// answerClose presses the question's button, the second one after Tab.
func (b *bench) answerClose(before ...fyne.KeyName) {
	c := b.fyne.Canvas()
	for range before {
		c.FocusNext()
	}
	c.Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
}

func TestKeepOpenAndEscapeKeepTheWindowAndItAsksAgain(t *testing.T) {
	b := chatted(t, 1)
	for name, keep := range map[string]func(){
		"Enter":  func() { b.answerClose() },
		"Escape": func() { b.fyne.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape}) },
	} {
		b.askClose()
		if !b.asks() {
			t.Fatalf("before %s it does not ask", name)
		}
		keep()
		if b.asks() || b.closing || b.fyne.Canvas().Overlays().Top() != nil {
			t.Errorf("after %s the question is open, or the window closes", name)
		}
	}
}

func TestClosingDoesNotAskWhenNothingIsLost(t *testing.T) {
	for name, open := range map[string]func(*testing.T) *bench{
		"no chat was ever on view": func(t *testing.T) *bench { return newBench(t, nil) },
		"the chat is empty":        func(t *testing.T) *bench { return chatted(t, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t)
			b.askClose()
			if !b.closing {
				t.Error("it stays open")
			}
		})
	}
}

func TestATourClosesWithoutAQuestion(t *testing.T) {
	b := chatted(t, 1)
	b.Close()
	if b.asks() || !b.closing {
		t.Error("it asks")
	}
}
