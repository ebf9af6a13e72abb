package embed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// wantExists wants the error of a file that is somebody else's.
func wantExists(t *testing.T, err error, path string) {
	t.Helper()
	var file *FileError
	if !errors.As(err, &file) || file.Problem != Exists || file.Path != path {
		t.Errorf("%v, want that %s exists", err, path)
	}
}

func TestWhatNoRunWroteIsNotWrittenOver(t *testing.T) {
	paths := writeFiles(t, 1, 20)
	for _, name := range []string{"out.jsonl", "out.csv.meta.json", "out.npy.jsonl", "out.npy.meta.json", "out.sqlite"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			o := optionsFor(dir, paths)
			engine := o.Embedder.(*fakeEngine)
			foreign := filepath.Join(dir, name)
			write(t, foreign, "mine")
			wantExists(t, MayWrite(o.Outputs, o.StatePath), foreign)
			s, err := Start(t.Context(), o).Wait()
			wantExists(t, err, foreign)
			if content, err := os.ReadFile(foreign); string(content) != "mine" || err != nil {
				t.Errorf("the file is %q now, %v", content, err)
			}
			if len(engine.asked) != len(checkTexts) || s.ChunksDone != 0 {
				t.Errorf("%d texts were embedded first", len(engine.asked))
			}
			o.Overwrite = true
			finish(t, Start(t.Context(), o))
			if content, _ := os.ReadFile(foreign); string(content) == "mine" {
				t.Error("it is not written over when that is asked for")
			}
		})
	}
}

func TestARunWritesOverItsOwnOutputsOnly(t *testing.T) {
	paths := writeFiles(t, 2, 20)
	dir := t.TempDir()
	o := optionsFor(dir, paths)
	all := o.Outputs
	o.Outputs, o.Keep = all[:1], true
	finish(t, Start(t.Context(), o))
	o.Resume = true
	if err := MayWrite(o.Outputs, o.StatePath); err != nil {
		t.Error(err)
	}
	finish(t, Start(t.Context(), o)) // its own
	o.Outputs = all
	foreign := filepath.Join(dir, "out.csv")
	write(t, foreign, "mine")
	_, err := Start(t.Context(), o).Wait()
	wantExists(t, err, foreign) // although there is a state
	o.Resume = false
	_, err = Start(t.Context(), o).Wait()
	wantExists(t, err, foreign)
	if err := os.Remove(foreign); err != nil {
		t.Fatal(err)
	}
	finish(t, Start(t.Context(), o)) // a new run knows what an older one wrote
	// State and outputs are known where they were moved to.
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	o = optionsFor(moved, paths)
	o.Resume = true
	finish(t, Start(t.Context(), o))
}

func TestAnOutputThatIsNoLongerAsItWasWrittenIsNotWrittenOver(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, path string){
		"another in its place": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			write(t, path, "mine")
		},
		"edited to the same length": func(t *testing.T, path string) {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			copy(content, "mine")
			write(t, path, string(content))
			// Also where a clock ticks slowly.
			if err := os.Chtimes(path, time.Time{}, info.ModTime().Add(2*time.Second)); err != nil {
				t.Fatal(err)
			}
		},
		"a link to another": func(t *testing.T, path string) {
			elsewhere := filepath.Join(t.TempDir(), "elsewhere")
			if err := os.Rename(path, elsewhere); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(elsewhere, path); err != nil {
				t.Fatal(err)
			}
		},
	} {
		for _, which := range []string{"out.csv", "out.npy.meta.json", "out.sqlite"} {
			t.Run(name+", "+which, func(t *testing.T) {
				dir := t.TempDir()
				o := optionsFor(dir, writeFiles(t, 1, 20))
				o.Keep, o.Resume = true, true
				finish(t, Start(t.Context(), o))
				path := filepath.Join(dir, which)
				change(t, path)
				theirs, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				for _, o.Resume = range []bool{true, false} {
					_, err = Start(t.Context(), o).Wait()
					wantExists(t, err, path)
					if now, err := os.ReadFile(path); string(now) != string(theirs) || err != nil {
						t.Errorf("the file is %q now, %v", now, err)
					}
				}
				o.Resume, o.Overwrite = true, true
				finish(t, Start(t.Context(), o))
				o.Overwrite = false
				finish(t, Start(t.Context(), o)) // it is the run's own again
			})
		}
	}
}

func TestOutputsAreKnownAsSuch(t *testing.T) {
	dir := t.TempDir()
	o := optionsFor(dir, writeFiles(t, 1, 20))
	o.Keep = true
	finish(t, Start(t.Context(), o))
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 10 {
		t.Fatalf("%d files, %v", len(entries), err)
	}
	for _, entry := range entries {
		if !IsOutput(filepath.Join(dir, entry.Name())) {
			t.Errorf("%s is not known", entry.Name())
		}
	}
	others := t.TempDir()
	for name, text := range map[string]string{
		"data.jsonl": `{"text":"a"}`, "data.jsonl.meta.json": `{"dimensions":3}`, "table.csv": "id,text\n1,a\n", "notes.meta.json": "{}",
		"notes.txt": "text", "a.sqlite": "no database", "b.parquet": "PAR1 no PAR1", "c.npy": "x", "c.npy.jsonl": "{}", "d.paddock-statement": "text",
		"e.parquet": "",
	} {
		write(t, filepath.Join(others, name), text)
		if IsOutput(filepath.Join(others, name)) {
			t.Errorf("%s is taken for an output", name)
		}
	}
	foreign := filepath.Join(others, "foreign.sqlite")
	db, err := openDatabase(foreign, "_pragma=journal_mode(wal)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE chunks (text); INSERT INTO chunks VALUES ('a')"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadDir(others)
	if IsOutput(foreign) {
		t.Error("somebody else's database is taken for an output")
	}
	if after, _ := os.ReadDir(others); len(after) != len(before) {
		t.Errorf("looking into it made files: %v", after)
	}
	if IsOutput(filepath.Join(others, "gone.csv")) || IsOutput(others) {
		t.Error("what is no file is taken for an output")
	}
}

func TestAMapOfManyRowsIsThatOfASample(t *testing.T) {
	const rows = 2*sampleSize + 100
	out := Output{Format: SQLite, Path: filepath.Join(t.TempDir(), "out.sqlite")}
	_, err := out.Write(t.Context(), Meta{Dimensions: 8, Normalise: L2}, rows, func(_ context.Context, each func(Row) error) error {
		for i := range rows {
			if err := each(Row{Path: "a.txt", Chunk: Chunk{Index: i}, Vector: vectorOf(fmt.Sprint(i), 8)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	index, err := OpenIndex(out.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	points, got, err := index.Map(t.Context())
	if err != nil || len(points) != rows {
		t.Fatalf("%d points, %v", len(points), err)
	}
	var sample [][]float32
	at := 0
	if err := index.vectors(t.Context(), everyRow, func(_ int64, _ string, v []float32) {
		if at%2 == 0 {
			sample = append(sample, v)
		}
		at++
	}); err != nil {
		t.Fatal(err)
	}
	want := projectionOf(t, sample)
	if !slices.Equal(got.axes[0], want.axes[0]) || !slices.Equal(got.axes[1], want.axes[1]) {
		t.Error("the directions are others than those of every second row")
	}
	for i, p := range points[:50] {
		if p.Number != int64(i+1) || p.X == 0 && p.Y == 0 {
			t.Errorf("point %d is %+v", i, p)
		}
	}
}

func TestASearchDoesNotWaitForAMap(t *testing.T) {
	index := indexOf(t, writeFiles(t, 1, 100), Settings{Normalise: L2})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	found := 0
	err := index.vectors(ctx, everyRow, func(number int64, _ string, v []float32) {
		if number != 50 {
			return
		}
		hits, err := index.Search(ctx, Query{Vector: v, Top: 1})
		if err != nil || len(hits) != 1 || hits[0].Number != 50 {
			t.Errorf("%v, %v", hits, err)
		}
		found++
	})
	if err != nil || found != 1 {
		t.Errorf("%d searches, %v", found, err)
	}
}

func TestAFileThatCameWhereAnOutputBelongsIsNotWrittenOver(t *testing.T) {
	paths := writeFiles(t, 2, 200)
	for name, meet := range map[string]func(t *testing.T, o Options, put func()){
		"after a run that was cancelled": func(t *testing.T, o Options, put func()) {
			ctx, cancel := context.WithCancel(t.Context())
			o.Embedder = &fakeEngine{size: 48, fault: func(texts []string, _ [][]float32) error {
				if len(texts) != len(checkTexts) {
					cancel()
				}
				return ctx.Err()
			}}
			if s, err := Start(ctx, o).Wait(); s.Phase != Cancelled {
				t.Fatalf("%s, %v", s.Phase, err)
			}
			put()
		},
		"while the vectors are made": func(t *testing.T, o Options, put func()) {},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			o := optionsFor(dir, paths)
			o.Resume, o.Keep = true, true
			foreign := filepath.Join(dir, "out.csv")
			put := sync.OnceFunc(func() { write(t, foreign, "mine") })
			meet(t, o, put)
			o.Embedder = &fakeEngine{size: 48, fault: func(texts []string, _ [][]float32) error {
				if len(texts) != len(checkTexts) {
					put()
				}
				return nil
			}}
			s, err := Start(t.Context(), o).Wait()
			wantExists(t, err, foreign)
			if s.Phase != Failed || s.Err == nil {
				t.Errorf("%s, %v", s.Phase, s.Err)
			}
			if content, err := os.ReadFile(foreign); string(content) != "mine" || err != nil {
				t.Errorf("the file is %q now, %v", content, err)
			}
			if parts, err := filepath.Glob(filepath.Join(dir, ".*.paddock-part")); err != nil || len(parts) > 0 {
				t.Errorf("left behind are %v, %v", parts, err)
			}
			// It is gone on with from all there is.
			engine := &fakeEngine{size: 48}
			o.Embedder, o.Overwrite = engine, true
			kept := s.ChunksDone
			s = finish(t, Start(t.Context(), o))
			if n := len(engine.asked) - len(checkTexts); n != 400-kept || s.ChunksDone != 400 {
				t.Errorf("%d texts were embedded again, of 400 with %d kept", n, kept)
			}
			if content, _ := os.ReadFile(foreign); string(content) == "mine" {
				t.Error("it is not written over when that is asked for")
			}
		})
	}
}

func TestAStartOverThatIsRefusedLosesNothing(t *testing.T) {
	dir := t.TempDir()
	o := optionsFor(dir, writeFiles(t, 2, 100))
	all := o.Outputs
	o.Outputs, o.Keep = all[:1], true
	finish(t, Start(t.Context(), o))
	foreign := filepath.Join(dir, "out.csv")
	write(t, foreign, "mine")
	o.Outputs = all
	_, err := Start(t.Context(), o).Wait()
	wantExists(t, err, foreign)
	engine := &fakeEngine{size: 48}
	o.Outputs, o.Resume, o.Embedder = all[:1], true, engine
	if s := finish(t, Start(t.Context(), o)); s.Files[0].Phase != FileKept || len(engine.asked) != len(checkTexts) {
		t.Errorf("%s, %d texts embedded again", s.Files[0].Phase, len(engine.asked)-len(checkTexts))
	}
}
