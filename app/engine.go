package app

import (
	"context"
	"net/url"

	"fyne.io/fyne/v2"
	"github.com/sirupsen/logrus"

	"paddock/app/widgets"
	"paddock/engine"
	"paddock/engine/build"
	"paddock/engine/client"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
	"paddock/hardware"
	"paddock/words"
)

// showEngine draws a state of an engine and follows it: from the set-up to the
// chat once a model is ready for it, or back to Images.
func (w *Window) showEngine(e *seen, s engine.State) {
	if w.closing {
		return
	}
	before := e.state.Phase
	e.state = s
	if e.vectors {
		w.bar.showVectors(s)
	} else {
		w.bar.show(s)
	}
	w.tellEmbeddings(e)
	w.showStrip()
	w.logs.show(w.logged())
	w.remember(e)
	if e == w.chat {
		w.followStart(before, s.Phase)
	}
	if s.Phase == engine.Ready && before != engine.Ready {
		w.ready(e)
	}
	if s.Warning != nil && s.Warning != e.warning {
		w.Notify(words.Error(s.Warning).Text())
	}
	e.warning = s.Warning
	w.showStatus()
}

// ready follows an engine whose model has become ready.
func (w *Window) ready(e *seen) {
	w.modelsTab().Used(e.state.Model.Path)
	if e == w.chat {
		w.offer(e.state.Model)
	}
	w.learn(e)
	if w.logs.content.Visible() {
		w.toggleLog() // it was open for a failure that is over
	}
	switch {
	case w.current.id != pageLoad, e.state.Compared: // who compares stays there
	case e.vectors && e.state.Plan.Purpose == plan.Embeddings:
		w.GoTo(pageVectors)
	case e.vectors:
		w.GoTo(pageModels)
	case w.setUpIn == pageImages && e.state.Plan.Projector() != "":
		w.GoTo(pageImages) // where it was set up for
	default:
		w.GoTo(pageChat)
	}
	if e.vectors {
		w.Notify(words.T("shell.vectors.ready", map[string]any{"Name": modelName(e.state.Model), "Purpose": e.state.Plan.Purpose}))
	}
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
	case actLast:
		w.loadLast()
	case actCancel, actUnload:
		go w.chat.Unload()
	case actRetry:
		s := w.chat.state
		w.load(s.Plan, s.Given, s.Build)
	}
}

// loadAgain loads what the strip speaks of once more, in another way when there is
// one.
func (w *Window) loadAgain(instead *plan.Plan) {
	if w.said == nil {
		return
	}
	s := w.said.state
	if instead != nil {
		s.Plan = *instead
	}
	w.load(s.Plan, s.Given, s.Build)
}

// load starts a model on the engine for its purpose. How it goes comes back as
// states of that.
func (w *Window) load(p plan.Plan, g plan.Given, b build.Build) {
	w.log.WithField("model", p.ModelPath).Info("load")
	e := w.engineFor(p.Purpose)
	go func() {
		if err := e.Load(w.ctx, p, g, b); err != nil {
			w.log.WithError(err).Warn("load ended")
		}
	}()
}

// changeSettings opens the set-up of the model that was loaded last to chat with.
func (w *Window) changeSettings() { w.changeSettingsOf(w.chat) }

// changeSettingsOf opens the set-up of the model an engine loaded last, with the
// choices made there when it is still the same one.
func (w *Window) changeSettingsOf(e *seen) {
	if e == nil {
		e = w.chat
	}
	f := e.state.Model
	if f.Path == "" {
		w.GoTo(pageModels)
		return
	}
	if w.model.Facts.Path != f.Path {
		beside := e.state.Given.Beside
		go func() {
			m := library.One(f.Path)
			w.do(func() {
				if !w.closing {
					w.model = m
					w.loadTab().Open(m, beside)
					w.GoTo(pageLoad)
				}
			})
		}()
		return
	}
	w.GoTo(pageLoad)
}

func (w *Window) toggleLog() {
	if w.logs.content.Visible() {
		w.logOf = nil
	}
	w.logs.show(w.logged())
	w.strip.logOpen(w.logs.toggle())
	w.showStatus()
}

func (w *Window) openLog() {
	if path := w.logged().LogPath; path != "" {
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
	widgets.MenuUnder(under, fyne.NewMenu("", w.moreItems()...))
}

func (w *Window) moreItems() []*fyne.MenuItem {
	change := fyne.NewMenuItem(words.T("shell.change"), w.changeSettings)
	change.Disabled = w.chat.state.Model.Path == ""
	logs := fyne.NewMenuItem(words.T("shell.log.show"), w.toggleLog)
	if w.logs.content.Visible() {
		logs.Label = words.T("shell.log.hide")
	}
	full := fyne.NewMenuItem(words.T("shell.log.full"), w.openLog)
	full.Disabled = w.logged().LogPath == ""
	items := []*fyne.MenuItem{change, logs, full}
	if w.bar.action == actLast {
		other := fyne.NewMenuItem(words.T("shell.load.other"), func() { w.GoTo(pageModels) })
		items = append([]*fyne.MenuItem{other}, items...)
	}
	if e := w.vectors; e != nil && e.state.Phase != engine.NotLoaded {
		name := map[string]any{"Name": modelName(e.state.Model)}
		items = append(items, fyne.NewMenuItemSeparator(),
			fyne.NewMenuItem(words.T("shell.vectors.unload", name), func() { go e.Unload() }),
			fyne.NewMenuItem(words.T("shell.vectors.log", name), func() { w.showLogOf(e) }))
	}
	return items
}

// A loggedEngine writes how each answer ended to the log, and nothing of what it
// says.
type loggedEngine struct {
	Engine
	log *logrus.Entry
}

func (e loggedEngine) Chat(ctx context.Context, r client.Request, each func(client.Delta)) (client.Answer, error) {
	answer, err := e.Engine.Chat(ctx, r, each)
	pictures := 0
	for _, m := range r.Messages {
		pictures += len(m.Pictures)
	}
	entry := e.log.WithFields(logrus.Fields{
		"pictures": pictures,
		"stop":     answer.Stop, "promptTokens": answer.PromptTokens, "answerTokens": answer.AnswerTokens,
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

// buildName is a build in a few words, or that there is none.
func buildName(b build.Build) string {
	if b.Path == "" {
		return words.T("shell.noEngine")
	}
	return words.Build(b)
}
