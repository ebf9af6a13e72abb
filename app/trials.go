package app

import (
	"paddock/app/load"
	"paddock/config"
	"paddock/engine"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/words"
)

// trial is what a model would be tried with, the machine by the devices a build
// sees. It asks the build: not for the UI goroutine. Not ok when that does not tell.
func (w *Window) trial(f gguf.Facts, b build.Build) (t config.Trial, ok bool) {
	devices, err := w.devicesOf(w.ctx, b)
	if err != nil {
		w.log.WithError(err).Warn("devices of a trial")
		return config.Trial{}, false
	}
	t = config.Trial{Model: f.Path, SizeBytes: f.SizeBytes, Build: b.ID}
	for _, d := range devices {
		t.Devices = append(t.Devices, d.Name)
	}
	return t, true
}

// failed are the rules whose caution came true with a model and a build here.
func (w *Window) failed(f gguf.Facts, b build.Build) []string {
	if t, ok := w.trial(f, b); ok {
		return w.trials.Failed(t)
	}
	return nil
}

// remember keeps for the next set-up what an engine fell back from.
func (w *Window) remember(e *seen) {
	s := e.state
	if s.Phase != engine.Ready || s.FellBack == nil || s.FellBack == e.remembered || !s.FellBack.Lasting() {
		return
	}
	e.remembered = s.FellBack
	go func() {
		t, ok := w.trial(s.Model, s.Build)
		if !ok {
			return
		}
		if err := w.trials.Put(t, s.FellBack.Foreseen.Trial); err != nil {
			w.log.WithError(err).Warn("what failed is not kept")
		}
		w.do(w.refreshSetUp)
	}()
}

// forgetTrial gives what the strip speaks of another chance at the next load.
func (w *Window) forgetTrial() {
	if w.said == nil || w.said.state.FellBack == nil {
		return
	}
	s := w.said.state
	w.dismiss()
	go func() {
		w.forget(s.Model, s.Build, s.FellBack.Foreseen.Trial)
		w.do(w.refreshSetUp)
		w.do(func() { w.mention(words.T("shell.forgotten", map[string]any{"Name": modelName(s.Model)})) })
	}()
}

// refreshSetUp has the set-up that is open know what failed here, or no longer did.
func (w *Window) refreshSetUp() {
	if t, made := w.page(pageLoad).tab.(*load.Tab); made && !w.closing {
		t.Refresh()
	}
}

// forget gives what a rule foresaw of a model and a build here another chance. It
// asks the build: not for the UI goroutine.
func (w *Window) forget(f gguf.Facts, b build.Build, rule string) {
	t, ok := w.trial(f, b)
	if !ok {
		return
	}
	if err := w.trials.Forget(t, rule); err != nil {
		w.log.WithError(err).Warn("what failed is not forgotten")
	}
}
