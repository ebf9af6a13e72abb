package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"paddock/app/apptest"
	"paddock/app/theme"
	"paddock/config"
	"paddock/engine"
	"paddock/engine/build"
	"paddock/engine/client"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/library"
	"paddock/engine/plan"
	"paddock/engine/server"
	"paddock/hardware"
)

// A fakeEngine takes down what it is asked to do.
type fakeEngine struct {
	*apptest.Watched
	mu      sync.Mutex
	calls   []string
	loaded  plan.Plan // the latest it was told to load
	closing time.Duration
	endless bool // answers go on until they are stopped, and vectors are never ready
}

func (f *fakeEngine) note(call string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, call)
}

func (f *fakeEngine) called(call string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.calls {
		if c == call {
			return true
		}
	}
	return false
}

func (f *fakeEngine) Load(_ context.Context, p plan.Plan, _ plan.Given, _ build.Build) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.loaded = p
	f.calls = append(f.calls, "load "+filepath.Base(p.ModelPath))
	return nil
}
func (f *fakeEngine) Unload() { f.note("unload") }
func (f *fakeEngine) Chat(ctx context.Context, _ client.Request, each func(client.Delta)) (client.Answer, error) {
	f.mu.Lock()
	endless := f.endless
	f.mu.Unlock()
	if endless {
		each(client.Delta{Text: "and so on"})
		<-ctx.Done()
		return client.Answer{Stop: client.StopCancelled}, nil
	}
	return client.Answer{}, errors.New("no chat here")
}

func (f *fakeEngine) Compare(context.Context, func(engine.Row)) (engine.Comparison, error) {
	return engine.Comparison{}, engine.ErrNothingToCompare
}
func (f *fakeEngine) Count(context.Context, client.Request) (int, error) { return 1, nil }

func (f *fakeEngine) Embed(ctx context.Context, _ []string) ([][]float32, error) {
	if f.endless {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, errors.New("no vectors here")
}

func (f *fakeEngine) EmbedRaw(context.Context, []string) ([][]float32, error) {
	return nil, errors.New("no vectors here")
}

func (f *fakeEngine) CountTokens(context.Context, []string) ([]int, error) {
	return nil, errors.New("no tokens here")
}

func (f *fakeEngine) Close(ctx context.Context) error {
	if ctx.Err() != nil {
		f.note("close without time")
	}
	f.note("close")
	select {
	case <-time.After(f.closing):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A bench is a window in a test, with its own UI queue.
type bench struct {
	*Window
	t      *testing.T
	engine *fakeEngine
	queue  chan func()
}

func newBench(t *testing.T, edit func(*Options)) *bench {
	t.Helper()
	store, err := config.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, engine: &fakeEngine{Watched: apptest.NewWatched(engine.State{})}, queue: make(chan func(), 1000)}
	options := Options{
		Fyne:   test.NewTempApp(t),
		Config: store,
		Engine: b.engine,
		Builds: func(context.Context) []build.Build {
			return []build.Build{{ID: "e", Path: "/nowhere/llama-server", Number: 11669, Backends: []string{"Vulkan", "CPU"}, Source: build.Bundled, Proven: true}}
		},
		Scan: library.Scan,
		Hardware: func() hardware.Snapshot {
			return hardware.Snapshot{Pools: []hardware.Pool{{ID: "ram", Name: "RAM", Kind: hardware.RAM, TotalBytes: 32 << 30, UsedBytes: 8 << 30, UsableBytes: 20 << 30}}}
		},
		Version: "1.2.3",
		Do:      func(f func()) { b.queue <- f },
	}
	if edit != nil {
		edit(&options)
	}
	b.Window = New(options)
	b.fyne.Resize(fyne.NewSize(theme.StartWidth, theme.StartHeight))
	b.start()
	t.Cleanup(func() {
		b.stop()
		<-b.stopped
	})
	return b
}

var (
	loadedModel = gguf.Facts{Path: "/m/qwen.gguf", Name: "Qwen"}
	failedState = engine.State{
		Phase: engine.Failed, Model: loadedModel, Plan: plan.Plan{ModelPath: "/m/qwen.gguf"},
		Err:       &server.Failure{Kind: server.OutOfDeviceMemory, ModelPath: "/m/qwen.gguf"},
		LastWords: []string{"loading", "E out of memory"}, LogPath: "/log/engine.log",
	}
)

func TestTheWindowBeginsInModelsAndSaysWhichEngineThereIs(t *testing.T) {
	b := newBench(t, nil)
	if b.current.id != pageModels {
		t.Errorf("it begins in %s", b.current.id)
	}
	b.until("the engine is named", func() bool { return strings.Contains(b.status.fact.String(), "llama.cpp b11669") })
	b.until("memory is shown", func() bool { return len(b.bar.pools) == 1 && b.bar.pools[0].numbers.String() == "8.0 / 32.0" })
}

func TestCtrlAndANumberGoToTheTabsOfTheRail(t *testing.T) {
	b := newBench(t, nil)
	for i, want := range []string{pageModels, pageChat, pageImages, pageVectors, pageHardware, pageSettings} {
		b.shortcut(ctrl(tabKeys[i]))
		if b.current.id != want {
			t.Errorf("Ctrl %d goes to %s, want %s", i+1, b.current.id, want)
		}
		for _, item := range b.rail.items {
			if item.chosen != (item.page.id == want) {
				t.Errorf("with %s on view the rail marks %s: %t", want, item.page.id, item.chosen)
			}
		}
	}
}

func TestTheStatusLineCountsTheTabsThereAre(t *testing.T) {
	b := newBench(t, nil)
	for _, k := range b.status.shown {
		if strings.HasPrefix(k.Cap, "Ctrl 1") && k.Cap != "Ctrl 1…6" {
			t.Errorf("it says %q", k.Cap)
		}
	}
	if len(b.status.shown) == 0 {
		t.Error("it says nothing")
	}
}

func TestTheSetUpScreenBelongsToModelsInTheRail(t *testing.T) {
	b := newBench(t, nil)
	b.GoTo(pageLoad)
	for _, item := range b.rail.items {
		if item.chosen != (item.page.id == pageModels) {
			t.Errorf("the rail marks %s: %t", item.page.id, item.chosen)
		}
	}
}

func TestATabIsToldWhetherItIsOnView(t *testing.T) {
	b := newBench(t, nil)
	b.GoTo(pageHardware)
	if !b.page(pageHardware).onView || b.page(pageModels).onView {
		t.Error("after going to Hardware it is not the only tab on view")
	}
	if b.page(pageModels).tab.Content().Visible() || !b.page(pageHardware).tab.Content().Visible() {
		t.Error("the wrong page is visible")
	}
}

func TestAFailureOpensAStripWithItsSentenceAndButtons(t *testing.T) {
	b := newBench(t, nil)
	if b.strip.content.Visible() {
		t.Fatal("there is a strip before anything failed")
	}
	b.show(failedState)
	if !b.strip.content.Visible() || b.strip.bold.String() == "" {
		t.Fatal("there is no strip")
	}
	test.Tap(b.strip.logs)
	if !b.logs.content.Visible() || !strings.Contains(b.logs.text, "E out of memory") {
		t.Errorf("the log shows %q", b.logs.text)
	}
	if b.strip.logs.Text() != "Hide log" {
		t.Errorf("the button says %q", b.strip.logs.Text())
	}
	test.Tap(b.strip.retry)
	b.until("the model is loaded again", func() bool { return b.engine.called("load qwen.gguf") })
	test.Tap(b.strip.change)
	b.until("Change settings goes to the set-up", func() bool { return b.current.id == pageLoad })
	b.show(engine.State{Phase: engine.Checking, Model: loadedModel})
	if b.strip.content.Visible() {
		t.Error("the strip stays while the model loads again")
	}
}

func TestADismissedFailureStaysAwayUntilTheNextOne(t *testing.T) {
	b := newBench(t, nil)
	b.show(failedState)
	b.dismiss()
	b.engine.Become(failedState)
	b.until("the queue is empty", func() bool { return len(b.queue) == 0 })
	if b.strip.content.Visible() {
		t.Error("the strip came back")
	}
	next := failedState
	next.Err = &server.Failure{Kind: server.Crashed}
	b.engine.Become(next)
	b.until("the next failure is shown", func() bool { return b.strip.content.Visible() })
}

func TestTheBarsButtonCancelsUnloadsAndGoesToModels(t *testing.T) {
	b := newBench(t, nil)
	b.GoTo(pageChat)
	test.Tap(b.bar.button)
	if b.current.id != pageModels {
		t.Errorf("Load… goes to %s", b.current.id)
	}
	for _, phase := range []engine.Phase{engine.Loading, engine.Ready} {
		b.engine.mu.Lock()
		b.engine.calls = nil
		b.engine.mu.Unlock()
		b.show(engine.State{Phase: phase, Model: loadedModel})
		test.Tap(b.bar.button)
		b.until("the engine is unloaded", func() bool { return b.engine.called("unload") })
	}
	b.show(engine.State{Phase: engine.Stopping, Model: loadedModel})
	if !b.bar.button.Disabled() {
		t.Error("a stopping engine can be asked to stop")
	}
}

func TestAReadyModelLeadsFromItsSetUpToTheChat(t *testing.T) {
	b := newBench(t, nil)
	b.GoTo(pageLoad)
	b.show(engine.State{Phase: engine.Loading, Model: loadedModel})
	b.show(engine.State{Phase: engine.Ready, Model: loadedModel})
	if b.current.id != pageChat {
		t.Errorf("it stays in %s", b.current.id)
	}
	b.GoTo(pageSettings)
	b.show(engine.State{Phase: engine.Loading, Model: loadedModel})
	b.show(engine.State{Phase: engine.Ready, Model: loadedModel})
	if b.current.id != pageSettings {
		t.Errorf("it takes the user away from Settings to %s", b.current.id)
	}
}

func TestADroppedModelOpensInModelsAndOtherFilesGoWithTheMessage(t *testing.T) {
	dir := t.TempDir()
	model := gguftest.Llama(t)
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, nil)
	b.GoTo(pageChat)
	b.Open([]string{text})
	b.until("it is attached", func() bool {
		a := b.chatTab().State().Attachments
		return len(a) == 1 && a[0].Name == "notes.txt" && !a[0].Reading
	})
	if b.current.id != pageChat {
		t.Error("a text file leads away from the chat")
	}
	b.Open([]string{model})
	b.until("the model is selected", func() bool { return b.modelsTab().State().Selected.Path == model })
	if b.current.id != pageModels {
		t.Errorf("a model opens in %s", b.current.id)
	}
}

func TestClosingStopsTheEngineAndDoesNotWaitForever(t *testing.T) {
	b := newBench(t, nil)
	b.engine.closing = time.Hour
	start := time.Now()
	b.stop()
	b.stop()
	select {
	case <-b.stopped:
	case <-time.After(patience):
		t.Fatal("it still waits")
	}
	if took := time.Since(start); took < closeTime {
		t.Errorf("it gave the engine only %v", took)
	}
	if b.ctx.Err() == nil {
		t.Error("what ran in the background goes on")
	}
}

func TestAfterClosingNothingIsDrawnAnyMore(t *testing.T) {
	b := newBench(t, nil)
	b.stop()
	b.engine.Become(failedState)
	b.until("the queue is empty", func() bool { return len(b.queue) == 0 })
	if b.strip.content.Visible() {
		t.Error("a closing window shows a failure")
	}
}

func TestEscapeClosesADialogAndShortcutsLeaveThePageBelowAlone(t *testing.T) {
	b := newBench(t, nil)
	b.pickFolder(func(string, error) { t.Error("a path was picked") })
	c := b.fyne.Canvas()
	if c.Overlays().Top() == nil {
		t.Fatal("no dialog opened")
	}
	b.shortcut(ctrl(fyne.Key2))
	if b.current.id != pageModels {
		t.Error("a shortcut changed the page under a dialog")
	}
	c.OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if c.Overlays().Top() != nil {
		t.Error("the dialog is still open")
	}
}

func TestTheChoiceOfADownloadFolderBeginsInTheOneThereIs(t *testing.T) {
	b := newBench(t, nil)
	dir := t.TempDir()
	if at := nearest(filepath.Join(dir, "not", "there")); at == nil || at.Path() != dir {
		t.Errorf("it begins in %v, not %s", at, dir)
	}
	if at := nearest(""); at != nil {
		t.Errorf("it begins in %v", at)
	}
	b.pickDownloads(dir, func(string, error) { t.Error("a path was picked") })
	top := b.fyne.Canvas().Overlays().Top()
	if top == nil {
		t.Fatal("no dialog opened")
	}
	var title, here bool
	var visit func(fyne.CanvasObject)
	visit = func(o fyne.CanvasObject) {
		switch o := o.(type) {
		case *widget.Label:
			title = title || o.Text == "Where downloads go"
		case *widget.Button:
			here = here || o.Text == filepath.Base(dir)
		}
		switch o := o.(type) {
		case *fyne.Container:
			for _, child := range o.Objects {
				visit(child)
			}
		case fyne.Widget:
			for _, child := range test.WidgetRenderer(o).Objects() {
				visit(child)
			}
		}
	}
	visit(top)
	if !title || !here {
		t.Errorf("the title is there: %t, the folder: %t", title, here)
	}
}

func TestAThemeIsAppliedAtOnce(t *testing.T) {
	b := newBench(t, nil)
	b.applyTheme(theme.Light)
	light := theme.Color(theme.Window)
	b.applyTheme(theme.Dark)
	if theme.Color(theme.Window) == light {
		t.Error("both themes have the same window colour")
	}
}

func TestNothingIsCutOffInTheSmallestWindow(t *testing.T) {
	b := newBench(t, nil)
	b.until("the machine is known", func() bool { return len(b.bar.pools) == 1 })
	b.show(failedState)
	b.fyne.Resize(fyne.NewSize(theme.MinWidth, theme.MinHeight))
	for _, id := range []string{pageModels, pageChat, pageVectors, pageHardware, pageSettings} {
		b.GoTo(id)
		b.until("the queue is empty", func() bool { return len(b.queue) == 0 })
		if size := b.fyne.Canvas().Size(); size.Width > theme.MinWidth || size.Height > theme.MinHeight {
			t.Errorf("%s makes the window %v", id, size)
		}
		eachText(b.fyne.Content(), fyne.Position{}, func(text *canvas.Text, at fyne.Position) {
			if right := at.X + text.MinSize().Width; text.Alignment == fyne.TextAlignLeading && right > theme.MinWidth+1 {
				t.Errorf("%s: %q ends at %.0f", id, text.Text, right)
			}
		})
	}
}

// eachText visits every visible text outside of what scrolls.
func eachText(o fyne.CanvasObject, at fyne.Position, visit func(*canvas.Text, fyne.Position)) {
	if !o.Visible() {
		return
	}
	at = at.Add(o.Position())
	switch o := o.(type) {
	case *canvas.Text:
		visit(o, at)
	case *fyne.Container:
		for _, child := range o.Objects {
			eachText(child, at, visit)
		}
	case *container.Scroll:
	case fyne.Widget:
		for _, child := range test.WidgetRenderer(o).Objects() {
			eachText(child, at, visit)
		}
	}
}

func TestEveryPictureOfATourIsOneOfTheWindow(t *testing.T) {
	b := newBench(t, nil)
	img, err := capture(b.fyne)
	if err != nil {
		t.Fatal(err)
	}
	if isBlank(img) {
		t.Error("the picture is blank")
	}
	path := filepath.Join(t.TempDir(), "a.png")
	if err := writePNG(path, img); err != nil {
		t.Fatal(err)
	}
	if err := writePNG(filepath.Join(t.TempDir(), "no", "a.png"), img); err == nil {
		t.Error("a picture that can't be written is no error")
	}
	if !isBlank(fromBGRX(make([]byte, 4*100), 10, 10)) {
		t.Error("a black picture is not blank")
	}
}
