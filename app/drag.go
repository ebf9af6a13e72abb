package app

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver"
)

// watchDrags tells the chat while something is dragged over the window, where the
// system says so: GLFW, and so Fyne, tells of nothing before the drop.
func (w *Window) watchDrags() {
	id := nativeWindow(w.fyne)
	if id == 0 {
		return
	}
	go watchDrags(w.ctx, id, func(over bool) {
		w.do(func() {
			w.log.WithField("over", over).Info("drag")
			if over && w.current.id != pageChat {
				return // other pages take models, and say so where they are
			}
			if tab := w.page(pageChat).tab; tab != nil {
				w.chatTab().SetDragging(over)
			}
		})
	})
}

// nativeWindow is the X11 window's number, 0 where there is none.
func nativeWindow(window fyne.Window) uintptr {
	native, ok := window.(driver.NativeWindow)
	if !ok {
		return 0
	}
	var id uintptr
	native.RunNative(func(context any) {
		if x11, ok := context.(driver.X11WindowContext); ok {
			id = x11.WindowHandle
		}
	})
	return id
}
