package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"fyne.io/fyne/v2"

	"paddock/engine"
	"paddock/words"
)

// A Tour is what to do in the window without a person, and where to leave
// pictures of it.
type Tour struct {
	Dir   string // for pictures and tour.json
	Model string // path of the model to load
	Shots bool   // every screen in both themes and both sizes, instead of the steps
}

// A Step is one thing a tour did.
type Step struct {
	Name         string `json:"name"`
	OK           bool   `json:"ok"`
	Milliseconds int64  `json:"ms"`
	Picture      string `json:"picture"` // a file's name in the tour's folder
	Error        string `json:"error"`
}

// Limits of a tour's steps.
const (
	stepTime   = 30 * time.Second
	loadTime   = 10 * time.Minute // a large model from a slow disk
	answerTime = 20 * time.Second // after which an answer is stopped
	lookTime   = 50 * time.Millisecond
	drawTime   = 400 * time.Millisecond // for a change to be on the screen
)

// tourQuestion is what a tour asks a model.
const tourQuestion = "Say hello in one short sentence."

// RunTour opens the window, does what a first visitor would, and closes it. The
// steps are in tour.json too; the error is that of what could not be written.
func RunTour(ctx context.Context, options Options, t Tour) ([]Step, error) {
	if err := os.MkdirAll(t.Dir, 0o755); err != nil {
		return nil, err
	}
	w := New(options)
	g := &guide{w: w, ctx: ctx, tour: t}
	finished := make(chan []Step, 1)
	go func() {
		<-w.shown
		if t.Shots {
			g.shots()
		} else {
			g.steps()
		}
		finished <- g.done
		w.do(w.Close)
	}()
	w.ShowAndRun(ctx)
	select {
	case steps := <-finished:
		file, err := json.MarshalIndent(map[string][]Step{"steps": steps}, "", "  ")
		if err != nil {
			return steps, err
		}
		return steps, os.WriteFile(filepath.Join(t.Dir, "tour.json"), append(file, '\n'), 0o644)
	default:
		return nil, errTourCut
	}
}

// errTourCut is a tour whose window was closed before its end.
var errTourCut = errors.New("the window was closed before the tour was over")

// A guide uses the window as a person does: with its keys and buttons.
type guide struct {
	w    *Window
	ctx  context.Context
	tour Tour
	done []Step

	asked time.Time // when the answer began
}

// steps is the tour. After a failed step the ones that need it fail too, and the
// others still run.
func (g *guide) steps() {
	g.step("models", stepTime, func() { g.rail(pageModels) }, g.enginesKnown)
	g.step("open", stepTime, func() { g.w.Open([]string{g.tour.Model}) }, g.modelSelected)
	g.step("set-up", stepTime, func() { g.key(fyne.KeyReturn) }, g.planMeasured)
	g.step("load", loadTime, func() { g.shortcut(fyne.KeyReturn) }, g.loading)
	g.step("ready", loadTime, nil, g.ready)
	g.step("chat", stepTime, func() { g.rail(pageChat) }, g.focused)
	g.step("question", loadTime, func() { g.ask(tourQuestion) }, g.answering)
	g.step("answer", loadTime, nil, g.answered)
	g.step("hardware", stepTime, func() { g.rail(pageHardware) }, g.devicesKnown)
	g.step("settings", stepTime, func() { g.rail(pageSettings) }, nil)
	g.step("unload", stepTime, func() { g.w.bar.button.Tapped(nil) }, g.unloaded)
}

// step does something, waits until it shows, and takes a picture. act and until
// run on the UI goroutine; until is nil when there is nothing to wait for.
func (g *guide) step(name string, limit time.Duration, act func(), until func() (bool, error)) {
	start := time.Now()
	s := Step{Name: name}
	if act != nil {
		fyne.DoAndWait(act)
	}
	err := g.wait(limit, until)
	s.Milliseconds = time.Since(start).Milliseconds()
	file := fmt.Sprintf("%02d-%s.png", len(g.done)+1, name)
	if failed := g.picture(file); failed == nil {
		s.Picture = file
	} else if err == nil {
		err = failed
	}
	s.OK = err == nil
	if err != nil {
		s.Error = err.Error()
	}
	g.w.log.WithField("step", name).WithField("ok", s.OK).Info("tour step")
	g.done = append(g.done, s)
}

func (g *guide) wait(limit time.Duration, until func() (bool, error)) error {
	if until == nil {
		return nil
	}
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(lookTime) {
		var ok bool
		var err error
		fyne.DoAndWait(func() { ok, err = until() })
		if ok || err != nil {
			return err
		}
		if g.ctx.Err() != nil {
			return context.Cause(g.ctx)
		}
	}
	return errors.New(words.T("tour.timeout", map[string]any{"Seconds": int(limit.Seconds())}))
}

// picture writes what the window shows once it has been drawn.
func (g *guide) picture(name string) error {
	time.Sleep(drawTime)
	fyne.DoAndWait(g.w.fyne.Content().Refresh) // the first frame after another size may stand in the old one
	time.Sleep(drawTime)
	img, err := capture(g.w.fyne)
	if err != nil {
		return err
	}
	if isBlank(img) {
		return errors.New(words.T("tour.blank"))
	}
	return writePNG(filepath.Join(g.tour.Dir, name), img)
}

// rail taps a page's item.
func (g *guide) rail(id string) {
	for _, item := range g.w.rail.items {
		if item.page.id == id {
			item.Tapped(nil)
		}
	}
}

// key types a key at what has the focus, or at the window.
func (g *guide) key(name fyne.KeyName) {
	c, ev := g.w.fyne.Canvas(), &fyne.KeyEvent{Name: name}
	if focused := c.Focused(); focused != nil {
		focused.TypedKey(ev)
	} else if typed := c.OnTypedKey(); typed != nil {
		typed(ev)
	}
}

// shortcut types Ctrl and a key.
func (g *guide) shortcut(name fyne.KeyName) {
	c := g.w.fyne.Canvas()
	if focused, ok := c.Focused().(fyne.Shortcutable); ok {
		focused.TypedShortcut(ctrl(name))
	} else if window, ok := c.(fyne.Shortcutable); ok {
		window.TypedShortcut(ctrl(name))
	}
}

// ask types a question into the composer and sends it.
func (g *guide) ask(question string) {
	if focused := g.w.fyne.Canvas().Focused(); focused != nil {
		for _, r := range question {
			focused.TypedRune(r)
		}
	}
	g.key(fyne.KeyReturn)
}

func (g *guide) enginesKnown() (bool, error) {
	_, known := g.w.builds.known()
	return known, nil
}

func (g *guide) modelSelected() (bool, error) {
	s := g.w.modelsTab().State()
	if s.Notice != "" {
		return false, errors.New(s.Notice)
	}
	path, err := filepath.Abs(g.tour.Model)
	return !s.Scanning && s.Selected.Path == path, err
}

func (g *guide) planMeasured() (bool, error) {
	s := g.w.loadTab().State()
	return g.w.current.id == pageLoad && !s.Preparing && !s.Memory.Measuring, nil
}

// failure is why the engine is not going to be ready.
func (g *guide) failure() error {
	if s := g.w.options.Engine.State(); s.Phase == engine.Failed {
		return errors.New(words.Error(s.Err).Message)
	}
	if s := g.w.loadTab().State(); s.Off {
		return errors.New(s.Footer.Text)
	}
	return nil
}

func (g *guide) loading() (bool, error) {
	phase := g.w.bar.state.Phase
	return phase == engine.Loading || phase == engine.Proving || phase == engine.Ready, g.failure()
}

func (g *guide) ready() (bool, error) {
	return g.w.bar.state.Phase == engine.Ready, g.failure()
}

// focused is true once there is something to type into.
func (g *guide) focused() (bool, error) {
	return g.w.fyne.Canvas().Focused() != nil, nil
}

// answering is true once the answer has begun.
func (g *guide) answering() (bool, error) {
	g.asked = time.Now()
	s := g.w.chatTab().State()
	if s.Answer != nil && (s.Answer.Text != "" || s.Answer.Thought != "") {
		return true, nil
	}
	return len(s.Turns) >= 2, g.failure()
}

// answered is true once the answer is there. A model that goes on and on is
// stopped, as a person would with Escape.
func (g *guide) answered() (bool, error) {
	s := g.w.chatTab().State()
	if s.Answer != nil && time.Since(g.asked) > answerTime {
		g.key(fyne.KeyEscape)
	}
	if s.Answer != nil || len(s.Turns) < 2 {
		return false, g.failure()
	}
	last := s.Turns[len(s.Turns)-1]
	if last.Problem.Message != "" {
		return false, errors.New(last.Problem.Message)
	}
	if last.Text == "" && last.Thought == "" {
		return false, errors.New(words.T("tour.noAnswer"))
	}
	return true, nil
}

func (g *guide) devicesKnown() (bool, error) {
	s := g.w.hardwareTab().State()
	return !s.Reading && !s.Devices.Asking, nil
}

func (g *guide) unloaded() (bool, error) {
	return g.w.bar.state.Phase == engine.NotLoaded, nil
}
