package embed

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"paddock/engine/embed/document"
)

func TestAFileToBeReadIsNeverWrittenOver(t *testing.T) {
	for name, input := range map[string]func(t *testing.T, output string) string{
		"by its own name": func(_ *testing.T, output string) string { return output },
		"by another": func(t *testing.T, output string) string {
			link := filepath.Join(t.TempDir(), "link.csv")
			if err := os.Symlink(output, link); err != nil {
				t.Fatal(err)
			}
			return link
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			mine := filepath.Join(dir, "out.csv")
			write(t, mine, "my own words\n")
			o := optionsFor(dir, append(writeFiles(t, 1, 3), input(t, mine)))
			o.Overwrite = true
			s, err := Start(t.Context(), o).Wait()
			var file *FileError
			if !errors.As(err, &file) || file.Problem != IsInput || file.Path != mine {
				t.Errorf("%v", err)
			}
			if all := outputsOf(t, dir); len(all) != 1 || all["out.csv"] != "my own words\n" || s.Chunks != 0 {
				t.Errorf("the folder has %v now", all)
			}
		})
	}
}

func TestARunThatEmbeddedNothingLeavesNothing(t *testing.T) {
	wrong := lineCutter{cut: func(path string, _ int) error {
		return &document.Error{Problem: document.NoColumn, Path: path, Column: "nope"}
	}}
	for _, keep := range []bool{false, true} {
		dir := t.TempDir()
		o := optionsFor(dir, writeFiles(t, 2, 5))
		o.Keep, o.Cutter = keep, wrong
		if s := finish(t, Start(t.Context(), o)); len(s.Outputs) != 0 || s.Files[0].Err == nil {
			t.Errorf("%+v", s)
		}
		if all := outputsOf(t, dir); len(all) != 0 {
			t.Errorf("the folder has %v", all)
		}
		// What an earlier run wrote stays, and is known as that.
		o.Cutter = lineCutter{}
		finish(t, Start(t.Context(), o))
		want := outputsOf(t, dir)
		o.Cutter, o.Overwrite = wrong, true
		finish(t, Start(t.Context(), o))
		got := outputsOf(t, dir)
		delete(want, filepath.Base(o.StatePath))
		delete(got, filepath.Base(o.StatePath))
		wantSame(t, got, want)
	}
	dir := t.TempDir()
	o := optionsFor(dir, writeFiles(t, 1, 5))
	o.Embedder = &fakeEngine{size: 48, fault: func(texts []string, _ [][]float32) error {
		if len(texts) == len(checkTexts) {
			return nil
		}
		return errEngineGone
	}}
	if _, err := Start(t.Context(), o).Wait(); !errors.Is(err, errEngineGone) {
		t.Errorf("%v", err)
	}
	if all := outputsOf(t, dir); len(all) != 0 {
		t.Errorf("without a vector the folder has %v", all)
	}
}

func TestARunIsOverAlthoughAFileCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	o := optionsFor(dir, append(writeFiles(t, 1, 5), filepath.Join(dir, "gone")))
	if s := finish(t, Start(t.Context(), o)); s.ChunksDone != 5 || s.Files[1].Phase != FileFailed {
		t.Errorf("%+v", s)
	}
	if _, err := os.Stat(o.StatePath); err == nil {
		t.Error("there is a state to go on from")
	}
}

func TestOfAnotherSettingItIsToldWhatItWasAndWhetherTheRunHadFinished(t *testing.T) {
	for _, finished := range []bool{true, false} {
		dir := t.TempDir()
		paths := writeFiles(t, 1, 5)
		o := optionsFor(dir, paths)
		o.Keep = true
		engine := &fakeEngine{size: 48}
		if !finished {
			engine.fault = func(texts []string, vectors [][]float32) error {
				if len(texts) != len(checkTexts) {
					clear(vectors[0]) // its chunk fails
				}
				return nil
			}
		}
		o.Embedder = engine
		finish(t, Start(t.Context(), o))
		o.Resume, o.Settings.Prefix = true, "other: "
		_, err := Start(t.Context(), o).Wait()
		var file *FileError
		if !errors.As(err, &file) || file.Problem != OtherRun || file.Differs != "prefix" || file.Was != "passage: " || file.Finished != finished {
			t.Errorf("finished %t: %+v", finished, file)
		}
	}
}

func TestTheTokensOfAFileThatWasGivenUpDoNotCount(t *testing.T) {
	dir := t.TempDir()
	paths := writeFiles(t, 2, flushChunks+20)
	begun := make(chan struct{})
	var once sync.Once
	o := optionsFor(dir, paths)
	o.InFlight = 1
	o.Embedder = &fakeEngine{size: 48, fault: func(texts []string, _ [][]float32) error {
		if len(texts) > len(checkTexts) {
			once.Do(func() { close(begun) })
		}
		return nil
	}}
	var j *Job
	started := make(chan struct{})
	o.Cutter = lineCutter{cut: func(path string, line int) error {
		if path == paths[0] && line == flushChunks+10 {
			<-begun
			<-started
			until(t, j, "some of its chunks are embedded", func(s State) bool { return s.ChunksDone > 0 })
			return &document.Error{Problem: document.Changed, Path: path}
		}
		return nil
	}}
	j = Start(t.Context(), o)
	close(started)
	s := finish(t, j)
	if s.Files[0].Phase != FileFailed || s.Chunks != flushChunks+20 || s.Tokens == 0 || s.TokensDone != s.Tokens {
		t.Errorf("%d of %d tokens of %d chunks are done", s.TokensDone, s.Tokens, s.Chunks)
	}
}

func TestAMapThatNobodyWantsAnyMoreIsNotFinished(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p, err := newProjection(ctx, [][]float32{{1, 2}, {2, 1}, {3, 3}}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", p, err)
	}
}
