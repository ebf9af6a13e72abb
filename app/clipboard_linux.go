package app

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// clipboardTime is how long the owner of the clipboard may take for each part of
// a picture, and for the whole where a program is asked.
const clipboardTime = 3 * time.Second

// clipboardPNG asks the X server's clipboard, or Wayland's where there is no X.
func clipboardPNG() []byte {
	if os.Getenv("DISPLAY") != "" {
		if data, err := x11Clipboard("image/png"); err == nil {
			return data
		}
	}
	if os.Getenv("WAYLAND_DISPLAY") != "" {
		ctx, cancel := context.WithTimeout(context.Background(), clipboardTime)
		defer cancel()
		if data, err := exec.CommandContext(ctx, "wl-paste", "--no-newline", "--type", "image/png").Output(); err == nil && len(data) <= maxClipboard {
			return data
		}
	}
	return nil
}

// What can go wrong with the clipboard. The user is told nothing: nothing is
// pasted.
var (
	errNoSelection   = errors.New("the clipboard has nothing of this kind")
	errSlowSelection = errors.New("the clipboard's owner does not answer")
	errHugeSelection = errors.New("what the clipboard has is too large")
)

// x11Clipboard asks the owner of the clipboard for it in one kind. Large contents
// come in parts (ICCCM 2.7.2: INCR).
func x11Clipboard(kind string) ([]byte, error) {
	xgb.Logger.SetOutput(io.Discard) // it tells of every missing authority file
	x, err := xgb.NewConn()
	if err != nil {
		return nil, err
	}
	defer x.Close()
	window, err := xproto.NewWindowId(x)
	if err != nil {
		return nil, err
	}
	screen := xproto.Setup(x).DefaultScreen(x)
	if err := xproto.CreateWindowChecked(x, screen.RootDepth, window, screen.Root, 0, 0, 1, 1, 0, xproto.WindowClassInputOutput,
		screen.RootVisual, xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange}).Check(); err != nil {
		return nil, err
	}
	s := selection{x: x, window: window}
	clipboard, target, property, incr := s.atom("CLIPBOARD"), s.atom(kind), s.atom("PADDOCK_CLIPBOARD"), s.atom("INCR")
	if s.err != nil {
		return nil, s.err
	}
	xproto.ConvertSelection(x, window, clipboard, target, property, xproto.TimeCurrentTime)
	notified, err := s.await(func(e xgb.Event) bool { _, ok := e.(xproto.SelectionNotifyEvent); return ok })
	if err != nil {
		return nil, err
	}
	if notified.(xproto.SelectionNotifyEvent).Property == xproto.AtomNone {
		return nil, errNoSelection
	}
	data, what, err := s.take(property)
	if err != nil || what != incr {
		return data, err
	}
	var all []byte
	for {
		if _, err := s.await(func(e xgb.Event) bool {
			changed, ok := e.(xproto.PropertyNotifyEvent)
			return ok && changed.Atom == property && changed.State == xproto.PropertyNewValue
		}); err != nil {
			return nil, err
		}
		part, _, err := s.take(property)
		if err != nil {
			return nil, err
		}
		if len(part) == 0 {
			return all, nil
		}
		if all = append(all, part...); len(all) > maxClipboard {
			return nil, errHugeSelection
		}
	}
}

// A selection is being asked for.
type selection struct {
	x      *xgb.Conn
	window xproto.Window
	err    error
}

func (s *selection) atom(name string) xproto.Atom {
	reply, err := xproto.InternAtom(s.x, false, uint16(len(name)), name).Reply()
	if err != nil {
		s.err = err
		return 0
	}
	return reply.Atom
}

// take reads a property and deletes it, which asks for the next part.
func (s *selection) take(property xproto.Atom) ([]byte, xproto.Atom, error) {
	reply, err := xproto.GetProperty(s.x, true, s.window, property, xproto.GetPropertyTypeAny, 0, maxClipboard/4).Reply()
	if err != nil {
		return nil, 0, err
	}
	if reply.BytesAfter > 0 {
		return nil, 0, errHugeSelection
	}
	return reply.Value, reply.Type, nil
}

// await waits for an event of ours.
func (s *selection) await(wanted func(xgb.Event) bool) (xgb.Event, error) {
	for end := time.Now().Add(clipboardTime); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		for {
			e, err := s.x.PollForEvent()
			if err != nil {
				return nil, err
			}
			if e == nil {
				break
			}
			if wanted(e) {
				return e, nil
			}
		}
	}
	return nil, errSlowSelection
}
