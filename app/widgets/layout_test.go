package widgets

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/test"

	"paddock/app/theme"
)

func themed(t *testing.T) {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Dark))
}

// sized is an object of a fixed size.
func sized(w, h float32) fyne.CanvasObject { return Fixed(w, h, Stack()) }

func TestARowPutsObjectsAGapApartInTheMiddleOfItsHeight(t *testing.T) {
	themed(t)
	a, b := sized(10, 10), sized(20, 30)
	row := HGap(8, a, b)
	row.Resize(fyne.NewSize(100, 50))
	if row.MinSize() != fyne.NewSize(38, 30) {
		t.Errorf("row needs %v", row.MinSize())
	}
	if a.Position() != fyne.NewPos(0, 20) || b.Position() != fyne.NewPos(18, 10) {
		t.Errorf("objects at %v and %v", a.Position(), b.Position())
	}
}

func TestLabelsOfDifferentSizesStandOnOneLine(t *testing.T) {
	themed(t)
	title, about, far := Text(Title, "Hardware"), Text(Quiet, "live"), Text(Quiet, "no names")
	row := HGap(8, title, HGap(6, NewDot(theme.OK, 6), Grow(about)), layout.NewSpacer(), far)
	row.Resize(fyne.NewSize(400, 52))
	stands := func(label, in fyne.CanvasObject) float32 {
		return in.Position().Y + in.Size().Height/2 + baseline(label)
	}
	if a, b := stands(title, title), stands(about, row.Objects[1]); a != b {
		t.Errorf("they stand at %v and %v", a, b)
	}
	if y := far.Position().Y; y != (52-theme.LineLabel)/2 {
		t.Errorf("a spacer away the label is at %v, not in the middle", y)
	}
}

func TestASpacerTakesTheRoomThatIsLeftAndNoGap(t *testing.T) {
	themed(t)
	b := sized(20, 10)
	row := HGap(8, sized(10, 10), layout.NewSpacer(), b)
	row.Resize(fyne.NewSize(100, 10))
	if b.Position().X != 80 {
		t.Errorf("the last object is at %.0f, want 80", b.Position().X)
	}
}

func TestAHiddenObjectTakesNoRoom(t *testing.T) {
	themed(t)
	a, b := sized(10, 10), sized(20, 10)
	a.Hide()
	row := HGap(8, a, b)
	row.Resize(fyne.NewSize(100, 10))
	if row.MinSize().Width != 20 || b.Position().X != 0 {
		t.Errorf("row needs %.0f, object at %.0f", row.MinSize().Width, b.Position().X)
	}
	column := VGap(8, a, b)
	if column.MinSize().Height != 10 {
		t.Errorf("column needs %.0f, want 10", column.MinSize().Height)
	}
}

func TestALabelGivesWayBeforeFixedObjectsDo(t *testing.T) {
	themed(t)
	label := Text(Body, "a long name of a model that is too long").Ellipsis()
	last := sized(60, 20)
	row := HGap(8, label, layout.NewSpacer(), last)
	row.Resize(fyne.NewSize(200, 20))
	if got := last.Position().X + last.Size().Width; got > 200 {
		t.Errorf("the last object ends at %.0f in a row of 200", got)
	}
	if label.Size().Width >= label.NaturalWidth() {
		t.Error("the label did not give way")
	}
	row.Resize(fyne.NewSize(600, 20))
	if label.Size().Width < label.NaturalWidth() {
		t.Errorf("the label is %.0f wide and wants %.0f", label.Size().Width, label.NaturalWidth())
	}
}

func TestARowInARowGivesWayToo(t *testing.T) {
	themed(t)
	label := Text(Body, "a long name of a model that is too long").Ellipsis()
	last := sized(60, 20)
	row := HGap(16, HGap(8, label, Text(Quiet, "Q4")), layout.NewSpacer(), last)
	row.Resize(fyne.NewSize(200, 20))
	if got := last.Position().X + 60; got > 200.5 {
		t.Errorf("the last object ends at %.1f in a row of 200", got)
	}
	row.Resize(fyne.NewSize(600, 20))
	if label.Size().Width < label.NaturalWidth() {
		t.Error("the label is short although there is room")
	}
}

func TestARowIsLaidOutAnewWhenAnEllipsisLabelChanges(t *testing.T) {
	themed(t)
	label := Text(Body, "short").Ellipsis()
	before := label.MinSize()
	label.SetText("a text that is much longer")
	// Fyne looks at least sizes only, so a change has to show in it.
	if label.MinSize() == before {
		t.Error("the least size is the same: Fyne would not lay the row out")
	}
	if label.MinSize().Width > ellipsisWidth+1 {
		t.Errorf("the label insists on %.1f", label.MinSize().Width)
	}
}

func TestAColumnGivesWrappedTextTheHeightItsWidthNeeds(t *testing.T) {
	themed(t)
	text := Paragraph(Quiet, strings.Repeat("word ", 40))
	below := sized(10, 10)
	column := VGap(4, text, below)
	for _, width := range []float32{600, 200, 400} {
		column.Resize(fyne.NewSize(width, 1000))
		want := text.HeightFor(width)
		if text.Size().Height != want {
			t.Errorf("at %.0f the text is %.0f high, want %.0f", width, text.Size().Height, want)
		}
		if below.Position().Y != want+4 {
			t.Errorf("at %.0f the next object is at %.0f, want %.0f", width, below.Position().Y, want+4)
		}
	}
	if text.HeightFor(200) <= text.HeightFor(600) {
		t.Error("narrow text is not higher")
	}
}

func TestACardIsAsHighAsWrappedTextInARowInIt(t *testing.T) {
	themed(t)
	text := Paragraph(Quiet, strings.Repeat("word ", 40))
	card := Card(HGapTop(8, sized(20, 20), Grow(text)))
	want := text.HeightFor(300-32-28) + 32
	if got := HeightAt(card, 300); got != want {
		t.Errorf("card is %.0f high, want %.0f", got, want)
	}
}

func TestRegionsShareAWindowWithoutPadding(t *testing.T) {
	themed(t)
	top, bottom, left, right, centre := sized(10, 48), sized(10, 26), sized(84, 10), sized(340, 10), sized(1, 1)
	b := Borders(top, bottom, left, right, centre)
	b.Resize(fyne.NewSize(1280, 800))
	if centre.Position() != fyne.NewPos(84, 48) || centre.Size() != fyne.NewSize(1280-84-340, 800-48-26) {
		t.Errorf("centre is at %v, %v", centre.Position(), centre.Size())
	}
	right.Hide()
	b.Layout.Layout(b.Objects, b.Size())
	if centre.Size().Width != 1280-84 {
		t.Errorf("with the right region hidden the centre is %.0f wide", centre.Size().Width)
	}
}

func TestTextIsCutWithAnEllipsisThatFits(t *testing.T) {
	themed(t)
	st := roleStyles[Body]
	for _, c := range []struct{ text, want string }{
		{"", ""}, {"short", "short"},
	} {
		if got := shorten(c.text, 100, st); got != c.want {
			t.Errorf("%q became %q", c.text, got)
		}
	}
	got := shorten("Qwen3.5-122B-A10B-Q5_K_M-00001-of-00003.gguf", 100, st)
	if !strings.HasSuffix(got, "…") || !strings.HasPrefix(got, "Qwen3") || st.measure(got).Width > 100 {
		t.Errorf("cut to %q, %.0f wide", got, st.measure(got).Width)
	}
	if got := shorten("wide", 1, st); got != "…" {
		t.Errorf("without room it became %q", got)
	}
}

func TestAPathIsCutAheadSoThatTheFilesNameStays(t *testing.T) {
	themed(t)
	st := roleStyles[Mono]
	for _, text := range []string{"", "short"} {
		if got := shortenAhead(text, 100, st); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	got := shortenAhead("/home/ana/models/a long folder/mmproj.gguf", 120, st)
	if !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "mmproj.gguf") || st.measure(got).Width > 120 {
		t.Errorf("cut to %q, %.0f wide", got, st.measure(got).Width)
	}
	if got := shortenAhead("wide", 1, st); got != "…" {
		t.Errorf("without room it became %q", got)
	}
}

func TestTextWrapsAtSpacesAndBreaksOnlyWordsThatAreTooLong(t *testing.T) {
	themed(t)
	st := roleStyles[Quiet]
	lines := wrapText("one two three four five six seven\n/a/very/long/path/without/any/space/in/it/at/all.gguf", 90, st)
	for _, line := range lines {
		if st.measure(line).Width > 90.5 {
			t.Errorf("line %q is %.0f wide", line, st.measure(line).Width)
		}
	}
	if joined := strings.Join(lines, ""); !strings.Contains(joined, "/a/very/long/path/without/any/space/in/it/at/all.gguf") {
		t.Errorf("letters are missing: %q", lines)
	}
	if len(lines) < 5 {
		t.Errorf("only %d lines", len(lines))
	}
}

func TestAWidgetLaidOutAgainAtTheSameSizeKeepsItsObjects(t *testing.T) {
	slider := NewSlider(nil)
	slider.Set(SliderState{Values: []int{1, 2}, Value: 1, Low: "1", High: "2"})
	bar := NewMemoryBar(Panel)
	bar.Set(100, []Slice{{theme.SliceWeights, 40, "Weights"}}, 10, 0)
	for name, o := range map[string]fyne.Widget{
		"paragraph":  Paragraph(Quiet, strings.Repeat("word ", 40)),
		"memory bar": bar,
		"segments":   NewSegments([]Segment{{ID: "a", Label: "A"}, {ID: "b", Label: "B"}}, nil),
		"slider":     slider,
	} {
		window(t, o, 300, 200)
		r := test.WidgetRenderer(o)
		before := r.Objects()
		r.Layout(o.Size())
		after := r.Objects()
		// Fyne lays out again what has new objects: it would never come to rest.
		if len(before) == 0 || len(before) != len(after) || before[0] != after[0] {
			t.Errorf("a %s makes new objects each time", name)
		}
	}
}
