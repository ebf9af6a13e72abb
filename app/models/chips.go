package models

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/words"
)

// chips are the sources above the table, in at most two lines. What finds no room
// there is behind the last one.
type chips struct {
	choose  func(id string)
	sources []Source
	chosen  string
	rest    []Source // behind more
	more    *press
	box     *fyne.Container
}

const (
	chipLines   = 2
	chipSpacing = 6
)

func newChips(choose func(id string)) *chips {
	c := &chips{choose: choose}
	c.more = newPress(chip, "", nil)
	c.more.tapped = c.showRest
	c.box = container.New(&chipLayout{chips: c}, c.more)
	return c
}

// show draws the chips, and says whether they have changed.
func (c *chips) show(s State) bool {
	if c.chosen == s.Source && slices.Equal(c.sources, s.Sources) {
		return false
	}
	c.sources, c.chosen = s.Sources, s.Source
	presses := c.presses()
	for len(presses) > len(s.Sources) {
		presses = presses[:len(presses)-1]
	}
	for len(presses) < len(s.Sources) {
		presses = append(presses, newPress(chip, "", nil))
	}
	c.box.Objects = []fyne.CanvasObject{c.more}
	for i, source := range s.Sources {
		p := presses[i]
		p.tapped = func() { c.choose(source.ID) }
		p.label.SetText(source.Label)
		p.count.SetText(words.Count(source.Count))
		p.chosen = source.ID == s.Source
		p.Refresh()
		c.box.Objects = append(c.box.Objects, p)
	}
	c.box.Refresh()
	return true
}

func (c *chips) presses() []*press {
	var list []*press
	for _, o := range c.box.Objects[1:] {
		list = append(list, o.(*press))
	}
	return list
}

// keep puts what is behind the last chip into words.
func (c *chips) keep(rest []Source) {
	c.rest = rest
	label := words.T("models.source.more", map[string]any{"Count": words.Count(len(rest))})
	at := slices.IndexFunc(rest, func(s Source) bool { return s.ID == c.chosen })
	if at >= 0 {
		label = rest[at].Label + " …"
	}
	if c.more.label.String() != label || c.more.chosen != (at >= 0) {
		c.more.label.SetText(label)
		c.more.chosen = at >= 0
		c.more.Refresh()
	}
}

// showRest lets the user choose one of those without a chip.
func (c *chips) showRest() {
	canvas := fyne.CurrentApp().Driver().CanvasForObject(c.more)
	if canvas == nil {
		return
	}
	menu := fyne.NewMenu("")
	for _, source := range c.rest {
		item := fyne.NewMenuItem(source.Label+"  "+words.Count(source.Count), func() { c.choose(source.ID) })
		item.Checked = source.ID == c.chosen
		menu.Items = append(menu.Items, item)
	}
	widget.NewPopUpMenu(menu, canvas).ShowAtRelativePosition(fyne.NewPos(0, c.more.Size().Height+theme.Gap), c.more)
}

// chipLayout lays the chips out in lines, the one for the others last.
type chipLayout struct {
	chips *chips
	width float32 // of the last layout
}

func (l *chipLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	lines := float32(l.run(objects, func(fyne.CanvasObject, float32, int) {}))
	return fyne.NewSize(0, lines*theme.ControlHeightSmall+(lines-1)*chipSpacing)
}

func (l *chipLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	for _, o := range objects {
		o.Hide()
	}
	shown := 0
	l.run(objects, func(o fyne.CanvasObject, _ float32, _ int) {
		if o != objects[0] {
			shown++
		}
	})
	l.chips.keep(l.chips.sources[min(shown, len(l.chips.sources)):])
	l.run(objects, func(o fyne.CanvasObject, x float32, line int) {
		o.Resize(o.MinSize())
		o.Move(fyne.NewPos(x, float32(line)*(theme.ControlHeightSmall+chipSpacing)))
		o.Show()
	})
}

// run places what there is room for and says how many lines that takes.
func (l *chipLayout) run(objects []fyne.CanvasObject, place func(o fyne.CanvasObject, x float32, line int)) int {
	more, chips := objects[0], objects[1:]
	spots, fits := l.spots(chips, 0)
	if !fits {
		spots, _ = l.spots(chips, max(more.MinSize().Width, moreLeast)+chipSpacing)
	}
	x, line := theme.PaneMargin, 0
	for i, s := range spots {
		place(chips[i], s.x, s.line)
		x, line = s.x+chips[i].MinSize().Width+chipSpacing, s.line
	}
	if !fits {
		place(more, x, line)
	}
	return line + 1
}

// moreLeast is kept for the chip for the others while its text is not known.
const moreLeast = 120

type spot struct {
	x    float32
	line int
}

// spots are the places of the chips that fit into the lines when some room is
// kept at the end of the last one.
func (l *chipLayout) spots(chips []fyne.CanvasObject, kept float32) (spots []spot, all bool) {
	x, line := theme.PaneMargin, 0
	for _, c := range chips {
		w := c.MinSize().Width
		end := l.width - theme.PaneMargin
		if line == chipLines-1 {
			end -= kept
		}
		if l.width > 0 && x > theme.PaneMargin && x+w > end {
			if line == chipLines-1 {
				return spots, false
			}
			x, line = theme.PaneMargin, line+1
		}
		spots = append(spots, spot{x, line})
		x += w + chipSpacing
	}
	return spots, true
}
