// Package app is the window: the rail, the engine bar and the tabs between them.
// It knows the engine and the hardware and decides nothing about models.
package app

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"github.com/sirupsen/logrus"

	"paddock/app/embeddings"
	"paddock/app/images"
	"paddock/app/load"
	"paddock/app/models"
	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/config"
	"paddock/engine"
	"paddock/engine/build"
	"paddock/engine/client"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
	"paddock/hardware"
	"paddock/words"
)

// Engine is what the window needs of the supervisor. Its methods are safe from
// any goroutine, and Watch calls back from one of its own.
type Engine interface {
	Load(context.Context, plan.Plan, plan.Given, build.Build) error
	Unload()
	State() engine.State
	Watch(func(engine.State)) (stop func())
	Chat(context.Context, client.Request, func(client.Delta)) (client.Answer, error)
	Compare(context.Context, func(engine.Row)) (engine.Comparison, error)
	Count(context.Context, client.Request) (int, error)
	Close(context.Context) error
	embeddings.Engine
}

// Options are what a window is made of.
type Options struct {
	Fyne     fyne.App
	Config   *config.Store
	Engine   Engine                              // that chats
	Vectors  Engine                              // that makes vectors and reranks; nil when Engine does
	Builds   func(context.Context) []build.Build // looks for engine builds; takes a second
	Hardware func() hardware.Snapshot            // takes a moment
	Scan     models.ScanFunc                     // finds models, the Guide among them
	Watch    models.WatchFunc                    // sees changes where models are; nil for none
	Apps     func() []library.App                // where other apps keep models; takes a moment; nil for none
	Usual    models.UsualFunc                    // folders of the user's that have models; nil for none

	Guide      string // path of the model that comes with the program
	GuideBytes uint64 // how large it is

	Build    string       // id or path of the engine build to use and no other, empty for the configured one
	Files    []string     // to open at the start
	Notice   string       // a sentence to begin with, if any
	Renderer string       // what draws the window, as OpenGL names it
	Version  string       // of the program
	Do       func(func()) // runs a function on the UI goroutine, later; nil for fyne.Do

	// EscapeFirst makes an object that gives Escape to take before whatever has
	// the focus, when it is in the window; nil for none.
	EscapeFirst func(take func() bool) fyne.CanvasObject
}

// A Window is Paddock's one window. Its methods belong to the UI goroutine.
type Window struct {
	options Options
	fyne    fyne.Window
	ctx     context.Context // ends when the window closes
	cancel  context.CancelFunc
	shown   chan struct{} // closed once the window is on the screen
	stopped chan struct{} // closed once the engine has stopped
	log     *logrus.Entry
	do      func(func()) // runs a function on the UI goroutine, later

	builds   *buildList
	machine  *machineReader
	lessons  *config.Learned // what loads took beyond their estimates
	trials   *config.Trials  // cautions that came true
	setups   *config.Setups  // what was chosen for models
	listed   *listedDevices
	pages    []*page
	current  *page
	chat     *seen         // the engine that chats
	vectors  *seen         // the one beside it, nil for none
	said     *seen         // the one of which the strip speaks, nil for none
	logOf    *seen         // the one whose log was asked for, nil for whichever matters
	model    library.Model // last set up
	selected string        // path of the model last selected, for the log
	last     gguf.Facts    // of the model chatted with last, which is offered; none without a path
	begun    beginning     // how far the load at the start has come
	measured plan.Plan     // last measured, for the log
	setUpIn  string        // id of the page the set-up was opened from
	closing  bool
	question *widgets.Dialog     // asks whether to close, the last time it did
	saving   bool                // what was typed is being saved before that
	losing   bool                // question is about words that could not be saved
	own      map[string]func()   // what the window's own shortcuts do
	writes   config.Queue        // into files of ours, beside the UI goroutine
	saved    string              // the folder something was last saved in, empty for none
	picks    map[pickKind]string // the folders something was picked in last
	over     atomic.Bool         // Fyne is ending, after which it runs fyne.Do's functions anywhere

	rail   *rail
	bar    *bar
	strip  *strip
	logs   *logPanel
	status *statusLine
	stack  *fyne.Container
}

// closeTime is how long the engines may take to stop when the window closes, and what
// is to be kept to be written, side by side.
const closeTime = 3 * time.Second

// New makes the window without showing it. It does nothing slow: what takes
// time starts when the window is on the screen.
func New(options Options) *Window {
	ctx, cancel := context.WithCancel(context.Background())
	w := &Window{
		options: options,
		ctx:     ctx,
		cancel:  cancel,
		shown:   make(chan struct{}),
		stopped: make(chan struct{}),
		log:     logrus.WithField("room", "app"),
		machine: newMachineReader(ctx, options.Hardware),
		lessons: config.OpenLearned(options.Config.Folders().Cache),
		trials:  config.OpenTrials(options.Config.Folders().Cache),
		setups:  config.OpenSetups(options.Config.Folders().Config),
		picks:   map[pickKind]string{},
		listed:  newListedDevices(),
	}
	if options.Do == nil {
		options.Do = fyne.Do
	}
	w.do = func(f func()) {
		options.Do(func() {
			if !w.over.Load() {
				f()
			}
		})
	}
	w.builds = newBuildList(ctx, options.Builds, w.prefers)
	w.builds.demands = w.demands
	w.chat = w.watch(options.Engine, false)
	if options.Vectors != nil {
		w.vectors = w.watch(options.Vectors, true)
	}
	w.applyTheme(options.Config.Get().Theme)

	w.fyne = options.Fyne.NewWindow(words.T("app.name"))
	w.fyne.SetMaster()
	w.fyne.SetPadded(false)
	w.pages = w.allPages()
	w.fyne.SetContent(w.layout())
	w.fyne.Resize(fyne.NewSize(theme.StartWidth, theme.StartHeight))
	w.fyne.SetCloseIntercept(w.askClose)
	w.fyne.SetOnDropped(func(_ fyne.Position, uris []fyne.URI) { w.Open(paths(uris)) })
	w.addShortcuts()
	if len(options.Files) > 0 {
		w.modelsTab().Await()
	}
	w.goTo(w.pages[0])
	return w
}

// layout puts the window's three regions together.
func (w *Window) layout() fyne.CanvasObject {
	w.rail = newRail(w.pages, w.goTo)
	w.bar = newBar(w.act, w.moreMenu)
	w.strip = newStrip(stripHooks{
		retry:     func() { w.loadAgain(nil) },
		instead:   func(p plan.Plan) { w.loadAgain(&p) },
		change:    func() { w.changeSettingsOf(w.said) },
		forget:    w.forgetTrial,
		toggleLog: w.toggleLog,
		dismiss:   w.dismiss,
	})
	w.logs = newLogPanel(w.copy, w.openLog)
	w.status = newStatusLine(w.do)
	w.stack = widgets.Stack()
	top := widgets.VGap(0, w.bar.content, w.strip.content, w.logs.content)
	right := widgets.Borders(top, w.status.content, nil, nil, w.stack)
	content := widgets.Borders(nil, nil, w.rail.content, nil, right)
	keys := container.NewWithoutLayout()
	if w.options.EscapeFirst != nil {
		catcher := w.options.EscapeFirst(w.escapeDialog)
		catcher.Resize(fyne.NewSize(1, 1))
		keys.Add(catcher)
	}
	return widgets.Stack(widgets.NewFill(theme.Window, "", 0), atLeast(content), widgets.NewTipLayer(), keys)
}

// atLeast keeps the window from becoming smaller than the design allows for.
func atLeast(o fyne.CanvasObject) fyne.CanvasObject {
	return widgets.Fixed(theme.MinWidth, theme.MinHeight, o)
}

// ShowAndRun shows the window and returns when it has closed and the engine has
// stopped. ctx ends with the signals that make Fyne close its windows.
func (w *Window) ShowAndRun(ctx context.Context) {
	defer context.AfterFunc(ctx, func() { w.over.Store(true) })()
	w.options.Fyne.Lifecycle().SetOnStarted(w.start)
	w.fyne.ShowAndRun()
	w.over.Store(true)
	w.stop()
	<-w.stopped
}

// start begins everything that takes time.
func (w *Window) start() {
	w.log.WithField("renderer", w.options.Renderer).Info("window shown")
	close(w.shown)
	if isSoftware(w.options.Renderer) {
		fyne.SetCurrentApp(stillApp{w.options.Fyne})
	}
	for _, e := range w.engines() {
		e.Watch(func(s engine.State) {
			w.logEngine(s)
			e.states.Put(s)
		})
	}
	w.watchDrags()
	w.builds.refresh()
	w.sayUnusable()
	w.findLast()
	show := widgets.NewMailbox(w.do, 0, w.showMachine)
	w.machine.listen(show.Put)
	w.machine.start()
	if w.options.Notice != "" {
		w.Notify(w.options.Notice)
	}
	if len(w.options.Files) > 0 {
		w.Open(w.options.Files)
	}
}

// Close hides the window at once, stops what runs, and quits.
func (w *Window) Close() {
	if w.closing {
		return
	}
	w.fyne.Hide()
	w.stop()
	go func() {
		<-w.stopped
		w.do(func() {
			w.over.Store(true)
			w.options.Fyne.Quit()
		})
	}()
}

// stop ends the engines, and waits for what is to be kept, beside the UI goroutine, once.
func (w *Window) stop() {
	if w.closing {
		return
	}
	w.closing = true
	w.endStart()
	w.log.Info("window closing")
	w.cancel()
	w.closeTabs()
	waits, engines, saved := []interface{ Wait(context.Context) }{w.modelsTab()}, w.engines(), w.closeChat()
	if pictures, made := w.page(pageImages).tab.(*images.Tab); made {
		waits = append(waits, pictures)
	}
	if setUp, made := w.page(pageLoad).tab.(*load.Tab); made {
		waits = append(waits, setUp)
	}
	if vectors, made := w.page(pageVectors).tab.(*embeddings.Tab); made {
		waits = append(waits, vectors)
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		var ends sync.WaitGroup
		for _, e := range engines {
			ends.Go(func() {
				if err := e.Close(ctx); err != nil {
					w.log.WithError(err).Warn("engine did not stop by itself")
				}
			})
		}
		ends.Go(func() {
			select {
			case <-saved:
			case <-ctx.Done():
				w.log.Warn("the chats could not all be saved in time")
			}
			for _, tab := range waits {
				tab.Wait(ctx)
			}
			w.options.Config.Wait(ctx) // what the tabs have changed
			w.writes.Wait(ctx)
		})
		ends.Wait()
		close(w.stopped)
	}()
}

func (w *Window) applyTheme(variant string) {
	w.options.Fyne.Settings().SetTheme(theme.New(variant))
}

// demands says whether a build is the one Paddock was started with: no other is
// used in its place unless the user chooses it.
func (w *Window) demands(b build.Build) bool { return isBuild(b, w.options.Build) }

// prefers says whether a build is the one to use before others.
func (w *Window) prefers(b build.Build) bool { return isBuild(b, w.options.Config.Get().Engine) }

// isBuild says whether an id, or a path of a program or its folder, means a build.
func isBuild(b build.Build, wanted string) bool {
	return wanted != "" && (b.ID == wanted || b.Path == wanted || strings.HasPrefix(b.Path, wanted+string(filepath.Separator)))
}

// Raise brings the window to the front and opens paths in it. It is safe from
// any goroutine. A window that is closing takes nothing any more.
func (w *Window) Raise(paths []string) bool {
	if w.ctx.Err() != nil {
		return false
	}
	w.do(func() {
		w.fyne.RequestFocus()
		if len(paths) > 0 {
			w.Open(paths)
		}
	})
	return true
}

// sayUnusable says why the engine Paddock was started with can't be used, once
// that is known.
func (w *Window) sayUnusable() {
	if w.options.Build == "" {
		return
	}
	go func() {
		for _, b := range w.builds.all() {
			if b.Problem != "" && w.demands(b) {
				w.do(func() { w.Notify(words.BuildProblem(b).Text()) })
			}
		}
	}()
}

// Notify says a sentence in the status line for a while.
func (w *Window) Notify(text string) {
	w.log.WithField("text", text).Info("notice")
	w.status.say(text, noticeTime)
}

// mention says in the status line what matters on this tab and for a moment only.
func (w *Window) mention(text string) {
	w.log.WithField("text", text).Info("notice")
	w.status.say(text, mentionTime)
}

func (w *Window) copy(text string) {
	w.options.Fyne.Clipboard().SetContent(text)
	w.mention(words.T("shell.copied"))
}
