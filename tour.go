package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"paddock/app"
	"paddock/cli"
	"paddock/config"
	"paddock/engine/gguf"
	"paddock/engine/starter"
	"paddock/words"
)

// errTour is a tour with a step that failed. What failed has been said.
var errTour = errors.New("a step of the tour failed")

// noVirtualDisplay is a tour without a screen, real or virtual.
const noVirtualDisplay displayError = "main.noVirtualDisplay"

// noFolder is a folder for what a tour leaves that can't be made or written to.
type noFolder struct {
	dir string
	err error
}

func (e noFolder) Error() string { return e.err.Error() }

func (e noFolder) Unwrap() error { return e.err }

// Sentence is what the command line says.
func (e noFolder) Sentence() words.Sentence {
	return words.Of("tour.folder", map[string]any{"Folder": gguf.Printable(e.dir), "Reason": words.Reason(e.err)})
}

// runTour goes through the window without a person, with settings of its own
// unless told otherwise, and on a virtual screen where there is no real one.
func runTour(ctx context.Context, r cli.TourRequest) error {
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return noFolder{r.Dir, err}
	}
	dir := r.ConfigDir
	if dir == "" {
		own, err := os.MkdirTemp("", "paddock-tour-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(own)
		dir = own
	}
	store, err := config.Open(dir)
	if err != nil {
		return err
	}
	defer openLog(store.Folders().Log, r.LogPath, r.Verbose)()
	stop, err := needScreen(ctx)
	if err != nil {
		return err
	}
	defer stop()
	options, err := windowOptions(store, r.Request)
	if err != nil {
		return err
	}
	tour := app.Tour{Dir: r.Dir, Model: r.Model, Shots: r.Shots}
	if tour.Model == "" {
		if tour.Model, err = starter.Install(store.Folders().Cache); err != nil {
			return err
		}
		tour.Guide = true
	}
	steps, err := app.RunTour(ctx, options, tour)
	var unwritten *fs.PathError
	if errors.As(err, &unwritten) {
		return noFolder{r.Dir, err}
	}
	if err != nil {
		return err
	}
	return tourResult(steps, r.Dir, os.Stdout, os.Stderr)
}

// tourResult says which steps failed.
func tourResult(steps []app.Step, dir string, stdout, stderr io.Writer) error {
	failed := len(steps) == 0
	for _, s := range steps {
		if !s.OK {
			failed = true
			fmt.Fprintln(stderr, words.T("tour.failed", map[string]any{"Step": s.Name, "Reason": strings.TrimSuffix(s.Error, ".")}))
		}
	}
	if failed {
		return errTour
	}
	fmt.Fprintln(stdout, words.T("tour.done", map[string]any{"Steps": len(steps), "Dir": dir}))
	return nil
}

// needScreen starts a virtual screen when there is none. stop ends it.
func needScreen(ctx context.Context) (stop func(), err error) {
	if !isLinux() || os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "" {
		return func() {}, nil
	}
	xvfb, err := exec.LookPath("Xvfb")
	if err != nil {
		return nil, errors.Join(noVirtualDisplay, err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	// Without -noreset it starts anew when its last client leaves, which the
	// display probe is, and refuses the window meanwhile.
	cmd := exec.CommandContext(ctx, xvfb, "-noreset", "-displayfd", "3", "-screen", "0", "1400x900x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{writer}
	err = cmd.Start()
	writer.Close()
	if err != nil {
		return nil, errors.Join(noVirtualDisplay, err)
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // its status is that of the kill
	}
	var number int
	if _, err := fmt.Fscan(reader, &number); err != nil {
		stop()
		return nil, errors.Join(noVirtualDisplay, err)
	}
	return stop, os.Setenv("DISPLAY", fmt.Sprintf(":%d", number))
}
