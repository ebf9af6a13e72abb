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
// sees. It asks the build: not for the UI goroutine. The error is why that does not
// tell.
func (w *Window) trial(f gguf.Facts, b build.Build) (config.Trial, error) {
	devices, err := w.devicesOf(w.ctx, b)
	if err != nil {
		w.log.WithError(err).Warn("devices of a trial")
		return config.Trial{}, err
	}
	t := config.Trial{Model: f.Path, SizeBytes: f.SizeBytes, Build: b.ID}
	for _, d := range devices {
		t.Devices = append(t.Devices, d.Name)
	}
	return t, nil
}

// failed are the rules whose caution came true with a model and a build here.
func (w *Window) failed(f gguf.Facts, b build.Build) []string {
	t, err := w.trial(f, b)
	if err != nil {
		return nil
	}
	return w.trials.Failed(t)
}

// remember keeps for the next set-up what an engine fell back from.
func (w *Window) remember(e *seen) {
	s := e.state
	if s.Phase != engine.Ready || s.FellBack == nil || s.FellBack == e.remembered || !s.FellBack.Lasting() {
		return
	}
	e.remembered = s.FellBack
	w.writes.Add("", func() {
		t, err := w.trial(s.Model, s.Build)
		if err != nil {
			return
		}
		if err := w.trials.Put(t, s.FellBack.Foreseen.Trial); err != nil {
			w.log.WithError(err).Warn("what failed is not kept")
		}
		w.do(w.refreshSetUp)
	})
}

// forgetTrial gives what the strip speaks of another chance at the next load.
func (w *Window) forgetTrial() {
	if w.said == nil || w.said.state.FellBack == nil {
		return
	}
	s := w.said.state
	w.dismiss()
	w.writes.Add("", func() {
		err := w.tryAgain(s.Model, s.Build, s.FellBack.Foreseen.Trial)
		w.do(func() {
			w.refreshSetUp()
			if err != nil {
				w.Notify(words.Error(err).Text())
				return
			}
			w.mention(words.T("shell.forgotten", map[string]any{"Name": modelName(s.Model)}))
		})
	})
}

// refreshSetUp has the set-up that is open know what failed here, or no longer did.
func (w *Window) refreshSetUp() {
	if t, made := w.page(pageLoad).tab.(*load.Tab); made && !w.closing {
		t.Refresh()
	}
}

// forget is tryAgain for the set-up screen, which has no place for why it failed.
func (w *Window) forget(f gguf.Facts, b build.Build, rule string) {
	if err := w.tryAgain(f, b, rule); err != nil {
		w.do(func() { w.Notify(words.Error(err).Text()) })
	}
}

// tryAgain gives what a rule foresaw of a model and a build here another chance. It
// asks the build: not for the UI goroutine. The error is why it has none, or none
// after a start.
func (w *Window) tryAgain(f gguf.Facts, b build.Build, rule string) error {
	t, err := w.trial(f, b)
	if err != nil {
		return err
	}
	err = w.trials.Forget(t, rule)
	if err != nil {
		w.log.WithError(err).Warn("what failed is not forgotten")
	}
	return err
}
