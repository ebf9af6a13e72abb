package embed

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"paddock/engine/embed/document"
)

// An engine of the tests makes vectors of hashes, with faults where a test wants
// some.
type fakeEngine struct {
	size  int
	fault func(texts []string, vectors [][]float32) error

	mu    sync.Mutex
	asked []string
}

func (e *fakeEngine) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := e.EmbedRaw(ctx, texts)
	for _, v := range vectors {
		toLength1(v)
	}
	return vectors, err
}

func (e *fakeEngine) EmbedRaw(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.asked = append(e.asked, texts...)
	e.mu.Unlock()
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = vectorOf(text, e.size)
	}
	if e.fault != nil {
		if err := e.fault(texts, vectors); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

func vectorOf(text string, size int) []float32 {
	sum := sha256.Sum256([]byte(text))
	random := rand.New(rand.NewChaCha8(sum))
	v := make([]float32, size)
	for i := range v {
		v[i] = float32(random.NormFloat64())
	}
	return v
}

// lineCutter makes a chunk of each line.
type lineCutter struct {
	cut     func(path string, line int) error
	partial func(path string) error // what of a file can't be read, nil for nothing
}

func (l lineCutter) Open(_ context.Context, path string) (Source, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, &document.Error{Problem: document.Missing, Path: path, Err: err}
	}
	return &lineSource{cutter: l, path: path, content: content}, nil
}

type lineSource struct {
	cutter  lineCutter
	path    string
	content []byte
}

func (s *lineSource) SHA256() string {
	sum := sha256.Sum256(s.content)
	return hex.EncodeToString(sum[:])
}

func (s *lineSource) Close() {}

func (s *lineSource) Cut(_ context.Context, each func(Chunk) error, partial func(error)) error {
	lines := bufio.NewScanner(bytes.NewReader(s.content))
	var at int64
	if s.cutter.partial != nil {
		if problem := s.cutter.partial(s.path); problem != nil {
			partial(problem)
		}
	}
	for i := 0; lines.Scan(); i++ {
		if s.cutter.cut != nil {
			if err := s.cutter.cut(s.path, i); err != nil {
				return err
			}
		}
		text := lines.Text()
		c := Chunk{Index: i, Start: at, End: at + int64(len(text)), Tokens: len(strings.Fields(text)) + 2, Text: text, Line: i + 1, Heading: "Top"}
		at = c.End + 1
		if err := each(c); err != nil {
			return err
		}
	}
	return nil
}

// writeFiles writes files of numbered lines, none like another.
func writeFiles(t testing.TB, files, lines int) []string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for f := range files {
		var text strings.Builder
		for i := range lines {
			fmt.Fprintf(&text, "file %d says in line %d: \"quoted\", ünïcode, 日本語 and a comma\n", f, i)
		}
		path := filepath.Join(dir, fmt.Sprintf("file-%02d.txt", f))
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

var testMeta = Meta{Model: "Fake", ModelPath: "fake.gguf", ModelSHA256: "abc", Chunker: "lines", Engine: "b1", App: "0.1"}

// optionsFor writes every format into a folder.
func optionsFor(dir string, paths []string) Options {
	o := Options{
		Files: paths, Cutter: lineCutter{}, Embedder: &fakeEngine{size: 48}, Meta: testMeta,
		Settings: Settings{Prefix: "passage: ", QueryPrefix: "query: ", Normalise: L2},
	}
	for _, format := range Formats() {
		o.Outputs = append(o.Outputs, Output{format, filepath.Join(dir, "out."+string(format))})
	}
	o.StatePath = StatePath(o.Outputs[0].Path)
	return o
}

// finish waits for a job that has to end well.
func finish(t testing.TB, j *Job) State {
	t.Helper()
	s, err := j.Wait()
	if err != nil || s.Phase != Done {
		t.Fatalf("%s: %v", s.Phase, err)
	}
	return s
}

// until waits for a state of a job.
func until(t testing.TB, j *Job, what string, is func(State) bool) State {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if s := j.State(); is(s) {
			return s
		}
	}
	t.Fatalf("never %s: %+v", what, j.State())
	return State{}
}

// tooFew gives one vector, whatever it is asked.
type tooFew struct{}

func (tooFew) Embed(context.Context, []string) ([][]float32, error) {
	return [][]float32{{1}}, nil
}

// silent is a fakeEngine that remembers nothing.
type silent struct{}

func (silent) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = vectorOf(text, 48)
		toLength1(vectors[i])
	}
	return vectors, nil
}
