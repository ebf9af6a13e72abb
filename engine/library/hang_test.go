package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"paddock/engine/gguf"
)

// hanging is a scanner for which what is under a path gives no answer, until the
// test ends.
func hanging(t *testing.T, patience time.Duration, under string) (scanner *Scanner, asked *atomic.Int64) {
	t.Helper()
	end := make(chan struct{})
	t.Cleanup(func() { close(end) })
	asked = new(atomic.Int64)
	hang := func(path string) {
		if strings.HasPrefix(path, under) {
			asked.Add(1)
			<-end
		}
	}
	return &Scanner{Patience: patience, spoil: func(d *disk) {
		stat, readDir, header := d.stat, d.readDir, d.header
		d.stat = func(path string) (os.FileInfo, error) { hang(path); return stat(path) }
		d.readDir = func(path string, progress func()) ([]os.DirEntry, error) { hang(path); return readDir(path, progress) }
		d.head = func(path string) error { hang(path); return nil }
		d.header = func(paths []string) (gguf.Facts, error) { hang(paths[0]); return header(paths) }
	}}, asked
}

func noAnswer(t *testing.T, m Model) bool {
	t.Helper()
	var e *FileError
	return errors.As(m.Problem, &e) && e.Problem == FileNoAnswer && e.Path == m.Files[0]
}

func TestAFolderThatHangsIsToldAndTheRestIsFound(t *testing.T) {
	dir := t.TempDir()
	small(t, filepath.Join(dir, "a.gguf"))
	small(t, filepath.Join(dir, "mount", "unreachable.gguf"))
	small(t, filepath.Join(dir, "z", "b.gguf"))
	scanner, _ := hanging(t, 300*time.Millisecond, filepath.Join(dir, "mount"))
	var names []string
	err := scanner.Scan(t.Context(), Sources{Folders: []string{dir}}, func(m Model) { names = append(names, m.Facts.Name) })
	var folder *FolderError
	if !errors.As(err, &folder) || folder.Kind != FolderNoAnswer || folder.Path != filepath.Join(dir, "mount") {
		t.Errorf("error %v", err)
	}
	if strings.Join(names, " ") != "a.gguf b.gguf" {
		t.Errorf("found %q", names)
	}
}

func TestAFileThatHangsIsARowAndTheRestIsFound(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.gguf", "hangs.gguf", "z.gguf"} {
		small(t, filepath.Join(dir, name))
	}
	scanner, _ := hanging(t, 300*time.Millisecond, filepath.Join(dir, "hangs"))
	var models []Model
	if err := scanner.Scan(t.Context(), Sources{Folders: []string{dir}}, func(m Model) { models = append(models, m) }); err != nil {
		t.Fatal(err)
	}
	if len(models) != 3 || models[0].Problem != nil || !noAnswer(t, models[1]) || models[2].Problem != nil {
		t.Fatalf("%+v", models)
	}
	if m := models[1]; m.Facts.Name != "hangs" || m.Facts.Path != m.Files[0] || len(m.Capabilities) != 0 {
		t.Errorf("%+v", m)
	}
}

func TestASourceThatHangsHoldsUpNoOther(t *testing.T) {
	dir := t.TempDir()
	small(t, filepath.Join(dir, "mount", "a.gguf"))
	small(t, filepath.Join(dir, "local", "b.gguf"))
	scanner, _ := hanging(t, time.Hour, filepath.Join(dir, "mount"))
	ctx, cancel := context.WithCancel(t.Context())
	start := time.Now()
	err := scanner.Scan(ctx, Sources{Folders: []string{filepath.Join(dir, "mount"), filepath.Join(dir, "local")}}, func(m Model) {
		if m.Facts.Name != "b.gguf" {
			t.Errorf("found %s", m.Facts.Name)
		}
		cancel() // which ends the scan although the first folder goes on hanging
	})
	if took := time.Since(start); !errors.Is(err, context.Canceled) || took > 10*usualGrace {
		t.Errorf("%v after %v", err, took)
	}
}

func TestAScanIsCancelledAtOnceWhileAFolderHangs(t *testing.T) {
	dir := t.TempDir()
	scanner, asked := hanging(t, time.Hour, dir)
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error)
	go func() {
		done <- scanner.Scan(ctx, Sources{Folders: []string{dir}}, func(Model) { t.Error("found something") })
	}()
	for asked.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel(why)
	select {
	case err := <-done:
		if !errors.Is(err, why) {
			t.Errorf("error %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("the scan goes on")
	}
}

func TestAThousandFilesThatHangAreAskedAFewTimesOnly(t *testing.T) {
	dir := t.TempDir()
	small(t, filepath.Join(dir, "0.gguf"))
	for i := range 1000 {
		if err := os.Link(filepath.Join(dir, "0.gguf"), filepath.Join(dir, "mount"+strings.Repeat("x", i%100)+string(rune('a'+i/100))+".gguf")); err != nil {
			t.Fatal(err)
		}
	}
	scanner, asked := hanging(t, 300*time.Millisecond, filepath.Join(dir, "mount"))
	rows, silent := 0, 0
	err := scanner.Scan(t.Context(), Sources{Folders: []string{dir}}, func(m Model) {
		if rows++; noAnswer(t, m) {
			silent++
		}
	})
	if err != nil || rows != 1001 || silent != 1000 || asked.Load() > 2*hungInFolder {
		t.Errorf("%v: %d rows, %d without an answer, %d times asked", err, rows, silent, asked.Load())
	}
}

// A program runs for days and scans at every change.
func TestAMountThatStaysDeadCostsALongDayOfScansNothing(t *testing.T) {
	dir := t.TempDir()
	mount, local := filepath.Join(dir, "mount"), filepath.Join(dir, "local")
	small(t, filepath.Join(mount, "a.gguf"))
	small(t, filepath.Join(local, "b.gguf"))
	scanner, asked := hanging(t, time.Millisecond, mount)
	for range hungInSource + 1 {
		_ = scanner.Scan(t.Context(), Sources{Folders: []string{mount}}, func(Model) { t.Error("found something") })
	}
	if asked.Load() > hungInFolder {
		t.Errorf("asked %d times", asked.Load())
	}
	var names []string
	_ = new(Scanner).Scan(t.Context(), Sources{Folders: []string{mount, local}}, func(m Model) { names = append(names, m.Facts.Name) })
	if strings.Join(names, " ") != "b.gguf" {
		t.Errorf("found %q", names)
	}
}

func TestASourceFullOfHungLinksBlocksNoOther(t *testing.T) {
	dir := t.TempDir()
	full, local := filepath.Join(dir, "full"), filepath.Join(dir, "local")
	for i := range hungInSource + 50 {
		if err := os.MkdirAll(filepath.Join(full, fmt.Sprintf("mount%d", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	small(t, filepath.Join(full, "zz", "a.gguf"))
	small(t, filepath.Join(local, "b.gguf"))
	scanner, asked := hanging(t, 100*time.Millisecond, filepath.Join(full, "mount"))
	_ = scanner.Scan(t.Context(), Sources{Folders: []string{full}}, func(Model) {})
	if n := asked.Load(); n != hungInSource {
		t.Fatalf("asked %d times", n)
	}
	var names []string
	_ = new(Scanner).Scan(t.Context(), Sources{Folders: []string{full, local}}, func(m Model) { names = append(names, m.Facts.Name) })
	if strings.Join(names, " ") != "b.gguf" {
		t.Errorf("found %q", names)
	}
}

func TestAnAnswerThatComesTooLateIsRememberedForTheNextScan(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "slow.gguf")
	small(t, path)
	age(t, path)
	cache := newCache(t)
	answer, answered := make(chan struct{}), make(chan struct{})
	slow := &Scanner{Cache: cache, Patience: 300 * time.Millisecond, spoil: func(d *disk) {
		header := d.header
		d.header = func(paths []string) (gguf.Facts, error) {
			defer close(answered)
			<-answer
			return header(paths)
		}
	}}
	row := func(s *Scanner) (got Model) {
		if err := s.Scan(t.Context(), Sources{Folders: []string{dir}}, func(m Model) { got = m }); err != nil {
			t.Fatal(err)
		}
		return got
	}
	if m := row(slow); !noAnswer(t, m) {
		t.Fatalf("%+v", m)
	}
	close(answer)
	<-answered
	never := &Scanner{Cache: cache, spoil: func(d *disk) {
		d.header = func([]string) (gguf.Facts, error) { t.Error("read again"); return gguf.Facts{}, nil }
	}}
	for try := 0; ; try++ { // it is remembered a moment after it is answered
		if _, _, ok := cache.get(setOf(t, path)); ok || try == 1000 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if m := row(never); m.Problem != nil || m.Facts.Name != "slow.gguf" {
		t.Errorf("%+v", m)
	}
}

func TestASlowFolderThatShowsSignsOfLifeIsWaitedFor(t *testing.T) {
	dir := t.TempDir()
	small(t, filepath.Join(dir, "a.gguf"))
	scanner := &Scanner{Patience: time.Second, spoil: func(d *disk) {
		readDir := d.readDir
		d.readDir = func(path string, progress func()) ([]os.DirEntry, error) {
			for range 8 {
				time.Sleep(150 * time.Millisecond)
				progress()
			}
			return readDir(path, progress)
		}
	}}
	found := 0
	if err := scanner.Scan(t.Context(), Sources{Folders: []string{dir}}, func(Model) { found++ }); err != nil || found != 1 {
		t.Errorf("%d found, %v", found, err)
	}
}
