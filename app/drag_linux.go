package app

import (
	"context"
	"io"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xfixes"
	"github.com/jezek/xgb/xproto"
)

// dragLook is how often the pointer is looked at while something is dragged.
const dragLook = 60 * time.Millisecond

// watchDrags tells when something is dragged over a window, and when it is no
// longer. Who drags by XDND owns a selection from the beginning of the drag, which
// every program can see change; the drag is over when the button is let go.
func watchDrags(ctx context.Context, window uintptr, tell func(over bool)) {
	xgb.Logger.SetOutput(io.Discard) // it tells of every missing authority file
	x, err := xgb.NewConn()
	if err != nil {
		return
	}
	defer context.AfterFunc(ctx, x.Close)()
	if xfixes.Init(x) != nil {
		return
	}
	if _, err := xfixes.QueryVersion(x, 2, 0).Reply(); err != nil {
		return
	}
	const selection = "XdndSelection"
	atom, err := xproto.InternAtom(x, false, uint16(len(selection)), selection).Reply()
	if err != nil {
		return
	}
	root := xproto.Setup(x).DefaultScreen(x).Root
	if xfixes.SelectSelectionInputChecked(x, root, atom.Atom, xfixes.SelectionEventMaskSetSelectionOwner).Check() != nil {
		return
	}
	for {
		e, err := x.WaitForEvent()
		if e == nil && err == nil {
			return // the connection is closed
		}
		if owned, ok := e.(xfixes.SelectionNotifyEvent); ok && owned.Owner != xproto.WindowNone {
			followDrag(ctx, x, root, xproto.Window(window), tell)
		}
	}
}

// followDrag follows the pointer until its button is let go.
func followDrag(ctx context.Context, x *xgb.Conn, root, window xproto.Window, tell func(over bool)) {
	over := false
	defer func() {
		if over {
			tell(false)
		}
	}()
	for ctx.Err() == nil {
		at, err := xproto.QueryPointer(x, root).Reply()
		if err != nil || at.Mask&xproto.KeyButMaskButton1 == 0 {
			return
		}
		if now := isUnder(x, at.Child, window); now != over {
			over = now
			tell(over)
		}
		time.Sleep(dragLook)
	}
}

// isUnder tells whether the pointer is on a window, or on one in it: top is the
// root's child under the pointer.
func isUnder(x *xgb.Conn, top, window xproto.Window) bool {
	for depth := 0; top != xproto.WindowNone && depth < 16; depth++ {
		if top == window {
			return true
		}
		at, err := xproto.QueryPointer(x, top).Reply()
		if err != nil {
			return false
		}
		top = at.Child
	}
	return false
}
