package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sirupsen/logrus"

	"paddock/engine/build/buildtest"
	"paddock/engine/gguf/gguftest"
)

// wantSaid asserts a failure that is one line on stderr and the same in the
// document on stdout.
func wantSaid(t *testing.T, status int, stdout, stderr, kind, remedy string) {
	t.Helper()
	var document struct {
		Error struct{ Kind, Message, Remedy string }
	}
	if err := json.Unmarshal([]byte(stdout), &document); err != nil {
		t.Fatalf("%v in %q, stderr %q", err, stdout, stderr)
	}
	e := document.Error
	if status != 1 || e.Kind != kind || !strings.Contains(e.Remedy, remedy) || stderr != e.Message+" "+e.Remedy+"\n" {
		t.Errorf("status %d, %+v, stderr %q", status, e, stderr)
	}
}

func TestWithoutAWindowTheReasonIsOneLineAndADocument(t *testing.T) {
	noGLX := newDesktop(t, "-extension", "GLX").display
	for _, test := range []struct {
		name         string
		env          []string
		args         []string
		kind, remedy string
	}{
		{"no display", nil, nil, "main.noDisplay", "paddock --help"},
		{"a display that is not there", []string{"DISPLAY=:65000"}, nil, "main.noDisplay", "Start it from a desktop"},
		{"a display without GLX", []string{"DISPLAY=" + noGLX}, nil, "main.noOpenGL", "graphics driver"},
		{"a tour without a virtual display", nil, []string{"tour", t.TempDir(), "--model", "any.gguf"}, "main.noVirtualDisplay", "xvfb"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, stdout, stderr := paddock(t, test.env, append([]string{"--json"}, test.args...)...)
			wantSaid(t, status, stdout, stderr, test.kind, test.remedy)
		})
	}
}

func TestWhoHasNoTerminalReadsItInADialog(t *testing.T) {
	folder := t.TempDir()
	shown := filepath.Join(folder, "shown")
	script := "#!/bin/sh\nprintf '%s' \"$2\" > '" + shown + "'\n"
	buildtest.Program(t, filepath.Join(folder, "xmessage"), script)
	_, _, stderr := paddock(t, []string{"PATH=" + folder})
	text, err := os.ReadFile(shown)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) < 2 || strings.Join(lines, " ")+"\n" != stderr {
		t.Errorf("it shows %q, stderr has %q", text, stderr)
	}
	for _, line := range lines {
		if len(line) > 60 {
			t.Errorf("%q does not fit a narrow screen", line)
		}
	}
}

func TestAFullDiskForTheLogIsNotSaidWithEveryLine(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = write
	closeLog := openLog("", "/dev/full", false)
	for range 3 {
		logrus.Warn("a line")
	}
	closeLog()
	os.Stderr = stderr
	write.Close()
	if said, err := io.ReadAll(read); err != nil || len(said) > 0 {
		t.Errorf("it said %q, %v", said, err)
	}
}

func TestTheWindowKeepsAnAnswerThatStopsMidWord(t *testing.T) {
	d := newDesktop(t)
	p := d.open("--engine", buildtest.Breaking(t), gguftest.Llama(t))
	loadModel(d, p)
	d.write("Hello there")
	d.key("Return")
	p.wait(loaded, "answer", "stop=broken", "server.crashed")
	p.wait(soon, "engine state", "state=failed", "segmentation fault")
	if status := d.closes(p); status != 0 {
		t.Errorf("it ends with %d", status)
	}
}

func TestATourIntoWhatIsNoFolderNamesIt(t *testing.T) {
	status, stdout, stderr := paddock(t, nil, "--json", "tour", os.DevNull)
	wantSaid(t, status, stdout, stderr, "tour.folder", "may write to")
	if !strings.Contains(stderr, os.DevNull) {
		t.Errorf("stderr %q", stderr)
	}
}

func TestATerminalThatClosesEndsAChatInGoodOrder(t *testing.T) {
	config, err := os.MkdirTemp("", "hup") // short enough for a socket in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(config) })
	model := gguftest.Llama(t)
	command := exec.CommandContext(t.Context(), os.Args[0], "--config", config, "--engine", buildtest.Path(t),
		"chat", model, "hello", "--tokens", "100000")
	command.Env = append(os.Environ(), runAsPaddock+"=1")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := output.Read(make([]byte, 1)); err != nil { // it answers
		t.Fatalf("%v: %s", err, &stderr)
	}
	if err := command.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, output); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // its status is looked at
	if status := command.ProcessState.ExitCode(); status != 1 || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("status %d, stderr %q", status, stderr.String())
	}
}
