package embed

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"paddock/engine/client"
	"paddock/engine/embed/chunk"
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
	if s.Meta != ended.Meta || s.Meta.Model != testMeta.Model || s.Meta.Dimensions != 48 {
		t.Errorf("made with %+v, want %+v", s.Meta, ended.Meta)
	}
	for i, f := range s.Files {
		want := ended.Files[i]
		if i == 3 { // it may not be cut
			want.Phase, f.Phase = FileWaiting, FileWaiting
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

func TestAStateTellsWhatCouldNotBeReadAndWhy(t *testing.T) {
	paths := writeFiles(t, 6, 10)
	refused := errors.New("permission denied")
	row := &document.Error{Problem: document.BrokenRow, Path: paths[1], Partial: true, Row: 3, Line: 4, Err: errors.New("a quote is open")}
	o := optionsFor(t.TempDir(), paths)
	o.InFlight = 1
	cut := make(chan struct{})
	o.Cutter = lineCutter{
		cut: func(path string, line int) error {
			switch {
			case path == paths[0]:
				return &document.Error{Problem: document.Unreadable, Path: path, Err: &fs.PathError{Op: "open", Path: path, Err: refused}}
			case path == paths[2] && line == 5:
				return &chunk.Error{Problem: chunk.NoRoom, Tokens: 700, LimitTokens: 512}
			case path == paths[5] && line == 9:
				close(cut)
			}
			return nil
		},
		partial: func(path string) error {
			if path == paths[1] {
				return row
			}
			return nil
		},
	}
	long := &client.Error{Kind: client.TextTooLong, PromptTokens: 600, ContextTokens: 512}
	o.Embedder = &fakeEngine{size: 48, fault: func(texts []string, _ [][]float32) error {
		if len(texts) == len(checkTexts) {
			return nil
		}
		<-cut
		for _, text := range texts {
			if strings.Contains(text, "file 3 says in line 2:") {
				return long
			}
			if strings.Contains(text, "file 5 says") {
				return errEngineGone
			}
		}
		return nil
	}}
	if _, err := Start(t.Context(), o).Wait(); !errors.Is(err, errEngineGone) {
		t.Fatal(err)
	}
	s, err := StateOf(t.Context(), o.StatePath)
	if err != nil {
		t.Fatal(err)
	}
	var unreadable *document.Error
	if f := s.Files[0]; f.Phase != FileFailed || !errors.As(f.Err, &unreadable) || unreadable.Problem != document.Unreadable || unreadable.Path != paths[0] || unreadable.Err.Error() != refused.Error() {
		t.Errorf("%+v", f)
	}
	if f := s.Files[1]; f.Phase != FileDone || f.ProblemCount != 1 || !reflect.DeepEqual(f.Problems[0], error(row)) {
		t.Errorf("%+v", f)
	}
	var full *chunk.Error
	if f := s.Files[2]; f.Phase != FileFailed || f.Chunks != 0 || !errors.As(f.Err, &full) || !reflect.DeepEqual(*full, chunk.Error{Problem: chunk.NoRoom, Tokens: 700, LimitTokens: 512}) {
		t.Errorf("%+v", f)
	}
	var ofChunk *ChunkError
	if f := s.Files[3]; f.Phase != FileDone || f.ChunksFailed != 1 || f.ProblemCount != 1 || !errors.As(f.Problems[0], &ofChunk) || ofChunk.Chunk != 2 || ofChunk.Path != paths[3] ||
		!reflect.DeepEqual(ofChunk.Err, error(long)) {
		t.Errorf("%+v", f)
	}
	if f := s.Files[4]; s.FilesDone < 4 || f.Err != nil || f.ProblemCount != 0 {
		t.Errorf("%d files are through, %+v", s.FilesDone, f)
	}

	// Gone on with, what is still so is still said, and what is not is said no more.
	o.Resume, o.Keep, o.Embedder = true, true, &fakeEngine{size: 48}
	o.Cutter = lineCutter{}
	done := finish(t, Start(t.Context(), o))
	if f := done.Files[1]; f.Phase != FileKept || f.ProblemCount != 1 || !reflect.DeepEqual(f.Problems[0], error(row)) {
		t.Errorf("kept: %+v", f)
	}
	s, err = StateOf(t.Context(), o.StatePath)
	if err != nil || s.ChunksDone != 60 {
		t.Errorf("%d chunks, %v", s.ChunksDone, err)
	}
	for i, f := range s.Files {
		if f.Phase != FileDone || f.Err != nil || i != 1 && f.ProblemCount != 0 {
			t.Errorf("%d: %+v", i, f)
		}
	}
}

func TestAProblemIsTheSameAfterItWasKept(t *testing.T) {
	for _, err := range []error{
		&document.Error{Problem: document.NoColumn, Path: "a.csv", Kind: "csv", Column: "text", Columns: []string{"a", "b"}},
		&document.Error{Problem: document.Mixed, Path: "a.txt", Offset: 7, Err: errors.New("a byte")},
		&chunk.Error{Problem: chunk.TooLong, Place: document.Place{Start: 3, End: 9, Line: 2}, Partial: true, Tokens: 9, LimitTokens: 8},
		&VectorError{Problem: NotFinite, Path: "a.txt", Chunk: 3, Size: 48, Want: 48},
		&client.Error{Kind: client.EngineFailed, Status: 500, Message: "no", Err: errors.New("why")},
		errors.New("of no kind"),
	} {
		text, problem := json.Marshal(storedOf(err))
		if problem != nil {
			t.Fatal(problem)
		}
		var stored storedProblem
		if problem := json.Unmarshal(text, &stored); problem != nil {
			t.Fatal(problem)
		}
		if back := stored.err(); !reflect.DeepEqual(back, err) {
			t.Errorf("%#v comes back as %#v", err, back)
		}
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
