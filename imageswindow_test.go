//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"paddock/config"
	"paddock/engine/images"
	"paddock/engine/picture/picturetest"
)

// An album is what a Paddock keeps of the pictures in its Images tab.
type album struct {
	t      *testing.T
	folder string
}

// newAlbum begins with an instruction of which the answers are short.
func newAlbum(t *testing.T, configFolder string) album {
	t.Helper()
	store, err := config.Open(configFolder)
	if err != nil {
		t.Fatal(err)
	}
	a := album{t: t, folder: filepath.Join(store.Folders().Data, "images")}
	if err := os.MkdirAll(a.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	a.write(a.folder, []byte(`{"run":{"prompt":"What is it?","maxTokens":6,"temperature":0}}`+"\n"))
	return a
}

func (a album) write(folder string, journal []byte) {
	a.t.Helper()
	if err := os.WriteFile(filepath.Join(folder, "images.jsonl"), journal, 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// journal is what a running Paddock has written so far.
func (a album) journal() []byte {
	a.t.Helper()
	journal, err := os.ReadFile(filepath.Join(a.folder, "images.jsonl"))
	if err != nil {
		a.t.Fatal(err)
	}
	return journal
}

// state is the set as it would be if Paddock were killed now.
func (a album) state() images.State {
	a.t.Helper()
	copied := a.t.TempDir()
	a.write(copied, a.journal())
	set, err := images.Open(copied)
	if err != nil {
		a.t.Fatal(err)
	}
	defer set.Close()
	return set.State()
}

// until waits until the pictures are as they shall be. Its limit is for each of them.
func (a album) until(what string, met func(images.State) bool) {
	a.t.Helper()
	var last images.Counts
	for end := time.Now().Add(loaded); ; time.Sleep(200 * time.Millisecond) {
		s := a.state()
		if met(s) {
			return
		}
		if s.Counts != last {
			last, end = s.Counts, time.Now().Add(loaded)
		}
		if time.Now().After(end) {
			a.t.Fatalf("%s: it does not come to that, but stays at %+v", what, last)
		}
	}
}

func through(s images.State) int { return s.Counts.Done + s.Counts.Failed }

// openAlbum starts a Paddock with a model that sees and goes to Images.
func (d *desktop) openAlbum(model string, configFolder string) *program {
	d.t.Helper()
	p := d.launchSeeing(model, "--config", configFolder)
	d.key("ctrl+3")
	p.wait(soon, "tab shown", "tab=images")
	return p
}

// begins presses the space bar until a run has begun: while the tab still reads or
// looks for pictures it does nothing. A journal that is tidied at the start has fewer
// runs in it than before.
func (d *desktop) begins(a album) {
	d.t.Helper()
	runs := func() int { return strings.Count(string(a.journal()), `"run":`) }
	before := runs()
	begun := func() bool {
		now := runs()
		before = min(before, now)
		return now > before
	}
	for end := time.Now().Add(loaded); ; {
		if time.Now().After(end) {
			d.t.Fatal("no run begins")
		}
		d.key("space")
		for wait := time.Now().Add(15 * time.Second); time.Now().Before(wait); time.Sleep(50 * time.Millisecond) {
			if begun() {
				return
			}
		}
	}
}

func TestTwoHundredMixedPicturesAreDoneInTheWindowThroughAKilledEngineAndARestart(t *testing.T) {
	pictures, good, bad := picturetest.Mixed(t)
	d := newDesktop(t)
	model, configFolder := seeingModel(t), t.TempDir()
	a := newAlbum(t, configFolder)

	p := d.openAlbum(model, configFolder)
	drag := newDragger(t, d.display)
	drag.drop(drag.windowOf(p.command.Process.Pid), pictures)
	a.until("200 are there", func(s images.State) bool { return len(s.Items) == 200 })
	d.begins(a)
	a.until("the 30th", func(s images.State) bool { return through(s) >= 30 })
	if err := syscall.Kill(p.theEngine(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.wait(soon, "engine state", "state=failed")
	if err := p.command.Process.Signal(loadsAgain); err != nil {
		t.Fatal(err)
	}
	a.until("the 40th", func(s images.State) bool { return through(s) >= 40 })
	// Without an engine the run waits for one, and closing is no race with its end.
	second := p.theEngine()
	if err := syscall.Kill(second, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	gone(t, second, soon)
	if status := d.closes(p); status != 0 {
		t.Errorf("it ends with %d", status)
	}
	before := a.state()
	if before.Interrupted == 0 || before.Interrupted != before.Counts.Waiting {
		t.Errorf("%d of the run are left, of %+v", before.Interrupted, before.Counts)
	}

	p = d.openAlbum(model, configFolder)
	d.begins(a)
	a.until("the end", func(s images.State) bool { return s.Counts.Waiting == 0 && s.Interrupted == 0 })
	if status := d.closes(p); status != 0 {
		t.Errorf("it ends with %d", status)
	}
	after := a.state()
	if want := (images.Counts{Done: good, Failed: bad}); after.Counts != want {
		t.Errorf("in the end there are %+v, not %+v", after.Counts, want)
	}
	for i, was := range before.Items {
		if is := after.Items[i]; was.Phase == images.Done && (is.Text != was.Text || is.Took != was.Took) {
			t.Errorf("%s was done and was done again", is.Name)
		}
	}
}
