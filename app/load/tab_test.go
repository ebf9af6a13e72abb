package load

import (
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"paddock/app/apptest"
	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/library"
	"paddock/engine/plan"
)

// A screen is the tab in a window, with a model open and measured.
type screen struct {
	*Tab
	window fyne.Window
	loop   apptest.Loop
	copied string
	backs  int
}

func newScreen(t *testing.T, m *machine, size fyne.Size, change ...func(*library.Model)) *screen {
	t.Helper()
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Dark))
	s := &screen{loop: apptest.NewLoop()}
	s.Tab = New(Options{
		Seams: m.seams(), Do: s.loop.Do,
		Back: func() { s.backs++ }, Copy: func(text string) { s.copied = text },
	})
	s.settle = time.Millisecond
	t.Cleanup(s.Close)
	s.window = test.NewTempWindow(t, s.Content())
	s.window.SetPadded(false)
	s.window.Resize(size)
	s.Show()
	t.Cleanup(s.Hide)
	model := someModel()
	for _, c := range change {
		c(&model)
	}
	s.Open(model, m.beside)
	s.loop.Until(t, "the engine has answered", func() bool { return !s.State().Preparing })
	s.settled(t)
	return s
}

func (s *screen) settled(t *testing.T) {
	t.Helper()
	settled(t, s.Presenter, s.loop)
}

// shown is every sentence, label and button on the screen.
func (s *screen) shown() string { return apptest.Shown(s.window.Content()) }

func (s *screen) button(t *testing.T, label string) *widgets.Button {
	t.Helper()
	return apptest.Button(t, s.window.Content(), label)
}

// squeezed are the widgets that got less room than they need.
func (s *screen) squeezed() []string { return apptest.Squeezed(s.window.Content()) }

func TestNothingIsClippedAtEitherSize(t *testing.T) {
	for name, size := range map[string]fyne.Size{"1280×800": apptest.Wide, "960×600": apptest.Narrow} {
		m := newMachine()
		m.builds = append(m.builds, broken)
		m.devices = []build.Device{card, {ID: "Vulkan1", Name: "GeForce RTX 4060 Ti", TotalBytes: 16 * gi, FreeBytes: 8 * gi}}
		s := newScreen(t, m, size, func(m *library.Model) { m.Facts.HeadSizeK, m.Facts.HeadSizeV = 80, 80 })
		s.SetContext(131072)
		s.SetLayers(LayersNumber, 7)
		s.settled(t)
		if list := s.squeezed(); len(list) > 0 {
			t.Errorf("%s: no room for %q", name, list)
		}
		right := s.controls.column.Position().X + s.controls.column.Size().Width
		for _, segments := range apptest.All[*widgets.Segments](s.window.Content()) {
			if end := segments.Position().X + segments.Size().Width; end > right {
				t.Errorf("%s: a row of choices ends at %.0f, the column at %.0f", name, end, right)
			}
		}
		if size == apptest.Narrow && s.columns.narrow != true || size == apptest.Wide && s.columns.narrow {
			t.Errorf("%s: narrow is %v", name, s.columns.narrow)
		}
	}
}

func TestAnOptionThatIsOffStaysInPlaceWithItsReasonOnTheScreen(t *testing.T) {
	s := newScreen(t, newMachine(), apptest.Wide, func(m *library.Model) { m.Facts.HeadSizeK, m.Facts.HeadSizeV = 80, 80 })
	if text := s.shown(); !strings.Contains(text, "q8_0 is off") || !strings.Contains(text, "q4_0 is off") {
		t.Errorf("the screen says\n%s", text)
	}
	test.TapAt(s.controls.cache, fyne.NewPos(70, 10)) // on q8_0
	if got := s.State().Plan.CacheK; got != "f16" || s.controls.cache.Selected() != "f16" {
		t.Errorf("a choice that is off was taken: %s, shown %s", got, s.controls.cache.Selected())
	}
}

func TestARefusedChoiceIsNotShownAsChosen(t *testing.T) {
	s := newScreen(t, newMachine(), apptest.Wide)
	test.TapAt(s.controls.cache, fyne.NewPos(70, 10))
	if got := s.State().Plan.CacheK; got != "q8_0" {
		t.Fatalf("tapping q8_0 chose %s", got)
	}
	s.controls.flash.SetSelected("off") // as if its menu had let it through
	s.SetFlash("off")
	if got := s.controls.flash.Selected(); got != "auto" {
		t.Errorf("flash attention shows %s", got)
	}
}

func TestWhatDoesNotFitSaysSoAndARemedyIsOneClick(t *testing.T) {
	for _, size := range []fyne.Size{apptest.Wide, apptest.Narrow} {
		m := newMachine()
		s := newScreen(t, m, size)
		s.SetContext(32768)
		s.settled(t)
		text := s.shown()
		for _, want := range []string{"2.7 GiB too much", "Load is off", "Make it fit", "Context 21,504", "KV cache q8_0", "18.7 / 16.0", "Where the numbers are from"} {
			if !strings.Contains(text, want) {
				t.Errorf("the screen does not say %q:\n%s", want, text)
			}
		}
		if !s.button(t, "Load").Disabled() {
			t.Error("Load can be pressed")
		}
		test.Tap(s.button(t, "Apply"))
		s.settled(t)
		if got := s.State().Plan.ContextTokens; got != 21504 || s.button(t, "Load").Disabled() {
			t.Errorf("after the remedy: %d tokens", got)
		}
		if text := s.shown(); !strings.Contains(text, "to spare") || strings.Contains(text, "Make it fit") || !strings.Contains(text, "Changed: Context 21,504.") {
			t.Errorf("after the remedy the screen says\n%s", text)
		}
	}
}

func TestAFailedMeasurementIsASentenceBesideTheEstimate(t *testing.T) {
	m := newMachine()
	m.needs = func(plan.Plan) (uint64, error) { return 0, &budget.Error{Problem: budget.NoTool} }
	s := newScreen(t, m, apptest.Narrow)
	text := s.shown()
	if !strings.Contains(text, "llama-fit-params") || !strings.Contains(text, "not measured") {
		t.Errorf("the screen says\n%s", text)
	}
	if !strings.Contains(text, "Fits") || !strings.Contains(text, "an estimate from the headers") || s.button(t, "Load").Disabled() {
		t.Errorf("there is no verdict, or Load is off:\n%s", text)
	}
}

func TestMeasuringIsSaidUntilItIsDone(t *testing.T) {
	s := newScreen(t, newMachine(), apptest.Wide)
	s.SetContext(4096)
	if !strings.Contains(s.shown(), "measuring…") {
		t.Error("measuring is not said")
	}
	s.settled(t)
	if text := s.shown(); strings.Contains(text, "measuring…") || !strings.Contains(text, "measured by the engine") {
		t.Errorf("the screen says\n%s", text)
	}
}

func TestKeysLoadAndGoBack(t *testing.T) {
	m := newMachine()
	s := newScreen(t, m, apptest.Wide)
	if !s.Shortcut(&desktop.CustomShortcut{KeyName: fyne.KeyReturn, Modifier: fyne.KeyModifierControl}) || len(m.loaded) != 1 {
		t.Errorf("Ctrl+Enter loaded %d", len(m.loaded))
	}
	if s.Shortcut(&desktop.CustomShortcut{KeyName: fyne.KeyN, Modifier: fyne.KeyModifierControl}) {
		t.Error("Ctrl+N is taken")
	}
	if !s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape}) || s.backs != 1 {
		t.Errorf("Esc went back %d times", s.backs)
	}
	if !s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyF5}) || !s.State().Memory.Measuring {
		t.Error("F5 does not measure again")
	}
	test.Tap(s.button(t, "Back to Models"))
	if s.backs != 2 {
		t.Error("the arrow does not go back")
	}
}

func TestEveryControlIsReachedByTabAndChangedByKeys(t *testing.T) {
	s := newScreen(t, newMachine(), apptest.Wide)
	press := func(name fyne.KeyName) {
		s.window.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: name})
	}
	reached := map[fyne.Focusable]bool{}
	for range 30 {
		s.window.Canvas().(interface{ FocusNext() }).FocusNext()
		f := s.window.Canvas().Focused()
		if f == nil || reached[f] {
			break
		}
		reached[f] = true
		switch f {
		case fyne.Focusable(s.controls.context):
			press(fyne.KeyHome)
		case fyne.Focusable(s.controls.cache):
			press(fyne.KeyRight)
		case fyne.Focusable(s.controls.layers):
			press(fyne.KeyRight)
		case fyne.Focusable(s.controls.checks[0]):
			press(fyne.KeySpace)
			press(fyne.KeySpace)
		}
	}
	for name, f := range map[string]fyne.Focusable{
		"device": s.controls.checks[0], "layers": s.controls.layers, "slider": s.controls.context,
		"number box": s.controls.contextBox, "cache": s.controls.cache, "flash attention": s.controls.flash,
		"engine": s.controls.engine, "load": s.load, "copy": s.copy,
	} {
		if !reached[f] {
			t.Errorf("Tab does not reach the %s", name)
		}
	}
	got := s.State().Plan
	if got.ContextTokens != 4096 || got.CacheK != "q8_0" || s.State().Layers.Mode != LayersAll || got.Devices != "Vulkan0" {
		t.Errorf("keys made the plan %+v", got)
	}
}

func TestANumberBeingTypedIsNotWrittenOver(t *testing.T) {
	s := newScreen(t, newMachine(), apptest.Wide)
	box := s.controls.contextBox
	s.window.Canvas().Focus(box)
	box.SetText("")
	test.Type(box, "120")
	s.SetCache("q8_0")
	s.settled(t)
	if box.Text != "120" {
		t.Errorf("the box shows %q", box.Text)
	}
	test.Type(box, "00")
	box.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if got := s.State().Plan.ContextTokens; got != 12000 || box.Text != "12,000" {
		t.Errorf("typed 12000, got %d, the box shows %q", got, box.Text)
	}
}

func TestWhatIsNoContextIsSaidUnderItsBox(t *testing.T) {
	for _, typed := range []string{"0", "131073", "12k", "99999999999999999999"} {
		s := newScreen(t, newMachine(), apptest.Wide)
		box := s.controls.contextBox
		s.window.Canvas().Focus(box)
		box.SetText("")
		test.Type(box, typed)
		s.window.Canvas().Unfocus()
		if box.Text != "8,192" || s.State().Plan.ContextTokens != 8192 || !strings.Contains(s.shown(), "Context takes 256 to 131,072 tokens.") {
			t.Errorf("typed %s, the box shows %q", typed, box.Text)
		}
	}
}

func TestTheCommandIsCopiedAndThatIsSaid(t *testing.T) {
	s := newScreen(t, newMachine(), apptest.Wide)
	test.Tap(s.button(t, "Copy command"))
	if !strings.Contains(s.copied, "llama-server") || !strings.Contains(s.shown(), "copied") {
		t.Errorf("copied %q", s.copied)
	}
}

func TestThemesBothDraw(t *testing.T) {
	s := newScreen(t, newMachine(), apptest.Narrow)
	for _, variant := range []string{theme.Light, theme.Dark} {
		fyne.CurrentApp().Settings().SetTheme(theme.New(variant))
		img := s.window.Canvas().Capture()
		r, g, b, _ := img.At(3, img.Bounds().Dy()/2).RGBA()
		wr, wg, wb, _ := theme.Color(theme.Window).RGBA()
		if r != wr || g != wg || b != wb {
			t.Errorf("%s: the window's colour is %x %x %x", variant, r>>8, g>>8, b>>8)
		}
	}
}

func TestNothingOfTheControlsIsHiddenInASmallWindow(t *testing.T) {
	m := newRichMachine()
	for i := range m.devices {
		m.devices[i].Name = "llvmpipe (LLVM 15.0.6, 256 bits) of a very long name"
	}
	s := newScreen(t, m, apptest.Narrow, withMTP)
	s.SetDevice("Vulkan0", true)
	for _, chosen := range []bool{true, false} {
		for _, d := range s.State().Devices {
			s.SetDevice(d.ID, chosen)
		}
		s.settled(t)
		if needs, has := s.controls.scroll.Content.MinSize().Width, s.controls.scroll.Size().Width; needs > has {
			t.Errorf("devices chosen %v: the controls are %v wide, there is room for %v", chosen, needs, has)
		}
	}
}
