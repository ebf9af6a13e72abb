//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"paddock/engine/gguf/gguftest"
)

// Limits that a busy machine keeps too.
const (
	soon   = 20 * time.Second
	loaded = 90 * time.Second
)

// loadModel is what a person does from a started window with a model to an
// engine that is ready.
func loadModel(d *desktop, p *program) {
	d.t.Helper()
	p.wait(soon, "model selected")
	d.key("Return")
	p.wait(soon, "tab shown", "tab=load")
	p.wait(soon, "plan measured")
	d.key("ctrl+Return")
	p.wait(loaded, "engine state", "state=ready")
	p.wait(soon, "tab shown", "tab=chat")
}

func TestAModelFileIsOpenedLoadedAndAnswers(t *testing.T) {
	d := newDesktop(t)
	p := d.open(gguftest.Llama(t))
	loadModel(d, p)
	d.write("Hello there")
	d.key("Return")
	p.wait(loaded, "answer", "stop=stop")
	engine := p.theEngine()
	if status := d.closes(p); status != 0 {
		t.Errorf("it ends with %d", status)
	}
	gone(t, engine, time.Second)
}

func TestADroppedModelIsOpened(t *testing.T) {
	d := newDesktop(t)
	p := d.open()
	path := filepath.Join(t.TempDir(), "a model, тест.gguf")
	if err := os.Rename(gguftest.Llama(t), path); err != nil {
		t.Fatal(err)
	}
	drag := newDragger(t, d.display)
	drag.drop(drag.windowOf(p.command.Process.Pid), path)
	p.wait(soon, "model selected", "тест")
}

func TestTheWindowOutlivesItsEngine(t *testing.T) {
	d := newDesktop(t)
	p := d.open(gguftest.Llama(t))
	loadModel(d, p)
	engine := p.theEngine()
	if err := syscall.Kill(engine, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.wait(soon, "engine state", "state=failed")
	select {
	case <-p.ended:
		t.Fatal("the window went with it")
	case <-time.After(time.Second):
	}
	d.key("alt+F4")
	p.exits(5 * time.Second)
}

func TestTheEngineDoesNotOutliveAKilledWindow(t *testing.T) {
	d := newDesktop(t)
	p := d.open(gguftest.Llama(t))
	loadModel(d, p)
	engine := p.theEngine()
	p.command.Process.Kill()
	p.exits(soon)
	gone(t, engine, 5*time.Second)
}

func TestASecondLaunchHandsItsFilesToTheFirst(t *testing.T) {
	d := newDesktop(t)
	p := d.open()
	second := d.launch("--config", filepath.Join(filepath.Dir(p.log), "c"), gguftest.Llama(t))
	if status := second.exits(soon); status != 0 {
		t.Errorf("the second ends with %d", status)
	}
	p.wait(soon, "model selected", "llama")
}

func TestAScreenWithoutOpenGLIsASentence(t *testing.T) {
	d := newDesktop(t, "-extension", "GLX")
	wantsSentence(t, d.launch(), "OpenGL")
}

func TestNoScreenIsASentence(t *testing.T) {
	wantsSentence(t, (&desktop{t: t}).launch(), "display")
}

// wantsSentence is a start that fails with one readable line.
func wantsSentence(t *testing.T, p *program, about string) {
	t.Helper()
	if status := p.exits(soon); status != 1 {
		t.Errorf("it ends with %d", status)
	}
	said := strings.TrimSpace(p.output.String())
	if !strings.Contains(said, about) || strings.Contains(said, "goroutine") || strings.Count(said, "\n") > 0 {
		t.Errorf("it said %q", said)
	}
}
