package get

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"paddock/app/apptest"
	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/hub/hubtest"
)

// A screen is the page in a window.
type screen struct {
	*desk
	tab    *Tab
	window fyne.Window
	backs  int
	picked string

	pickedFrom string
}

func newScreen(t *testing.T, size fyne.Size) *screen {
	t.Helper()
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Dark))
	s := &screen{desk: plainDesk(t), window: test.NewTempWindow(t, nil)}
	s.tab = New(Options{
		Seams: s.desk.seams(), Config: s.store, Do: s.loop.Do, Back: func() { s.backs++ },
		PickFolder: func(now string, done func(string, error)) { s.pickedFrom = now; done(s.picked, nil) },
	})
	s.desk.Presenter = s.tab.Presenter
	t.Cleanup(s.tab.Close)
	s.window.SetContent(s.tab.Content())
	s.window.SetPadded(false)
	s.window.Resize(size)
	s.window.Canvas().SetOnTypedKey(func(ev *fyne.KeyEvent) { s.tab.TypedKey(ev) })
	s.tab.Show()
	s.loop.Until(t, "the hub is named", func() bool { return s.now().Host != "" })
	return s
}

func (s *screen) now() State { return s.State() }

// shown is every text on the screen, and the names of its buttons.
func (s *screen) shown() string { return apptest.Shown(s.window.Content()) }

func (s *screen) button(t *testing.T, label string) *widgets.Button {
	t.Helper()
	return apptest.Button(t, s.window.Content(), label)
}

func (s *screen) wants(t *testing.T, texts ...string) {
	t.Helper()
	shown := s.shown()
	for _, text := range texts {
		if !strings.Contains(shown, text) {
			t.Errorf("the screen does not say %q:\n%s", text, shown)
		}
	}
}

// key types a key into what has the focus.
func (s *screen) key(name fyne.KeyName) {
	if f := s.window.Canvas().Focused(); f != nil {
		f.TypedKey(&fyne.KeyEvent{Name: name})
		return
	}
	s.window.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: name})
}

func (s *screen) find(t *testing.T, query string) {
	t.Helper()
	s.tab.entry.SetText(query)
	s.key(fyne.KeyReturn)
	s.loop.Until(t, "the search ends", func() bool { return !s.now().Searching })
}

// squeezed are the widgets that got less room than they need.
func (s *screen) squeezed() []string { return apptest.Squeezed(s.window.Content()) }

func TestThePageSaysWhatIsSentBeforeAnythingIs(t *testing.T) {
	s := newScreen(t, apptest.Narrow)
	s.wants(t, "Get a model", "Searching asks "+s.now().Host+". Nothing else is sent.", "Search for a model by its name", "Choose a repository")
	if len(s.hub.Requests()) != 0 {
		t.Error("something was sent")
	}
	if s.window.Canvas().Focused() != s.tab.entry {
		t.Error("one has to find the search field first")
	}
	for _, label := range []string{"Download", "More results", "Try again"} {
		if strings.Contains(s.shown(), label) {
			t.Errorf("there is %q before there is anything", label)
		}
	}
}

func TestAModelIsFoundAndDownloadedByKeyboardAlone(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.find(t, "tiny")
	if s.window.Canvas().Focused() != s.tab.rows {
		t.Fatal("the results don't get the keyboard")
	}
	s.wants(t, "2 repositories", "Tiny-GGUF", "1,234,567 downloads")
	if first, second := s.tab.rows.views[0], s.tab.rows.views[1]; first.cell.(*repoCell).gated.Visible() || !second.cell.(*repoCell).gated.Visible() {
		t.Error("the one that needs an account is not marked")
	}
	s.key(fyne.KeyDown)
	s.key(fyne.KeyUp)
	s.key(fyne.KeyReturn)
	s.loop.Until(t, "its files are there", func() bool { return len(s.now().Files) == 2 })
	s.settle(t)
	s.key(fyne.KeyRight)
	if s.window.Canvas().Focused() != s.tab.right.list {
		t.Fatal("the files don't get the keyboard")
	}
	s.wants(t, tiny, "apache-2.0", "F16", "Fits Radeon 8060S (estimate)", "Projector: lets a model see pictures", "stay free on this disk", "Download 1.")
	s.key(fyne.KeyReturn)
	s.loop.Until(t, "it is there", func() bool { return len(s.now().Jobs) == 1 && s.now().Jobs[0].Kind == Good })
	s.settle(t)
	s.wants(t, "Downloaded and checked", "On this computer", "Set up and load")
	s.key(fyne.KeyReturn)
	s.loop.Until(t, "it is set up", func() bool { return len(s.setUp) == 1 })
	s.key(fyne.KeyLeft)
	if s.window.Canvas().Focused() != s.tab.rows {
		t.Error("Left does not lead back")
	}
	s.key(fyne.KeyEscape)
	if s.backs != 1 {
		t.Error("Escape does not lead back to Models")
	}
}

func TestTabGoesThroughThePageInReadingOrder(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.find(t, "tiny")
	s.key(fyne.KeyReturn)
	s.loop.Until(t, "its files are there", func() bool { return len(s.now().Files) == 2 })
	s.settle(t)
	s.hub.Break(hubtest.Faults{BytesPerSecond: 100_000})
	s.Press()
	c := s.window.Canvas()
	c.Unfocus()
	var order []string
	for range 8 {
		c.FocusNext()
		switch f := c.Focused().(type) {
		case *widgets.Button:
			order = append(order, f.AccessibilityLabel())
		case *widgets.Entry:
			order = append(order, "entry")
		case *list[Row]:
			order = append(order, "rows")
		case *list[fileView]:
			order = append(order, "files")
		}
	}
	want := []string{"Back to Models", "entry", "Search", "rows", "files", "Change…", "Download 1.6 MiB", "Cancel"}
	want[6] = s.button(t, s.now().Offer.Label).Text()
	want = slices.DeleteFunc(want, func(label string) bool { return label == want[6] && s.now().Offer.Off })
	if got := slices.Compact(order); !slices.Equal(got[:len(want)], want) {
		t.Errorf("Tab goes %q, not %q", got, want)
	}
}

func TestAClickOpensAndADownloadCanBeStoppedAndResumed(t *testing.T) {
	s := newScreen(t, apptest.Narrow)
	s.find(t, "tiny")
	s.tab.rows.views[0].MouseDown(&desktop.MouseEvent{Button: desktop.MouseButtonPrimary})
	s.loop.Until(t, "its files are there", func() bool { return len(s.now().Files) == 2 })
	s.settle(t)
	s.hub.Break(hubtest.Faults{BytesPerSecond: 400_000})
	test.Tap(s.button(t, s.now().Offer.Label))
	s.loop.Until(t, "it comes", func() bool { return strings.Contains(s.shown(), "iB/s") })
	test.Tap(s.button(t, "Cancel"))
	s.loop.Until(t, "it stops", func() bool { return !s.now().Jobs[0].Runs })
	s.wants(t, "are kept", "Resume", "Discard")
	s.hub.Break(hubtest.Faults{})
	test.Tap(s.button(t, "Resume"))
	s.loop.Until(t, "it is there", func() bool { return s.now().Jobs[0].Kind == Good })
	test.Tap(s.button(t, "Dismiss"))
	if s.tab.strip.box.Visible() {
		t.Error("the strip stays without downloads")
	}
}

func TestAnotherFolderCanBeChosen(t *testing.T) {
	s := newScreen(t, apptest.Narrow)
	s.picked = t.TempDir()
	test.Tap(s.button(t, "Change…"))
	s.loop.Until(t, "it is shown", func() bool { return strings.Contains(s.shown(), s.picked) })
	before := s.picked
	s.picked = t.TempDir()
	test.Tap(s.button(t, "Change…"))
	if s.pickedFrom != before {
		t.Errorf("the choice begins in %q, not %q", s.pickedFrom, before)
	}
	s.loop.Until(t, "the other is shown", func() bool { return strings.Contains(s.shown(), s.picked) })
}

func TestErrorsOfferToTryAgain(t *testing.T) {
	s := newScreen(t, apptest.Narrow)
	s.hub.Break(hubtest.Faults{Status: 500})
	s.find(t, "tiny")
	s.wants(t, "has a problem of its own (status 500)")
	s.hub.Break(hubtest.Faults{})
	test.Tap(s.button(t, "Try again"))
	s.loop.Until(t, "it is found", func() bool { return len(s.now().Rows) == 2 })
	s.hub.Break(hubtest.Faults{Status: 500})
	s.Choose(0)
	s.loop.Until(t, "the answer is there", func() bool { return !s.now().Listing })
	s.hub.Break(hubtest.Faults{})
	test.Tap(s.button(t, "Try again"))
	s.loop.Until(t, "its files are there", func() bool { return len(s.now().Files) == 2 })
}

// Every state there is, in the largest and the smallest window.
func TestNothingIsClipped(t *testing.T) {
	long := strings.Repeat("A-Very-Long-Name-", 8)
	for name, size := range map[string]fyne.Size{"1280×800": apptest.Wide, "960×600": apptest.Narrow} {
		t.Run(name, func(t *testing.T) {
			s := newScreen(t, size)
			check := func(state string) {
				t.Helper()
				s.window.Content().Refresh()
				s.tab.show(s.now())
				if list := s.squeezed(); len(list) > 0 {
					t.Errorf("%s: no room for %q", state, list)
				}
				if min := s.tab.Content().MinSize(); min.Width > size.Width || min.Height > size.Height {
					t.Errorf("%s: it needs %v", state, min)
				}
			}
			check("at the start")
			repos := append(tinyRepos(t), hubtest.Repo{ID: "somebody/" + long[:90], Gated: true, Downloads: 99999999, Likes: 12345, Licence: "a-very-long-licence-of-its-own", Files: []hubtest.File{
				claim(long+"Q4_K_M.gguf", 20*gib), claim(long+"UD-IQ2_XXS-00001-of-00002.gguf", 500*gib), claim(long+"Q8_0-00001-of-00001.gguf", 900*gib),
			}})
			s.hub.SetRepos(repos...)
			s.hub.Break(hubtest.Faults{PageSize: 2})
			s.find(t, "")
			s.find(t, "g")
			check("with results")
			s.hub.Break(hubtest.Faults{})
			s.open(t, "somebody/"+long[:90])
			check("with files")
			s.ChooseFile(1)
			check("with a set that is incomplete")
			s.Press()
			s.ChooseFile(0)
			s.free.Store(100)
			s.settle(t)
			check("without room")
			s.free.Store(10000 * gib)
			s.settle(t)
			s.hub.Break(hubtest.Faults{BytesPerSecond: 10})
			s.Press()
			s.loop.Until(t, "it fails", func() bool { return s.now().Jobs[0].Kind == Failed })
			check("with a download that failed")
			s.open(t, tiny)
			s.Press()
			s.ChooseFile(1)
			s.Press()
			check("with three downloads")
			s.hub.Close()
			s.find(t, "qwen")
			s.Open(tiny)
			s.loop.Until(t, "it is offline", func() bool { return s.now().FilesNote.Kind == Failed })
			check("offline")
		})
	}
}

func TestALongListHasViewsForTheScreenOnly(t *testing.T) {
	s := newScreen(t, apptest.Narrow)
	var repos []hubtest.Repo
	for i := range 300 {
		repos = append(repos, hubtest.Repo{ID: fmt.Sprintf("o/many-%03d", i), Downloads: 1000 - i, Files: []hubtest.File{{Path: "a.gguf", Content: []byte("x")}}})
	}
	s.hub.SetRepos(repos...)
	s.find(t, "many")
	s.wants(t, "More results", "The 50 most downloaded")
	for len(s.now().Rows) < 300 {
		before := len(s.now().Rows)
		test.Tap(s.button(t, "More results"))
		s.loop.Until(t, "there are more", func() bool { return len(s.now().Rows) > before })
	}
	if n := len(s.tab.rows.views); n > 12 {
		t.Errorf("there are %d views", n)
	}
	s.key(fyne.KeyEnd)
	s.wants(t, "many-299")
	s.key(fyne.KeyPageUp)
	s.key(fyne.KeyHome)
	s.wants(t, "many-000")
	if at := s.now().At; at != 0 {
		t.Errorf("Home leads to %d", at)
	}
}

func TestTheKeysOfThePage(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.find(t, "tiny")
	s.window.Canvas().Unfocus()
	if !s.tab.TypedRune('/') || s.window.Canvas().Focused() != s.tab.entry || s.tab.TypedRune('x') {
		t.Error("a slash does not lead to the search field")
	}
	s.key(fyne.KeyDown)
	if s.window.Canvas().Focused() != s.tab.rows {
		t.Error("Down does not lead to the results")
	}
	ctrlF := &desktop.CustomShortcut{KeyName: fyne.KeyF, Modifier: fyne.KeyModifierShortcutDefault}
	if !s.tab.Shortcut(ctrlF) || s.window.Canvas().Focused() != s.tab.entry {
		t.Error("Ctrl+F does not lead to the search field")
	}
	if s.tab.Shortcut(&fyne.ShortcutCopy{}) {
		t.Error("it takes what it has no use for")
	}
	s.key(fyne.KeyEscape)
	if s.backs != 1 {
		t.Error("Escape in the search field does not lead back")
	}
	if len(s.tab.Keys()) == 0 || s.tab.Fact() == "" {
		t.Error("the status line has nothing to say")
	}
	s.tab.Hide()
	s.tab.Show()
	if s.window.Canvas().Focused() != s.tab.rows {
		t.Error("the results don't get the keyboard back")
	}
}
