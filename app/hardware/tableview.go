package hardware

import (
	"reflect"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// A deviceTable draws what the builds call the devices.
type deviceTable struct {
	content *fyne.Container
	rows    *fyne.Container
	asking  *widgets.TextLabel
	problem *widgets.Reason
	shown   Table

	problemBox *fyne.Container // around problem
}

func newDeviceTable() *deviceTable {
	t := &deviceTable{
		rows:    widgets.VGap(0),
		asking:  widgets.Text(widgets.Quiet, ""),
		problem: widgets.NewReason(widgets.Bad, ""),
	}
	t.problemBox = widgets.Inset(16, 4, 16, 12, t.problem)
	t.problemBox.Hide()
	head := widgets.Inset(16, 12, 16, 4, widgets.HGap(theme.GapControl,
		widgets.Text(widgets.Section, words.T("hardware.devices")), widgets.Text(widgets.Quiet, words.T("hardware.devices.about")).Ellipsis(),
		layout.NewSpacer(), t.asking))
	t.content = widgets.Stack(
		widgets.NewFill(theme.Surface, theme.Separator, theme.RadiusCard),
		widgets.VGap(0, head, t.problemBox, widgets.Inset(1, 0, 1, 1, t.rows)))
	return t
}

// show draws the table and says whether it changed.
func (t *deviceTable) show(v Table) bool {
	if reflect.DeepEqual(v, t.shown) {
		return false
	}
	t.shown = v
	t.asking.SetText("")
	if v.Asking {
		t.asking.SetText(words.T("hardware.asking"))
	}
	t.problem.SetText(v.Problem)
	widgets.SetShown(t.problemBox, v.Problem != "")
	t.rows.Objects = nil
	if len(v.Rows) > 0 {
		t.rows.Add(tableRow(theme.TableHeaderHeight, v.Heads, true))
	}
	for _, row := range v.Rows {
		t.rows.Add(widgets.Line())
		t.rows.Add(tableRow(theme.RowHeight, row, false))
	}
	t.content.Refresh()
	return true
}

func tableRow(height float32, cells []string, head bool) fyne.CanvasObject {
	row := container.New(evenCells{})
	for i, cell := range cells {
		role := widgets.Body
		switch {
		case head, i == len(cells)-1:
			role = widgets.Quiet
		case i > 0:
			role = widgets.Mono
		}
		row.Add(widgets.Text(role, cell).Ellipsis())
	}
	return widgets.Fixed(0, height, widgets.Inset(15, 0, 15, 0, row))
}

// evenCells shares a row out evenly, the first cell twice as wide.
type evenCells struct{}

func (evenCells) Layout(objs []fyne.CanvasObject, size fyne.Size) {
	const gap = 12
	unit := (size.Width - gap*float32(len(objs)-1)) / float32(len(objs)+1)
	x := float32(0)
	for i, o := range objs {
		w := unit
		if i == 0 {
			w = 2 * unit
		}
		h := o.MinSize().Height
		o.Move(fyne.NewPos(x, (size.Height-h)/2))
		o.Resize(fyne.NewSize(w, h))
		x += w + gap
	}
}

func (evenCells) MinSize(objs []fyne.CanvasObject) fyne.Size {
	m := fyne.Size{}
	for _, o := range objs {
		s := o.MinSize()
		m.Width += s.Width
		m.Height = max(m.Height, s.Height)
	}
	return m
}
