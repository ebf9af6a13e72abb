package embed

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"paddock/engine/embed/document"
)

func TestAStateTellsHowFarItsRunCame(t *testing.T) {
	paths := writeFiles(t, 4, 100)
	o := optionsFor(t.TempDir(), paths)
	var asked atomic.Int64
	o.InFlight = 1
	cut := make(chan struct{})
	o.Cutter = lineCutter{cut: func(path string, line int) error {
		if path == paths[2] && line == 50 {
			return &document.Error{Problem: document.Broken, Path: path}
		}
		if path == paths[3] && line == 99 {
			close(cut)
		}
		return nil
	}}
	o.Embedder = &fakeEngine{size: 48, fault: func(texts []string, _ [][]float32) error {
		if len(texts) == len(checkTexts) {
			return nil
		}
		<-cut
		if asked.Add(int64(len(texts))) > 130 {
			return errEngineGone
		}
		return nil
	}}
	ended, err := Start(t.Context(), o).Wait()
	if !errors.Is(err, errEngineGone) {
		t.Fatal(err)
	}
	before := outputsOf(t, filepath.Dir(o.StatePath))
	s, err := StateOf(t.Context(), o.StatePath)
	if err != nil || s.Phase != Cancelled || len(s.Files) != 4 || s.ChunksDone != ended.ChunksDone || s.ChunksDone < 1 || s.TokensDone != ended.TokensDone {
		t.Fatalf("%v, %+v, want what %+v has", err, s, ended)
	}
	for i, f := range s.Files {
		want := ended.Files[i]
		if i > 1 { // one could not be read, and the last may not be cut
			want.Phase = FileWaiting
			f.Phase = FileWaiting
			want.Chunks, f.Chunks = 0, 0
		}
		if f.Path != paths[i] || f.Phase != want.Phase || f.Chunks != want.Chunks || f.ChunksDone != want.ChunksDone {
			t.Errorf("%+v, want %+v", f, want)
		}
	}
	if after := outputsOf(t, filepath.Dir(o.StatePath)); len(after) != len(before) {
		t.Errorf("%d files are there instead of %d", len(after), len(before))
	}
	o.Resume, o.Cutter, o.Embedder = true, lineCutter{}, &fakeEngine{size: 48}
	if s := finish(t, Start(t.Context(), o)); s.ChunksDone != 400 {
		t.Errorf("gone on with: %+v", s)
	}
}

func TestAStateThatTellsNothingHasItsError(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken")
	write(t, broken, strings.Repeat("no database at all. ", 500))
	o := optionsFor(t.TempDir(), writeFiles(t, 1, 20))
	held := make(chan struct{})
	o.Embedder = &fakeEngine{size: 48, fault: func(texts []string, _ [][]float32) error {
		if len(texts) != len(checkTexts) {
			<-held
		}
		return nil
	}}
	j := Start(t.Context(), o)
	until(t, j, "running", func(s State) bool { return s.Chunks == 20 })
	for path, want := range map[string]FileProblem{filepath.Join(dir, "gone"): NotThere, broken: Unreadable, o.StatePath: InUse} {
		var file *FileError
		if s, err := StateOf(t.Context(), path); !errors.As(err, &file) || file.Problem != want || file.Path != path || len(s.Files) != 0 {
			t.Errorf("%s: %v, %+v", path, err, s)
		}
	}
	// What a killed program leaves can be read.
	killed := filepath.Join(t.TempDir(), "killed")
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(o.StatePath + suffix)
		if err != nil {
			t.Fatal(err)
		}
		write(t, killed+suffix, string(content))
	}
	if s, err := StateOf(t.Context(), killed); err != nil || s.Chunks != 20 || s.ChunksDone != 0 || len(s.Files) != 1 {
		t.Errorf("%v, %+v", err, s)
	}
	if entries, err := os.ReadDir(filepath.Dir(killed)); err != nil || len(entries) != 1 {
		t.Errorf("left are %v, %v", entries, err)
	}
	close(held)
	finish(t, j)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("made were %v, %v", entries, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := StateOf(ctx, broken); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
