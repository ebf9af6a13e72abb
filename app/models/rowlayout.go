package models

import (
	"fmt"

	"fyne.io/fyne/v2"

	"paddock/app/theme"
)

// rowLayout places what a row shows under the titles of the columns.
type rowLayout struct{ r *rowView }

func (l rowLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(0, l.r.row.height())
}

const (
	subIndent   = 40 // of the name of a row under a model
	elbowIndent = 23
	elbowSize   = 7
	badgeGap    = 5
)

func (l rowLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	r := l.r
	r.Fill.Resize(size)
	r.Ring.Move(fyne.NewPos(1, 1))
	r.Ring.Resize(size.SubtractWidthHeight(2, 2))
	r.line.Move(fyne.NewPos(0, size.Height-1))
	r.line.Resize(fyne.NewSize(size.Width, 1))
	for _, cell := range r.cells {
		cell.Hide()
	}
	for _, b := range r.badges {
		b.Hide()
	}
	r.more.Hide()
	spans := columnsFor(size.Width)
	for _, s := range spans {
		cell := r.cells[s.column]
		cell.Show()
		x, w := s.x, s.w
		if s.column == ColumnName {
			x, w = l.placeName(s, size.Height)
		}
		put(cell, x, w, theme.LineBody, size.Height)
		if s.column == ColumnCan && !r.row.Companion {
			l.placeBadges(s, size.Height)
		}
	}
	r.icon.Hidden, r.problem.Hidden, r.files.Hidden = true, true, true
	r.fits.Hidden = r.row.Fits == ""
	switch {
	case r.row.Problem != "":
		l.placeProblem(spans, size)
	case r.row.Fits != "":
		l.placeFits(spans, size)
	}
}

// placeName puts what goes before and behind the name and says what is left for
// it.
func (l rowLayout) placeName(s span, height float32) (x, w float32) {
	r := l.r
	x, w = s.x, s.w
	under := r.row.Under != ""
	for _, line := range r.elbow {
		line.Hidden = !under
	}
	if under {
		middle := float32(int(height / 2))
		place := func(i int, x, y, w, h float32) {
			r.elbow[i].Move(fyne.NewPos(x, y))
			r.elbow[i].Resize(fyne.NewSize(w, h))
		}
		place(0, s.x+elbowIndent, middle-elbowSize, 1, elbowSize)
		place(1, s.x+elbowIndent, middle, elbowSize, 1)
		x, w = x+subIndent, w-subIndent
	}
	if r.parts.Hidden {
		return x, max(0, w)
	}
	const gap = 8
	parts := r.parts.MinSize().Width
	name := min(r.cells[ColumnName].NaturalWidth(), max(0, w-parts-gap))
	put(r.parts, x+name+gap, parts, theme.BadgeHeight, height)
	return x, name
}

// placeBadges puts as many badges as there is room for, and the number of the
// others.
func (l rowLayout) placeBadges(s span, height float32) {
	r := l.r
	more := r.more.MinSize().Width
	if more == 0 {
		r.more.SetText("+9")
		more = r.more.NaturalWidth()
	}
	x, shown := s.x, 0
	for i, b := range r.badges {
		if i >= len(r.row.Badges) || shown < i {
			continue
		}
		b.Set(badge(r.row.Badges[i]))
		w := b.MinSize().Width
		room := s.x + s.w - x
		if i < len(r.row.Badges)-1 {
			room -= more + badgeGap
		}
		if w > room {
			continue
		}
		put(b, x, w, theme.BadgeHeight, height)
		b.Show()
		x += w + badgeGap
		shown++
	}
	rest := len(r.row.Badges) - shown
	r.more.Hidden = rest == 0 || r.row.Problem != ""
	r.more.SetText(fmt.Sprintf("+%d", rest))
	put(r.more, x, r.more.NaturalWidth(), theme.LineHint, height)
}

// placeFits says in a companion's row what it is, in the place of its
// architecture, and why it is there, in the place of what models can do.
func (l rowLayout) placeFits(spans []span, size fyne.Size) {
	r := l.r
	x, end := size.Width-theme.PaneMargin, size.Width-theme.PaneMargin
	for _, s := range spans {
		switch s.column {
		case ColumnContext, ColumnCan:
			x = min(x, s.x)
			r.cells[s.column].Hide()
		case ColumnWhere:
			end = s.x - columnGap
		}
	}
	if len(r.row.Badges) > 0 {
		b := r.badges[0]
		b.Set(badge(r.row.Badges[0]))
		w := b.MinSize().Width
		b.Show()
		if at := spanOf(spans, ColumnArchitecture); at != nil {
			r.cells[ColumnArchitecture].Hide()
			put(b, at.x, min(w, at.w), theme.BadgeHeight, size.Height)
		} else {
			put(b, x, w, theme.BadgeHeight, size.Height)
			x += w + badgeGap + 3
		}
	}
	const least = 60 // a reason cut shorter says nothing; the detail pane has it
	r.fits.Hidden = end-x < least && end-x < r.fits.NaturalWidth()
	put(r.fits, x, max(0, end-x), theme.LineLabel, size.Height)
}

func spanOf(spans []span, c Column) *span {
	for i := range spans {
		if spans[i].column == c {
			return &spans[i]
		}
	}
	return nil
}

// placeProblem writes why a row can't be used over the columns behind its
// quantisation.
func (l rowLayout) placeProblem(spans []span, size fyne.Size) {
	r := l.r
	r.icon.Hidden, r.problem.Hidden, r.fits.Hidden = false, false, true
	x, end := theme.PaneMargin, size.Width-theme.PaneMargin
	for _, s := range spans {
		switch {
		case s.column <= ColumnQuantisation && (s.column == ColumnName || r.cells[s.column].String() != ""):
			x = s.x + s.w + columnGap
		case s.column == ColumnWhere:
			end = s.x - columnGap
		default:
			r.cells[s.column].Hide()
		}
	}
	for _, b := range r.badges {
		b.Hide()
	}
	put(r.icon, x, theme.IconSizeText, theme.IconSizeText, size.Height)
	x += theme.IconSizeText + 6
	if len(r.row.Model.Missing) > 0 {
		r.files.Hidden = false
		button := r.files.MinSize().Width
		end = min(end, x+r.problem.NaturalWidth()+10+button)
		put(r.files, end-button, button, theme.ControlHeightRow, size.Height)
		end -= button + 10
	}
	put(r.problem, x, max(0, end-x), theme.LineLabel, size.Height)
}

// put places an object in the middle of a row's height.
func put(o fyne.CanvasObject, x, w, h, height float32) {
	o.Resize(fyne.NewSize(w, h))
	o.Move(fyne.NewPos(x, float32(int((height-h)/2))))
}
