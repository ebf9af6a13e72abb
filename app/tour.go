package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
	Guide bool   // Model is the built-in one, opened as a first visitor would
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

// What a tour asks a model, and the Guide; and what the Guide's answer has to
// say, because it is true.
const (
	tourQuestion  = "Say hello in one short sentence."
	guideQuestion = "What is GTT?"
	guideAnswer   = "system memory"
)

// RunTour opens the window, does what a first visitor would, and closes it. The
// steps are in tour.json too; the error is that of what could not be written.
func RunTour(ctx context.Context, options Options, t Tour) ([]Step, error) {
	if err := os.MkdirAll(t.Dir, 0o755); err != nil {
		return nil, err
	}
	w := New(options)
	v := &visitor{w: w, ctx: ctx, tour: t}
	finished := make(chan []Step, 1)
	go func() {
		<-w.shown
		if t.Shots {
			v.shots()
		} else {
			v.steps()
		}
		finished <- v.done
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

// A visitor uses the window as a person does: with its keys and buttons.
type visitor struct {
	w    *Window
	ctx  context.Context
	tour Tour
	done []Step

	asked time.Time // when the answer began
}

// steps is the tour. After a failed step the ones that need it fail too, and the
// others still run.
func (v *visitor) steps() {
	v.step("models", stepTime, func() { v.rail(pageModels) }, v.enginesKnown)
	if !v.tour.Guide {
		v.step("open", stepTime, func() { v.w.Open([]string{v.tour.Model}) }, v.modelSelected)
	}
	v.step("set-up", stepTime, func() { v.key(fyne.KeyReturn) }, v.planMeasured)
	v.step("load", stepTime, func() { v.shortcut(fyne.KeyReturn) }, v.loading)
	v.step("ready", loadTime, nil, v.ready)
	v.step("chat", stepTime, func() { v.rail(pageChat) }, v.focused)
	v.step("question", loadTime, func() { v.ask(v.question()) }, v.answering)
	v.step("answer", loadTime, nil, v.answered)
	v.step("images", stepTime, func() { v.rail(pageImages) }, nil)
	v.step("embeddings", stepTime, func() { v.rail(pageVectors) }, nil)
	v.step("hardware", stepTime, func() { v.rail(pageHardware) }, v.devicesKnown)
	v.step("settings", stepTime, func() { v.rail(pageSettings) }, nil)
	v.step("unload", stepTime, func() { v.w.bar.button.Tapped(nil) }, v.unloaded)
}

func (v *visitor) question() string {
	if v.tour.Guide {
		return guideQuestion
	}
	return tourQuestion
}

// step does something, waits until it shows, and takes a picture. act and until
// run on the UI goroutine; until is nil when there is nothing to wait for.
func (v *visitor) step(name string, limit time.Duration, act func(), until func() (bool, error)) {
	start := time.Now()
	s := Step{Name: name}
	if act != nil {
		fyne.DoAndWait(act)
	}
	err := v.wait(limit, until)
	s.Milliseconds = time.Since(start).Milliseconds()
	file := fmt.Sprintf("%02d-%s.png", len(v.done)+1, name)
	if failed := v.picture(file); failed == nil {
		s.Picture = file
	} else if err == nil {
		err = failed
	}
	s.OK = err == nil
	if err != nil {
		s.Error = err.Error()
	}
	v.w.log.WithField("step", name).WithField("ok", s.OK).Info("tour step")
	v.done = append(v.done, s)
}

func (v *visitor) wait(limit time.Duration, until func() (bool, error)) error {
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
		if v.ctx.Err() != nil {
			return context.Cause(v.ctx)
		}
	}
	return errors.New(words.T("tour.timeout", map[string]any{"Seconds": int(limit.Seconds())}))
}

// picture writes what the window shows once it has been drawn.
func (v *visitor) picture(name string) error {
	time.Sleep(drawTime)
	fyne.DoAndWait(v.w.fyne.Content().Refresh) // the first frame after another size may stand in the old one
	time.Sleep(drawTime)
	img, err := capture(v.w.fyne)
	if err != nil {
		return err
	}
	if isBlank(img) {
		return errors.New(words.T("tour.blank"))
	}
	return writePNG(filepath.Join(v.tour.Dir, name), img)
}

// rail taps a page's item.
func (v *visitor) rail(id string) {
	for _, item := range v.w.rail.items {
		if item.page.id == id {
			item.Tapped(nil)
		}
	}
}

// key types a key at what has the focus, or at the window.
func (v *visitor) key(name fyne.KeyName) {
	c, ev := v.w.fyne.Canvas(), &fyne.KeyEvent{Name: name}
	if focused := c.Focused(); focused != nil {
		focused.TypedKey(ev)
	} else if typed := c.OnTypedKey(); typed != nil {
		typed(ev)
	}
}

// shortcut types Ctrl and a key.
func (v *visitor) shortcut(name fyne.KeyName) {
	c := v.w.fyne.Canvas()
	if focused, ok := c.Focused().(fyne.Shortcutable); ok {
		focused.TypedShortcut(ctrl(name))
	} else if window, ok := c.(fyne.Shortcutable); ok {
		window.TypedShortcut(ctrl(name))
	}
}

// ask types a question into the composer and sends it.
func (v *visitor) ask(question string) {
	if focused := v.w.fyne.Canvas().Focused(); focused != nil {
		for _, r := range question {
			focused.TypedRune(r)
		}
	}
	v.key(fyne.KeyReturn)
}

func (v *visitor) enginesKnown() (bool, error) {
	_, known := v.w.builds.known()
	return known, nil
}

func (v *visitor) modelSelected() (bool, error) {
	s := v.w.modelsTab().State()
	if s.Notice != "" {
		return false, errors.New(s.Notice)
	}
	path, err := filepath.Abs(v.tour.Model)
	return !s.Scanning && s.Selected.Path == path, err
}

func (v *visitor) planMeasured() (bool, error) {
	s := v.w.loadTab().State()
	return v.w.current.id == pageLoad && !s.Preparing && !s.Memory.Measuring, nil
}

// failure is why the engine is not going to be ready.
func (v *visitor) failure() error {
	if s := v.w.options.Engine.State(); s.Phase == engine.Failed {
		return errors.New(words.Error(s.Err).Text())
	}
	if s := v.w.loadTab().State(); s.Off {
		return errors.New(s.Footer.Text)
	}
	return nil
}

// stopped is why there is nothing to wait for any more.
func (v *visitor) stopped() error {
	if v.w.options.Engine.State().Phase == engine.NotLoaded {
		return errors.New(words.T("tour.notLoaded"))
	}
	return v.failure()
}

func (v *visitor) loading() (bool, error) {
	phase := v.w.bar.state.Phase
	return phase == engine.Loading || phase == engine.Proving || phase == engine.Ready, v.failure()
}

func (v *visitor) ready() (bool, error) {
	return v.w.bar.state.Phase == engine.Ready, v.stopped()
}

// focused is true once there is something to type into.
func (v *visitor) focused() (bool, error) {
	return v.w.fyne.Canvas().Focused() != nil, nil
}

// answering is true once the answer has begun.
func (v *visitor) answering() (bool, error) {
	v.asked = time.Now()
	s := v.w.chatTab().State()
	if s.Answer != nil && (s.Answer.Text != "" || s.Answer.Thought != "") {
		return true, nil
	}
	return len(s.Turns) >= 2, v.stopped()
}

// answered is true once the answer is there. A model that goes on and on is
// stopped, as a person would with Escape.
func (v *visitor) answered() (bool, error) {
	s := v.w.chatTab().State()
	if s.Answer != nil && time.Since(v.asked) > answerTime {
		v.key(fyne.KeyEscape)
	}
	if s.Answer != nil || len(s.Turns) < 2 {
		return false, v.stopped()
	}
	last := s.Turns[len(s.Turns)-1]
	if last.Problem.Message != "" {
		return false, errors.New(last.Problem.Message)
	}
	if last.Text == "" && last.Thought == "" {
		return false, errors.New(words.T("tour.noAnswer"))
	}
	if v.tour.Guide && !strings.Contains(last.Text, guideAnswer) {
		return false, errors.New(words.T("tour.wrongAnswer", map[string]any{"Wanted": guideAnswer, "Answer": last.Text}))
	}
	return true, nil
}

func (v *visitor) devicesKnown() (bool, error) {
	s := v.w.hardwareTab().State()
	return !s.Reading && !s.Devices.Asking, nil
}

func (v *visitor) unloaded() (bool, error) {
	return v.w.bar.state.Phase == engine.NotLoaded, nil
}
