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
func (v *visitor) shots() {
	v.screen("first-start", func() { v.rail(pageModels) }, v.enginesKnown)
	v.screen("models", func() { v.w.Open([]string{filepath.Dir(v.tour.Model), v.tour.Model}) }, v.modelSelected)
	v.screen("load", func() { v.key(fyne.KeyReturn) }, v.planMeasured)
	// A small model loads faster than four pictures are taken: the bar is held.
	v.screen("loading", func() {
		s := v.w.loadTab().State()
		v.w.showEngine(v.w.chat, engine.State{Phase: engine.Loading, Progress: 0.43, Model: s.Model.Facts, Plan: s.Plan, Build: s.Build})
	}, nil)
	v.screen("ready", func() { v.shortcut(fyne.KeyReturn) }, v.readied)
	v.screen("chat-new", func() { v.rail(pageChat) }, v.focused)
	v.screen("asked", func() { v.ask(tourQuestion) }, v.answering)
	v.screen("chat", func() {}, v.answered)
	v.screen("images", func() { v.rail(pageImages) }, nil)
	v.screen("embeddings", func() { v.rail(pageVectors) }, nil)
	v.screen("hardware", func() { v.rail(pageHardware) }, v.devicesKnown)
	v.screen("settings", func() { v.rail(pageSettings) }, nil)
	v.screen("failed", func() { v.rail(pageChat); v.loadBroken() }, v.failed)
	v.screen("failed-log", func() { v.shortcut(fyne.KeyL) }, nil)
}

// screen makes the window show something and takes it in every theme and size.
func (v *visitor) screen(name string, act func(), until func() (bool, error)) {
	number := len(v.done)/4 + 1
	fyne.DoAndWait(act)
	err := v.wait(loadTime, until)
	for _, variant := range []string{theme.Dark, theme.Light} {
		for _, size := range []fyne.Size{{Width: theme.StartWidth, Height: theme.StartHeight}, {Width: theme.MinWidth, Height: theme.MinHeight}} {
			fyne.DoAndWait(func() {
				v.w.applyTheme(variant)
				v.w.fyne.Resize(size)
			})
			file := fmt.Sprintf("%02d-%s-%s-%.0fx%.0f.png", number, name, variant, size.Width, size.Height)
			s := Step{Name: name, Picture: file, OK: true}
			taken := v.picture(file)
			for _, err := range []error{err, taken} {
				if err != nil {
					s.OK, s.Error = false, err.Error()
				}
			}
			v.done = append(v.done, s)
		}
	}
}

// readied is ready for a load that was asked for just now: the engine may not know of
// it yet, and no model being loaded is no end of it.
func (v *visitor) readied() (bool, error) {
	return v.w.bar.state.Phase == engine.Ready, v.failure()
}

func (v *visitor) failed() (bool, error) {
	return v.w.bar.state.Phase == engine.Failed, nil
}

// loadBroken loads a copy of the model whose architecture no engine knows.
func (v *visitor) loadBroken() {
	s := v.w.bar.state
	path := filepath.Join(v.w.options.Config.Folders().Cache, "unknown-architecture.gguf")
	if err := breakCopy(v.tour.Model, path, s.Model.Architecture); err != nil {
		v.w.Notify(words.Error(err).Text())
		return
	}
	facts := s.Model
	facts.Path = path
	v.w.load(plan.Plan{ModelPath: path}, plan.Given{Model: facts}, s.Build)
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
	defer copied.Close() // once more than below, where it failed before that
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
	if _, err := io.Copy(copied, source); err != nil {
		return err
	}
	return copied.Close()
}
