package chat

import (
	"context"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"paddock/app/apptest"
	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine"
	"paddock/engine/client"
	"paddock/words"
)

// A shownTab is a tab in a window. What the engine does happens in run.
type shownTab struct {
	*Tab
	*testing.T
	window fyne.Window
	engine *scriptedEngine
	posted chan func()
	asked  []string
}

func showTab(t *testing.T, state engine.State) *shownTab {
	t.Helper()
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Dark))
	s := &shownTab{T: t, engine: &scriptedEngine{Watched: apptest.NewWatched(state), answer: breaks("", nil)}, posted: make(chan func(), 1000)}
	s.Tab = New(Options{
		Engine:    s.engine,
		Do:        func(f func()) { s.posted <- f },
		LoadModel: func() { s.asked = append(s.asked, "load") },
		LoadLast:  func() { s.asked = append(s.asked, "last") },
		Copy:      func(text string) { s.asked = append(s.asked, "copy "+text) },
		OpenLink:  func(address string) { s.asked = append(s.asked, "open "+address) },
		Folder:    t.TempDir(),
		Say:       func(text string, _ bool) { s.asked = append(s.asked, "say "+text) },
	})
	t.Cleanup(s.end)
	s.window = test.NewTempWindow(t, s.Content())
	s.window.SetPadded(false)
	s.window.Resize(fyne.NewSize(1196, 700))
	s.Show()
	s.run(func(s State) bool { return !s.Opening })
	return s
}

// end closes what is kept, as the end of the program does.
func (s *shownTab) end() {
	done := s.Presenter.Close()
	for {
		select {
		case f := <-s.posted:
			f()
		case <-done:
			return
		}
	}
}

// run does what is posted to the UI goroutine until something is so.
func (s *shownTab) run(until func(State) bool) {
	s.Helper()
	for !until(s.State()) {
		select {
		case f := <-s.posted:
			f()
		case <-s.Context().Done():
			s.Fatal("it never came to that")
		}
	}
}

func (s *shownTab) says(text string) {
	s.engine.answer = func(_ context.Context, each func(client.Delta)) (client.Answer, error) {
		each(client.Delta{Text: text})
		return client.Answer{Text: text, PromptTokens: 1000, AnswerTokens: 24, TokensPerSecond: 62.44, Stop: client.StopEnd}, nil
	}
}

func answered(s State) bool { return s.Answer == nil && len(s.Turns) > 1 }

// press types a key into the composer.
func (s *shownTab) press(key fyne.KeyName) {
	s.composer.entry.TypedKey(&fyne.KeyEvent{Name: key})
}

// text is everything that can be read in an object.
func text(o fyne.CanvasObject) string {
	var all []string
	var walk func(fyne.CanvasObject)
	walk = func(o fyne.CanvasObject) {
		if !o.Visible() {
			return
		}
		switch o := o.(type) {
		case *canvas.Text:
			all = append(all, o.Text)
		case *fyne.Container:
			for _, inner := range o.Objects {
				walk(inner)
			}
		case fyne.Widget:
			for _, inner := range test.WidgetRenderer(o).Objects() {
				walk(inner)
			}
		}
	}
	walk(o)
	return strings.Join(all, "\n")
}

func TestAMessageIsTypedSentAndAnswered(t *testing.T) {
	s := showTab(t, ready)
	s.says("Fifty-nine **posts**.")
	if s.window.Canvas().Focused() != s.composer.entry {
		t.Fatal("the composer has no focus")
	}
	if !s.composer.send.Disabled() {
		t.Error("nothing can be sent")
	}
	test.Type(s.composer.entry, "How many")
	s.composer.entry.KeyDown(&fyne.KeyEvent{Name: desktop.KeyShiftLeft})
	s.press(fyne.KeyReturn)
	s.composer.entry.KeyUp(&fyne.KeyEvent{Name: desktop.KeyShiftLeft})
	test.Type(s.composer.entry, "posts?")
	if s.composer.send.Disabled() {
		t.Error("it can't be sent")
	}
	s.press(fyne.KeyReturn)
	if s.composer.entry.Text != "" || !s.composer.stop.Visible() || s.composer.send.Visible() {
		t.Error("the composer does not look like an answer is being written")
	}
	s.run(answered)
	if got := s.State().Turns[0].Text; got != "How many\nposts?" {
		t.Errorf("sent was %q", got)
	}
	said := text(s.messages)
	for _, want := range []string{"How many", "posts?", "Fifty-nine ", "posts"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
	if !strings.Contains(said, words.T("chat.fact.speed", map[string]any{"Speed": "62.4"})) {
		t.Errorf("no speed in\n%s", said)
	}
	if got := text(s.composer.content); !strings.Contains(got, "1,024 / 2,048") {
		t.Errorf("the composer says\n%s", got)
	}
	if s.composer.stop.Visible() || !s.composer.send.Visible() {
		t.Error("the composer still looks like an answer is being written")
	}
}

func TestReadingThePromptIsNoLongerSaidOnceWordsCome(t *testing.T) {
	s := showTab(t, ready)
	going := make(chan struct{})
	s.engine.answer = func(_ context.Context, each func(client.Delta)) (client.Answer, error) {
		each(client.Delta{Text: "Once upon"})
		<-going
		return client.Answer{Text: "Once upon", Stop: client.StopEnd}, nil
	}
	s.SetDraft("A story")
	s.Send()
	s.run(func(s State) bool { return s.Answer != nil && s.Answer.Text != "" })
	if said := text(s.messages); strings.Contains(said, words.T("chat.reading")) || strings.Count(said, "upon") != 1 {
		t.Errorf("it says\n%s", said)
	}
	close(going)
	s.run(answered)
}

func TestEscapeStops(t *testing.T) {
	s := showTab(t, ready)
	stopped := make(chan struct{})
	s.engine.answer = func(ctx context.Context, each func(client.Delta)) (client.Answer, error) {
		each(client.Delta{Text: "on and on"})
		<-ctx.Done()
		close(stopped)
		return client.Answer{Stop: client.StopCancelled}, nil
	}
	test.Type(s.composer.entry, "go")
	test.Tap(s.composer.send)
	s.run(func(s State) bool { return s.Answer != nil && s.Answer.Text != "" })
	s.press(fyne.KeyEscape)
	<-stopped
	s.run(answered)
	if said := text(s.messages); !strings.Contains(said, "on and on") || !strings.Contains(said, words.T("chat.end.stopped")) {
		t.Errorf("it says\n%s", said)
	}
}

func TestWithoutAModelThereIsAWayOut(t *testing.T) {
	s := showTab(t, engine.State{Phase: engine.NotLoaded})
	if said := text(s.Content()); !strings.Contains(said, words.T("chat.none")) || !strings.Contains(said, words.T("chat.off.none")) {
		t.Errorf("it says\n%s", said)
	}
	test.Type(s.composer.entry, "hello")
	s.press(fyne.KeyReturn)
	if s.composer.entry.Text != "hello" || !s.composer.send.Disabled() {
		t.Error("the draft is gone, or could be sent")
	}
	test.Tap(s.empty.load)
	if !slices.Equal(s.asked, []string{"load"}) {
		t.Errorf("asked for %v", s.asked)
	}
	s.engine.Become(ready)
	s.run(func(s State) bool { return s.CanSend })
	if said := text(s.Content()); strings.Contains(said, words.T("chat.none")) || s.composer.send.Disabled() {
		t.Errorf("with a model it says\n%s", said)
	}
}

func TestTheModelUsedLastIsOfferedWhileNoneIsLoaded(t *testing.T) {
	s := showTab(t, engine.State{Phase: engine.NotLoaded})
	s.Offer("Qwen3 4B")
	said := text(s.Content())
	if !strings.Contains(said, "Load Qwen3 4B") || !strings.Contains(said, "Choose another model") || s.empty.load.Visible() {
		t.Errorf("it says\n%s", said)
	}
	test.Tap(s.empty.last)
	test.Tap(s.empty.other)
	if !slices.Equal(s.asked, []string{"last", "load"}) {
		t.Errorf("asked for %v", s.asked)
	}
	s.engine.Become(ready)
	s.run(func(s State) bool { return s.Model != "" })
	if said := text(s.Content()); strings.Contains(said, "Load Qwen3 4B") {
		t.Errorf("with a model it says\n%s", said)
	}
	s.engine.Become(engine.State{Phase: engine.NotLoaded})
	s.run(func(s State) bool { return s.OfferLoad })
	if !s.empty.last.Visible() {
		t.Error("it is not offered any more")
	}
	if s.Offer(""); s.empty.last.Visible() || !s.empty.load.Visible() {
		t.Error("what is gone is still offered")
	}
}

func TestALostEngineLeavesAMarkAndAWayOn(t *testing.T) {
	s := showTab(t, ready)
	s.engine.answer = breaks("half a sen", &client.Error{Kind: client.Broken})
	test.Type(s.composer.entry, "go")
	s.press(fyne.KeyReturn)
	s.run(answered)
	s.engine.Become(engine.State{Phase: engine.Failed})
	s.run(func(s State) bool { return s.OfferLoad })
	said := text(s.messages)
	for _, want := range []string{"half a sen", words.T("chat.end.broken"), words.T("chat.continue"), words.T("chat.when_ready")} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
	if !s.composer.load.Visible() {
		t.Error("there is no button to load a model")
	}
	s.says("tence.")
	s.engine.Become(ready)
	s.run(func(s State) bool { return s.ContinueOff == "" })
	s.act(s.State().Turns[1].ID, actContinue)
	s.run(func(s State) bool { return answered(s) && s.Turns[1].End == Whole })
	if said := text(s.messages); !strings.Contains(said, "half a sentence.") || strings.Contains(said, words.T("chat.end.broken")) {
		t.Errorf("continued it says\n%s", said)
	}
}

func TestChatsAreListedSwitchedAndDeleted(t *testing.T) {
	s := showTab(t, ready)
	s.says("One.")
	test.Type(s.composer.entry, "first question")
	s.press(fyne.KeyReturn)
	s.run(answered)
	if !s.Shortcut(&desktop.CustomShortcut{KeyName: fyne.KeyN, Modifier: fyne.KeyModifierShortcutDefault}) {
		t.Fatal("Ctrl and N do nothing")
	}
	if s.Shortcut(&fyne.ShortcutCopy{}) {
		t.Error("it took a shortcut it has no use for")
	}
	test.Type(s.composer.entry, "a draft")
	s.run(func(s State) bool { return len(s.Conversations) == 2 })
	if said := text(s.list.content); !strings.Contains(said, "first question") || !strings.Contains(said, words.T("chat.new")) {
		t.Errorf("the list says\n%s", said)
	}
	first := s.list.indexOf(s.State().Conversations[1].ID)
	s.list.choose(first)
	s.run(func(s State) bool { return len(s.Turns) == 2 })
	if s.header.title.String() != "first question" || s.composer.entry.Text != "" || !strings.Contains(text(s.messages), "One.") {
		t.Errorf("the first chat is not on view: %q", s.header.title.String())
	}
	s.Delete(s.State().Current)
	s.run(func(s State) bool { return s.Draft == "a draft" && s.Undo != "" })
	if s.composer.entry.Text != "a draft" || !s.undoBar.content.Visible() {
		t.Error("the other chat is not on view, or there is no undo")
	}
	test.Tap(buttonThatSays(s.undoBar.content, words.T("chat.undo")))
	s.run(func(s State) bool { return len(s.Turns) == 2 })
	if s.header.title.String() != "first question" || s.undoBar.content.Visible() {
		t.Error("the chat did not come back")
	}
}

func TestTheComposerGrowsWithItsText(t *testing.T) {
	s := showTab(t, ready)
	heights := []float32{}
	for _, draft := range []string{"one", "1\n2\n3", strings.Repeat("many words ", 40), strings.Repeat("line\n", 40)} {
		s.composer.entry.SetText(draft)
		heights = append(heights, s.composer.content.Size().Height)
	}
	if !slices.IsSorted(heights) || heights[0] == heights[1] || heights[3] > 220 {
		t.Errorf("heights are %v", heights)
	}
	place := fyne.CurrentApp().Driver().AbsolutePositionForObject(s.composer.content)
	if end := place.Y + s.composer.content.Size().Height; end != 700-belowColumn {
		t.Errorf("the composer ends at %g", end)
	}
}

func TestALongPasteStandsBesideTheText(t *testing.T) {
	s := showTab(t, ready)
	clipboard := fyne.CurrentApp().Clipboard()
	clipboard.SetContent(strings.Repeat("all work and no play ", 50_000))
	s.composer.entry.TypedShortcut(&fyne.ShortcutPaste{Clipboard: clipboard})
	if s.composer.entry.Text != "" || !strings.Contains(text(s.composer.content), "all work and no play") {
		t.Fatalf("the composer says\n%s", text(s.composer.content))
	}
	clipboard.SetContent("short")
	s.composer.entry.TypedShortcut(&fyne.ShortcutPaste{Clipboard: clipboard})
	if s.composer.entry.Text != "short" {
		t.Errorf("the text is %q", s.composer.entry.Text)
	}
	test.Tap(apptest.All[*widgets.Button](s.composer.chips)[0])
	if strings.Contains(text(s.composer.content), "all work") {
		t.Error("it is still there")
	}
}

func TestALinkIsAskedAboutFirst(t *testing.T) {
	for _, c := range []struct {
		address string
		opens   bool
	}{
		{"https://example.org/a?b=c", true},
		{"http://example.org", true},
		{"mailto:a@example.org", true},
		{"file:///etc/passwd", false},
		{"javascript:alert(1)", false},
		{"https://", false},
		{"/relative", false},
		{"http://a\x7f", false},
		{"", false},
	} {
		t.Run(c.address, func(t *testing.T) {
			s := showTab(t, ready)
			s.askLink(c.address)
			popup := s.window.Canvas().Overlays().Top()
			if popup == nil || len(s.asked) != 0 {
				t.Fatalf("nothing was asked, or done already: %v", s.asked)
			}
			if !strings.Contains(text(popup), widgets.Visible(c.address, maxShownAddress)) {
				t.Errorf("the address is not in\n%s", text(popup))
			}
			button := buttonThatSays(popup, words.T("chat.link.open"))
			if (button != nil) != c.opens {
				t.Fatalf("offers to open it: %t", button != nil)
			}
			if c.opens {
				test.Tap(button)
				if !slices.Equal(s.asked, []string{"open " + c.address}) {
					t.Errorf("asked for %v", s.asked)
				}
			} else {
				test.Tap(buttonThatSays(popup, words.T("chat.link.copy")))
				if !slices.Equal(s.asked, []string{"copy " + c.address}) {
					t.Errorf("asked for %v", s.asked)
				}
			}
			if s.window.Canvas().Overlays().Top() != nil {
				t.Error("the question is still there")
			}
		})
	}
}

func buttonThatSays(o fyne.CanvasObject, label string) *widgets.Button {
	switch o := o.(type) {
	case *widgets.Button:
		if o.AccessibilityLabel() == label {
			return o
		}
	case *fyne.Container:
		for _, inner := range o.Objects {
			if b := buttonThatSays(inner, label); b != nil {
				return b
			}
		}
	case fyne.Widget:
		for _, inner := range test.WidgetRenderer(o).Objects() {
			if b := buttonThatSays(inner, label); b != nil {
				return b
			}
		}
	}
	return nil
}

func TestKeysMoveThroughTheMessages(t *testing.T) {
	s := showTab(t, ready)
	s.says(strings.Repeat("a paragraph\n\n", 100))
	test.Type(s.composer.entry, "go")
	s.press(fyne.KeyReturn)
	s.run(answered)
	s.press(fyne.KeyPageUp)
	if s.messages.AtEnd() {
		t.Error("page up does nothing")
	}
	s.press(fyne.KeyPageDown)
	if !s.messages.AtEnd() {
		t.Error("page down does nothing")
	}
	if s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyHome}) {
		t.Error("it took a key that edits")
	}
}

func TestTypingWithoutTheFocusWrites(t *testing.T) {
	s := showTab(t, ready)
	s.window.Canvas().Unfocus()
	s.TypedRune('h')
	test.Type(s.composer.entry, "i")
	if s.composer.entry.Text != "hi" || s.window.Canvas().Focused() != s.composer.entry {
		t.Errorf("the text is %q", s.composer.entry.Text)
	}
}

func TestANarrowWindowHasANarrowList(t *testing.T) {
	s := showTab(t, ready)
	if got := s.content.Objects[0].Size().Width; got != theme.ConversationsWidth {
		t.Errorf("the list is %g wide", got)
	}
	s.window.Resize(fyne.NewSize(876, 500))
	if got := s.content.Objects[0].Size().Width; got != theme.ConversationsNarrow {
		t.Errorf("the narrow list is %g wide", got)
	}
	if got := s.content.MinSize(); got.Width > 876 || got.Height > 500 {
		t.Errorf("the tab needs %v", got)
	}
}
