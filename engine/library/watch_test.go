package library

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

var quickly = pace{quiet: 50 * time.Millisecond, between: 250 * time.Millisecond}

// watched watches sources until the test ends; calls has a value for each change
// that was told.
func watched(t *testing.T, sources Sources, pace pace, limit int) (calls chan time.Time) {
	t.Helper()
	calls = make(chan time.Time, 1000)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- watch(ctx, sources, pace, limit, func() { calls <- time.Now() }) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(5 * time.Second):
			t.Error("it goes on watching")
		}
	})
	// It has begun when it tells of a change.
	for range 100 {
		touchIn(t, sources)
		select {
		case <-calls:
			calm(calls, 2*pace.between)
			return calls
		case <-time.After(2 * pace.quiet):
		}
	}
	t.Fatal("nothing is told")
	return nil
}

// touchIn makes a change in the first folder.
func touchIn(t *testing.T, sources Sources) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(sources.Folders[0], "begin.gguf"), []byte("GGUF"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// calm waits until nothing was told for a time, and says whether something was.
func calm(calls chan time.Time, quiet time.Duration) (told bool) {
	for {
		select {
		case <-calls:
			told = true
		case <-time.After(quiet):
			return told
		}
	}
}

func TestChangesAreTold(t *testing.T) {
	dir := t.TempDir()
	at := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	mkdir := func(path string) {
		t.Helper()
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	mkdir(at("models", "deep", "er"))
	mkdir(at("models", "gone"))
	mkdir(at("ollama", "blobs"))
	mkdir(at("ollama", "manifests", "registry.ollama.ai", "library"))
	mkdir(at("hub", "models--a--b", "blobs"))
	mkdir(at("hub", "models--a--b", "snapshots"))
	mkdir(at("files"))
	write := func(path string) {
		t.Helper()
		if err := os.WriteFile(path, []byte("GGUF"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(at("models", "there.gguf"))
	write(at("files", "single"))
	calls := watched(t, Sources{
		Folders: []string{at("models"), at("no such folder")}, Files: []string{at("files", "single")},
		Apps: []App{{ID: Ollama, Folders: []string{at("ollama")}}, {ID: HuggingFace, Folders: []string{at("hub")}}},
	}, quickly, 100)
	tests := []struct {
		name   string
		change func()
		told   bool
	}{
		{"a new model", func() { write(at("models", "new.gguf")) }, true},
		{"a new model far down", func() { write(at("models", "deep", "er", "new.GGUF")) }, true},
		{"a model that grows", func() { write(at("models", "new.gguf")) }, true},
		{"a model that gets its name at last", func() {
			write(at("models", "half.part"))
			if err := os.Rename(at("models", "half.part"), at("models", "whole.gguf")); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"a model that goes away", func() { _ = os.Remove(at("models", "there.gguf")) }, true},
		{"a folder that goes away", func() { _ = os.RemoveAll(at("models", "gone")) }, true},
		{"a new folder with a model in it already", func() {
			mkdir(at("made"))
			write(filepath.Join(mkdirIn(t, at("made"), "below"), "m.gguf"))
			if err := os.Rename(at("made"), at("models", "made")); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"a model in a folder that was new", func() { write(at("models", "made", "below", "another.gguf")) }, true},
		{"folders that get another name", func() {
			if err := os.Rename(at("models", "made"), at("models", "renamed")); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"a model far down in them", func() { write(at("models", "renamed", "below", "third.gguf")) }, true},
		{"new folders of their old names", func() { mkdir(at("models", "made", "below")) }, true},
		{"a model far down in those", func() { write(at("models", "made", "below", "fourth.gguf")) }, true},
		{"a new tag of Ollama's", func() { mkdir(at("ollama", "manifests", "registry.ollama.ai", "library", "m")) }, true},
		{"the manifest of it", func() { write(at("ollama", "manifests", "registry.ollama.ai", "library", "m", "1b")) }, true},
		{"a file that was opened by itself", func() { write(at("files", "single")) }, true},
		{"a file beside it", func() { write(at("files", "other")) }, false},
		{"a file that is no model", func() { write(at("models", "notes.txt")) }, false},
		{"a part of a download of Ollama's", func() { write(at("ollama", "blobs", "sha256-1-partial")) }, false},
		{"a part of a download from the hub", func() { write(at("hub", "models--a--b", "blobs", "1.incomplete")) }, false},
	}
	for _, test := range tests {
		test.change()
		if told := calm(calls, 2*quickly.between); told != test.told {
			t.Errorf("%s: told %v", test.name, told)
		}
	}
}

func mkdirIn(t *testing.T, folder, name string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestASourceThatAppearsLaterIsWatchedFromThenOn(t *testing.T) {
	home := t.TempDir()
	at := func(names ...string) string { return filepath.Join(append([]string{home}, names...)...) }
	do := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	write := func(path string) error { return os.WriteFile(path, []byte("GGUF"), 0o644) }
	source := at(".ollama", "models")
	do(os.Mkdir(at("begin"), 0o755), os.Mkdir(at("big"), 0o755))
	calls := watched(t, Sources{
		Folders: []string{at("begin"), at("sticks", "ana", "models")}, Files: []string{at("one", "single")},
		Apps: []App{{ID: Ollama, Folders: []string{source}}},
	}, quickly, 100)
	tests := []struct {
		name   string
		change func()
		told   bool
	}{
		{"a model in the home, which is no source", func() { do(write(at("m.gguf"))) }, false},
		{"a model in another folder there", func() { do(write(at("big", "m.gguf"))) }, false},
		{"another folder there", func() { do(os.Mkdir(at("other"), 0o755)) }, false},
		{"the folder above a source", func() { do(os.Mkdir(at(".ollama"), 0o755)) }, false},
		{"a file beside it", func() { do(write(at(".ollama", "m.gguf"))) }, false},
		{"the source", func() { do(os.Mkdir(source, 0o755)) }, true},
		{"a model in it", func() { do(write(filepath.Join(source, "m.gguf"))) }, true},
		{"all folders to a source at once", func() { do(os.MkdirAll(at("sticks", "ana", "models", "deep"), 0o755)) }, true},
		{"a model far down in it", func() { do(write(at("sticks", "ana", "models", "deep", "m.gguf"))) }, true},
		{"the stick goes", func() { do(os.RemoveAll(at("sticks"))) }, true},
		{"and comes back", func() { do(os.MkdirAll(at("sticks", "ana", "models", "deep"), 0o755)) }, true},
		{"and has another model", func() { do(write(at("sticks", "ana", "models", "deep", "n.gguf"))) }, true},
		{"the folder of a file that was opened by itself", func() { do(os.Mkdir(at("one"), 0o755)) }, true},
		{"that file", func() { do(write(at("one", "single"))) }, true},
	}
	for _, test := range tests {
		test.change()
		if told := calm(calls, 2*quickly.between); told != test.told {
			t.Errorf("%s: told %v", test.name, told)
		}
	}
}

// Nothing tells that a file system was put onto a folder.
func TestASourceThatIsMountedAMomentLaterIsLookedForAgain(t *testing.T) {
	usual := mountWait
	mountWait = 100 * time.Millisecond
	home := t.TempDir()
	source := filepath.Join(home, "stick", "models")
	events, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	w := newWatcher(ctx, events, Sources{Folders: []string{source}}, 100)
	var mounted atomic.Bool
	w.sources[0].disk.stat = func(path string) (os.FileInfo, error) {
		if path == source && !mounted.Load() {
			return nil, os.ErrNotExist
		}
		return os.Stat(path)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); w.addAll() }()
	t.Cleanup(func() {
		cancel()
		<-ended
		events.Close()
		mountWait = usual
	})
	if err := os.MkdirAll(source, 0o755); err != nil {
		t.Fatal(err)
	}
	w.requests <- filepath.Dir(source)
	select {
	case <-w.added:
		t.Fatal("it is watched before it is there")
	case <-time.After(mountWait * 3 / 2):
	}
	mounted.Store(true)
	select {
	case <-w.added:
	case <-time.After(5 * time.Second):
		t.Fatal("it is not looked for again")
	}
	if !slices.Contains(events.WatchList(), source) {
		t.Errorf("watched are %q", events.WatchList())
	}
}

func TestADownloadIsToldNowAndThen(t *testing.T) {
	dir := t.TempDir()
	calls := watched(t, Sources{Folders: []string{dir}}, quickly, 10)
	file, err := os.Create(filepath.Join(dir, "download.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	start := time.Now()
	for time.Since(start) < 4*quickly.between+quickly.between/2 { // it ends between two calls
		if _, err := file.WriteString("more"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	var times []time.Time
	for len(calls) > 0 {
		times = append(times, <-calls)
	}
	if len(times) < 2 || len(times) > 4 {
		t.Errorf("told %d times", len(times))
	}
	for i := 1; i < len(times); i++ {
		if apart := times[i].Sub(times[i-1]); apart < quickly.between*9/10 {
			t.Errorf("told twice within %v", apart)
		}
	}
	if !calm(calls, 2*quickly.between) {
		t.Error("its end is not told")
	}
}

func TestNotMoreFoldersAreWatchedThanMayBe(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d"} {
		mkdirIn(t, dir, name)
	}
	calls := watched(t, Sources{Folders: []string{dir}}, quickly, 3) // dir, a and b
	for name, told := range map[string]bool{"b": true, "d": false} {
		if err := os.WriteFile(filepath.Join(dir, name, "m.gguf"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if calm(calls, 2*quickly.between) != told {
			t.Errorf("in %s: told %v", name, !told)
		}
	}
}

func TestLinksInACircleAreWatchedOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // symbolic links need rights there
	}
	dir := t.TempDir()
	if err := os.Symlink(dir, filepath.Join(dir, "again")); err != nil {
		t.Fatal(err)
	}
	watched(t, Sources{Folders: []string{dir}}, quickly, 10) // or it would never come to rest
}

func TestWatchingLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		mkdirIn(t, dir, name)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- Watch(ctx, Sources{Folders: []string{dir}}, func() {}) }()
	for len(stacks("library.(*watcher)")) == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	for _, of := range []string{"library.(*watcher)", "fsnotify."} {
		for try := 0; len(stacks(of)) > 0; try++ {
			if try == 1000 {
				t.Fatalf("left behind:\n%s", strings.Join(stacks(of), "\n\n"))
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// stacks are those of the goroutines that are in a package's or type's functions.
func stacks(of string) (found []string) {
	all := make([]byte, 1<<20)
	all = all[:runtime.Stack(all, true)]
	for _, stack := range strings.Split(string(all), "\n\n") {
		if strings.Contains(stack, of) {
			found = append(found, stack)
		}
	}
	return found
}
