package load

import (
	"fyne.io/fyne/v2"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// A specList is the list of ways to guess tokens ahead.
type specList struct {
	p     *Presenter
	rows  []*specLine
	ngram *widgets.Check
	box   *fyne.Container
}

// A specLine is one way of guessing, its reason beneath.
type specLine struct {
	kind  SpecKind
	radio *widgets.Radio
	files *widgets.SelectBox // on a line of its own: names are long
	file  fyne.CanvasObject  // files, where they stand
	ahead *widgets.SelectBox
	count fyne.CanvasObject // ahead, where it stands
	notes *notes
	under fyne.CanvasObject // notes, where they stand
	box   fyne.CanvasObject
}

// underLabel is where what belongs to a choice begins: under its label.
const underLabel = 24

func newSpecList(p *Presenter, hooks noteHooks) *specList {
	l := &specList{p: p, box: widgets.VGap(6)}
	for _, kind := range []SpecKind{SpecOff, SpecMTP, SpecFile, SpecDraft, SpecEAGLE3, SpecDFlash} {
		line := &specLine{
			kind:  kind,
			radio: widgets.NewRadio("", "", func() { p.SetSpec(kind) }, func(by int) { l.move(kind, by) }),
			files: widgets.NewSelect(nil, p.SetDraft),
			ahead: widgets.NewSelect(nil, p.SetAhead),
			notes: newNotes(hooks),
		}
		line.file = widgets.Inset(underLabel, 0, 0, 0, widgets.HGap(0, widgets.Grow(line.files)))
		line.count = widgets.Fixed(52, theme.ControlHeightSmall, line.ahead)
		line.under = widgets.Inset(underLabel, 0, 0, 0, line.notes.box)
		line.box = widgets.VGap(4,
			widgets.HGap(8, widgets.Grow(line.radio), line.count),
			line.file,
			line.under,
		)
		l.rows = append(l.rows, line)
		l.box.Add(line.box)
	}
	l.ngram = widgets.NewCheck("", "", func(on bool) { p.SetNGram(on) })
	l.box.Add(widgets.Inset(0, 4, 0, 0, l.ngram))
	return l
}

// move gives the focus to the next way that can be chosen, and chooses it.
func (l *specList) move(from SpecKind, by int) {
	at := 0
	for i, line := range l.rows {
		if line.kind == from {
			at = i
		}
	}
	for at += by; at >= 0 && at < len(l.rows); at += by {
		if line := l.rows[at]; line.box.Visible() && !line.radio.Disabled() {
			widgets.Focus(line.radio)
			l.p.SetSpec(line.kind)
			return
		}
	}
}

// show draws the ways of guessing, in a narrow window with less behind their
// names, and says whether they take other room.
func (l *specList) show(s Spec, narrow bool) (changed bool) {
	for _, line := range l.rows {
		row, there := rowCalled(s, line.kind)
		changed = shown(line.box, there) || changed
		if !there {
			continue
		}
		about := row.About
		if narrow {
			about = row.Short
		}
		if len(row.Files) > 1 && row.Chosen {
			about = "" // the select says it
		}
		line.radio.SetText(row.Label, about)
		line.radio.SetChosen(row.Chosen)
		line.radio.SetEnabled(!row.Off)
		changed = shown(line.count, row.Chosen && row.Drafts) || changed
		changed = shown(line.file, row.Chosen && len(row.Files) > 1) || changed
		line.ahead.SetOptions(options(s.Ahead))
		line.ahead.SetSelected(chosen(s.Ahead))
		line.files.SetOptions(options(row.Files))
		line.files.SetSelected(chosen(row.Files))
		changed = line.notes.set(row.Notes) || changed
		changed = shown(line.under, len(row.Notes) > 0) || changed
	}
	about := words.T("load.spec.ngram.about")
	if narrow {
		about = ""
	}
	l.ngram.SetText(words.T("load.spec.ngram"), about)
	l.ngram.SetChecked(s.NGram)
	if s.NoNGram {
		l.ngram.Disable()
	} else {
		l.ngram.Enable()
	}
	return changed
}

func rowCalled(s Spec, kind SpecKind) (SpecRow, bool) {
	for _, row := range s.Rows {
		if row.Kind == kind {
			return row, true
		}
	}
	return SpecRow{}, false
}

// shown shows an object or not, and says whether that is new.
func shown(o fyne.CanvasObject, on bool) bool {
	if o.Visible() == on {
		return false
	}
	if on {
		o.Show()
	} else {
		o.Hide()
	}
	return true
}
