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
		s.run(func(s State) bool { return answered(s) && s.Turns[0].Text == question })
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
	s.says("Fine. [A link](https://example.org)")
	s.chats("one", "two")
	s.Delete(s.State().Current)
	s.run(func(s State) bool { return s.Undo != "" && s.Title == "one" && len(s.Turns) == 2 })
	if s.composer.entry.AcceptsTab() {
		t.Fatal("Tab stays in the composer")
	}
	for name, step := range map[string]func(){"Tab": s.window.Canvas().FocusNext, "Shift and Tab": s.window.Canvas().FocusPrevious} {
		var reached []string
		s.focus()
		for range 60 {
			step()
			switch f := s.window.Canvas().Focused().(type) {
			case *rows:
				reached = append(reached, "rows")
			case *widgets.Entry:
				reached = append(reached, "search")
			case interface{ AccessibilityLabel() string }:
				reached = append(reached, f.AccessibilityLabel())
			}
			if s.window.Canvas().Focused() == s.composer.entry {
				break
			}
		}
		for _, want := range []string{
			"search", words.T("chat.new"), "rows", words.T("chat.export"), words.T("chat.menu"), words.T("chat.undo"),
			words.T("chat.edit"), words.T("chat.copy_message"), words.T("chat.more"), "A link",
			words.T("chat.copy_answer"), words.T("chat.regenerate"), words.T("chat.attach"), words.T("chat.preset.balanced"),
		} {
			if !slices.Contains(reached, want) {
				t.Errorf("%s does not reach %q, only %q", name, want, reached)
			}
		}
	}
}

func TestSpaceContinuesABrokenAnswer(t *testing.T) {
	s := showTab(t, ready)
	s.engine.answer = breaks("half", &client.Error{Kind: client.Broken})
	s.chats("three")
	s.run(func(s State) bool { return s.ContinueOff == "" })
	button := buttonThatSays(s.messages, words.T("chat.continue"))
	if button == nil {
		t.Fatal("there is no Continue")
	}
	s.says("way.")
	s.window.Canvas().Focus(button)
	s.key(fyne.KeySpace)
	s.window.Canvas().Focused().TypedRune(' ')
	s.run(func(s State) bool { return answered(s) && s.Turns[1].End == Whole })
	if s.composer.entry.Text != "" {
		t.Errorf("Space on Continue leaves the draft %q", s.composer.entry.Text)
	}
}

// marked is the title of the conversation that keys act on.
func (s *shownTab) marked() string {
	for i, item := range s.list.items {
		if s.list.list.marks(i) {
			return item.summary.Title
		}
	}
	return ""
}

func TestKeysChooseAndDeleteInTheList(t *testing.T) {
	s := showTab(t, ready)
	s.says("Fine.")
	s.chats("one", "two", "three")
	canvas := s.window.Canvas()
	canvas.Focus(s.list.list)
	if s.marked() != "three" {
		t.Errorf("%q is marked, not the chat on view", s.marked())
	}
	s.key(fyne.KeyUp)
	s.key(fyne.KeyDown)
	s.key(fyne.KeyDown)
	s.key(fyne.KeyDown)
	if s.marked() != "one" || s.State().Title != "three" {
		t.Errorf("Down marks %q, or opens what it passes", s.marked())
	}
	s.key(fyne.KeyReturn)
	s.run(func(s State) bool { return s.Title == "one" && !s.Reading })
	if canvas.Focused() != s.composer.entry || s.marked() != "" {
		t.Error("Enter does not go to the composer")
	}
	canvas.Focus(s.list.list)
	s.key(fyne.KeyUp)
	s.key(fyne.KeyDelete)
	s.run(func(s State) bool { return len(s.Conversations) == 2 })
	if got := s.titles(); !slices.Equal(got, []string{"three", "one"}) || s.State().Title != "one" || canvas.Focused() != s.list.list {
		t.Errorf("Delete leaves %q with %q on view", got, s.State().Title)
	}
	canvas.Focused().TypedRune('h')
	if s.composer.entry.Text != "h" || canvas.Focused() != s.composer.entry {
		t.Error("what is typed on the list is lost")
	}
}

func TestAChatIsRenamedInItsRow(t *testing.T) {
	s := showTab(t, ready)
	s.says("Fine.")
	s.chats("one", "two")
	s.window.Canvas().Focus(s.list.list)
	s.key(fyne.KeyF2)
	entry, ok := s.window.Canvas().Focused().(*widgets.Entry)
	if !ok || entry.Text != "two" {
		t.Fatalf("%T has the focus", s.window.Canvas().Focused())
	}
	entry.SetText("The second")
	s.key(fyne.KeyReturn)
	s.run(func(s State) bool { return s.Title == "The second" })
	if s.header.title.String() != "The second" || s.window.Canvas().Focused() != s.list.list {
		t.Errorf("the title is %q", s.header.title.String())
	}
	s.key(fyne.KeyF2)
	s.window.Canvas().Focused().(*widgets.Entry).SetText("nonsense")
	s.key(fyne.KeyEscape)
	if s.State().Title != "The second" || s.list.renaming != 0 {
		t.Errorf("Escape leaves the title %q", s.State().Title)
	}
}

func TestTheListsMenuIsReachedByKeys(t *testing.T) {
	s := showTab(t, ready)
	s.says("Fine.")
	s.chats("one")
	s.list.list.shift = func() bool { return true }
	for _, key := range []fyne.KeyName{desktop.KeyMenu, fyne.KeyF10} {
		s.window.Canvas().Focus(s.list.list)
		s.key(key)
		menu := s.window.Canvas().Overlays().Top()
		if menu == nil || !strings.Contains(text(menu), words.T("chat.rename")) {
			t.Fatalf("%s opens no menu", key)
		}
		s.key(fyne.KeyEscape)
	}
}

func TestCtrlFSearchesAndEscapeEndsIt(t *testing.T) {
	s := showTab(t, ready)
	s.says("Fine.")
	s.chats("one apple", "two pears")
	s.Shortcut(&desktop.CustomShortcut{KeyName: fyne.KeyF, Modifier: fyne.KeyModifierShortcutDefault})
	if s.window.Canvas().Focused() != s.list.search {
		t.Fatal("the search has no focus")
	}
	test.Type(s.list.search, "pears")
	s.run(func(s State) bool { return len(s.Hits) == 1 && !s.Searching })
	if said := text(s.list.list); !strings.Contains(said, "pears") || strings.Contains(said, "apple") {
		t.Errorf("found is\n%s", said)
	}
	s.key(fyne.KeyEscape)
	s.run(func(s State) bool { return s.Search == "" })
	if s.window.Canvas().Focused() != s.composer.entry || s.list.search.Text != "" || !strings.Contains(text(s.list.list), "apple") {
		t.Error("Escape does not end the search")
	}
}

func TestUpBringsBackWhatWasWritten(t *testing.T) {
	s := showTab(t, ready)
	s.says("Fine.")
	s.chats("first")
	for _, text := range []string{"second"} {
		test.Type(s.composer.entry, text)
		s.press(fyne.KeyReturn)
		s.run(func(s State) bool { return s.Answer == nil && len(s.Turns) == 4 })
	}
	for _, want := range []string{"second", "first", "first"} {
		s.press(fyne.KeyUp)
		if s.composer.entry.Text != want {
			t.Errorf("Up gives %q, want %q", s.composer.entry.Text, want)
		}
	}
	s.press(fyne.KeyDown)
	if s.composer.entry.Text != "second" {
		t.Errorf("Down gives %q", s.composer.entry.Text)
	}
	test.Type(s.composer.entry, "!")
	s.press(fyne.KeyUp)
	if s.composer.entry.Text != "second!" {
		t.Errorf("Up in a changed text gives %q", s.composer.entry.Text)
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

func TestEmptyChatsDoNotPileUp(t *testing.T) {
	s := showTab(t, ready)
	s.says("Fine.")
	s.chats("one")
	for range 3 {
		s.fresh()
		s.Select(s.State().Conversations[0].ID)
	}
	if got := s.titles(); !slices.Equal(got, []string{"one"}) {
		t.Errorf("the chats are %q", got)
	}
}
