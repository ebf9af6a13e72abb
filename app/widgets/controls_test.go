package widgets

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"paddock/app/theme"
)

// window shows an object in Paddock's theme.
func window(t *testing.T, o fyne.CanvasObject, width, height float32) fyne.Window {
	t.Helper()
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Dark))
	w := test.NewTempWindow(t, o)
	w.SetPadded(false)
	w.Resize(fyne.NewSize(width, height))
	return w
}

func key(name fyne.KeyName) *fyne.KeyEvent { return &fyne.KeyEvent{Name: name} }

func tapAt(o fyne.Tappable, x, y float32) {
	o.Tapped(&fyne.PointEvent{Position: fyne.NewPos(x, y)})
}

func TestAButtonIsPressedByMouseSpaceAndEnter(t *testing.T) {
	taps := 0
	b := NewButton("Load", theme.IconPlay, Filled, func() { taps++ })
	window(t, b, 100, 40)
	test.Tap(b)
	b.TypedKey(key(fyne.KeySpace))
	b.TypedKey(key(fyne.KeyReturn))
	b.TypedKey(key(fyne.KeyEnter))
	if taps != 4 {
		t.Errorf("pressed %d times, want 4", taps)
	}
}

func TestADisabledButtonDoesNothing(t *testing.T) {
	b := NewButton("Load", "", Filled, func() { t.Error("pressed") })
	window(t, b, 100, 40)
	b.SetEnabled(false)
	test.Tap(b)
	b.TypedKey(key(fyne.KeySpace))
}

func TestAWindowGetsTheKeysAFocusedControlHasNoUseFor(t *testing.T) {
	controls := map[string]fyne.Focusable{
		"button":   NewButton("Load", "", Edged, nil),
		"segments": NewSegments([]Segment{{ID: "a", Label: "A"}}, nil),
		"select":   NewSelect(nil, nil),
		"check":    NewCheck("A", "", nil),
		"radio":    NewRadio("A", "", nil, nil),
		"entry":    NewEntry(),
	}
	slider := NewSlider(nil)
	slider.Set(SliderState{Values: []int{1, 2}, Value: 1})
	controls["slider"] = slider
	for name, control := range controls {
		w := window(t, control.(fyne.CanvasObject), 200, 60)
		var got fyne.KeyName
		w.Canvas().SetOnTypedKey(func(ev *fyne.KeyEvent) { got = ev.Name })
		control.TypedKey(key(fyne.KeyEscape))
		if got != fyne.KeyEscape {
			t.Errorf("%s kept Escape to itself", name)
		}
	}
}

func TestAnEntryKeepsEditingShortcutsAndPassesOthersOn(t *testing.T) {
	for _, c := range []struct {
		shortcut fyne.Shortcut
		kept     bool
	}{
		{&fyne.ShortcutPaste{}, true},
		{&fyne.ShortcutSelectAll{}, true},
		{&desktop.CustomShortcut{KeyName: fyne.KeyLeft, Modifier: fyne.KeyModifierControl}, true},
		{&desktop.CustomShortcut{KeyName: fyne.KeyBackspace, Modifier: fyne.KeyModifierControl}, true},
		{&desktop.CustomShortcut{KeyName: fyne.Key1, Modifier: fyne.KeyModifierControl}, false},
		{&desktop.CustomShortcut{KeyName: fyne.KeyN, Modifier: fyne.KeyModifierControl}, false},
		{&desktop.CustomShortcut{KeyName: fyne.KeyReturn, Modifier: fyne.KeyModifierControl}, false},
	} {
		if got := EntryKeeps(c.shortcut); got != c.kept {
			t.Errorf("%s: kept is %t, want %t", c.shortcut.ShortcutName(), got, c.kept)
		}
	}
}

func threeSegments(changed func(string)) *Segments {
	return NewSegments([]Segment{{ID: "a", Label: "Chosen"}, {ID: "off", Label: "Off", Disabled: true}, {ID: "c", Label: "Other"}}, changed)
}

func TestSegmentsChooseWhatIsUnderThePointerUnlessItIsOff(t *testing.T) {
	var chosen []string
	s := threeSegments(func(id string) { chosen = append(chosen, id) })
	window(t, s, 300, 40)
	s.SetSelected("a")
	ws := s.widths()
	tapAt(s, ws[0]+1, 5)       // off
	tapAt(s, ws[0]+ws[1]+1, 5) // c
	tapAt(s, 1, 5)             // a
	tapAt(s, 1, 5)             // a again
	tapAt(s, 290, 5)           // past the end
	if want := []string{"c", "a"}; !slices.Equal(chosen, want) {
		t.Errorf("chose %v, want %v", chosen, want)
	}
}

func TestSegmentsArrowsSkipWhatIsOff(t *testing.T) {
	s := threeSegments(nil)
	window(t, s, 300, 40)
	s.SetSelected("a")
	s.TypedKey(key(fyne.KeyRight))
	if s.Selected() != "c" {
		t.Errorf("right arrow chose %q, want c", s.Selected())
	}
	s.TypedKey(key(fyne.KeyRight))
	s.TypedKey(key(fyne.KeyLeft))
	if s.Selected() != "a" {
		t.Errorf("left arrow chose %q, want a", s.Selected())
	}
}

func TestSettingWhatIsChosenCallsNobody(t *testing.T) {
	fail := func(string) { t.Error("called back") }
	segments, choice := threeSegments(fail), NewSelect([]Option{{ID: "a"}}, fail)
	check := NewCheck("A", "", func(bool) { t.Error("called back") })
	number := NewNumberBox(func(int) { t.Error("called back") })
	slider := NewSlider(func(int) { t.Error("called back") })
	window(t, VGap(0, segments, choice, check, number, slider), 300, 300)
	segments.SetSelected("c")
	choice.SetSelected("a")
	check.SetChecked(true)
	number.SetValue(3)
	slider.Set(SliderState{Values: []int{1, 2}, Value: 2})
}

func TestASelectStepsWithTheArrowsAndOpensAMenu(t *testing.T) {
	var chosen []string
	s := NewSelect([]Option{{ID: "a", Label: "A"}, {ID: "b", Label: "B", Disabled: true}, {ID: "c", Label: "C"}}, func(id string) { chosen = append(chosen, id) })
	w := window(t, VGap(0, s), 200, 200)
	s.SetSelected("a")
	s.TypedKey(key(fyne.KeyDown))
	s.TypedKey(key(fyne.KeyDown))
	s.TypedKey(key(fyne.KeyUp))
	if want := []string{"c", "a"}; !slices.Equal(chosen, want) {
		t.Errorf("chose %v, want %v", chosen, want)
	}
	test.Tap(s)
	if w.Canvas().Overlays().Top() == nil {
		t.Error("no menu opened")
	}
}

func TestACheckIsTickedByMouseAndSpaceUnlessDisabled(t *testing.T) {
	var states []bool
	c := NewCheck("On", "quiet", func(on bool) { states = append(states, on) })
	window(t, c, 200, 40)
	test.Tap(c)
	c.TypedKey(key(fyne.KeySpace))
	c.Disable()
	test.Tap(c)
	if want := []bool{true, false}; !slices.Equal(states, want) {
		t.Errorf("ticked %v, want %v", states, want)
	}
}

func TestARadioTellsUnlessItIsDisabledAndMovesWithTheArrows(t *testing.T) {
	taps, moves := 0, []int{}
	r := NewRadio("MTP", "1 layer", func() { taps++ }, func(by int) { moves = append(moves, by) })
	window(t, r, 200, 40)
	test.Tap(r)
	r.TypedKey(key(fyne.KeySpace))
	r.TypedKey(key(fyne.KeyDown))
	r.TypedKey(key(fyne.KeyUp))
	if taps != 2 || r.Chosen() || !slices.Equal(moves, []int{1, -1}) {
		t.Errorf("%d taps, chosen %v, moves %v", taps, r.Chosen(), moves)
	}
	r.SetChosen(true)
	r.SetEnabled(false)
	test.Tap(r)
	if taps != 2 || !r.Chosen() {
		t.Errorf("disabled: %d taps, chosen %v", taps, r.Chosen())
	}
}

func contextSlider(changed func(int)) *Slider {
	s := NewSlider(changed)
	s.Set(SliderState{
		Values: []int{4096, 8192, 16384, 32768}, Value: 4096, Fits: 16384,
		Low: "4,096", Fit: "fits to 16,384", High: "trained",
	})
	return s
}

func TestASliderTakesTheNearestStop(t *testing.T) {
	var chosen []int
	s := contextSlider(func(v int) { chosen = append(chosen, v) })
	window(t, s, 316, 60) // 300 between the ends
	for _, x := range []float32{sliderInset + 90, sliderInset + 160, 400} {
		tapAt(s, x, 15)
	}
	if want := []int{8192, 16384, 32768}; !slices.Equal(chosen, want) {
		t.Errorf("chose %v, want %v", chosen, want)
	}
}

func TestASliderMovesByStopsWithTheKeyboard(t *testing.T) {
	s := contextSlider(nil)
	window(t, s, 316, 60)
	for _, c := range []struct {
		key  fyne.KeyName
		want int
	}{
		{fyne.KeyLeft, 4096}, {fyne.KeyRight, 8192}, {fyne.KeyEnd, 32768}, {fyne.KeyRight, 32768},
		{fyne.KeyLeft, 16384}, {fyne.KeyHome, 4096},
	} {
		s.TypedKey(key(c.key))
		if s.state.Value != c.want {
			t.Fatalf("%s: %d, want %d", c.key, s.state.Value, c.want)
		}
	}
}

func TestAValueBetweenTwoStopsLiesBetweenThem(t *testing.T) {
	s := contextSlider(nil)
	s.Set(SliderState{Values: []int{4096, 8192, 16384}, Value: 12288})
	if got := s.share(12288); got != 0.75 {
		t.Errorf("12,288 lies at %.2f, want 0.75", got)
	}
	s.TypedKey(key(fyne.KeyRight))
	if s.state.Value != 16384 {
		t.Errorf("right arrow from 12,288: %d, want 16,384", s.state.Value)
	}
}

func TestANumberBoxTakesWhatPeopleTypeAndStaysInItsRange(t *testing.T) {
	for _, c := range []struct {
		typed string
		want  int
	}{
		{"8,192", 8192}, {"16 384", 16384}, {"32.768", 32768}, {"5", 256}, {"999999", 32768}, {"many", 4096}, {"", 4096},
	} {
		var got []int
		n := NewNumberBox(func(v int) { got = append(got, v) })
		window(t, n, 100, 40)
		n.SetRange(256, 32768)
		n.SetValue(4096)
		n.FocusGained()
		n.SetText(c.typed)
		n.FocusLost()
		if n.Value() != c.want {
			t.Errorf("%q: %d, want %d", c.typed, n.Value(), c.want)
		}
		if c.want != 4096 && !slices.Equal(got, []int{c.want}) {
			t.Errorf("%q: told %v, want %d once", c.typed, got, c.want)
		}
	}
}

func TestControlsAreAsHighAsTheDesignSays(t *testing.T) {
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Dark))
	for name, c := range map[string]struct {
		o    fyne.CanvasObject
		want float32
	}{
		"button":       {NewButton("A", theme.IconPlay, Edged, nil), 30},
		"small button": {NewSmallButton("A", "", Edged, nil), 26},
		"row button":   {NewRowButton("A", "", Edged, nil), 22},
		"segments":     {NewSegments([]Segment{{ID: "a", Label: "A"}}, nil), 30},
		"select":       {NewSelect([]Option{{ID: "a", Label: "A"}}, nil), 30},
		"entry":        {NewEntry(), 30},
		"number box":   {NewNumberBox(nil), 30},
		"pill":         {NewPill("", "A", theme.Hover, theme.Text), 22},
		"badge":        {NewBadge("A", theme.Accent), 18},
		"memory bar":   {NewMemoryBar(Panel), 22},
		"small bar":    {NewMemoryBar(Small), 6},
		"unused bar":   {NewMemoryBar(Unused), 8},
	} {
		if got := c.o.MinSize().Height; got != c.want {
			t.Errorf("%s: %.1f high, want %.0f", name, got, c.want)
		}
	}
}

func TestAReasonTakesNoRoomWhileItHasNothingToSay(t *testing.T) {
	r := NewReason(Off, "")
	column := VGap(8, Text(Body, "A"), r)
	window(t, column, 200, 100)
	without := column.MinSize().Height
	r.SetText("Tensor split is off: it needs two GPUs; one is chosen.")
	if !r.Visible() || column.MinSize().Height <= without {
		t.Error("a reason with a sentence is not shown")
	}
	r.SetText("")
	if r.Visible() || column.MinSize().Height != without {
		t.Error("a reason without a sentence takes room")
	}
}
