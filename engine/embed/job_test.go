package embed

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"paddock/engine/client"
	"paddock/engine/embed/chunk"
	"paddock/engine/embed/document"
)

// outputsOf are the contents of all files in a folder.
func outputsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[entry.Name()] = string(content)
	}
	return all
}

func wantSame(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, content := range want {
		if got[name] != content {
			t.Errorf("%s: %d bytes are others than the %d of an uninterrupted run", name, len(got[name]), len(content))
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
}

func TestAJobMakesAVectorOfEveryChunk(t *testing.T) {
	dir := t.TempDir()
	o := optionsFor(dir, writeFiles(t, 3, 700))
	var told atomic.Int64
	var last atomic.Pointer[State]
	o.Changed = func(s State) { told.Add(1); last.Store(&s) }
	s := finish(t, Start(t.Context(), o))
	if s.Chunks != 2100 || s.ChunksDone != 2100 || s.ChunksFailed != 0 || s.FilesDone != 3 || s.AlarmCount != 0 || s.Meta.Dimensions != 48 {
		t.Errorf("%+v", s)
	}
	if s.TokensDone != s.Tokens || s.Tokens == 0 || s.Left != 0 || s.TokensPerSecond <= 0 || s.Elapsed <= 0 {
		t.Errorf("%d of %d tokens, %v left, %v a second", s.TokensDone, s.Tokens, s.Left, s.TokensPerSecond)
	}
	for _, f := range s.Files {
		if f.Phase != FileDone || f.Chunks != 700 || f.ChunksDone != 700 || f.SizeBytes == 0 {
			t.Errorf("%+v", f)
		}
	}
	if len(s.Outputs) != 5 || s.Outputs[4].Rows != 2100 || s.Outputs[4].SizeBytes == 0 {
		t.Errorf("%+v", s.Outputs)
	}
	if told.Load() == 0 || last.Load().Phase != Done {
		t.Errorf("told %d times, at last %v", told.Load(), last.Load())
	}
	names := []string{}
	for name := range outputsOf(t, dir) {
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{"out.csv", "out.csv.meta.json", "out.jsonl", "out.jsonl.meta.json", "out.npy", "out.npy.jsonl", "out.npy.meta.json", "out.parquet", "out.sqlite"}
	if !slices.Equal(names, want) {
		t.Errorf("files %v: something is missing or left behind", names)
	}
}

var errEngineGone = errors.New("the engine has ended")

// TestAnInterruptedRunGivesTheSameBytes interrupts a run three ways: the engine dies,
// the job is paused and cancelled, and the program is killed.
func TestAnInterruptedRunGivesTheSameBytes(t *testing.T) {
	paths := writeFiles(t, 4, 600)
	whole := t.TempDir()
	finish(t, Start(t.Context(), optionsFor(whole, paths)))
	want := outputsOf(t, whole)

	dir := t.TempDir()
	o := optionsFor(dir, paths)
	// The engine dies.
	var asked atomic.Int64
	o.Embedder = &fakeEngine{size: 48, fault: func(texts []string, _ [][]float32) error {
		if asked.Add(int64(len(texts))) > 500 {
			return errEngineGone
		}
		return nil
	}}
	s, err := Start(t.Context(), o).Wait()
	if !errors.Is(err, errEngineGone) || s.Phase != Failed || s.ChunksDone == 0 || s.ChunksDone > 500 {
		t.Fatalf("%v, %s with %d chunks", err, s.Phase, s.ChunksDone)
	}
	after := s.ChunksDone

	// Paused and cancelled.
	o.Resume = true
	asked.Store(0)
	slow := make(chan struct{}, 1000)
	engine := &fakeEngine{size: 48, fault: func(texts []string, _ [][]float32) error {
		asked.Add(int64(len(texts)))
		select {
		case <-slow:
		case <-t.Context().Done():
		}
		return nil
	}}
	o.Embedder = engine
	j := Start(t.Context(), o)
	for range 6 {
		slow <- struct{}{}
	}
	until(t, j, "past what it had", func(s State) bool { return s.ChunksDone > after && s.Chunks == 2400 })
	j.Pause()
	go func() {
		for range 200 {
			slow <- struct{}{}
		}
	}()
	paused := until(t, j, "paused", func(s State) bool { return s.Phase == Paused })
	if at := j.State().ChunksDone; at != paused.ChunksDone || at == 2400 {
		t.Errorf("it goes on while it is paused: %d, then %d", paused.ChunksDone, at)
	}
	j.Continue()
	until(t, j, "going on", func(s State) bool { return s.ChunksDone > paused.ChunksDone })
	j.Pause()
	j.Cancel()
	s, err = j.Wait()
	if !errors.Is(err, context.Canceled) || s.Phase != Cancelled || s.ChunksDone <= after {
		t.Fatalf("%v, %s with %d chunks", err, s.Phase, s.ChunksDone)
	}

	// The program is killed: what is on the disk in the middle of a run is all there
	// is afterwards.
	middle := make(chan struct{})
	go1 := make(chan struct{})
	asked.Store(0)
	o.Embedder = &fakeEngine{size: 48, fault: func(texts []string, _ [][]float32) error {
		if asked.Add(int64(len(texts))) > 300 {
			select {
			case middle <- struct{}{}:
			default:
			}
			<-go1
			return errEngineGone
		}
		return nil
	}}
	j = Start(t.Context(), o)
	<-middle
	crashed := t.TempDir()
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(o.StatePath + suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if err == nil {
			if err := os.WriteFile(filepath.Join(crashed, filepath.Base(o.StatePath)+suffix), content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	close(go1)
	j.Wait()
	o = optionsFor(crashed, paths)
	o.Resume = true
	counting := &fakeEngine{size: 48}
	o.Embedder = counting
	s = finish(t, Start(t.Context(), o))
	if len(counting.asked) >= 2400-after {
		t.Errorf("%d texts asked for again", len(counting.asked))
	}
	if s.ChunksDone != 2400 {
		t.Errorf("%d chunks", s.ChunksDone)
	}
	wantSame(t, outputsOf(t, crashed), want)
}

func TestOnlyWhatChangedIsEmbeddedAgain(t *testing.T) {
	paths := writeFiles(t, 3, 300)
	dir := t.TempDir()
	o := optionsFor(dir, paths)
	o.Keep = true
	finish(t, Start(t.Context(), o))
	if err := os.WriteFile(paths[1], []byte("something else\nin two lines\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	o.Resume = true
	o.Files = []string{paths[2], paths[1], paths[1]} // one is gone, one is there twice
	engine := &fakeEngine{size: 48}
	o.Embedder = engine
	s := finish(t, Start(t.Context(), o))
	if s.Files[0].Phase != FileKept || s.Files[1].Phase != FileDone || s.Chunks != 302 || len(s.Files) != 2 {
		t.Errorf("%+v", s)
	}
	if n := len(engine.asked) - len(checkTexts); n != 2 {
		t.Errorf("%d texts asked for", n)
	}
	fresh := t.TempDir()
	again := optionsFor(fresh, o.Files)
	finish(t, Start(t.Context(), again))
	got := outputsOf(t, dir)
	delete(got, filepath.Base(o.StatePath))
	wantSame(t, got, outputsOf(t, fresh))
}

func TestOnlyFailedChunksAreTriedAgain(t *testing.T) {
	paths := writeFiles(t, 2, 100)
	o := optionsFor(t.TempDir(), paths)
	long := &client.Error{Kind: client.TextTooLong, PromptTokens: 900, ContextTokens: 512}
	o.Embedder = &fakeEngine{size: 48, fault: func(texts []string, _ [][]float32) error {
		if slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, "file 1 says in line 7:") }) {
			return long
		}
		return nil
	}}
	s := finish(t, Start(t.Context(), o))
	f := s.Files[1]
	if s.ChunksDone != 199 || s.ChunksFailed != 1 || f.ChunksFailed != 1 || f.Phase != FileDone || f.ProblemCount != 1 || s.Outputs[0].Rows != 199 {
		t.Fatalf("%+v", s)
	}
	var failed *ChunkError
	if !errors.As(f.Problems[0], &failed) || failed.Chunk != 7 || failed.Path != paths[1] || !errors.Is(failed, long) {
		t.Errorf("%v", f.Problems)
	}
	engine := &fakeEngine{size: 48}
	o.Embedder, o.Resume = engine, true
	s = finish(t, Start(t.Context(), o))
	if n := len(engine.asked) - len(checkTexts); n != 1 || s.ChunksDone != 200 || s.ChunksFailed != 0 || s.Outputs[0].Rows != 200 {
		t.Errorf("%d texts asked for, %+v", n, s)
	}
	if _, err := os.Stat(o.StatePath); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the state is still there: %v", err)
	}
}

func TestAFileThatCannotBeReadIsListedAndTheRestGoesOn(t *testing.T) {
	paths := writeFiles(t, 3, 600)
	broken := &document.Error{Problem: document.Broken, Err: errors.New("a broken page")}
	o := optionsFor(t.TempDir(), append(paths, filepath.Join(t.TempDir(), "gone.txt")))
	o.Keep = true
	o.Cutter = lineCutter{cut: func(path string, line int) error {
		if path == paths[1] && line == 500 { // some chunks are embedded by then
			return broken
		}
		return nil
	}}
	s := finish(t, Start(t.Context(), o))
	if s.Files[1].Phase != FileFailed || !errors.Is(s.Files[1].Err, broken) || s.Files[1].Chunks != 0 {
		t.Errorf("%+v", s.Files[1])
	}
	if s.Files[3].Phase != FileFailed || !errors.Is(s.Files[3].Err, fs.ErrNotExist) {
		t.Errorf("%+v", s.Files[3])
	}
	if s.ChunksDone != 1200 || s.Outputs[0].Rows != 1200 || s.FilesDone != 4 {
		t.Errorf("%+v", s)
	}
	// Read in the next run.
	o.Cutter, o.Resume = lineCutter{}, true
	if s = finish(t, Start(t.Context(), o)); s.ChunksDone != 1800 || s.Files[0].Phase != FileKept {
		t.Errorf("%+v", s)
	}
}

func TestAStateOfOtherSettingsIsNotGoneOnFrom(t *testing.T) {
	o := optionsFor(t.TempDir(), writeFiles(t, 1, 20))
	o.Keep = true
	finish(t, Start(t.Context(), o))
	tests := map[string]func(*Options){
		"prefix":      func(o *Options) { o.Settings.Prefix = "other: " },
		"modelSha256": func(o *Options) { o.Meta.ModelSHA256 = "def" },
		"chunker":     func(o *Options) { o.Meta.Chunker = "file" },
		"normalise":   func(o *Options) { o.Settings.Normalise = None },
		"dimensions":  func(o *Options) { o.Settings.Dimensions = 16 },
	}
	for name, edit := range tests {
		t.Run(name, func(t *testing.T) {
			o := o
			o.Resume = true
			edit(&o)
			_, err := Start(t.Context(), o).Wait()
			var file *FileError
			if !errors.As(err, &file) || file.Problem != OtherRun || file.Differs != name {
				t.Errorf("%v", err)
			}
			o.Resume = false
			o.Keep = true
			finish(t, Start(t.Context(), o))
			o.Resume, o.Meta, o.Settings = false, testMeta, Settings{Prefix: "passage: ", QueryPrefix: "query: ", Normalise: L2}
			finish(t, Start(t.Context(), o))
		})
	}
}

func TestTwoRunsDoNotShareAState(t *testing.T) {
	o := optionsFor(t.TempDir(), writeFiles(t, 1, 200))
	held := make(chan struct{})
	o.Embedder = &fakeEngine{size: 48, fault: func(texts []string, _ [][]float32) error {
		if len(texts) != len(checkTexts) || texts[0] != "passage: "+checkTexts[0] {
			<-held
		}
		return nil
	}}
	j := Start(t.Context(), o)
	until(t, j, "running", func(s State) bool { return s.Chunks == 200 })
	other := o
	other.Embedder = &fakeEngine{size: 48}
	_, err := Start(t.Context(), other).Wait()
	var file *FileError
	if !errors.As(err, &file) || file.Problem != InUse {
		t.Errorf("%v", err)
	}
	close(held)
	if s := finish(t, j); s.ChunksDone != 200 {
		t.Errorf("%+v", s)
	}
}

func TestABrokenStateIsSaidAndReplacedByANewRun(t *testing.T) {
	o := optionsFor(t.TempDir(), writeFiles(t, 1, 20))
	if err := os.WriteFile(o.StatePath, []byte(strings.Repeat("no database at all. ", 500)), 0o644); err != nil {
		t.Fatal(err)
	}
	o.Resume = true
	_, err := Start(t.Context(), o).Wait()
	var file *FileError
	if !errors.As(err, &file) || file.Problem != Unreadable || file.Path != o.StatePath {
		t.Errorf("%v", err)
	}
	o.Resume = false
	finish(t, Start(t.Context(), o))
}

// wordCounter counts words as tokens, until it has been asked so often.
type wordCounter struct {
	left *atomic.Int64
	gone error
}

func (w wordCounter) CountTokens(_ context.Context, texts []string) ([]int, error) {
	if w.left.Add(-1) < 0 {
		return nil, w.gone
	}
	counts := make([]int, len(texts))
	for i, text := range texts {
		counts[i] = len(strings.Fields(text)) + 2
	}
	return counts, nil
}

func TestNoFileIsGivenUpForAnEngineThatGoesWhileItIsCut(t *testing.T) {
	paths := writeFiles(t, 3, 400)
	optionsWith := func(dir string, asks int64, gone error) Options {
		o := optionsFor(dir, paths)
		o.Resume = true
		left := &atomic.Int64{}
		left.Store(asks)
		o.Cutter = Documents{Strategy: chunk.Strategy{Method: chunk.Tokens, Tokens: 30, OverlapTokens: 4}, Prefix: o.Settings.Prefix, Limit: 64, Tokenizer: wordCounter{left, gone}}
		return o
	}
	whole := t.TempDir()
	finish(t, Start(t.Context(), optionsWith(whole, 1<<40, nil)))
	want := outputsOf(t, whole)
	for name, gone := range map[string]error{
		"killed":       errEngineGone,
		"unreachable":  &client.Error{Kind: client.Unreachable},
		"loading":      &client.Error{Kind: client.StillLoading},
		"mid-sentence": &client.Error{Kind: client.Broken},
	} {
		dir := t.TempDir()
		s, err := Start(t.Context(), optionsWith(dir, 5, gone)).Wait()
		if !errors.Is(err, gone) || s.Phase != Failed {
			t.Errorf("%s: %s, %v", name, s.Phase, err)
		}
		for _, f := range s.Files {
			if f.Phase == FileFailed || f.Err != nil {
				t.Errorf("%s: %s was given up: %v", name, filepath.Base(f.Path), f.Err)
			}
		}
		finish(t, Start(t.Context(), optionsWith(dir, 1<<40, nil)))
		wantSame(t, outputsOf(t, dir), want)
	}
	// What the engine says of a text is the file's.
	refused := &client.Error{Kind: client.BadRequest, Message: "no text"}
	s, err := Start(t.Context(), optionsWith(t.TempDir(), 5, refused)).Wait()
	if err != nil || s.Files[2].Phase != FileFailed || !errors.Is(s.Files[2].Err, refused) {
		t.Errorf("%v, %+v", err, s.Files[2])
	}
}

func TestTheTimeLeftIsNotKnownBeforeAFileIsCut(t *testing.T) {
	o := optionsFor(t.TempDir(), writeFiles(t, 1, 2*flushChunks))
	reached, held := make(chan struct{}), make(chan struct{})
	o.Cutter = lineCutter{cut: func(_ string, line int) error {
		if line == flushChunks+1 {
			close(reached)
			<-held
		}
		return nil
	}}
	j := Start(t.Context(), o)
	<-reached
	s := until(t, j, "embedding what is cut", func(s State) bool { return s.ChunksDone == flushChunks })
	if s.Left >= 0 {
		t.Errorf("%v are said to be left of a file of which nobody knows how much is to come", s.Left)
	}
	close(held)
	if s := finish(t, j); s.Left != 0 {
		t.Errorf("at the end %v are left", s.Left)
	}
}
