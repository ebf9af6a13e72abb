package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"paddock/config"
	"paddock/engine"
	store "paddock/engine/chat"
	"paddock/engine/library"
	"paddock/engine/plan"
)

// chatted is a window with a chat whose answer is being written, or is done.
func chatted(t *testing.T, answering bool) *bench {
	t.Helper()
	b := newBench(t, nil)
	b.engine.endless = answering
	b.show(engine.State{Phase: engine.Ready, Model: loadedModel, Plan: plan.Plan{ContextTokens: 4096}})
	b.GoTo(pageChat)
	tab := b.chatTab()
	b.until("the chats are open", func() bool { return !tab.State().Opening })
	tab.SetDraft("hello")
	b.until("it can be sent", func() bool { return tab.State().CanSend })
	tab.Send()
	if answering {
		b.until("the answer comes", func() bool { a := tab.State().Answer; return a != nil && a.Text != "" })
	} else {
		b.until("the answer has ended", func() bool { return len(tab.State().Turns) == 2 })
	}
	return b
}

func TestClosingAsksOnceWhileAnAnswerIsWritten(t *testing.T) {
	ctrlQ := ctrl(fyne.KeyQ)
	for name, again := range map[string]func(*bench){
		"then closes on another request":   func(b *bench) { b.askClose() },
		"then closes on Ctrl and Q":        func(b *bench) { b.shortcut(ctrlQ) },
		"then closes when the button says": func(b *bench) { b.answerClose(fyne.KeyTab) },
	} {
		t.Run(name, func(t *testing.T) {
			b := chatted(t, true)
			b.shortcut(ctrlQ)
			b.until("it asks", func() bool { return b.asks() || b.closing })
			if b.closing {
				t.Fatal("it did not ask")
			}
			var said []string
			eachText(b.fyne.Canvas().Overlays().Top(), fyne.Position{}, func(text *canvas.Text, _ fyne.Position) { said = append(said, text.Text) })
			if all := strings.Join(said, " "); !strings.Contains(all, "still being written") {
				t.Errorf("it says %q", all)
			}
			again(b)
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
	b := chatted(t, true)
	for name, keep := range map[string]func(){
		"Enter":  func() { b.answerClose() },
		"Escape": func() { b.fyne.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape}) },
	} {
		b.askClose()
		b.until("it asks before "+name, b.asks)
		keep()
		if b.asks() || b.closing || b.fyne.Canvas().Overlays().Top() != nil {
			t.Errorf("after %s the question is open, or the window closes", name)
		}
	}
}

func TestClosingDoesNotAskWhenNoAnswerIsWritten(t *testing.T) {
	for name, open := range map[string]func(*testing.T) *bench{
		"no chat was ever on view": func(t *testing.T) *bench { return newBench(t, nil) },
		"the answer is done":       func(t *testing.T) *bench { return chatted(t, false) },
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t)
			b.askClose()
			b.until("it closes, or asks", func() bool { return b.closing || b.asks() })
			if !b.closing {
				t.Error("it stays open")
			}
		})
	}
}

// texts are what the question says.
func (b *bench) questionSays() string {
	var said []string
	eachText(b.fyne.Canvas().Overlays().Top(), fyne.Position{}, func(text *canvas.Text, _ fyne.Position) { said = append(said, text.Text) })
	return strings.Join(said, " ")
}

func TestClosingAsksWhenWordsAreNotSavedAndCanCopyThem(t *testing.T) {
	b := chatted(t, false)
	tab := b.chatTab()
	b.until("the draft is saved", func() bool { return !tab.State().Saved.IsZero() })
	if err := os.RemoveAll(b.options.Config.Folders().Data); err != nil {
		t.Fatal(err)
	}
	tab.SetDraft("precious words")
	b.askClose()
	b.until("it asks, or closes", func() bool { return b.asks() || b.closing })
	if said := b.questionSays(); b.closing || !strings.Contains(said, "was deleted, moved or replaced") || !strings.Contains(said, "these words are lost") {
		t.Fatalf("it says %q", said)
	}
	b.askClose()
	b.askClose()
	if b.closing || !b.asks() {
		t.Fatal("asked for again it closes, and the words are lost")
	}
	b.answerClose(fyne.KeyTab, fyne.KeyTab) // round to the second button
	if got := b.options.Fyne.Clipboard().Content(); !strings.Contains(got, "precious words") || !strings.Contains(got, "hello") {
		t.Errorf("copied is %q", got)
	}
	b.fyne.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if b.asks() || b.closing || tab.State().Draft != "precious words" {
		t.Fatal("Escape does not keep the words")
	}
	if banner := tab.State().Banner; banner == nil || !banner.Again || !tab.State().Saved.IsZero() {
		t.Errorf("above the messages stands %+v", banner)
	}
	tab.SaveAgain()
	b.until("all is saved", func() bool { return tab.State().Banner == nil })
	b.askClose()
	b.until("it closes, or asks", func() bool { return b.closing || b.asks() })
	if !b.closing {
		t.Fatalf("it asks although all is saved: %q", b.questionSays())
	}
	<-b.stopped
	s, _, err := store.Open(t.Context(), filepath.Join(b.options.Config.Folders().Data, chatFolder), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all, err := s.Conversations(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("%d conversations, %v", len(all), err)
	}
	if draft, err := s.Draft(t.Context(), all[0].ID); err != nil || !strings.Contains(draft, "precious words") {
		t.Errorf("the draft kept is %q, %v", draft, err)
	}
}

func TestWordsThatAreLostCanBeLeft(t *testing.T) {
	b := chatted(t, false)
	if err := os.RemoveAll(b.options.Config.Folders().Data); err != nil {
		t.Fatal(err)
	}
	b.chatTab().SetDraft("whatever")
	b.askClose()
	b.until("it asks", b.asks)
	b.answerClose(fyne.KeyTab) // round to the first button
	if !b.closing {
		t.Error("it stays open")
	}
}

func TestATourClosesWithoutAQuestion(t *testing.T) {
	b := chatted(t, true)
	b.Close()
	if b.asks() || !b.closing {
		t.Error("it asks")
	}
}

func TestWhatIsThereOfAnAnswerIsKeptWhenTheWindowCloses(t *testing.T) {
	b := chatted(t, true)
	folder := filepath.Join(b.options.Config.Folders().Data, chatFolder)
	b.Close()
	<-b.stopped
	s, _, err := store.Open(t.Context(), folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all, err := s.Conversations(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("%d conversations, %v", len(all), err)
	}
	turns, err := s.Path(t.Context(), all[0].ID)
	if err != nil || len(turns) != 2 || turns[1].Text != "and so on" || turns[1].End != store.Interrupted {
		t.Errorf("kept is %+v, %v", turns, err)
	}
}

func TestAWindowThatClosesWaitsForTheConfiguration(t *testing.T) {
	b := newBench(t, nil)
	release := make(chan struct{})
	b.options.Config.Later(func(*config.Config) {}, func(error) { <-release }) // a slow disk
	b.options.Config.Later(func(c *config.Config) { c.Theme = "light" }, func(error) {})
	b.Close()
	select {
	case <-b.stopped:
		t.Error("it did not wait")
	case <-time.After(200 * time.Millisecond):
	}
	close(release)
	<-b.stopped
	again, err := config.Open(b.options.Config.Folders().Config)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.Get().Theme; got != "light" {
		t.Errorf("the next start has %q", got)
	}
}

// Nothing a tab waits for may use up the engine's time to stop by itself.
func TestTheEngineIsAskedToStopWhileATabStillWaits(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	b := newBench(t, func(o *Options) {
		o.Scan = func(_ context.Context, s library.Sources, _ func(library.Model)) error {
			if len(s.Files) > 0 {
				once.Do(func() { close(begun) })
				<-release
			}
			return nil
		}
	})
	b.modelsTab().Open([]string{write(t, filepath.Join(t.TempDir(), "a.gguf"), "")})
	<-begun
	b.Close()
	b.until("the engine is asked to stop", func() bool { return b.engine.called("close") })
	if b.engine.called("close without time") {
		t.Error("it is killed unasked")
	}
	close(release)
	<-b.stopped
}

func TestALoadAtTheStartThatClosingGivesUpLeavesNoMark(t *testing.T) {
	b := newBench(t, nil)
	b.until("the first look is over", b.modelsTab().Settled)
	b.last, b.begun = loadedModel, loadWanted
	b.loadAtStart()
	if b.begun != loadRuns {
		t.Fatal("it does not load")
	}
	b.Close()
	<-b.stopped
	if marked(b.startMark()) {
		t.Error("the next start takes it for failed")
	}
}
