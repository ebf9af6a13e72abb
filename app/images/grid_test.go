package images

import (
	"image/color"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"paddock/app/apptest"
	"paddock/app/theme"
	"paddock/app/widgets"
)

// whole says whether all of a card is on the screen.
func (g *grid) whole(at int) bool {
	top := g.top(at) - g.scroll.Offset.Y
	return top >= 0 && top+cardHeight <= g.scroll.Size().Height
}

func sameColour(a, b color.Color) bool {
	return color.NRGBAModel.Convert(a) == color.NRGBAModel.Convert(b)
}

func TestTheChosenCardStaysOnTheScreenWhenThereIsLessRoom(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.add(folder(t, 60), 60)
	g := s.tab.grid
	for name, chosen := range map[string]int{"the last one": 59, "one in the middle": 25, "the first one": 0} {
		s.Choose(chosen)
		for _, size := range []fyne.Size{apptest.Narrow, apptest.Wide, fyne.NewSize(1196, 400), fyne.NewSize(620, 726)} {
			s.window.Resize(size)
			if !g.whole(chosen) {
				t.Errorf("%s is not on the screen at %v: its top is %.0f, the screen's %.0f to %.0f",
					name, size, g.top(chosen), g.scroll.Offset.Y, g.scroll.Offset.Y+g.scroll.Size().Height)
			}
		}
		s.window.Resize(apptest.Wide)
	}
}

func TestANoteAboveTheGridHidesNoChosenCard(t *testing.T) {
	s := newScreen(t, apptest.Narrow)
	s.add(folder(t, 60), 60)
	s.note = Note{}
	s.publish()
	s.Choose(40) // which is at the lower end now
	s.Paste()
	s.until("there is a note", func() bool { return s.State().Note.Text != "" })
	if s.tab.note.String() == "" || !s.tab.grid.whole(40) {
		t.Errorf("%q hides it", s.tab.note.String())
	}
}

func TestWhoScrolledAwayFromTheChosenCardIsNotTakenBack(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.add(folder(t, 60), 60)
	s.Choose(0)
	s.tab.grid.scroll.ScrollToBottom()
	s.window.Resize(apptest.Narrow)
	if s.tab.grid.onView(0) {
		t.Error("the first card is there again")
	}
}

func TestCardsHaveTheirGroundInEveryTheme(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.add(folder(t, 3), 3)
	s.Choose(0)
	for _, name := range []string{theme.Dark, theme.Light} {
		fyne.CurrentApp().Settings().SetTheme(theme.New(name))
		s.window.Content().Refresh()
		plates := apptest.All[*widgets.Plate](s.tab.grid)
		if len(plates) != 3 {
			t.Fatalf("%d cards have a ground", len(plates))
		}
		at := fyne.CurrentApp().Driver().AbsolutePositionForObject(plates[2])
		img := s.window.Canvas().Capture()
		want, back := theme.Color(theme.Surface), theme.Color(theme.Window)
		if got := img.At(int(at.X)+4, int(at.Y)+cardHeight/2); !sameColour(got, want) {
			t.Errorf("%s: a card is %v instead of %v", name, got, want)
		}
		if got := img.At(int(at.X)-4, int(at.Y)+cardHeight/2); !sameColour(got, back) {
			t.Errorf("%s: between cards it is %v instead of %v", name, got, back)
		}
	}
}

func TestAnAnswerThatWasRepeatedSaysSo(t *testing.T) {
	s := newScreen(t, apptest.Narrow)
	s.add(folder(t, 1), 1)
	s.engine.twice = true
	s.runAll()
	s.wants("Asked twice", "asked again without guessing ahead")
	s.Type(s.State().Item().ID, "mine")
	s.keepTyped()
	s.until("it is edited", func() bool { return s.State().Counts.Edited == 1 })
	s.until("it still says so", func() bool { return strings.Contains(s.shown(), "asked again without guessing ahead") })
}
