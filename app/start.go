package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"paddock/app/chat"
	"paddock/diskfile"
	"paddock/engine"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/words"
)

// The model chatted with last is offered at a start: in the engine bar and in a
// chat without a model. It is loaded without being asked for only where Settings
// say so, and not after a start at which that did not end well: a load that takes
// the machine down must not do so at every start.

// A beginning is how far the load at the start has come.
type beginning int

const (
	noLoad     beginning = iota // none, or it is over
	loadWanted                  // it waits until it is known what is beside the model
	loadRuns
)

// lastLooked is how many of the models used last are looked for until one is
// there.
const lastLooked = 10

// findLast looks for the model that was chatted with last, and offers it.
func (w *Window) findLast() {
	c := w.options.Config.Get()
	go func() {
		last, there := lastChat(c.Recent)
		failed := marked(w.startMark())
		w.do(func() {
			if w.closing || !there || w.last.Path != "" { // one was loaded meanwhile
				return
			}
			w.offer(last)
			switch {
			case !c.LoadAtStart || len(w.options.Files) > 0 || w.chat.state.Phase != engine.NotLoaded:
			case failed:
				w.Notify(words.T("shell.start.failed", map[string]any{"Name": modelName(last)}))
			default:
				w.begun = loadWanted
				w.loadAtStart()
			}
		})
	}()
}

// lastChat is the first of some models that is there and can chat. It reads files.
func lastChat(recent []string) (gguf.Facts, bool) {
	for _, path := range recent[:min(len(recent), lastLooked)] {
		if m := library.One(path); m.Problem == nil && slices.Contains(m.Capabilities, library.Chat) {
			return m.Facts, true
		}
	}
	return gguf.Facts{}, false
}

// offer has a model ready to be loaded again, with one press.
func (w *Window) offer(last gguf.Facts) {
	w.last = last
	w.bar.offer(last)
	if t, made := w.page(pageChat).tab.(*chat.Tab); made {
		t.Offer(modelName(last))
	}
}

// loadAtStart loads the model used last once the first look for models is over:
// what was chosen for it may name files found there.
func (w *Window) loadAtStart() {
	if w.begun != loadWanted || !w.modelsTab().Settled() {
		return
	}
	if w.chat.state.Phase != engine.NotLoaded { // the user was faster
		w.begun = noLoad
		return
	}
	w.begun = loadRuns
	w.log.WithField("model", w.last.Path).Info("load at start")
	mark := w.startMark()
	w.writes.Add("", func() {
		// On the disk before the load, which may take the machine down.
		if err := diskfile.ReplaceBytes(mark, 0o600, nil); err != nil {
			w.log.WithError(err).Warn("no mark of the load at the start")
		}
		w.do(func() { w.loadOffered(w.stillAtStart) })
	})
}

// stillAtStart says whether the user has begun nothing that a load at the start would
// take over.
func (w *Window) stillAtStart() bool {
	if w.begun != loadRuns {
		return false
	}
	if w.chat.state.Phase == engine.NotLoaded && w.model.Facts.Path == "" {
		return true
	}
	w.begun = noLoad
	w.unmark()
	return false
}

// loadLast loads the model that is offered, as it was set up.
func (w *Window) loadLast() { w.loadOffered(func() bool { return true }) }

// loadOffered does that when it is still wanted after the files were looked at.
func (w *Window) loadOffered(wanted func() bool) {
	w.loadAsSetUp(w.last.Path, wanted, func(problem error) {
		w.offer(gguf.Facts{})
		w.Notify(words.Error(problem).Text())
	})
}

// loadAsSetUp loads a model as it was set up before, when that is still wanted after
// its files were looked at. unusable is told why they are no use.
func (w *Window) loadAsSetUp(path string, wanted func() bool, unusable func(error)) {
	from := w.current
	go func() {
		m := library.One(path)
		beside := neighbours(w.ctx, m)
		w.do(func() {
			switch {
			case w.closing || !wanted():
			case m.Problem != nil:
				unusable(m.Problem)
			default:
				if known := w.modelsTab().Beside(path); len(known) > 0 {
					beside = known
				}
				w.model = m
				w.loadTab().OpenAndLoad(m, beside)
				if w.current == from {
					w.GoTo(pageLoad)
				}
			}
		})
	}()
}

// followStart takes the mark of a load at the start away once it did not fail:
// a model is ready, or the user gave it up.
func (w *Window) followStart(before, now engine.Phase) {
	switch {
	case now == engine.Failed:
		w.begun = noLoad
	case now == engine.Ready && before != engine.Ready,
		w.begun == loadRuns && now == engine.NotLoaded && before != now:
		w.begun = noLoad
		w.unmark()
	}
}

// endStart is followStart for a window that closes: what was given up did not fail.
func (w *Window) endStart() {
	if w.begun == loadRuns {
		w.begun = noLoad
		w.unmark()
	}
}

// startMark is a file that is there while a load at the start runs, and after one
// that failed.
func (w *Window) startMark() string {
	return filepath.Join(w.options.Config.Folders().Cache, "loading-at-start")
}

func marked(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// unmark takes the mark away, beside the UI goroutine.
func (w *Window) unmark() {
	mark := w.startMark()
	w.writes.Add("", func() {
		if err := os.Remove(mark); err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.log.WithError(err).Warn("the mark of the load at the start stays")
		}
	})
}
