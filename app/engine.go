package app

import (
	"context"
	"net/url"

	"fyne.io/fyne/v2"
	"github.com/sirupsen/logrus"

	"paddock/engine"
	"paddock/engine/build"
	"paddock/engine/client"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
	"paddock/hardware"
	"paddock/words"
)

// showEngine draws a state of the engine and follows it: from the set-up to the
// chat once a model is ready.
func (w *Window) showEngine(s engine.State) {
	if w.closing {
		return
	}
	before := w.bar.state.Phase
	w.bar.show(s)
	w.logs.show(s)
	strip, failed := stripFor(s)
	if !failed {
		w.failure = nil
	}
	w.strip.show(strip, failed && s.Err != w.failure)
	if s.Phase == engine.Ready && before != engine.Ready {
		w.modelsTab().Used(s.Model.Path)
		w.learn(s)
		if w.logs.content.Visible() {
			w.toggleLog() // it was open for a failure that is over
		}
	}
	if s.Phase == engine.Ready && before != engine.Ready && w.current.id == pageLoad {
		w.GoTo(pageChat)
	}
	if s.Warning != nil && s.Warning != w.warning {
		w.Notify(words.Error(s.Warning).Message)
	}
	w.warning = s.Warning
	w.showStatus()
}

func (w *Window) showMachine(s hardware.Snapshot) {
	if w.closing {
		return
	}
	w.bar.showMachine(s)
	w.showStatus()
}

// act does what the engine bar's button says.
func (w *Window) act(a action) {
	switch a {
	case actChoose:
		w.GoTo(pageModels)
	case actCancel, actUnload:
		go w.options.Engine.Unload()
	case actRetry:
		s := w.bar.state
		w.load(s.Plan, s.Model, s.Build)
	}
}

// load starts a model. How it goes comes back as states of the engine.
func (w *Window) load(p plan.Plan, f gguf.Facts, b build.Build) {
	w.log.WithField("model", f.Path).Info("load")
	go func() {
		if err := w.options.Engine.Load(w.ctx, p, f, b); err != nil {
			w.log.WithError(err).Warn("load ended")
		}
	}()
}

// setUp opens the screen that sets a model up.
func (w *Window) setUp(m library.Model) {
	w.model = m
	w.loadTab().Open(m)
	w.GoTo(pageLoad)
}

// changeSettings opens the set-up of the model that was loaded last, with the
// choices made there when it is still the same one.
func (w *Window) changeSettings() {
	f := w.bar.state.Model
	if f.Path == "" {
		w.GoTo(pageModels)
		return
	}
	if w.model.Facts.Path != f.Path {
		go func() {
			m := library.One(f.Path)
			w.do(func() {
				if !w.closing {
					w.setUp(m)
				}
			})
		}()
		return
	}
	w.GoTo(pageLoad)
}

func (w *Window) dismissFailure() {
	w.failure = w.bar.state.Err
	w.strip.show(stripState{}, false)
	if w.logs.content.Visible() {
		w.toggleLog()
	}
	w.showStatus()
}

func (w *Window) toggleLog() {
	w.logs.show(w.options.Engine.State())
	w.strip.logOpen(w.logs.toggle())
	w.showStatus()
}

func (w *Window) openLog() {
	if path := w.bar.state.LogPath; path != "" {
		w.openPath(path)
	}
}

// openPath shows a file or folder in the desktop's own program for it.
func (w *Window) openPath(path string) {
	if err := w.options.Fyne.OpenURL(&url.URL{Scheme: "file", Path: path}); err != nil {
		w.log.WithError(err).Warn("open path")
		w.mention(words.T("shell.cannotOpen", map[string]any{"Path": gguf.Printable(path)}))
	}
}

// openLink shows an address in the browser.
func (w *Window) openLink(address string) {
	u, err := url.Parse(address)
	if err == nil {
		err = w.options.Fyne.OpenURL(u)
	}
	if err != nil {
		w.log.WithError(err).Warn("open link")
		w.mention(words.T("shell.cannotOpen", map[string]any{"Path": gguf.Printable(address)}))
	}
}

// moreMenu is the menu behind the engine bar's arrow.
func (w *Window) moreMenu(under fyne.CanvasObject) {
	change := fyne.NewMenuItem(words.T("shell.change"), w.changeSettings)
	change.Disabled = w.bar.state.Model.Path == ""
	logs := fyne.NewMenuItem(words.T("shell.log.show"), w.toggleLog)
	if w.logs.content.Visible() {
		logs.Label = words.T("shell.log.hide")
	}
	full := fyne.NewMenuItem(words.T("shell.log.full"), w.openLog)
	full.Disabled = w.bar.state.LogPath == ""
	showMenu(under, change, logs, full)
}

// A loggedEngine writes how each answer ended to the log, and nothing of what it
// says.
type loggedEngine struct {
	Engine
	log *logrus.Entry
}

func (e loggedEngine) Chat(ctx context.Context, r client.Request, each func(client.Delta)) (client.Answer, error) {
	answer, err := e.Engine.Chat(ctx, r, each)
	entry := e.log.WithFields(logrus.Fields{
		"stop": answer.Stop, "promptTokens": answer.PromptTokens, "answerTokens": answer.AnswerTokens,
		"tokensPerSecond": answer.TokensPerSecond, "firstToken": answer.FirstToken,
	})
	if err != nil {
		entry = entry.WithError(err)
	}
	entry.Info("answer")
	return answer, err
}

// logEngine writes what happens to the log, progress left out.
func (w *Window) logEngine(s engine.State) {
	entry := w.log.WithFields(logrus.Fields{"state": string(s.Phase), "model": s.Model.Path})
	switch {
	case s.Phase == engine.Loading && s.Progress > 0:
		entry.WithField("progress", s.Progress).Debug("engine state")
	case s.Err != nil:
		entry.WithError(s.Err).Info("engine state")
	default:
		entry.WithField("tokensPerSecond", s.TokensPerSecond).Info("engine state")
	}
}

// unusable says why a build can't be used.
func unusable(b build.Build) string {
	err := b.Err()
	if err == nil { // only its kind is known
		err = &build.Error{Problem: build.Problem(b.Problem), Path: b.Path}
	}
	return words.Error(err).Message
}

// buildName is a build in a few words: "llama.cpp b11669 · Vulkan".
func buildName(b build.Build) string {
	if b.Path == "" {
		return words.T("shell.noEngine")
	}
	name := words.T("shell.build", map[string]any{"Number": b.Number})
	for _, backend := range b.Backends {
		if backend != "CPU" && backend != "RPC" { // every build has them
			name += " · " + backend
		}
	}
	return name
}
