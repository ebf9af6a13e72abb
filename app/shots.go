package app

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"fyne.io/fyne/v2"

	"paddock/app/theme"
	"paddock/engine"
	"paddock/engine/plan"
	"paddock/words"
)

// shots takes every screen in both themes and both sizes.
func (g *guide) shots() {
	g.screen("first-start", func() { g.rail(pageModels) }, g.enginesKnown)
	g.screen("models", func() { g.w.Open([]string{filepath.Dir(g.tour.Model), g.tour.Model}) }, g.modelSelected)
	g.screen("load", func() { g.key(fyne.KeyReturn) }, g.planMeasured)
	// A small model loads faster than four pictures are taken: the bar is held.
	g.screen("loading", func() {
		s := g.w.loadTab().State()
		g.w.showEngine(engine.State{Phase: engine.Loading, Progress: 0.43, Model: s.Model.Facts, Plan: s.Plan, Build: s.Build})
	}, nil)
	g.screen("ready", func() { g.shortcut(fyne.KeyReturn) }, g.ready)
	g.screen("chat-new", func() { g.rail(pageChat) }, g.focused)
	g.screen("asked", func() { g.ask(tourQuestion) }, g.answering)
	g.screen("chat", func() {}, g.answered)
	g.screen("hardware", func() { g.rail(pageHardware) }, g.devicesKnown)
	g.screen("settings", func() { g.rail(pageSettings) }, nil)
	g.screen("failed", func() { g.rail(pageChat); g.loadBroken() }, g.failed)
	g.screen("failed-log", func() { g.shortcut(fyne.KeyL) }, nil)
}

// screen makes the window show something and takes it in every theme and size.
func (g *guide) screen(name string, act func(), until func() (bool, error)) {
	number := len(g.done)/4 + 1
	fyne.DoAndWait(act)
	err := g.wait(loadTime, until)
	for _, variant := range []string{theme.Dark, theme.Light} {
		for _, size := range []fyne.Size{{Width: theme.StartWidth, Height: theme.StartHeight}, {Width: theme.MinWidth, Height: theme.MinHeight}} {
			fyne.DoAndWait(func() {
				g.w.applyTheme(variant)
				g.w.fyne.Resize(size)
			})
			file := fmt.Sprintf("%02d-%s-%s-%.0fx%.0f.png", number, name, variant, size.Width, size.Height)
			s := Step{Name: name, Picture: file, OK: true}
			taken := g.picture(file)
			for _, err := range []error{err, taken} {
				if err != nil {
					s.OK, s.Error = false, err.Error()
				}
			}
			g.done = append(g.done, s)
		}
	}
}

func (g *guide) failed() (bool, error) {
	return g.w.bar.state.Phase == engine.Failed, nil
}

// loadBroken loads a copy of the model whose architecture no engine knows.
func (g *guide) loadBroken() {
	s := g.w.bar.state
	path := filepath.Join(g.w.options.Config.Folders().Cache, "unknown-architecture.gguf")
	if err := breakCopy(g.tour.Model, path, s.Model.Architecture); err != nil {
		g.w.Notify(words.Error(err).Message)
		return
	}
	facts := s.Model
	facts.Path = path
	g.w.load(plan.Plan{ModelPath: path}, facts, s.Build)
}

// breakCopy copies a GGUF file with the name of its architecture made up.
func breakCopy(from, to, architecture string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	copied, err := os.Create(to)
	if err != nil {
		return err
	}
	defer copied.Close()
	head := make([]byte, 4096)
	n, err := io.ReadFull(source, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		return err
	}
	head = head[:n]
	if _, value, ok := bytes.Cut(head, []byte("general.architecture")); ok {
		if at := bytes.Index(value, []byte(architecture)); at >= 0 {
			copy(value[at:], bytes.Repeat([]byte("x"), len(architecture)))
		}
	}
	if _, err := copied.Write(head); err != nil {
		return err
	}
	_, err = io.Copy(copied, source)
	return err
}
