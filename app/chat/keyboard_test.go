package chat

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"paddock/app/widgets"
	"paddock/engine/client"
	"paddock/words"
)

// chats makes chats with a turn each, the last one on view.
func (s *shownTab) chats(questions ...string) {
	s.Helper()
	for _, question := range questions {
		s.fresh()
		test.Type(s.composer.entry, question)
		s.press(fyne.KeyReturn)
		s.run(answered)
	}
}

func (s *shownTab) titles() []string {
	var titles []string
	for _, c := range s.State().Conversations {
		titles = append(titles, c.Title)
	}
	return titles
}

// key presses a key on what has the focus.
func (s *shownTab) key(key fyne.KeyName) {
	s.window.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: key})
}

func TestTabLeavesTheComposerAndReachesEverything(t *testing.T) {
	s := showTab(t, ready)
	s.says("Fine.")
	s.chats("one", "two")
	s.Delete(s.State().Current)
	s.engine.answer = breaks(strings.Repeat("half\n\n", 60), &client.Error{Kind: client.Broken})
	s.chats("three")
	s.messages.Page(-1)
	s.messages.Page(-1)
	if s.composer.entry.AcceptsTab() {
		t.Fatal("Tab stays in the composer")
	}
	for name, step := range map[string]func(){"Tab": s.window.Canvas().FocusNext, "Shift and Tab": s.window.Canvas().FocusPrevious} {
		var reached []string
		s.focus()
		for range 30 {
			step()
			switch f := s.window.Canvas().Focused().(type) {
			case *widgets.Button:
				reached = append(reached, f.AccessibilityLabel())
			case *rows:
				reached = append(reached, "rows")
			}
			if s.window.Canvas().Focused() == s.composer.entry {
				break
			}
		}
		for _, want := range []string{words.T("chat.new"), "rows", words.T("chat.undo"), words.T("chat.delete"), words.T("chat.copy_message"), words.T("chat.to_end")} {
			if !slices.Contains(reached, want) {
				t.Errorf("%s does not reach %q, only %q", name, want, reached)
			}
		}
	}
	s.messages.ScrollToEnd()
	if button := buttonThatSays(s.messages, words.T("chat.continue")); button == nil {
		t.Error("there is no Continue")
	} else {
		s.says("way.")
		s.window.Canvas().Focus(button)
		s.key(fyne.KeySpace)
		s.window.Canvas().Focused().TypedRune(' ')
		s.run(answered)
		if last := s.State().Turns[1]; last.End != Whole || s.composer.entry.Text != "" {
			t.Errorf("Space on Continue leaves %+v and the draft %q", last.End, s.composer.entry.Text)
		}
	}
}

func TestKeysChooseAndDeleteInTheList(t *testing.T) {
	s := showTab(t, ready)
	s.says("Fine.")
	s.chats("one", "two", "three")
	canvas := s.window.Canvas()
	canvas.Focus(s.list.list)
	if !s.list.list.marks(0) {
		t.Error("the chat on view is not marked")
	}
	s.key(fyne.KeyUp)
	s.key(fyne.KeyDown)
	s.key(fyne.KeyDown)
	s.key(fyne.KeyDown)
	if !s.list.list.marks(2) || s.State().Title != "three" {
		t.Error("Down does not move the mark, or opens what it passes")
	}
	s.key(fyne.KeyReturn)
	if s.State().Title != "one" || canvas.Focused() != s.composer.entry || s.list.list.marks(2) {
		t.Errorf("Enter opens %q", s.State().Title)
	}
	canvas.Focus(s.list.list)
	s.key(fyne.KeyUp)
	s.key(fyne.KeyDelete)
	if got := s.titles(); !slices.Equal(got, []string{"three", "one"}) || s.State().Title != "one" || canvas.Focused() != s.list.list {
		t.Errorf("Delete leaves %q with %q on view", got, s.State().Title)
	}
	canvas.Focused().TypedRune('h')
	if s.composer.entry.Text != "h" || canvas.Focused() != s.composer.entry {
		t.Error("what is typed on the list is lost")
	}
}

func TestCtrlAndAPageKeyGoToTheOtherChats(t *testing.T) {
	s := showTab(t, ready)
	s.says("Fine.")
	s.chats("one", "two", "three")
	for _, c := range []struct {
		key  fyne.KeyName
		want string
	}{
		{fyne.KeyPageUp, "three"}, {fyne.KeyPageDown, "two"}, {fyne.KeyPageDown, "one"}, {fyne.KeyPageDown, "one"}, {fyne.KeyPageUp, "two"},
	} {
		if !s.Shortcut(&desktop.CustomShortcut{KeyName: c.key, Modifier: fyne.KeyModifierShortcutDefault}) || s.State().Title != c.want {
			t.Errorf("%s goes to %q, want %q", c.key, s.State().Title, c.want)
		}
	}
}

func TestEscapeGoesBackToTheComposer(t *testing.T) {
	s := showTab(t, ready)
	s.window.Canvas().Focus(s.list.list)
	s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if s.window.Canvas().Focused() != s.composer.entry {
		t.Error("the composer has no focus")
	}
}

func TestDeletedChatsComeBackOneAfterTheOther(t *testing.T) {
	s := showTab(t, ready)
	s.says("Fine.")
	s.chats("one", "two", "three")
	test.Tap(s.remove)
	test.Tap(s.remove)
	if got := s.titles(); !slices.Equal(got, []string{"one"}) {
		t.Fatalf("left are %q", got)
	}
	for _, want := range []string{"two", "three"} {
		if !strings.Contains(text(s.list.undo), want) {
			t.Errorf("Undo says\n%s\nwant %s", text(s.list.undo), want)
		}
		test.Tap(buttonThatSays(s.list.undo, words.T("chat.undo")))
		if got := s.State().Title; got != want {
			t.Errorf("%q came back, want %q", got, want)
		}
	}
	if s.list.undo.Visible() {
		t.Error("there is an Undo for nothing")
	}
}

func TestEmptyChatsDoNotPileUp(t *testing.T) {
	s := showTab(t, ready)
	s.says("Fine.")
	s.chats("one")
	for range 3 {
		first := s.State().Conversations
		s.fresh()
		s.Select(first[len(first)-1].ID)
	}
	if got := s.titles(); !slices.Equal(got, []string{"", "one"}) {
		t.Errorf("the chats are %q", got)
	}
	s.fresh()
	test.Type(s.composer.entry, "a draft")
	s.Select(s.State().Conversations[1].ID)
	s.fresh()
	if s.composer.entry.Text != "" || len(s.titles()) != 3 {
		t.Errorf("a chat with a draft is taken for an empty one: %q", s.titles())
	}
}
