package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// revealMargin is what stays free above and below a control that is scrolled to.
const revealMargin = 12

// reveal scrolls to a control that gets the focus by keyboard: Fyne leaves it out
// of view.
func reveal(o fyne.CanvasObject) {
	driver := fyne.CurrentApp().Driver()
	c := driver.CanvasForObject(o)
	if c == nil || c.Content() == nil {
		return
	}
	scroll, found := scrollAround(c.Content(), o)
	if !found || scroll == nil {
		return
	}
	top := driver.AbsolutePositionForObject(o).Y - driver.AbsolutePositionForObject(scroll).Y
	bottom := top + o.Size().Height
	offset := scroll.Offset
	switch {
	case top < revealMargin:
		offset.Y += top - revealMargin
	case bottom > scroll.Size().Height-revealMargin:
		offset.Y += bottom - scroll.Size().Height + revealMargin
	default:
		return
	}
	most := max(0, scroll.Content.MinSize().Height-scroll.Size().Height)
	offset.Y = min(max(0, offset.Y), most)
	scroll.ScrollToOffset(offset)
}

// scrollAround is the innermost scroll a control is in, nil when it is in none.
func scrollAround(root, o fyne.CanvasObject) (scroll *container.Scroll, found bool) {
	if root == o {
		return nil, true
	}
	switch root := root.(type) {
	case *fyne.Container:
		for _, child := range root.Objects {
			if !child.Visible() {
				continue
			}
			if scroll, found := scrollAround(child, o); found {
				return scroll, true
			}
		}
	case *container.Scroll:
		scroll, found := scrollAround(root.Content, o)
		if found && scroll == nil {
			scroll = root
		}
		return scroll, found
	}
	return nil, false
}
