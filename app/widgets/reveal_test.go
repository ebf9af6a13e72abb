package widgets

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

func TestAControlThatGetsTheFocusIsScrolledTo(t *testing.T) {
	column := VGap(8)
	var checks []*Check
	for range 30 {
		checks = append(checks, NewCheck("A", "", nil))
		column.Add(Inset(0, 0, 0, 0, HGap(8, checks[len(checks)-1])))
	}
	number := NewNumberBox(nil)
	column.Add(number)
	scroll := container.NewVScroll(column)
	w := window(t, Stack(scroll), 200, 150)
	inView := func(o fyne.CanvasObject) bool {
		driver := fyne.CurrentApp().Driver()
		top := driver.AbsolutePositionForObject(o).Y - driver.AbsolutePositionForObject(scroll).Y
		return top >= 0 && top+o.Size().Height <= scroll.Size().Height
	}
	for i, check := range checks {
		w.Canvas().Focus(check)
		if !inView(check) {
			t.Errorf("going down, number %d is not in view", i)
		}
	}
	w.Canvas().Focus(number)
	if !inView(number) {
		t.Error("the number box is not in view")
	}
	w.Canvas().Focus(checks[0])
	if !inView(checks[0]) || scroll.Offset.Y != 0 {
		t.Errorf("back at the first, the offset is %.0f", scroll.Offset.Y)
	}
	offset := fyne.NewPos(0, 100)
	scroll.ScrollToOffset(offset)
	checks[0].MouseIn(nil)
	w.Canvas().Unfocus()
	w.Canvas().Focus(checks[0])
	if scroll.Offset != offset {
		t.Error("a click scrolls")
	}
}
