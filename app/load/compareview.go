package load

import (
	"fyne.io/fyne/v2"

	"paddock/app/widgets"
	"paddock/words"
)

// A compareRow is the button that tries ways of guessing, and what it says.
type compareRow struct {
	button *widgets.Button
	about  *widgets.Reason
	box    fyne.CanvasObject
}

func newCompareRow(p *Presenter) *compareRow {
	r := &compareRow{
		button: widgets.NewSmallButton(words.T("load.compare"), "", widgets.Edged, p.Compare),
		about:  widgets.NewReason(widgets.Info, ""),
	}
	r.box = widgets.Inset(0, 4, 0, 0, widgets.VGap(4, widgets.HGap(0, r.button), r.about))
	return r
}

// show draws the row and says whether it takes other room.
func (r *compareRow) show(c Compare) bool {
	text := words.T("load.compare")
	if c.Running {
		text = words.T("load.compare.stop")
	}
	r.button.SetText(text)
	r.button.SetEnabled(!c.Off)
	before := r.about.MinSize()
	kind := widgets.Info
	if c.Off {
		kind = widgets.Off
	}
	r.about.Set(kind, c.About)
	changed := r.about.MinSize() != before
	return shown(r.box, c.Shown) || changed
}
