package models

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"paddock/app/apptest"
	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/config"
	"paddock/engine/gguf"
	"paddock/engine/library"
)

// A screen is the tab in a window, after its first scan.
type screen struct {
	*Tab
	window fyne.Window
	loop   apptest.Loop
	setUp  []string // paths handed to Set up and load
	copied []string
	opened []string // folders
}

func newScreen(t *testing.T, size fyne.Size, store *config.Store, scan ScanFunc, change ...func(*Options)) *screen {
	t.Helper()
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Dark))
	s := &screen{loop: apptest.NewLoop()}
	s.window = test.NewTempWindow(t, nil)
	options := Options{
		Config: store, Scan: scan, Do: s.loop.Do,
		SetUp:    func(m library.Model) { s.setUp = append(s.setUp, m.Facts.Path) },
		Copy:     func(text string) { s.copied = append(s.copied, text) },
		OpenPath: func(path string) { s.opened = append(s.opened, path) },
	}
	for _, c := range change {
		c(&options)
	}
	s.Tab = New(options)
	t.Cleanup(s.Close)
	s.window.SetContent(s.Content())
	s.window.SetPadded(false)
	s.window.Resize(size)
	s.Show()
	s.loop.Until(t, "the scan ends", func() bool { return !s.State().Scanning })
	return s
}

// typical is a screen with some of everything.
func typical(t *testing.T, size fyne.Size) *screen {
	part := model("/m/big-00001-of-00004.gguf", 40<<30, problemOf(gguf.MissingPart), func(m *library.Model) {
		m.Missing = []string{"big-00003-of-00004.gguf"}
		m.Capabilities = nil
	})
	return newScreen(t, size, newStore(t, "/m"), scripted(
		model("/m/alpha.gguf", 5<<30, func(m *library.Model) {
			m.Capabilities = []string{"chat", "vision", "mtp", "reasoning"}
			m.Facts.Name = "A model whose name is so long that it can't possibly fit into its column of the table"
			m.Facts.TensorTypes = []gguf.TypeShare{{Type: "Q4_K", Bytes: 4 << 30, Tensors: 100}, {Type: "F32", Bytes: 1 << 30, Tensors: 20}}
			m.Facts.ChatTemplate = "{% for message in messages %}\n  {{ message }}\n{% endfor %}"
			m.Facts.Layers, m.Facts.Heads, m.Facts.KVHeads, m.Facts.HeadSizeK = 32, []int{0, 32}, []int{8}, 128
			m.Facts.Vocabulary = gguf.Vocab{Model: "gpt2", Pre: "qwen", Tokens: 151936}
		}),
		model("/m/projector.gguf", 1<<30, kind(gguf.Projector, "projector")),
		model("/m/cut.gguf", 1<<30, problemOf(gguf.Truncated), func(m *library.Model) { m.Capabilities = nil }),
		part,
	))
}

// shown is every text on the screen, and the names of its buttons.
func (s *screen) shown() string { return apptest.Shown(s.window.Content()) }

func (s *screen) button(t *testing.T, label string) *widgets.Button {
	t.Helper()
	return apptest.Button(t, s.window.Content(), label)
}

func (s *screen) press(t *testing.T, label string) *press {
	t.Helper()
	var found *press
	apptest.Each(s.window.Content(), func(o fyne.CanvasObject) {
		if p, ok := o.(*press); ok && p.AccessibilityLabel() == label {
			found = p
		}
	})
	if found == nil {
		t.Fatalf("there is no %q to press in\n%s", label, s.shown())
	}
	return found
}

func (s *screen) typeKey(name fyne.KeyName) {
	s.window.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: name})
}

// squeezed are the widgets that got less room than they need.
func (s *screen) squeezed() []string { return apptest.Squeezed(s.window.Content()) }

func TestNothingIsClippedAtEitherSize(t *testing.T) {
	for name, size := range map[string]fyne.Size{"1280×800": apptest.Wide, "960×600": apptest.Narrow} {
		s := typical(t, size)
		for tab, p := range s.detail.tabs {
			test.Tap(p)
			if list := s.squeezed(); len(list) > 0 {
				t.Errorf("%s, page %d: no room for %q", name, tab, list)
			}
		}
	}
}

func TestANarrowTableDropsColumnsAndKeepsItsRows(t *testing.T) {
	has := func(width float32, c Column) bool {
		return slices.ContainsFunc(columnsFor(width), func(s span) bool { return s.column == c })
	}
	if !has(855, ColumnWhere) || !has(855, ColumnArchitecture) {
		t.Error("a wide table lacks columns")
	}
	if has(575, ColumnWhere) || has(575, ColumnArchitecture) || !has(575, ColumnSize) || !has(575, ColumnContext) {
		t.Error("a narrow table has the wrong columns")
	}
	for width := float32(300); width < 1500; width += 7 {
		x := float32(0)
		for _, s := range columnsFor(width) {
			if s.w < 0 || s.x < x || s.x+s.w > width {
				t.Fatalf("at %.0f column %d spans %.0f to %.0f", width, s.column, s.x, s.x+s.w)
			}
			x = s.x + s.w
		}
	}
}

func TestRowsSayWhatEachFileIs(t *testing.T) {
	text := typical(t, apptest.Wide).shown()
	for _, want := range []string{
		"Part 3 of 4 is missing", "Cut short", "projector.gguf", "Q4_K_M", "5.0", "8,192",
		"3 models · 1 companion · 47.0 GiB", "Drop a .gguf file anywhere",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the screen does not say %q:\n%s", want, text)
		}
	}
}

func TestTheFirstModelThatLoadsIsSelected(t *testing.T) {
	s := typical(t, apptest.Wide)
	if got := s.State().Selected.Path; got != "/m/alpha.gguf" {
		t.Errorf("selected is %q", got)
	}
	test.Tap(s.button(t, "Set up and load"))
	if !slices.Equal(s.setUp, []string{"/m/alpha.gguf"}) {
		t.Errorf("set up %v", s.setUp)
	}
}

func TestTheKeyboardChoosesSetsUpAndFilters(t *testing.T) {
	s := typical(t, apptest.Wide)
	s.Select(0)
	if s.window.Canvas().Focused() != fyne.Focusable(s.table) {
		t.Fatal("the table does not have the focus")
	}
	for _, c := range []struct {
		key  fyne.KeyName
		want int
	}{
		{fyne.KeyDown, 1}, {fyne.KeyDown, 2}, {fyne.KeyUp, 1}, {fyne.KeyEnd, 3}, {fyne.KeyHome, 0},
		{fyne.KeyPageDown, 3}, {fyne.KeyPageUp, 0},
	} {
		if s.typeKey(c.key); s.State().At != c.want {
			t.Errorf("%s goes to row %d, not %d", c.key, s.State().At, c.want)
		}
	}
	s.typeKey(fyne.KeyReturn)
	if len(s.setUp) != 1 {
		t.Errorf("Enter set up %v", s.setUp)
	}
	s.window.Canvas().Focused().TypedRune('/')
	if s.window.Canvas().Focused() != fyne.Focusable(s.filter) {
		t.Fatal("a slash does not go to the filter")
	}
	test.Type(s.filter, "proj")
	if got := len(s.State().Rows); got != 1 {
		t.Errorf("the filter leaves %d rows", got)
	}
	s.typeKey(fyne.KeyDown)
	if s.window.Canvas().Focused() != fyne.Focusable(s.table) || s.State().Selected.Path != "/m/projector.gguf" {
		t.Error("the down key does not go from the filter to the rows")
	}
	s.window.Canvas().Focus(s.filter)
	s.typeKey(fyne.KeyEscape)
	if s.filter.Text != "" || len(s.State().Rows) != 4 {
		t.Errorf("Escape leaves the filter %q", s.filter.Text)
	}
}

func TestShortcutsAndKeysWorkWithoutAFocus(t *testing.T) {
	s := typical(t, apptest.Wide)
	control := func(key fyne.KeyName) bool {
		return s.Shortcut(&desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierControl})
	}
	if !control(fyne.KeyF) || s.window.Canvas().Focused() != fyne.Focusable(s.filter) {
		t.Error("Ctrl+F does not go to the filter")
	}
	picked := 0
	s.options.PickFile = func(func(string, error)) { picked++ }
	if !control(fyne.KeyO) || picked != 1 || control(fyne.KeyN) {
		t.Error("Ctrl+O does not open the picker, or Ctrl+N is taken")
	}
	s.window.Canvas().Unfocus()
	if !s.TypedRune('/') || s.window.Canvas().Focused() != fyne.Focusable(s.filter) || s.TypedRune('x') {
		t.Error("a slash without a focus does not go to the filter")
	}
	s.window.Canvas().Unfocus()
	s.Select(0)
	if !s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown}) || s.State().At != 1 || s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyA}) {
		t.Error("the down key without a focus does not choose")
	}
	s.window.Canvas().Unfocus()
	if !s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnd}) || s.State().At != 3 {
		t.Error("the end key without a focus does not choose the last row")
	}
	if !s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyF5}) || !s.State().Scanning {
		t.Error("F5 does not look again")
	}
}

func TestClickingChoosesAndADoubleClickSetsUp(t *testing.T) {
	s := typical(t, apptest.Wide)
	row := s.table.views[3]
	row.MouseDown(&desktop.MouseEvent{Button: desktop.MouseButtonPrimary})
	if s.State().At != 3 || s.State().Selected.Path != row.row.Path {
		t.Errorf("the click chose row %d", s.State().At)
	}
	s.table.views[0].MouseDown(&desktop.MouseEvent{Button: desktop.MouseButtonPrimary})
	s.table.views[0].DoubleTapped(nil)
	if !slices.Equal(s.setUp, []string{"/m/alpha.gguf"}) {
		t.Errorf("set up %v", s.setUp)
	}
}

func TestATitleSortsAndShowsIt(t *testing.T) {
	s := typical(t, apptest.Wide)
	test.Tap(s.press(t, "Size GiB"))
	if got := s.State().Sort; got != (Sort{Column: ColumnSize}) {
		t.Fatalf("sorted by %+v", got)
	}
	s.press(t, "Size GiB").TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	if got := s.State(); !got.Sort.Descending || got.Rows[0].Path != "/m/big-00001-of-00004.gguf" {
		t.Errorf("sorted by %+v, first is %s", got.Sort, got.Rows[0].Path)
	}
	if mark := s.table.titles[ColumnSize].mark; !mark.Visible() || s.table.titles[ColumnName].mark.Visible() {
		t.Error("the mark is not at the sorted column")
	}
}

func TestAPickerThatFailsSaysSo(t *testing.T) {
	s := typical(t, apptest.Wide)
	s.options.PickFile = func(done func(string, error)) { done("", errors.New("no such place")) }
	test.Tap(s.button(t, "Open file…"))
	if !strings.Contains(s.shown(), "no such place") {
		t.Errorf("the screen says\n%s", s.shown())
	}
	test.Tap(s.button(t, "Dismiss"))
	if strings.Contains(s.shown(), "no such place") {
		t.Error("the notice stays")
	}
}

func TestScanningSaysHowFarAndCanBeCancelled(t *testing.T) {
	s := newScreen(t, apptest.Wide, newStore(t, "/m"), scripted(model("/m/a.gguf", 1)))
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	s.seams.Scan = func(ctx context.Context, _ library.Sources, found func(library.Model)) error {
		found(model("/m/a.gguf", 1))
		select {
		case <-ctx.Done():
		case <-stop:
		}
		return ctx.Err()
	}
	s.Rescan()
	s.loop.Until(t, "a file is counted", func() bool { return s.State().Scan.Files == 1 })
	if !strings.Contains(s.shown(), "Looking in /m: 1 file") {
		t.Errorf("the screen says\n%s", s.shown())
	}
	test.Tap(s.button(t, "Cancel"))
	s.loop.Until(t, "the scan ends", func() bool { return !s.State().Scanning })
	if strings.Contains(s.shown(), "Looking") {
		t.Error("it still says that it looks")
	}
}

func TestThousandsOfRowsHaveViewsForTheScreenOnly(t *testing.T) {
	models := make([]library.Model, 5000)
	for i := range models {
		models[i] = model(fmt.Sprintf("/m/%04d.gguf", i), uint64(i+1))
	}
	s := newScreen(t, apptest.Wide, newStore(t, "/m"), scripted(models...))
	if most := int(apptest.Wide.Height/theme.SubRowHeight) + 2; len(s.table.views) > most {
		t.Errorf("%d views for %d rows on the screen", len(s.table.views), most)
	}
	start := time.Now()
	const steps = 200
	for range steps {
		s.typeKey(fyne.KeyDown)
	}
	if each := time.Since(start) / steps; each > 100*time.Millisecond { // about 2 ms, but not with -race on a busy machine
		t.Errorf("moving the choice takes %v", each)
	}
	s.typeKey(fyne.KeyEnd)
	if text := s.shown(); !strings.Contains(text, "4999.gguf") || strings.Contains(text, "0000.gguf") {
		t.Error("the last row is not on the screen")
	}
}

func TestSettingsThatChangeTheFoldersAreSeenOnTheNextShow(t *testing.T) {
	store := newStore(t, "/m")
	s := newScreen(t, apptest.Wide, store, scripted(model("/m/a.gguf", 1), model("/n/b.gguf", 1)))
	s.Hide()
	s.Show()
	if s.State().Scanning {
		t.Error("it scans without need")
	}
	s.SetSource("/m")
	if err := store.Update(func(c *config.Config) { c.ModelFolders = []string{"/n"} }); err != nil {
		t.Fatal(err)
	}
	s.Show()
	s.loop.Until(t, "the scan ends", func() bool { return !s.State().Scanning })
	if got := names(s.State().Rows); !slices.Equal(got, []string{"b.gguf"}) {
		t.Errorf("rows are %v", got)
	}
}

func TestEnterAfterAFilterSetsUpWhatIsShown(t *testing.T) {
	s := newScreen(t, apptest.Wide, newStore(t, "/m"), scripted(model("/m/alpha.gguf", 1), model("/m/beta.gguf", 1)))
	s.SelectPath("/m/alpha.gguf")
	s.window.Canvas().Focused().TypedRune('/')
	test.Type(s.filter, "beta")
	s.typeKey(fyne.KeyReturn)
	s.typeKey(fyne.KeyReturn)
	if !slices.Equal(s.setUp, []string{"/m/beta.gguf"}) {
		t.Errorf("beta was filtered, %v was set up", s.setUp)
	}
	s.SetFilter("nothing like it")
	s.typeKey(fyne.KeyReturn)
	if len(s.setUp) != 1 {
		t.Errorf("a model that is not shown was set up: %v", s.setUp)
	}
}
