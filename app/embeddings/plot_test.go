package embeddings

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"paddock/app/apptest"
	"paddock/app/theme"
	"paddock/engine/embed"
)

// mapped is the tab with a map of 14 points, on the screen.
func mapped(t *testing.T, size fyne.Size) *screen {
	t.Helper()
	s := newScreen(t, size)
	s.SetEngine(s.ready())
	s.notes()
	s.SetMethod("headings")
	s.Start()
	s.over()
	s.until("the map is made", func() bool { return s.State().Index != "" && !s.State().Mapping })
	return s
}

// drag drags a rectangle on the map.
func drag(p *plot, from, to fyne.Position) {
	half := fyne.NewPos((from.X+to.X)/2, (from.Y+to.Y)/2)
	p.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: half}, Dragged: fyne.NewDelta(half.X-from.X, half.Y-from.Y)})
	p.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: to}, Dragged: fyne.NewDelta(to.X-half.X, to.Y-half.Y)})
	p.DragEnd()
}

func TestPassagesOfAPartOfTheMapAreListed(t *testing.T) {
	s := mapped(t, apptest.Wide)
	p := s.tab.find.plot
	size := p.Size()
	drag(p, fyne.NewPos(size.Width, size.Height), fyne.NewPos(0, 0))
	s.until("all are listed", func() bool { return s.State().Region > 0 })
	if st := s.State(); st.Region != 14 || len(st.RegionHits) != 14 || st.PassageOn {
		t.Fatalf("%d, %d listed", st.Region, len(st.RegionHits))
	}
	s.wants(t, "14 passages in the rectangle", "bees.md, line 1", "Clear")
	x, y := p.placer(float64(size.Width), float64(size.Height), plotMargin)(p.points[3])
	at := fyne.NewPos(float32(x), float32(y))
	drag(p, at.SubtractXY(1, 1), at.AddXY(1, 1))
	s.until("fewer are listed", func() bool { return s.State().Region > 0 && s.State().Region < 14 })
	if hits := s.State().RegionHits; !slices.ContainsFunc(hits, func(h Hit) bool { return h.Number == p.points[3].Number }) {
		t.Errorf("%+v", hits)
	}
	s.press(t, "Clear")
	if s.State().Region != 0 || p.region != nil {
		t.Error("it is not cleared")
	}
	// With the keyboard: around the chosen point, larger until more are in it.
	p.TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight})
	s.until("a point is chosen", func() bool { return s.State().PassageOn })
	for range 60 {
		p.TypedRune('+')
	}
	s.until("all are listed", func() bool { return s.State().Region == 14 })
	p.TypedRune('-')
	p.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	s.until("it is let go of", func() bool { return s.State().Region == 0 })
	if p.region != nil {
		t.Error("the rectangle is still there")
	}
}

func TestTheMapSaysWhatItsMarksAre(t *testing.T) {
	for _, size := range []fyne.Size{apptest.Wide, apptest.Narrow} {
		s := mapped(t, size)
		says := func() string { return apptest.Shown(s.tab.find.box) }
		if strings.Contains(says(), "your question") {
			t.Error("there is a mark before a question")
		}
		s.Search("bees make honey")
		s.until("it is found", func() bool { return !s.State().Searching })
		s.wants(t, "found", "your question", "The 14 nearest of 14 passages")
		for name, m := range map[string]fyne.CanvasObject{"ring": s.tab.find.ringed, "cross": s.tab.find.crossed} {
			picture := false
			apptest.Each(m, func(o fyne.CanvasObject) {
				r, is := o.(*canvas.Raster)
				if !is {
					return
				}
				img := r.Generator(26, 26)
				for i := range 26 {
					_, _, _, alpha := img.At(i, 13).RGBA()
					picture = picture || alpha > 0
				}
			})
			if !picture {
				t.Errorf("there is no %s", name)
			}
		}
		// With a rectangle the note is about what is in it.
		p := s.tab.find.plot
		drag(p, fyne.NewPos(p.Size().Width, p.Size().Height), fyne.NewPos(0, 0))
		s.until("all are listed", func() bool { return s.State().Region > 0 })
		if note := s.tab.find.note.String(); note != "14 passages in the rectangle" {
			t.Errorf("the note says %q", note)
		}
		s.wants(t, "The 14 nearest of 14 passages") // before those, in the list
		s.press(t, "Clear")
		if note := s.tab.find.note.String(); !strings.HasPrefix(note, "The 14 nearest") {
			t.Errorf("then the note says %q", note)
		}
		s.Search("")
		if strings.Contains(says(), "your question") {
			t.Error("the mark stays without a question")
		}
	}
}

func TestTheMapIsDrawnAnewOnlyWhenItHasChanged(t *testing.T) {
	s := mapped(t, apptest.Wide)
	p := s.tab.find.plot
	first := p.draw(300, 200)
	s.publish() // a run tells what it does ten times a second
	s.tab.content.Refresh()
	if p.draw(300, 200) != first {
		t.Error("it is drawn anew for nothing")
	}
	marks := p.drawMarks(300, 200)
	p.pick(2)
	drag(p, fyne.NewPos(5, 5), fyne.NewPos(50, 50))
	second := p.draw(300, 200)
	if second != first {
		t.Error("all points are drawn anew for a mark")
	}
	if p.drawMarks(300, 200) == marks {
		t.Error("the marks are not drawn")
	}
	if p.draw(400, 300) == second {
		t.Error("it is not drawn in another size")
	}
	before := p.draw(300, 200)
	test.ApplyTheme(t, theme.New(theme.Light))
	if p.draw(300, 200) == before {
		t.Error("it is not drawn in other colours")
	}
	p.set([]embed.Point{{Number: 1, X: 1}, {Number: 2, Y: 1}}, nil, nil)
	if p.draw(300, 200) == before {
		t.Error("other points are not drawn")
	}
}

func TestNothingOfWhatWasFoundIsCutOffInTheSmallestWindow(t *testing.T) {
	s := newScreen(t, apptest.Narrow)
	s.SetEngine(s.ready())
	s.write("notes/a file with quite a long name for a window of this size.md", "# Bees and what becomes of their honey in a long winter\n\nBees make honey in summer.\n")
	s.notes()
	s.SetMethod("headings")
	s.Start()
	s.over()
	s.until("the map is made", func() bool { return s.State().Index != "" && !s.State().Mapping })
	s.Search("bees make honey")
	s.until("it is found", func() bool { return !s.State().Searching })
	s.wants(t, place(s.State().Hits[0].Hit.Row))
	if squeezed := apptest.Squeezed(s.tab.find.box); len(squeezed) > 0 {
		t.Errorf("squeezed are %v", squeezed)
	}
}
