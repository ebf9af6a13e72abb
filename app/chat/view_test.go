package chat

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"paddock/app/apptest"
	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/picture/picturetest"
	"paddock/words"
)

// photo writes a picture.
func photo(t *testing.T, name string, img image.Image) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, picturetest.Encode(t, "png", img), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// scene is a state with much to show. Its names are long, and not only Latin.
func scene(t *testing.T) State {
	a, b := photo(t, "a.png", picturetest.Photo(640, 480)), photo(t, "b.png", picturetest.Photo(300, 600))
	at := time.Date(2026, 11, 30, 14, 2, 0, 0, time.UTC)
	long := "A very long name of a conversation about fences, gates, posts and rails, for which no window is wide enough 🦙 栅栏"
	return State{
		Key: 1000, Current: 1, Title: long, Pinned: true, Preset: strings.Repeat("long preset ", 9), Search: "",
		ListVersion: 1000, TurnsVersion: 1000,
		Conversations: []Summary{
			{ID: 1, Group: GroupPinned, Title: long, Preview: "How many posts do I need", HasPicture: true, Updated: at},
			{ID: 2, Group: GroupToday, Title: "一个很长的问题", Preview: "你需要五十九根柱子", Updated: at},
			{ID: 3, Group: GroupOlder, Title: "Old\u202eone\n", Preview: long, Updated: at},
		},
		Turns: []Turn{
			{ID: 1, User: true, Text: "How many posts?", Pictures: []Picture{{Path: a, Name: long}}, Branch: Branch{2, 3}, Outside: true},
			{ID: 2, Text: "Fifty-nine.", Branch: Branch{1, 1}, Thought: "Four sides", Thinking: time.Second, Numbers: Numbers{TokensPerSecond: 62.4, FirstToken: time.Second, PromptTokens: 3187, AnswerTokens: 412, DraftedTokens: 318, AcceptedTokens: 241}},
			{ID: 3, User: true, Text: "And these?", Pictures: []Picture{{Path: a}, {Path: b}, {Missing: true, Name: "gone.png"}}, Files: []File{{long, 123456, long}}, Branch: Branch{1, 1}},
			{ID: 4, Text: `{"posts": 59}`, Branch: Branch{2, 2}, End: Interrupted},
		},
		Draft: "Does it look straight?",
		Attachments: []Attachment{
			{ID: 1, Kind: AttachedPicture, Name: long, Path: a, TheTokens: TheTokens{1148, true}},
			{ID: 2, Kind: AttachedPaste, First: long, Runes: 90_000},
			{ID: 3, Kind: AttachedText, Name: "notes.txt", Bytes: 4000, Off: "It is still being read."},
			{ID: 4, Kind: AttachedPicture, Name: "reading.png", Reading: true},
		},
		Editing: 3, Model: "Test", ContextTokens: 65536, ContextUsed: 5000, ContextAttached: 2301,
		SendOff: "This model can't see pictures. These can: " + strings.Repeat("Gemma 3 4B, ", 8) + "and others.", OfferLoad: true,
		Banner: &Banner{Text: words.Sentence{Message: "The disk is full.", Remedy: strings.Repeat("Make room. ", 20)}, Bad: true, Dismiss: true},
		Undo:   "Deleted “" + long + "”",
	}
}

// settle does what is posted until pictures have been read.
func (s *shownTab) settle(path string) {
	s.Helper()
	s.run(func(State) bool {
		img, _ := s.thumbs.Get(path, 72, func() bool { return true }, func() {})
		return img != nil
	})
}

func TestNothingIsSqueezedInAnySize(t *testing.T) {
	for _, variant := range []string{theme.Dark, theme.Light} {
		for _, size := range []fyne.Size{apptest.Wide, apptest.Narrow} {
			s := showTab(t, ready)
			fyne.CurrentApp().Settings().SetTheme(theme.New(variant))
			s.window.Resize(size)
			st := scene(t)
			s.show(st)
			s.settle(st.Attachments[0].Path)
			for name, change := range map[string]func(*State){
				"much of everything": func(*State) {},
				"files being added": func(s *State) {
					s.Adding = &Adding{Rows: []AddingRow{
						{Name: st.Title, Picture: true, Path: st.Attachments[0].Path, TheTokens: TheTokens{1148, false}},
						{Name: "sign.jpg", Reading: true},
						{Name: st.Title, Short: "Not an image", Problem: words.Sentence{Message: st.Title, Remedy: st.Title}},
					}}
				},
				"what was found": func(s *State) {
					s.Search, s.HitsVersion = "long", 1000
					s.Hits = []Hit{{Summary: st.Conversations[0], InTitle: []Span{{7, 11}}, Snippet: st.Title, InSnippet: []Span{{7, 11}}}}
				},
				"nothing": func(s *State) { *s = State{Key: 2000, OfferLoad: true, SendOff: "No model is loaded.", Opening: true} },
			} {
				shown := st
				change(&shown)
				s.show(shown)
				if list := apptest.Squeezed(s.Content()); len(list) > 0 {
					t.Errorf("%s at %v: %s", name, size, strings.Join(list, "; "))
				}
				if min := s.content.MinSize(); size == apptest.Narrow && (min.Width > size.Width || min.Height > size.Height) {
					t.Errorf("%s needs %v", name, min)
				}
				if said := apptest.Shown(s.Content()); strings.Contains(said, "\u202e") {
					t.Errorf("%s obeys a mark of a file's name", name)
				}
			}
		}
	}
}

func TestManyAttachmentsLeaveRoomForTheMessages(t *testing.T) {
	s := showTab(t, ready)
	s.window.Resize(apptest.Narrow)
	st := State{Key: 1000, Current: 1, TurnsVersion: 1000, Turns: []Turn{{ID: 1, User: true, Text: "hi"}}}
	for i := range 60 {
		st.Attachments = append(st.Attachments, Attachment{ID: i, Kind: AttachedPicture, Name: fmt.Sprintf("picture %d.png", i)})
	}
	s.show(st)
	if height := s.messages.Size().Height; height < 120 {
		t.Errorf("the messages have %g", height)
	}
}

func TestFilesThatAreAddedAreListedUntilTheyAreDone(t *testing.T) {
	s := showTab(t, ready)
	bad := filepath.Join(t.TempDir(), "shed-survey.pdf")
	if err := os.WriteFile(bad, []byte("%PDF-1.7 \x00\x01\x02"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := photo(t, "north-side.png", picturetest.Photo(200, 150))
	s.AddFiles([]string{good, bad})
	s.run(func(s State) bool { return s.Adding != nil })
	if !s.adding.content.Visible() || s.window.Canvas().Focused() != s.composer.entry {
		t.Fatal("the dialog is not there, or took the keyboard from who types")
	}
	s.run(func(s State) bool { return s.Adding != nil && s.Adding.Done })
	said := text(s.adding.content)
	for _, want := range []string{"north-side.png", "shed-survey.pdf", words.T("chat.short.notPicture"), words.T("chat.close")} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
	s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	s.run(func(s State) bool { return s.Adding == nil })
	if s.adding.content.Visible() || s.window.Canvas().Focused() != s.composer.entry {
		t.Error("Escape does not close it")
	}
	if said := text(s.composer.content); !strings.Contains(said, "north-side.png") || strings.Contains(said, "shed-survey") {
		t.Errorf("the composer says\n%s", said)
	}
	test.Tap(buttonThatSays(s.composer.chips, words.T("chat.attached.remove", map[string]any{"Name": "north-side.png"})))
	if len(s.State().Attachments) != 0 || s.window.Canvas().Focused() != s.composer.entry {
		t.Error("it can't be left out")
	}
}

func TestAMessageWaitsForThePicturesThatWereDropped(t *testing.T) {
	s := showTab(t, ready)
	s.says("Two.")
	test.Type(s.composer.entry, "What is in these?")
	s.AddFiles([]string{photo(t, "a.png", picturetest.Photo(64, 48)), photo(t, "b.png", picturetest.Photo(48, 64))})
	s.press(fyne.KeyReturn)
	if len(s.State().Turns) > 0 || s.State().CanSend || s.composer.entry.Text == "" {
		t.Error("it is sent without them")
	}
	s.run(func(s State) bool {
		return s.Adding == nil && len(s.Attachments) == 2 && !s.Attachments[0].Reading && !s.Attachments[1].Reading
	})
	if len(s.State().Turns) > 0 {
		t.Error("it is sent by itself")
	}
}

func TestAPictureIsPastedWhereThereIsNoText(t *testing.T) {
	s := showTab(t, ready)
	s.options.PasteImage = func() ([]byte, bool) {
		return picturetest.Encode(t, "png", picturetest.Photo(64, 64)), true
	}
	clipboard := fyne.CurrentApp().Clipboard()
	clipboard.SetContent("")
	s.composer.entry.TypedShortcut(&fyne.ShortcutPaste{Clipboard: clipboard})
	s.run(func(s State) bool { return len(s.Attachments) == 1 && !s.Attachments[0].Reading })
	if said := text(s.composer.content); !strings.Contains(said, s.State().Attachments[0].Name) {
		t.Errorf("the composer says\n%s", said)
	}
}

func TestAMuchLongerTextIsAskedAbout(t *testing.T) {
	s := showTab(t, ready)
	long := filepath.Join(t.TempDir(), "long.txt")
	if err := os.WriteFile(long, []byte(strings.Repeat("all work and no play\n", 20_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		button string
		want   int
	}{{words.T("chat.large.no"), 0}, {words.T("chat.large.yes"), 1}} {
		s.AddFiles([]string{long})
		s.run(func(s State) bool { return s.Question != nil })
		popup := s.window.Canvas().Overlays().Top()
		if popup == nil || !strings.Contains(text(popup), "long.txt") {
			t.Fatal("nothing is asked")
		}
		test.Tap(buttonThatSays(popup, c.button))
		s.run(func(s State) bool { return s.Question == nil && len(s.Attachments) == c.want })
		if s.window.Canvas().Overlays().Top() != nil {
			t.Error("the question is still there")
		}
	}
}

func TestTheSettingsAreShownAndChanged(t *testing.T) {
	s := showTab(t, ready)
	s.window.Resize(apptest.Narrow)
	test.Tap(s.composer.preset)
	popup := s.window.Canvas().Overlays().Top()
	if popup == nil {
		t.Fatal("there is no dialog")
	}
	if list := apptest.Squeezed(popup); len(list) > 0 {
		t.Errorf("squeezed: %s", strings.Join(list, "; "))
	}
	entries := apptest.All[*widgets.Entry](popup)
	enter := func(i int, text string) {
		entries[i].SetText(text)
		entries[i].TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	}
	enter(1, "0.5")
	entries[1].SetText("") // and another state before something is typed
	s.Presenter.publish()
	if entries[1].Text != "" {
		t.Errorf("a field that was cleared has %q", entries[1].Text)
	}
	if entries[0].PlaceHolder != words.T("chat.set.default", map[string]any{"Value": "0.8"}) {
		t.Errorf("the temperature's default is %q", entries[0].PlaceHolder)
	}
	enter(0, "1,5")
	enter(6, "300")
	got := s.State().Settings.Sampling
	if got.Temperature == nil || *got.Temperature != 1.5 || got.MaxTokens == nil || *got.MaxTokens != 300 {
		t.Errorf("the settings are %+v", got)
	}
	if s.composer.preset.Text() != words.T("chat.preset.own") {
		t.Errorf("the button says %q", s.composer.preset.Text())
	}
	enter(0, "7")
	if *s.State().Settings.Sampling.Temperature != 1.5 || !strings.Contains(text(popup), words.T("chat.set.range", map[string]any{"Low": "0", "High": "2"})) {
		t.Error("a temperature of 7 is taken, or not spoken of")
	}
	if list := apptest.Squeezed(popup); len(list) > 0 {
		t.Errorf("squeezed: %s", strings.Join(list, "; "))
	}
	enter(0, "")
	if s.State().Settings.Sampling.Temperature != nil {
		t.Error("an empty field is a number")
	}
	areas := apptest.All[*widgets.TextArea](popup)
	test.Type(areas[0], "Be brief.")
	test.Type(areas[1], "{")
	if s.State().Settings.System != "Be brief." || s.State().SchemaProblem == "" || !strings.Contains(apptest.Shown(popup), s.State().SchemaProblem) {
		t.Errorf("the settings are %+v, the problem %q", s.State().Settings, s.State().SchemaProblem)
	}
	test.Tap(buttonThatSays(popup, words.T("chat.set.save")))
	entries = apptest.All[*widgets.Entry](popup)
	name := entries[len(entries)-1]
	test.Type(name, "Balanced")
	name.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if taken := words.T("chat.set.name.taken", map[string]any{"Name": "Balanced"}); !name.Visible() || !strings.Contains(apptest.Shown(popup), taken) {
		t.Errorf("of a name that is taken it says\n%s", apptest.Shown(popup))
	}
	if list := apptest.Squeezed(popup); len(list) > 0 {
		t.Errorf("squeezed: %s", strings.Join(list, "; "))
	}
	name.SetText("Mine")
	name.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if strings.Contains(apptest.Shown(popup), words.T("chat.set.save.preset")) || s.State().Preset != "Mine" {
		t.Errorf("saved is %q", s.State().Preset)
	}
	test.Tap(buttonThatSays(popup, words.T("chat.set.reset")))
	if s.State().SettingsChanged || areas[0].Text != "" {
		t.Error("Reset leaves something")
	}
	if !s.CloseDialog() || s.window.Canvas().Overlays().Top() != nil || s.window.Canvas().Focused() != s.composer.entry {
		t.Error("Escape does not close it")
	}
}

func TestEditingMakesAVersionAndArrowsGoBack(t *testing.T) {
	s := showTab(t, ready)
	s.says("Fine.")
	s.chats("first")
	question := s.State().Turns[0].ID
	test.Tap(buttonThatSays(s.messages, words.T("chat.edit")))
	s.run(func(s State) bool { return s.Editing == question })
	if s.composer.entry.Text != "first" || !s.composer.editing.Visible() || s.window.Canvas().Focused() != s.composer.entry {
		t.Fatalf("the composer has %q", s.composer.entry.Text)
	}
	s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if s.State().Editing != 0 || s.composer.entry.Text != "" {
		t.Error("Escape does not end it")
	}
	s.act(question, actEdit)
	s.composer.entry.SetText("second")
	s.press(fyne.KeyReturn)
	s.run(func(s State) bool { return answered(s) && s.Turns[0].Text == "second" })
	earlier := buttonThatSays(s.messages, words.T("chat.branch.earlier"))
	s.window.Canvas().Focus(earlier)
	s.key(fyne.KeySpace)
	s.run(func(s State) bool { return len(s.Turns) == 2 && s.Turns[0].Text == "first" })
	if b, ok := s.window.Canvas().Focused().(*widgets.Button); !ok || b.AccessibilityLabel() != words.T("chat.branch.later") {
		t.Error("the keyboard is not on the arrows any more")
	}
	if said := text(s.messages); !strings.Contains(said, "first") || strings.Contains(said, "second") || !strings.Contains(said, "1 of 2") {
		t.Errorf("it says\n%s", said)
	}
}

func TestJSONAndCallsOfToolsStandInCodeBoxes(t *testing.T) {
	for _, c := range []struct {
		name, role, text string
		growing          bool
		want             string
	}{
		{"an object", "assistant", `{"a": [1]}`, false, "```json\n{\n  \"a\": [\n    1\n  ]\n}\n```"},
		{"one being written", "assistant", `{"a": [`, true, "```json\n{\"a\": ["},
		{"a text that begins like one", "assistant", `{braces} are`, false, `{braces} are`},
		{"the same while it is written", "assistant", `{braces} a`, true, `{braces} a`},
		{"a link", "assistant", `[a](b)`, false, `[a](b)`},
		{"a call", "assistant", "<tool_call>{\"name\": \"rain\", \"arguments\": {\"in\": \"Graz\"}}</tool_call>", false,
			"\n\n**Tool call: `rain`**\n\n```json\n{\n  \"in\": \"Graz\"\n}\n```\n\n"},
		{"a broken call", "assistant", "<tool_call>what```</tool_call>", false, "\n\n**Tool call**\n\n````\nwhat```\n````\n\n"},
		{"a result", "tool", `{"rain": true}`, false, "```json\n{\n  \"rain\": true\n}\n```"},
	} {
		if got := readable(c.role, c.text, c.growing); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAConversationOfFiveThousandTurnsScrolls(t *testing.T) {
	s := showTab(t, ready)
	st := State{Key: 1000, Current: 1, TurnsVersion: 1000, ListVersion: 1000}
	for i := range 5000 {
		st.Turns = append(st.Turns, Turn{
			ID: i + 1, User: i%2 == 0, Text: fmt.Sprintf("Turn %d says **something**.", i+1), Branch: Branch{1, 1},
			Numbers: Numbers{TokensPerSecond: 60, FirstToken: time.Second, PromptTokens: 100, AnswerTokens: 100},
		})
	}
	s.show(st)
	if said := text(s.messages); !strings.Contains(said, "Turn 5000") {
		t.Fatalf("it does not begin at the end:\n%s", said)
	}
	more := st
	more.Turns = append(slices.Clone(st.Turns), Turn{ID: 5001, User: true, Text: "The last one", Branch: Branch{1, 1}})
	more.TurnsVersion++
	s.show(more)
	if said := text(s.messages); !strings.Contains(said, "The last one") {
		t.Errorf("it says\n%s", said)
	}
	more.Found, more.TurnsVersion = 2501, more.TurnsVersion+1
	s.show(more)
	if said := text(s.messages); !strings.Contains(said, "Turn 2501") {
		t.Errorf("what was found is not in sight:\n%s", said)
	}
	for range 400 {
		s.messages.Page(-1)
	}
	if said := text(s.messages); !strings.Contains(said, "Turn 1 ") {
		t.Errorf("the start is not reached:\n%s", said)
	}
}

func TestTheTabStandsUnderWhatIsDragged(t *testing.T) {
	s := showTab(t, ready)
	s.SetDragging(true)
	if said := text(s.drop.content); !s.drop.content.Visible() || !strings.Contains(said, s.State().Drop.Title) || said == "" {
		t.Errorf("it says\n%s", said)
	}
	s.SetDragging(false)
	if s.drop.content.Visible() {
		t.Error("it stays")
	}
}

func BenchmarkShowFiveThousandTurns(b *testing.B) {
	var turns []Turn
	for i := range 5000 {
		turns = append(turns, Turn{ID: i + 1, User: i%2 == 0, Text: "Some words.", Numbers: Numbers{TokensPerSecond: 60, FirstToken: time.Second, PromptTokens: 100, AnswerTokens: 100, DraftedTokens: 10, AcceptedTokens: 5}})
	}
	for b.Loop() {
		messagesOf(State{Turns: turns}, State{}, nil, true)
	}
}
