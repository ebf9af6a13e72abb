package app

import (
	"context"
	"image/color"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/dialog"

	"paddock/app/widgets"
	"paddock/engine"
	"paddock/engine/build"
	"paddock/words"
)

func TestEscapeClosesTheDialogOnTopWhateverHasTheFocus(t *testing.T) {
	var take func() bool
	b := newBench(t, func(o *Options) {
		o.EscapeFirst = func(f func() bool) fyne.CanvasObject {
			take = f
			return canvas.NewRectangle(color.Black)
		}
	})
	if take() {
		t.Error("Escape is taken while no dialog is open")
	}
	b.pickFolder(func(string, error) { t.Error("a path was picked") })
	c := b.fyne.Canvas()
	c.FocusNext()
	if c.Focused() == nil {
		t.Fatal("nothing in the dialog takes the focus")
	}
	dialog.ShowInformation("New folder", "", b.fyne)
	below := c.Overlays().List()[1]
	if !take() || c.Overlays().Top() != below {
		t.Error("Escape did not close the dialog on top alone")
	}
	if !take() || c.Overlays().Top() != nil {
		t.Error("Escape did not close the file dialog")
	}
}

// said is what the status line says.
func (b *bench) said() string {
	if b.status.notice.Visible() {
		return b.status.said.String()
	}
	return b.status.fact.String()
}

func TestALongNoticeIsWholeAndMakesTheLineHigherForAWhile(t *testing.T) {
	b := newBench(t, nil)
	b.fyne.Resize(fyne.NewSize(960, 600))
	high := func() float32 { return b.status.content.MinSize().Height }
	line := high()
	b.Notify("The settings are broken.")
	if high() != line || b.status.calm.Visible() {
		t.Errorf("with a short notice the line is %v high, without one %v; the keys are there: %t", high(), line, b.status.calm.Visible())
	}
	b.Notify(strings.Repeat("The settings can't be understood. ", 12))
	if high() <= line || high() > 4*line {
		t.Errorf("with a long notice the line is %v high, without one %v", high(), line)
	}
	b.status.calmDown()
	if high() != line || !b.status.calm.Visible() {
		t.Errorf("afterwards the line is %v high, before %v", high(), line)
	}
}

func TestAMentionGoesWithItsTabAndANoticeStays(t *testing.T) {
	b := newBench(t, nil)
	b.copy("text")
	if b.said() != words.T("shell.copied") {
		t.Fatalf("the status line says %q", b.said())
	}
	b.GoTo(pageHardware)
	if b.status.notice.Visible() {
		t.Error("Copied stays on another tab")
	}
	b.Notify("The settings are broken.")
	b.GoTo(pageModels)
	if b.said() != "The settings are broken." {
		t.Errorf("the status line says %q", b.said())
	}
}

func TestTheLogOpenForAFailureClosesWhenTheModelIsReady(t *testing.T) {
	b := newBench(t, nil)
	b.show(failedState)
	if !slices.ContainsFunc(b.status.shown, func(k widgets.Key) bool { return k.Cap == "Ctrl L" }) {
		t.Errorf("the keys are %v", b.status.shown)
	}
	b.toggleLog()
	b.show(engine.State{Phase: engine.Loading, Model: loadedModel})
	if !b.logs.content.Visible() {
		t.Error("the log closed while the model loads")
	}
	b.show(engine.State{Phase: engine.Ready, Model: loadedModel})
	if b.logs.content.Visible() {
		t.Error("the log is still open")
	}
}

func TestAnEngineAskedForThatCannotBeUsedIsSaidAndIsFirst(t *testing.T) {
	bad := build.Build{ID: "added-0", Path: "/opt/bad/llama-server", Source: build.Added, Problem: string(build.ExitsAtOnce)}
	good := build.Build{ID: "e", Path: "/nowhere/llama-server", Number: 11669, Source: build.Bundled}
	b := newBench(t, func(o *Options) {
		o.Build = "/opt/bad"
		o.Builds = func(context.Context) []build.Build { return []build.Build{good, bad} }
	})
	b.until("it is said, with what to do", func() bool {
		said := b.said()
		return strings.Contains(said, "/opt/bad/llama-server") && strings.Contains(said, "Choose another engine in Settings")
	})
	if first := b.builds.all()[0]; first.ID != bad.ID {
		t.Errorf("first is %q", first.ID)
	}
	if !strings.Contains(b.engineFact(), "/opt/bad/llama-server") {
		t.Errorf("then the status line says %q", b.engineFact())
	}
}

func TestNothingMovesWhereTheProcessorDraws(t *testing.T) {
	newBench(t, func(o *Options) { o.Renderer = "llvmpipe (LLVM 15.0.6, 256 bits)" })
	if fyne.CurrentApp().Settings().ShowAnimations() {
		t.Error("there are animations")
	}
}
