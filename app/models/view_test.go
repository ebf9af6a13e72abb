package models

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"paddock/app/apptest"
	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/config"
	"paddock/engine/gguf"
	"paddock/engine/library"
)

// familyScreen is a screen with models and their companions.
func familyScreen(t *testing.T, size fyne.Size, models ...library.Model) *screen {
	t.Helper()
	if models == nil {
		models = family()
	}
	s := newScreen(t, size, newStore(t, "/m", "/n"), scripted(models...))
	s.seams.Pair = pairFamily
	s.match()
	s.loop.Until(t, "files are paired", func() bool { return !s.matching.running })
	return s
}

func TestCompanionsAreLowerRowsAndNothingOfThemIsClipped(t *testing.T) {
	for name, size := range map[string]fyne.Size{"1280×800": apptest.Wide, "960×600": apptest.Narrow} {
		s := familyScreen(t, size)
		if list := s.squeezed(); len(list) > 0 {
			t.Errorf("%s: no room for %q", name, list)
		}
		y := float32(0)
		for i, r := range s.State().Rows {
			v := s.table.views[i]
			if v.Position().Y != y || v.Size().Height != r.height() {
				t.Errorf("%s: row %d is %.0f high at %.0f", name, i, v.Size().Height, v.Position().Y)
			}
			y += v.Size().Height
		}
		if got := s.table.views[1].Size().Height; got != theme.SubRowHeight {
			t.Errorf("%s: a companion's row is %.0f high", name, got)
		}
		text := s.shown()
		if b := s.table.views[1].badges[0]; !b.Visible() {
			t.Errorf("%s: a projector is not said to be one", name)
		}
		for _, want := range []string{"fits this model", "assistant for this model", "fits no model here"} {
			if size == apptest.Wide && !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", name, want, text)
			}
		}
		s.Select(1)
		if text := s.shown(); !strings.Contains(text, "Works beside") || !strings.Contains(text, "large.gguf") {
			t.Errorf("%s: the detail of a companion does not say what it is for:\n%s", name, text)
		}
		test.Tap(s.button(t, "Show large.gguf"))
		if s.State().At != 0 {
			t.Errorf("%s: its model can't be gone to", name)
		}
	}
}

func TestReasonsStayWhereViewsAreUsedAgain(t *testing.T) {
	models := family()
	for i := range 300 {
		models = append(models, model(fmt.Sprintf("/m/n%03d.gguf", i), 1))
	}
	s := familyScreen(t, apptest.Wide, models...)
	for _, key := range []fyne.KeyName{fyne.KeyEnd, fyne.KeyHome, fyne.KeyPageDown, fyne.KeyPageDown, fyne.KeyUp} {
		s.typeKey(key)
		for _, v := range s.table.views {
			if v.at < 0 {
				continue
			}
			want := s.State().Rows[v.at]
			if v.fits.String() != want.Fits || v.fits.Visible() != (want.Fits != "") || v.elbow[0].Visible() != (want.Under != "") ||
				v.problem.Visible() != (want.Problem != "") || v.cells[ColumnName].String() != want.Name {
				t.Fatalf("after %s row %d shows %q, %q", key, v.at, v.cells[ColumnName].String(), v.fits.String())
			}
		}
		at := s.State().At
		top, bottom := s.table.tops[at], s.table.tops[at+1]
		if y, h := s.table.scroll.Offset.Y, s.table.scroll.Size().Height; top < y || bottom > y+h {
			t.Errorf("after %s row %d is off the screen: %.0f to %.0f of %.0f", key, at, top, bottom, y)
		}
	}
}

func TestAnIncompleteSetShowsItsFiles(t *testing.T) {
	s := typical(t, apptest.Wide)
	test.Tap(s.button(t, "Show files"))
	if got := s.State().Selected.Path; got != "/m/big-00001-of-00004.gguf" {
		t.Errorf("selected is %q", got)
	}
	if text := s.shown(); !strings.Contains(text, "big-00003-of-00004.gguf is missing") {
		t.Errorf("the screen says\n%s", text)
	}
}

// popup is the menu that is open.
func (s *screen) popup(t *testing.T) *widget.PopUpMenu {
	t.Helper()
	var found *widget.PopUpMenu
	if top := s.window.Canvas().Overlays().Top(); top != nil {
		apptest.Each(top, func(o fyne.CanvasObject) {
			if p, ok := o.(*widget.PopUpMenu); ok {
				found = p
			}
		})
	}
	if found == nil {
		t.Fatal("no menu opens")
	}
	t.Cleanup(found.Hide)
	return found
}

// menuItems opens the chosen row's menu and gives what is in it.
func (s *screen) menuItems(t *testing.T, open func()) map[string]*fyne.MenuItem {
	t.Helper()
	open()
	popup := s.popup(t)
	items := map[string]*fyne.MenuItem{}
	for _, item := range s.rowMenu(s.State().Selected).Items {
		items[item.Label] = item
	}
	if len(popup.Items) != len(s.rowMenu(s.State().Selected).Items) {
		t.Errorf("the menu has %d items", len(popup.Items))
	}
	return items
}

func TestTheRowMenuOpensByKeyboardMouseAndButton(t *testing.T) {
	for name, open := range map[string]func(*screen){
		"the menu key":    func(s *screen) { s.typeKey(desktop.KeyMenu) },
		"Shift and F10":   func(s *screen) { s.table.act.shift = func() bool { return true }; s.typeKey(fyne.KeyF10) },
		"the other mouse": func(s *screen) { s.table.views[0].MouseDown(&desktop.MouseEvent{Button: desktop.MouseButtonSecondary}) },
		"the button":      func(s *screen) { test.Tap(s.button(t, "More for this model")) },
		"no focus":        func(s *screen) { s.window.Canvas().Unfocus(); s.TypedKey(&fyne.KeyEvent{Name: desktop.KeyMenu}) },
	} {
		t.Run(name, func(t *testing.T) {
			s := typical(t, apptest.Wide)
			s.Select(0)
			s.focusTable()
			items := s.menuItems(t, func() { open(s) })
			for _, want := range []string{"Set up and load", "Show files", "Open folder", "Copy path", "Check SHA-256", "Take out of the list"} {
				if items[want] == nil {
					t.Errorf("the menu does not have %q", want)
				}
			}
		})
	}
	s := typical(t, apptest.Wide)
	s.focusTable()
	s.typeKey(fyne.KeyF10)
	if s.window.Canvas().Overlays().Top() != nil {
		t.Error("F10 alone opens the menu")
	}
}

func TestTheRowMenuDoesWhatItSays(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir+"/a.gguf", "hello")
	s := newScreen(t, apptest.Wide, newStore(t, dir), scripted(model(path, 5)))
	items := s.menuItems(t, func() { s.typeKey(desktop.KeyMenu) })
	items["Set up and load"].Action()
	items["Open folder"].Action()
	items["Copy path"].Action()
	if !slices.Equal(s.setUp, []string{path}) || !slices.Equal(s.opened, []string{dir}) || !slices.Equal(s.copied, []string{path}) {
		t.Errorf("set up %q, opened %q, copied %q", s.setUp, s.opened, s.copied)
	}
	items["Check SHA-256"].Action()
	s.loop.Until(t, "the sum is there", func() bool { return strings.Contains(s.shown(), helloSum) })
	test.Tap(s.button(t, "Copy SHA-256"))
	if s.copied[1] != helloSum {
		t.Errorf("copied %q", s.copied)
	}
	items["Take out of the list"].Action()
	s.loop.Until(t, "it can be undone", func() bool { return strings.Contains(s.shown(), "a.gguf is out of the list.") })
	test.Tap(s.button(t, "Undo"))
	s.loop.Until(t, "it is back", func() bool { return len(s.State().Rows) == 1 && !strings.Contains(s.shown(), "out of the list") })

	damaged := newRow(model("/m/cut.gguf", 1, problemOf(gguf.Truncated)), places{})
	for _, item := range s.rowMenu(damaged).Items {
		if item.Label == "Set up and load" && !item.Disabled {
			t.Error("a damaged file can be set up")
		}
	}
}

func TestCheckingAFileSaysHowFarItIsAndCanBeCancelled(t *testing.T) {
	s := typical(t, apptest.Narrow)
	test.Tap(s.press(t, "Files"))
	line := s.detail.lines[0]
	s.hashing[line.path] = &hashJob{func() {}}
	s.setHash(line.path, &Hash{Asked: true, DoneBytes: 43, TotalBytes: 100})
	if text := s.shown(); !strings.Contains(text, "Reading 43 %") || strings.Contains(text, "Check SHA-256") {
		t.Errorf("the screen says\n%s", text)
	}
	if list := s.squeezed(); len(list) > 0 {
		t.Errorf("no room for %q", list)
	}
	test.Tap(s.button(t, "Cancel"))
	if text := s.shown(); strings.Contains(text, "Reading") || !strings.Contains(text, "Check SHA-256") {
		t.Errorf("after Cancel the screen says\n%s", text)
	}
	for named, want := range map[Named]string{Matches: "Matches its name", Differs: "It is damaged or was changed"} {
		s.setHash(line.path, &Hash{Asked: true, Sum: helloSum, Name: named})
		if text := s.shown(); !strings.Contains(text, want) || !strings.Contains(text, helloSum) {
			t.Errorf("%s: the screen says\n%s", named, text)
		}
		if list := s.squeezed(); len(list) > 0 {
			t.Errorf("%s: no room for %q", named, list)
		}
	}
	s.setHash(line.path, &Hash{Asked: true, Problem: "The file could not be read to its end: input/output error."})
	if text := s.shown(); !strings.Contains(text, "input/output error") {
		t.Errorf("the screen says\n%s", text)
	}
}

func TestAllOfTheHeaderCanBeReachedAndCopied(t *testing.T) {
	m := model("/m/a.gguf", 1, func(m *library.Model) {
		for i := range keysShown + 10 {
			m.Facts.Metadata = append(m.Facts.Metadata, gguf.Entry{Key: fmt.Sprintf("key.%03d", i), Value: "v\x1b" + strings.Repeat("x", 500)})
		}
	})
	s := newScreen(t, apptest.Narrow, newStore(t, "/m"), scripted(m))
	test.Tap(s.button(t, "All 210 keys of the header"))
	text := s.shown()
	if !strings.Contains(text, "key.199") || strings.Contains(text, "key.200") || strings.Contains(text, "\x1b") || !strings.Contains(text, "Only the first 200 are shown.") {
		t.Errorf("the page says\n%.2000s", text)
	}
	if list := s.squeezed(); len(list) > 0 {
		t.Errorf("no room for %q", list)
	}
	test.Tap(s.button(t, "Copy all"))
	if got := s.copied[0]; strings.Count(got, "\n") != 210 || !strings.Contains(got, "key.209 = v") {
		t.Errorf("copied %d lines", strings.Count(got, "\n"))
	}
	test.Tap(s.button(t, "Hide the header"))
	if strings.Contains(s.shown(), "key.000") {
		t.Error("it can't be hidden")
	}
}

func TestChipsTakeTwoLinesAndTheRestIsInAMenu(t *testing.T) {
	var folders []string
	for i := range 40 {
		folders = append(folders, fmt.Sprintf("/folder %02d", i))
	}
	for name, size := range map[string]fyne.Size{"1280×800": apptest.Wide, "960×600": apptest.Narrow} {
		s := newScreen(t, size, newStore(t, folders...), scripted(model("/folder 39/a.gguf", 1)))
		const most = chipLines*theme.ControlHeightSmall + chipSpacing
		if got := s.chips.box.Size().Height; got > most {
			t.Errorf("%s: the chips are %.0f high", name, got)
		}
		rest := len(s.chips.rest)
		if text := s.shown(); rest == 0 || !strings.Contains(text, fmt.Sprintf("%d more …", rest)) || strings.Contains(text, "/folder 38\n") {
			t.Errorf("%s: %d are in the menu:\n%s", name, rest, text)
		}
		test.Tap(s.chips.more)
		menu := s.popup(t)
		if len(menu.Items) != rest {
			t.Fatalf("%s: the menu does not have the rest", name)
		}
		menu.Hide()
		s.SetSource("/folder 39")
		if text := s.shown(); !strings.Contains(text, "/folder 39 …") || len(s.State().Rows) != 1 {
			t.Errorf("%s: a chosen one of the rest is not said:\n%s", name, text)
		}
		for _, p := range s.chips.presses() {
			if p.Visible() && p.Position().X+p.Size().Width > s.chips.box.Size().Width {
				t.Errorf("%s: %s reaches over the edge", name, p.label.String())
			}
		}
	}
}

func TestTheFirstPageNamesThePlacesOfOtherAppsAndOffersToGetAModel(t *testing.T) {
	dir := t.TempDir()
	list := append(apps(), library.App{ID: library.LMStudio, Name: "LM Studio", Folders: []string{dir}})
	got := 0
	for name, size := range map[string]fyne.Size{"1280×800": apptest.Wide, "960×600": apptest.Narrow} {
		s := newScreen(t, size, newStore(t), inApps(), func(o *Options) {
			o.Apps = func() []library.App { return list }
			o.Get = func() { got++ }
		})
		s.loop.Until(t, "places are known", func() bool { return len(s.State().Apps) == len(list) })
		text := s.shown()
		for _, want := range []string{"No models yet", "Try the built-in Guide", "Models of other apps", "One of these folders exists", "Hugging Face", "/hub", dir, "empty"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", name, want, text)
			}
		}
		if list := s.squeezed(); len(list) > 0 {
			t.Errorf("%s: no room for %q", name, list)
		}
		test.Tap(s.button(t, "Get a model…"))
		test.Tap(s.button(t, "Look again"))
		if !s.State().Scanning || !strings.Contains(s.shown(), "Looking in these places…") {
			t.Errorf("%s does not look again:\n%s", name, s.shown())
		}
		s.loop.Until(t, "the scan ends", func() bool { return !s.State().Scanning })
	}
	if got != 2 {
		t.Errorf("the page that gets models was opened %d times", got)
	}
	s := newScreen(t, apptest.Wide, newStore(t), inApps())
	s.loop.Until(t, "places are known", func() bool { return s.State().Apps != nil })
	if text := s.shown(); strings.Contains(text, "Get a model") {
		t.Error("it offers what can't be done here")
	}
	if text := s.shown(); !strings.Contains(text, "All of them are switched off in Settings.") {
		t.Errorf("without places it says\n%s", text)
	}
}

func TestTheHeaderOffersToGetAModel(t *testing.T) {
	got := 0
	for name, size := range map[string]fyne.Size{"1280×800": apptest.Wide, "960×600": apptest.Narrow} {
		s := newScreen(t, size, newStore(t, "/m"), scripted(model("/m/a.gguf", 1)), func(o *Options) { o.Get = func() { got++ } })
		test.Tap(s.button(t, "Get a model…"))
		s.state.Scanning = true
		s.state.Scan = Progress{Folder: "~/a folder of models", Files: 1214}
		s.show(s.state)
		if list := s.squeezed(); len(list) > 0 {
			t.Errorf("%s: no room for %q", name, list)
		}
	}
	if got != 2 {
		t.Errorf("the page was opened %d times", got)
	}
}

func TestAFolderThatCannotBeReadSaysWhatToDo(t *testing.T) {
	store := newStore(t, "/m")
	if err := store.Update(func(c *config.Config) { c.ModelFolders = []string{"/gone"} }); err != nil {
		t.Fatal(err)
	}
	s := newScreen(t, apptest.Narrow, store, troubled)
	text := s.shown()
	for _, want := range []string{"The folder is gone", "There is no folder /gone.", "Look again"} {
		if !strings.Contains(text, want) {
			t.Errorf("the screen does not say %q:\n%s", want, text)
		}
	}
	if list := s.squeezed(); len(list) > 0 {
		t.Errorf("no room for %q", list)
	}
	s.typeKey(fyne.KeyReturn)
	if len(s.setUp) > 0 {
		t.Error("it can be set up")
	}
}

func TestTheDropHintIsWholeInTheSmallestWindow(t *testing.T) {
	s := newScreen(t, fyne.NewSize(876, 526), newStore(t, "/m"), scripted(model("/m/a.gguf", 1)))
	hint := s.table.hint
	for _, o := range hint.Objects {
		if text, ok := o.(*widgets.TextLabel); ok && text.Size().Width < text.NaturalWidth() {
			t.Errorf("%q has %v of the %v it needs", text.String(), text.Size().Width, text.NaturalWidth())
		}
	}
	if hint.Size().Width == 0 {
		t.Error("the hint is not shown")
	}
}
