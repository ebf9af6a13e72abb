package load

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"paddock/app/apptest"
	"paddock/engine/budget"
	"paddock/engine/plan"
)

func TestEveryControlHasRoomWithAFileOfEveryKind(t *testing.T) {
	for name, size := range map[string]fyne.Size{"1280×800": apptest.Wide, "960×600": apptest.Narrow} {
		s := newScreen(t, newRichMachine(), size, withMTP)
		right := s.controls.scroll.Size().Width
		look := func(what string) {
			s.settled(t)
			if list := s.squeezed(); len(list) > 0 {
				t.Errorf("%s, %s: no room for %q", name, what, list)
			}
			if width := s.controls.scroll.Content.MinSize().Width; width > right {
				t.Errorf("%s, %s: the controls take %.0f of %.0f", name, what, width, right)
			}
		}
		look("at first")
		s.SetSplit("tensor")
		s.SetContext(131072)
		look("tensor")
		for _, kind := range []SpecKind{SpecMTP, SpecFile, SpecDraft} {
			s.SetSpec(kind)
			look(string(kind))
		}
		s.SetPurpose(plan.Embeddings)
		look("embeddings")
		s.Preset("smallest")
		s.loop.Until(t, "the preset is found", func() bool { return !s.State().Finding })
		look("smallest")
	}
}

func TestSpeculationIsChosenByKeys(t *testing.T) {
	s := newScreen(t, newRichMachine(), apptest.Wide, withMTP)
	lines := map[SpecKind]*specLine{}
	for _, line := range s.controls.spec.rows {
		lines[line.kind] = line
	}
	press := func(name fyne.KeyName) {
		s.window.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: name})
	}
	s.window.Canvas().Focus(lines[SpecMTP].radio)
	press(fyne.KeySpace)
	if off := row(t, s.State(), SpecMTP).Off; !off && !lines[SpecMTP].radio.Chosen() {
		t.Errorf("Space chose %q", s.State().Plan.SpecTypes)
	}
	press(fyne.KeyUp)
	if s.window.Canvas().Focused() != fyne.Focusable(lines[SpecOff].radio) || s.State().Plan.SpecTypes != plan.NoSpec {
		t.Errorf("Up chose %q", s.State().Plan.SpecTypes)
	}
	press(fyne.KeyUp) // there is none above
	if s.State().Plan.SpecTypes != plan.NoSpec {
		t.Errorf("Up at the top chose %q", s.State().Plan.SpecTypes)
	}
	s.window.Canvas().Focus(s.controls.spec.ngram)
	press(fyne.KeySpace)
	if !s.State().Spec.NoNGram && s.State().Plan.SpecTypes != "ngram-mod" {
		t.Errorf("Space on n-gram made %q", s.State().Plan.SpecTypes)
	}
}

func TestWaysThatAreOffTakeNoFocusAndNoTap(t *testing.T) {
	s := newScreen(t, newMachine(), apptest.Wide)
	reached := map[fyne.Focusable]bool{}
	for range 40 {
		s.window.Canvas().(interface{ FocusNext() }).FocusNext()
		f := s.window.Canvas().Focused()
		if f == nil || reached[f] {
			break
		}
		reached[f] = true
	}
	for _, line := range s.controls.spec.rows {
		if line.box.Visible() && line.kind != SpecOff {
			test.Tap(line.radio)
			if reached[line.radio] || s.State().Plan.SpecTypes != plan.NoSpec {
				t.Errorf("%s is off, reached %v, and the plan is %q", line.kind, reached[line.radio], s.State().Plan.SpecTypes)
			}
		}
	}
	for name, f := range map[string]fyne.Focusable{
		"purpose": s.controls.purpose, "split": s.controls.split, "off": s.controls.spec.rows[0].radio, "n-gram": s.controls.spec.ngram,
		"vision": s.controls.vision, "slots": s.controls.slots, "best settings": s.best, "presets": s.more, "the command": s.command,
	} {
		if !reached[f] {
			t.Errorf("Tab does not reach %s", name)
		}
	}
}

func TestUndoIsAButtonAndAKey(t *testing.T) {
	for name, undo := range map[string]func(*screen){
		"the button": func(s *screen) { test.Tap(s.button(t, "Undo")) },
		"Ctrl+Z":     func(s *screen) { s.Shortcut(&fyne.ShortcutUndo{}) },
	} {
		s := newScreen(t, newRichMachine(), apptest.Narrow, withMTP)
		before := s.State().Plan
		s.Preset("smallest")
		s.loop.Until(t, "the preset is found", func() bool { return !s.State().Finding })
		s.settled(t)
		if !strings.Contains(s.shown(), "Smallest: ") {
			t.Fatalf("%s: the screen says\n%s", name, s.shown())
		}
		undo(s)
		s.settled(t)
		if got := s.State().Plan; got != before || strings.Contains(s.shown(), "Smallest: ") {
			t.Errorf("%s left %+v", name, got)
		}
	}
}

func TestBestSettingsAreAButtonAndAKey(t *testing.T) {
	for name, press := range map[string]func(*screen){
		"the button": func(s *screen) { test.Tap(s.button(t, "Best settings")) },
		"Ctrl+B": func(s *screen) {
			s.Shortcut(&desktop.CustomShortcut{KeyName: fyne.KeyB, Modifier: fyne.KeyModifierControl})
		},
	} {
		s := newScreen(t, newRichMachine(), apptest.Wide, withMTP)
		s.SetContext(16384)
		press(s)
		if !s.State().Finding || !s.best.Disabled() || !strings.Contains(s.shown(), "Looking for settings that fit") {
			t.Errorf("%s: it does not say that it looks", name)
		}
		s.loop.Until(t, "the settings are found", func() bool { return !s.State().Finding })
		s.settled(t)
		if got := s.State().Plan.ContextTokens; got != 8192 || s.best.Disabled() {
			t.Errorf("%s made %d tokens", name, got)
		}
	}
}

func TestThePresetsAreAMenu(t *testing.T) {
	s := newScreen(t, newRichMachine(), apptest.Narrow)
	test.Tap(s.button(t, "Presets"))
	top := s.window.Canvas().Overlays().Top()
	if top == nil {
		t.Fatal("there is no menu")
	}
	menus := apptest.All[*widget.PopUpMenu](top)
	if len(menus) != 1 || len(menus[0].Items) != len(budget.PresetKinds()) {
		t.Fatalf("the menu is %+v", menus)
	}
	menu := menus[0]
	if end := menu.Position().X + menu.Size().Width; end > apptest.Narrow.Width {
		t.Errorf("the menu ends at %.0f", end)
	}
}

func TestTheCommandIsShownToBeReadAndCopied(t *testing.T) {
	for _, size := range []fyne.Size{apptest.Wide, apptest.Narrow} {
		s := newScreen(t, newMachine(), size)
		test.Tap(s.button(t, "Show the command"))
		popup := s.window.Canvas().Overlays().Top()
		if popup == nil {
			t.Fatal("nothing is shown")
		}
		found := apptest.All[*widget.Label](popup)
		if len(found) != 1 || found[0].Text != s.Command() || !found[0].Selectable {
			t.Fatalf("it shows %+v", found)
		}
		if list := apptest.Squeezed(popup); len(list) > 0 {
			t.Errorf("no room for %q", list)
		}
		copying := apptest.Button(t, popup, "Copy command")
		if s.window.Canvas().Focused() != fyne.Focusable(copying) {
			t.Error("the copy button has no focus")
		}
		test.Tap(copying)
		if s.copied != s.Command() || slices.ContainsFunc(s.window.Canvas().Overlays().List(), func(o fyne.CanvasObject) bool { return o.Visible() }) {
			t.Errorf("copied %q", s.copied)
		}
	}
}

func TestSeveralFilesAreASelect(t *testing.T) {
	s := newScreen(t, newRichMachine(), apptest.Narrow)
	if !s.controls.projectors.Visible() || s.controls.projector.Visible() || s.controls.projectors.Selected() != "/m/mmproj-model-F16.gguf" {
		t.Errorf("the select shows %q", s.controls.projectors.Selected())
	}
	m := newRichMachine()
	m.beside = m.beside[:1]
	s = newScreen(t, m, apptest.Narrow)
	if s.controls.projectors.Visible() || !strings.Contains(s.shown(), "mmproj-model-F16 · 0.9 GiB") {
		t.Errorf("the screen says\n%s", s.shown())
	}
	s = newScreen(t, newMachine(), apptest.Narrow)
	if s.controls.projectorBox.Visible() {
		t.Error("without a projector there is a gap for its name")
	}
}

func TestTabbingScrollsToTheControlsBelow(t *testing.T) {
	s := newScreen(t, newRichMachine(), apptest.Narrow, withMTP)
	driver, seen := fyne.CurrentApp().Driver(), 0
	for range 40 {
		s.window.Canvas().(interface{ FocusNext() }).FocusNext()
		o, ok := s.window.Canvas().Focused().(fyne.CanvasObject)
		if !ok {
			break
		}
		at := driver.AbsolutePositionForObject(o)
		if at.Y < 0 || at.Y+o.Size().Height > apptest.Narrow.Height {
			t.Errorf("%T is at %.0f", o, at.Y)
		}
		if o == fyne.CanvasObject(s.controls.slots) {
			seen++
		}
	}
	if seen == 0 {
		t.Error("the last control is not reached")
	}
}
