//go:build linux

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net/url"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// A dragger drops files on a window as a file manager does, by the XDND protocol
// (version 5): it owns the drag's selection, tells the window under the pointer
// that something comes, where it is, and that it is let go, and then hands over
// the list of files when the window asks for it.
type dragger struct {
	t      *testing.T
	x      *xgb.Conn
	window xproto.Window
	atoms  map[string]xproto.Atom
}

func newDragger(t *testing.T, display string) *dragger {
	t.Helper()
	xgb.Logger.SetOutput(io.Discard) // it tells of a missing authority file
	x, err := xgb.NewConnDisplay(display)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Close)
	d := &dragger{t: t, x: x, atoms: map[string]xproto.Atom{}}
	d.window, err = xproto.NewWindowId(x)
	if err != nil {
		t.Fatal(err)
	}
	screen := xproto.Setup(x).DefaultScreen(x)
	if err := xproto.CreateWindowChecked(x, screen.RootDepth, d.window, screen.Root, 0, 0, 1, 1, 0,
		xproto.WindowClassInputOutput, screen.RootVisual, 0, nil).Check(); err != nil {
		t.Fatal(err)
	}
	return d
}

// drop lets files go over the middle of target.
func (d *dragger) drop(target xproto.Window, paths ...string) {
	d.t.Helper()
	if err := xproto.SetSelectionOwnerChecked(d.x, d.window, d.atom("XdndSelection"), xproto.TimeCurrentTime).Check(); err != nil {
		d.t.Fatal(err)
	}
	size, err := xproto.GetGeometry(d.x, xproto.Drawable(target)).Reply()
	if err != nil {
		d.t.Fatal(err)
	}
	root := xproto.Setup(d.x).DefaultScreen(d.x).Root
	at, err := xproto.TranslateCoordinates(d.x, target, root, int16(size.Width/2), int16(size.Height/2)).Reply()
	if err != nil {
		d.t.Fatal(err)
	}
	list, copying := d.atom("text/uri-list"), d.atom("XdndActionCopy")
	place := uint32(uint16(at.DstX))<<16 | uint32(uint16(at.DstY))
	d.send(target, "XdndEnter", 5<<24, uint32(list), 0, 0)
	d.send(target, "XdndPosition", 0, place, xproto.TimeCurrentTime, uint32(copying))
	d.await("XdndStatus")
	d.send(target, "XdndDrop", 0, xproto.TimeCurrentTime, 0, 0)
	d.serve(paths)
}

// serve answers the window's question for the files, until it is done with them.
func (d *dragger) serve(paths []string) {
	d.t.Helper()
	var uris bytes.Buffer
	for _, path := range paths {
		fmt.Fprintf(&uris, "%s\r\n", &url.URL{Scheme: "file", Path: path})
	}
	request := d.event("the window's question for the files", func(e xgb.Event) bool {
		_, ok := e.(xproto.SelectionRequestEvent)
		return ok
	}).(xproto.SelectionRequestEvent)
	xproto.ChangeProperty(d.x, xproto.PropModeReplace, request.Requestor, request.Property, request.Target, 8,
		uint32(uris.Len()), uris.Bytes())
	notify := xproto.SelectionNotifyEvent{
		Time: request.Time, Requestor: request.Requestor, Selection: request.Selection,
		Target: request.Target, Property: request.Property,
	}
	xproto.SendEvent(d.x, false, request.Requestor, 0, string(notify.Bytes()))
	d.await("XdndFinished")
}

func (d *dragger) send(target xproto.Window, kind string, data ...uint32) {
	d.t.Helper()
	message := xproto.ClientMessageEvent{
		Format: 32, Window: target, Type: d.atom(kind),
		Data: xproto.ClientMessageDataUnionData32New(append([]uint32{uint32(d.window)}, data...)),
	}
	if err := xproto.SendEventChecked(d.x, false, target, 0, string(message.Bytes())).Check(); err != nil {
		d.t.Fatal(err)
	}
}

func (d *dragger) await(kind string) {
	d.t.Helper()
	d.event(kind, func(e xgb.Event) bool {
		message, ok := e.(xproto.ClientMessageEvent)
		return ok && message.Type == d.atom(kind)
	})
}

// event waits for an event of ours.
func (d *dragger) event(what string, wanted func(xgb.Event) bool) xgb.Event {
	d.t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		for {
			e, err := d.x.PollForEvent()
			if err != nil {
				d.t.Fatal(err)
			}
			if e == nil {
				break
			}
			if wanted(e) {
				return e
			}
		}
	}
	d.t.Fatalf("%s did not come", what)
	return nil
}

func (d *dragger) atom(name string) xproto.Atom {
	d.t.Helper()
	if atom, ok := d.atoms[name]; ok {
		return atom
	}
	reply, err := xproto.InternAtom(d.x, false, uint16(len(name)), name).Reply()
	if err != nil {
		d.t.Fatal(err)
	}
	d.atoms[name] = reply.Atom
	return reply.Atom
}

// windowOf is the top window of a process, for XDND the one with XdndAware.
func (d *dragger) windowOf(pid int) xproto.Window {
	d.t.Helper()
	root := xproto.Setup(d.x).DefaultScreen(d.x).Root
	owner, aware := d.atom("_NET_WM_PID"), d.atom("XdndAware")
	var find func(xproto.Window) xproto.Window
	find = func(w xproto.Window) xproto.Window {
		pids, err := xproto.GetProperty(d.x, false, w, owner, xproto.AtomCardinal, 0, 1).Reply()
		if err == nil && len(pids.Value) == 4 && int(binary.LittleEndian.Uint32(pids.Value)) == pid {
			if mark, err := xproto.GetProperty(d.x, false, w, aware, xproto.AtomAtom, 0, 1).Reply(); err == nil && len(mark.Value) == 4 {
				return w
			}
		}
		tree, err := xproto.QueryTree(d.x, w).Reply()
		if err != nil {
			return 0
		}
		for _, child := range tree.Children {
			if found := find(child); found != 0 {
				return found
			}
		}
		return 0
	}
	w := find(root)
	if w == 0 {
		d.t.Fatal("no window takes drops")
	}
	return w
}
