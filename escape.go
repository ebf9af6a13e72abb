package main

import (
	"image"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"github.com/go-gl/glfw/v3.4/glfw"
)

// escapeFirst makes an object of a window that gives Escape to take before Fyne
// sees it, until it is let go. Fyne gives keys to what has the focus alone, and
// in its own dialogs that has no use for Escape. take says whether it had one.
//
// Fyne shows nobody its GLFW window. But while it draws, that window's context is
// the current one, and a raster is drawn by a function of ours.
func escapeFirst(take func() bool) fyne.CanvasObject {
	hooked := false
	return canvas.NewRaster(func(int, int) image.Image {
		if window := glfw.GetCurrentContext(); window != nil && !hooked {
			hooked = true
			takeEscape(window, take)
		}
		return image.NewNRGBA(image.Rect(0, 0, 1, 1))
	})
}

func takeEscape(window *glfw.Window, take func() bool) {
	taken := false
	var fyneKeys glfw.KeyCallback
	fyneKeys = window.SetKeyCallback(func(w *glfw.Window, key glfw.Key, code int, action glfw.Action, mods glfw.ModifierKey) {
		if key == glfw.KeyEscape {
			switch action {
			case glfw.Press:
				taken = take()
			case glfw.Repeat: // belongs to the press before
			default:
				taken = false
			}
			if taken {
				return
			}
		}
		if fyneKeys != nil {
			fyneKeys(w, key, code, action, mods)
		}
	})
}
