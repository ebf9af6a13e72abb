package widgets

import (
	"testing"

	"fyne.io/fyne/v2"
)

func TestADialogIsAnsweredByKeysAndOnlyOnce(t *testing.T) {
	for name, c := range map[string]struct {
		does func(*Dialog, fyne.Canvas)
		want string
	}{
		"Enter presses the button with the focus": {func(_ *Dialog, c fyne.Canvas) { c.Focused().TypedKey(key(fyne.KeyReturn)) }, "yes closed "},
		"Tab and Enter press the other":           {func(_ *Dialog, c fyne.Canvas) { c.FocusPrevious(); c.Focused().TypedKey(key(fyne.KeyReturn)) }, "no closed "},
		"Escape cancels it": {func(_ *Dialog, c fyne.Canvas) {
			if !CancelDialog(c) || CancelDialog(c) {
				t.Error("there is no dialog, or two")
			}
		}, "closed cancelled "},
		"closing it twice closes it once": {func(d *Dialog, _ fyne.Canvas) { d.Close(); d.Close(); d.Cancel() }, "closed "},
	} {
		t.Run(name, func(t *testing.T) {
			w := window(t, NewButton("Load", "", Edged, nil), 960, 600)
			var d *Dialog
			did := ""
			no := NewButton("No", "", Edged, func() { did += "no "; d.Close() })
			yes := NewButton("Yes", "", Filled, func() { did += "yes "; d.Close() })
			d = NewDialog(w.Canvas(), 480, "Add this much text?", Paragraph(Body, "It is long."), Buttons(no, yes))
			d.OnClosed = func() { did += "closed " }
			d.OnCancel = func() { did += "cancelled " }
			d.Show(yes)
			if !d.Open() || w.Canvas().Focused() != yes {
				t.Fatalf("open %t, the keyboard is on %T", d.Open(), w.Canvas().Focused())
			}
			c.does(d, w.Canvas())
			if did != c.want || d.Open() || w.Canvas().Overlays().Top() != nil {
				t.Errorf("it did %q, open %t", did, d.Open())
			}
		})
	}
}

func TestADialogIsAsHighAsItsTextsAndNoWiderThanTheWindow(t *testing.T) {
	w := window(t, NewButton("Load", "", Edged, nil), 400, 600)
	said := Paragraph(Body, "Short.")
	d := NewDialog(w.Canvas(), 480, "", said, Buttons())
	d.Show(NewButton("Close", "", Edged, nil))
	low := d.card.Size()
	if low.Width > 400-2*dialogMargin {
		t.Errorf("it is %v wide", low.Width)
	}
	said.SetText("Much longer than the dialog is wide, so that it takes several lines and the dialog has to grow for all of them to be seen.")
	d.Fit()
	if high := d.card.Size(); high.Width != low.Width || high.Height <= low.Height || said.Size().Height < said.HeightFor(said.Size().Width) {
		t.Errorf("it was %v and is %v", low, high)
	}
}

func TestADialogStandsInTheMiddleAlsoWhenItHasGrown(t *testing.T) {
	for _, size := range []fyne.Size{fyne.NewSize(960, 600), fyne.NewSize(1280, 800)} {
		w := window(t, NewButton("Load", "", Edged, nil), size.Width, size.Height)
		said := Paragraph(Body, "Short.")
		d := NewDialog(w.Canvas(), 480, "Write this?", said, Buttons())
		d.Show(NewButton("Close", "", Edged, nil))
		for range 2 {
			at, card := fyne.CurrentApp().Driver().AbsolutePositionForObject(d.card), d.card.Size()
			across, down := size.Width-2*at.X-card.Width, size.Height-2*at.Y-card.Height
			if max(across, -across, down, -down) > 2 {
				t.Errorf("in %v it stands at %v, %v large", size, at, card)
			}
			said.SetText("Much longer than the dialog is wide, so that it takes several lines and the dialog has to grow for all of them to be seen.")
			d.Fit()
		}
	}
}

func TestOtherOverlaysAreNoDialogs(t *testing.T) {
	w := window(t, NewButton("Load", "", Edged, nil), 400, 400)
	if CancelDialog(w.Canvas()) {
		t.Error("there is none")
	}
	MenuAt(w.Content(), fyne.NewMenu("", fyne.NewMenuItem("One", nil)), fyne.NewPos(10, 10))
	if CancelDialog(w.Canvas()) || w.Canvas().Overlays().Top() == nil {
		t.Error("a menu is taken for one")
	}
}
