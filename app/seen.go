package app

import (
	"errors"

	"paddock/app/widgets"
	"paddock/engine"
	"paddock/engine/server"
	"paddock/words"
)

// A seen is one of the window's engines, with its latest state and what of it has
// been said. It belongs to the UI goroutine.
type seen struct {
	Engine
	vectors    bool // it makes vectors or reranks, beside the chat
	state      engine.State
	states     *widgets.Mailbox[engine.State]
	dismissed  error            // the failure the strip was dismissed for
	noticed    *engine.FellBack // the notice it was dismissed for
	remembered *engine.FellBack // that is kept for the next set-up
	warning    error            // already said
}

// engines are the window's, the chat's first.
func (w *Window) engines() []*seen {
	if w.vectors == nil {
		return []*seen{w.chat}
	}
	return []*seen{w.chat, w.vectors}
}

// watch has the window follow an engine.
func (w *Window) watch(e Engine, vectors bool) *seen {
	s := &seen{Engine: e, vectors: vectors, state: engine.State{Phase: engine.NotLoaded}}
	s.states = widgets.NewMailbox(w.do, 0, func(state engine.State) { w.showEngine(s, state) })
	return s
}

// engineFor is the engine that runs plans of a purpose.
func (w *Window) engineFor(purpose string) *seen {
	if w.vectors != nil && engine.IsVectors(purpose) {
		return w.vectors
	}
	return w.chat
}

// other is the engine beside one, nil when there is none.
func (w *Window) other(e *seen) *seen {
	for _, o := range w.engines() {
		if o != e {
			return o
		}
	}
	return nil
}

// showStrip says what failed, or else what runs in place of what failed; the
// chat's first.
func (w *Window) showStrip() {
	for _, e := range w.engines() {
		strip, on := stripFor(e.state)
		if !on {
			e.dismissed = nil
		}
		if on && e.state.Err != e.dismissed {
			w.said = e
			w.strip.show(named(strip, e), true)
			return
		}
	}
	for _, e := range w.engines() {
		if notice, on := noticeFor(e.state); on && e.state.FellBack != e.noticed {
			w.said = e
			w.strip.show(named(notice, e), true)
			return
		}
	}
	w.said = nil
	w.strip.show(stripState{}, false)
}

// named says of an engine beside the chat's which one it is.
func named(s stripState, e *seen) stripState {
	if e.vectors {
		s.Bold = words.T("shell.vectors.failed", map[string]any{"Purpose": purposeName(e.state.Plan.Purpose), "What": s.Bold})
	}
	return s
}

// dismiss takes away what the strip says.
func (w *Window) dismiss() {
	if w.said == nil {
		return
	}
	w.said.dismissed, w.said.noticed = w.said.state.Err, w.said.state.FellBack
	w.showStrip()
	if w.logs.content.Visible() {
		w.toggleLog()
	}
	w.showStatus()
}

// logged is the engine whose log there is to see: the one that was asked for, or
// that of which the strip speaks, or the chat's. Of one that was replaced by a
// fallback it is what that one said at its end.
func (w *Window) logged() engine.State {
	e := w.logOf
	if e == nil {
		e = w.said
	}
	if e == nil {
		e = w.chat
	}
	s := e.State()
	var failure *server.Failure
	if e == w.said && w.strip.shown.Notice && s.FellBack != nil && errors.As(s.FellBack.Err, &failure) {
		s.LastWords, s.LogPath = failure.LastWords, failure.LogPath
	}
	return s
}

// showLogOf opens the log of an engine.
func (w *Window) showLogOf(e *seen) {
	w.logOf = e
	if w.logs.content.Visible() {
		w.logs.show(w.logged())
		return
	}
	w.toggleLog()
}
