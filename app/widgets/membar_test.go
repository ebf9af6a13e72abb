package widgets

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"paddock/app/theme"
)

const gib = 1 << 30

// parts are a bar's rectangles of a colour.
func parts(b *MemoryBar, width float32, colour fyne.ThemeColorName) []*canvas.Rectangle {
	var found []*canvas.Rectangle
	for _, o := range b.draw(width) {
		if r, ok := o.(*canvas.Rectangle); ok && r.FillColor == theme.Color(colour) {
			found = append(found, r)
		}
	}
	return found
}

func labels(b *MemoryBar, width float32) []string {
	var found []string
	for _, o := range b.draw(width) {
		if t, ok := o.(*canvas.Text); ok {
			found = append(found, t.Text)
		}
	}
	return found
}

func panel(total uint64, margin uint64, slices ...Slice) *MemoryBar {
	b := NewMemoryBar(Panel)
	b.Set(total, slices, margin, 0)
	return b
}

func TestSlicesFollowEachOtherAPixelApart(t *testing.T) {
	themed(t)
	b := panel(100*gib, 10*gib, Slice{theme.SliceOther, 10 * gib, ""}, Slice{theme.SliceWeights, 40 * gib, "Weights 40.0"})
	other, weights, margin := parts(b, 500, theme.SliceOther), parts(b, 500, theme.SliceWeights), parts(b, 500, theme.SliceMargin)
	if len(other) != 1 || len(weights) != 1 || len(margin) != 1 {
		t.Fatalf("%d, %d, %d parts", len(other), len(weights), len(margin))
	}
	if got := other[0].Size().Width; got != 49 {
		t.Errorf("10 of 100 GiB are %.0f px, want 49 and a gap", got)
	}
	if got := weights[0].Position().X; got != 50 {
		t.Errorf("weights begin at %.0f, want 50", got)
	}
	if got := margin[0].Position().X; got != 250 {
		t.Errorf("the margin begins at %.0f, want 250", got)
	}
}

func TestWhatDoesNotFitSticksOutAndSaysByHowMuch(t *testing.T) {
	themed(t)
	b := panel(96*gib, 1*gib, Slice{theme.SliceWeights, 98 * gib, ""})
	over := parts(b, 500, theme.Overflow)
	if len(over) != 1 {
		t.Fatalf("%d parts stick out, want 1", len(over))
	}
	if end := over[0].Position().X + over[0].Size().Width; end > 500 {
		t.Errorf("it ends at %.0f, outside of the bar", end)
	}
	if weights := parts(b, 500, theme.SliceWeights); weights[0].Size().Width > 500*overflowWidth {
		t.Error("the slice goes past the end of the pool")
	}
	if got := labels(b, 500); len(got) != 1 || got[0] != "+3.0" {
		t.Errorf("it says %q, want +3.0", got)
	}
	if fits := panel(96*gib, 1*gib, Slice{theme.SliceWeights, 96 * gib, ""}); len(parts(fits, 500, theme.Overflow)) != 0 {
		t.Error("something sticks out of a pool that is just full")
	}
}

func TestWhatSticksOutOfANarrowBarKeepsClearOfItsNumber(t *testing.T) {
	themed(t)
	bar := NewMemoryBar(Panel)
	bar.Set(8<<30, []Slice{{Color: theme.SliceWeights, Bytes: 100 << 30}}, 0, 0)
	bar.Resize(fyne.NewSize(200, bar.MinSize().Height))
	objs := bar.draw(200)
	text := objs[len(objs)-1]
	block := objs[len(objs)-2]
	if end := block.Position().X + block.Size().Width; end > text.Position().X {
		t.Errorf("the block ends at %v, the number begins at %v", end, text.Position().X)
	}
}

func TestALabelIsLeftOutWhereItDoesNotFit(t *testing.T) {
	themed(t)
	wide := panel(100*gib, 0, Slice{theme.SliceWeights, 40 * gib, "Weights 40.0"})
	narrow := panel(100*gib, 0, Slice{theme.SliceWeights, 4 * gib, "Weights 4.0"})
	if got := labels(wide, 500); len(got) != 1 {
		t.Errorf("a wide slice has labels %q", got)
	}
	if got := labels(narrow, 500); len(got) != 0 {
		t.Errorf("a narrow slice has labels %q", got)
	}
}

func TestAPoolOfUnknownSizeIsAnEmptyBar(t *testing.T) {
	themed(t)
	b := panel(0, gib, Slice{theme.SliceWeights, gib, "Weights 1.0"})
	if got := b.draw(500); len(got) != 1 {
		t.Errorf("%d parts, want the track only", len(got))
	}
}

func TestATinySliceCanStillBeSeen(t *testing.T) {
	themed(t)
	b := panel(100*gib, 0, Slice{theme.SliceOther, 1, ""})
	if got := parts(b, 500, theme.SliceOther); len(got) != 1 || got[0].Size().Width < 1 {
		t.Error("a byte is not drawn")
	}
}
