package app

import (
	"context"

	"paddock/app/load"
	"paddock/engine/gguf"
	"paddock/engine/library"
)

// setUp opens the screen that sets a model up.
func (w *Window) setUp(m library.Model) { w.openSetUp(m, w.loadTab().Open) }

// setUpBest does the same with the best settings.
func (w *Window) setUpBest(m library.Model) { w.openSetUp(m, w.loadTab().OpenBest) }

func (w *Window) openSetUp(m library.Model, open func(library.Model, []gguf.Facts)) {
	w.model = m
	beside := w.modelsTab().Beside(m.Facts.Path)
	open(m, beside)
	w.GoTo(pageLoad)
	if len(beside) == 0 {
		w.lookAround(m)
	}
}

// lookAround finds what is near a model that no other file is known for: one that
// was opened by itself has its projector there.
func (w *Window) lookAround(m library.Model) {
	go func() {
		beside := neighbours(w.ctx, m)
		w.do(func() {
			if w.model.Facts.Path == m.Facts.Path && len(beside) > 0 && len(w.modelsTab().Beside(m.Facts.Path)) == 0 {
				w.loadTab().SetBeside(beside)
			}
		})
	}()
}

// neighbours are the files near a model that work beside it.
func neighbours(ctx context.Context, m library.Model) []gguf.Facts {
	near, err := new(library.Scanner).Neighbours(ctx, m)
	if err != nil {
		return nil // the window closes
	}
	return library.Beside(library.Pair(near)[m.Facts.Path])
}

// companionsChanged tells the set-up screen which files work beside its model,
// when more of them have been found.
func (w *Window) companionsChanged() {
	if t, made := w.page(pageLoad).tab.(*load.Tab); made && w.model.Facts.Path != "" {
		if beside := w.modelsTab().Beside(w.model.Facts.Path); len(beside) > 0 {
			t.SetBeside(beside)
		}
	}
}
