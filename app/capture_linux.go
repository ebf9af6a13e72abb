package app

import (
	"fmt"
	"image"
	"io"

	"fyne.io/fyne/v2"
	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// captureScreen asks the X server for the window's picture. OpenGL's own front
// buffer, which Fyne reads, is black under software drawing. Without X there is
// neither picture nor error.
func captureScreen(w fyne.Window) (image.Image, error) {
	id := nativeWindow(w)
	if id == 0 {
		return nil, nil
	}
	xgb.Logger.SetOutput(io.Discard) // it tells of every missing authority file
	server, err := xgb.NewConn()
	if err != nil {
		return nil, fmt.Errorf("ask the X server for the window's picture: %w", err)
	}
	defer server.Close()
	window := xproto.Drawable(id)
	size, err := xproto.GetGeometry(server, window).Reply()
	if err != nil {
		return nil, fmt.Errorf("ask the X server for the window's size: %w", err)
	}
	picture, err := xproto.GetImage(server, xproto.ImageFormatZPixmap, window, 0, 0, size.Width, size.Height, ^uint32(0)).Reply()
	if err != nil {
		return nil, fmt.Errorf("ask the X server for the window's picture: %w", err)
	}
	if want := int(size.Width) * int(size.Height) * 4; len(picture.Data) < want {
		return nil, fmt.Errorf("the X server's picture has %d bytes where %d were expected", len(picture.Data), want)
	}
	return fromBGRX(picture.Data, int(size.Width), int(size.Height)), nil
}
