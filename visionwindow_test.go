//go:build linux

package main

import (
	"context"
	"encoding/binary"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/sirupsen/logrus"

	"paddock/app"
	"paddock/cli"
	"paddock/config"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/picture/picturetest"
	"paddock/engine/plan"
)

// seesEnv has the paths of a model and its projector, for a Paddock that loads
// them when it starts. It is the test's own program, started again.
const seesEnv = "PADDOCK_TEST_SEES"

// loadsAgain has that Paddock load its model once more.
const loadsAgain = syscall.SIGUSR1

// runSeeing is that Paddock.
func runSeeing() int {
	hooks := cli.Hooks{Window: func(ctx context.Context, r cli.Request) error {
		store, err := config.Open(r.ConfigDir)
		if err != nil {
			return err
		}
		defer openLog(store.Folders().Log, r.LogPath, r.Verbose)()
		options, err := windowOptions(store, r)
		if err != nil {
			return err
		}
		w := app.New(options)
		again := make(chan os.Signal, 1)
		signal.Notify(again, loadsAgain)
		go func() {
			for ; ; <-again {
				loadSeeing(ctx, options)
			}
		}()
		w.ShowAndRun(ctx)
		return nil
	}}
	return int(cli.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, hooks))
}

// loadSeeing loads the model with its projector.
func loadSeeing(ctx context.Context, options app.Options) {
	model, projector, _ := strings.Cut(os.Getenv(seesEnv), "\n")
	p := plan.Plan{
		ModelPath: model, Purpose: plan.Chat, ContextTokens: 4096, Devices: plan.CPU, GPULayers: "0",
		CacheK: "f16", CacheV: "f16", FlashAttn: "auto", Slots: 1, SpecTypes: plan.NoSpec, ProjectorPath: projector,
	}
	facts := gguf.Facts{Path: model, Name: "Sees"}
	for _, b := range options.Builds(ctx) {
		if b.Problem != "" {
			continue
		}
		if err := options.Engine.Load(ctx, p, plan.Given{Model: facts}, b); err != nil {
			logrus.WithError(err).Error("load ended")
		}
		return
	}
}

// seeingModel writes a model that sees, and its projector: what seesEnv has.
func seeingModel(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	paths := map[string]string{}
	for _, spec := range gguftest.All() {
		if spec.Name == picturetest.Gemma.Name || spec.Name == picturetest.Gemma.Projector {
			path, err := spec.Write(dir)
			if err != nil {
				t.Fatal(err)
			}
			paths[spec.Name] = path
		}
	}
	return paths[picturetest.Gemma.Name] + "\n" + paths[picturetest.Gemma.Projector]
}

// launchSeeing starts a Paddock that loads such a model.
func (d *desktop) launchSeeing(model string, arguments ...string) *program {
	d.t.Helper()
	self, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	p := d.launchAs(self, []string{seesEnv + "=" + model}, arguments...)
	p.wait(soon, "window shown")
	p.wait(loaded, "engine state", "state=ready")
	return p
}

// seeing starts a Paddock with a generated model that sees, and goes to the chat.
func (d *desktop) seeing() *program {
	d.t.Helper()
	p := d.launchSeeing(seeingModel(d.t))
	d.key("ctrl+2")
	p.wait(soon, "tab shown", "tab=chat")
	return p
}

func TestTwoDroppedPicturesAreAnswered(t *testing.T) {
	d := newDesktop(t)
	p := d.seeing()
	var pictures []string
	for name, kind := range map[string]string{"north side, тест.png": "png", "sign.jpg": "jpeg"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, picturetest.Encode(t, kind, picturetest.Photo(160, 120)), 0o600); err != nil {
			t.Fatal(err)
		}
		pictures = append(pictures, path)
	}
	drag := newDragger(t, d.display)
	drag.drop(drag.windowOf(p.command.Process.Pid), pictures...)
	p.wait(soon, "msg=attach", "files=2")
	d.write("What is in these two?")
	// Enter does nothing until both pictures have been read.
	for end := time.Now().Add(loaded); !p.said("msg=answer"); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("there is no answer")
		}
		d.key("Return")
	}
	p.wait(soon, "msg=answer", "pictures=2", "stop=stop")
	if status := d.closes(p); status != 0 {
		t.Errorf("it ends with %d", status)
	}
}

// said tells whether a line of the log has all parts.
func (p *program) said(parts ...string) bool {
	log, _ := os.ReadFile(p.log)
	for line := range strings.Lines(string(log)) {
		all := true
		for _, part := range parts {
			all = all && strings.Contains(line, part)
		}
		if all {
			return true
		}
	}
	return false
}

// holdClipboard owns the X server's clipboard and gives a picture in parts, until
// it has been taken.
func (d *dragger) holdClipboard(picture []byte, part int) {
	d.t.Helper()
	xproto.ChangeWindowAttributes(d.x, d.window, xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange})
	if err := xproto.SetSelectionOwnerChecked(d.x, d.window, d.atom("CLIPBOARD"), xproto.TimeCurrentTime).Check(); err != nil {
		d.t.Fatal(err)
	}
	png, incr := d.atom("image/png"), d.atom("INCR")
	for asked := false; !asked; {
		request := d.event("the question for the clipboard", func(e xgb.Event) bool {
			_, ok := e.(xproto.SelectionRequestEvent)
			return ok
		}).(xproto.SelectionRequestEvent)
		property := request.Property
		if asked = request.Target == png; !asked {
			property = xproto.AtomNone // no text, and no list of kinds
		}
		if asked {
			xproto.ChangeWindowAttributes(d.x, request.Requestor, xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange})
			size := make([]byte, 4)
			binary.LittleEndian.PutUint32(size, uint32(len(picture)))
			xproto.ChangeProperty(d.x, xproto.PropModeReplace, request.Requestor, property, incr, 32, 1, size)
		}
		notify := xproto.SelectionNotifyEvent{
			Time: request.Time, Requestor: request.Requestor, Selection: request.Selection, Target: request.Target, Property: property,
		}
		xproto.SendEvent(d.x, false, request.Requestor, 0, string(notify.Bytes()))
		for asked {
			d.event("the wish for a part", func(e xgb.Event) bool {
				gone, ok := e.(xproto.PropertyNotifyEvent)
				return ok && gone.Window == request.Requestor && gone.Atom == property && gone.State == xproto.PropertyDelete
			})
			n := min(part, len(picture))
			xproto.ChangeProperty(d.x, xproto.PropModeReplace, request.Requestor, property, png, 8, uint32(n), picture[:n])
			if n == 0 {
				return
			}
			picture = picture[n:]
		}
	}
}

func TestAPictureIsPastedFromTheClipboardInParts(t *testing.T) {
	d := newDesktop(t)
	p := d.seeing()
	drag := newDragger(t, d.display)
	picture := picturetest.Encode(t, "png", picturetest.Photo(300, 200))
	held := make(chan struct{})
	go func() {
		defer close(held)
		drag.holdClipboard(picture, 4000)
	}()
	// Until the clipboard is owned there is nothing to paste.
	for end := time.Now().Add(soon); !p.said("msg=paste", "picture=true"); time.Sleep(300 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing was pasted")
		}
		if !p.said("msg=paste", "picture=true") {
			d.key("ctrl+v")
			time.Sleep(500 * time.Millisecond)
		}
	}
	<-held
	p.wait(soon, "msg=paste", "picture=true", "bytes="+strconv.Itoa(len(picture)))
}

func TestTheChatSaysWhatCanBeDroppedWhileFilesAreDragged(t *testing.T) {
	d := newDesktop(t, "-screen", "0", "1700x1000x24")
	p := d.seeing()
	drag := newDragger(t, d.display)
	window := drag.windowOf(p.command.Process.Pid)
	at, err := xproto.TranslateCoordinates(drag.x, window, xproto.Setup(drag.x).DefaultScreen(drag.x).Root, 600, 300).Reply()
	if err != nil {
		t.Fatal(err)
	}
	d.do("mousemove", "1690", "990", "mousedown", "1")
	if err := xproto.SetSelectionOwnerChecked(drag.x, drag.window, drag.atom("XdndSelection"), xproto.TimeCurrentTime).Check(); err != nil {
		t.Fatal(err)
	}
	d.do("mousemove", strconv.Itoa(int(at.DstX)), strconv.Itoa(int(at.DstY)))
	p.wait(soon, "msg=drag", "over=true")

	d.do("mouseup", "1")
	p.wait(soon, "msg=drag", "over=false")
}
