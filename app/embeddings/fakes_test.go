package embeddings

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"paddock/app/apptest"
	"paddock/engine"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
)

const width = 384

// A fakeEngine makes vectors of words: texts with words in common lie near each
// other. It can be held, and give zeros for some.
type fakeEngine struct {
	mu     sync.Mutex
	asked  []string
	refuse string        // texts with that get zeros
	held   chan struct{} // when not nil, requests wait until it is closed
	gate   chan struct{} // when not nil, each request takes one from it
	state  engine.State
	dead   error // the error of every request, nil for none
}

func (e *fakeEngine) set(refuse string, held chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refuse, e.held = refuse, held
}

// texts are those that were embedded and hold a word.
func (e *fakeEngine) texts(with string) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, text := range e.asked {
		if strings.Contains(text, with) {
			n++
		}
	}
	return n
}

// all is how many texts were embedded.
func (e *fakeEngine) all() int { return e.texts("") }

// die has requests fail, or with nil succeed again.
func (e *fakeEngine) die(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dead = err
}

// State is what the presenter was last told, unless a test says otherwise.
func (e *fakeEngine) State() engine.State {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state
}

func (e *fakeEngine) become(s engine.State) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state = s
}

func (e *fakeEngine) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	e.asked = append(e.asked, texts...)
	refuse, held := e.refuse, e.held
	e.mu.Unlock()
	if e.gate != nil {
		select {
		case <-e.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	e.mu.Lock()
	dead := e.dead
	e.mu.Unlock()
	if dead != nil {
		return nil, dead
	}
	if held != nil {
		select {
		case <-held:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if refuse != "" && strings.Contains(text, refuse) {
			vectors[i] = make([]float32, width)
			continue
		}
		vectors[i] = vectorOf(text)
	}
	return vectors, nil
}

func (e *fakeEngine) EmbedRaw(ctx context.Context, texts []string) ([][]float32, error) {
	return e.Embed(ctx, texts)
}

func (e *fakeEngine) CountTokens(_ context.Context, texts []string) ([]int, error) {
	counts := make([]int, len(texts))
	for i, text := range texts {
		counts[i] = len(strings.Fields(text)) + 2
	}
	return counts, nil
}

func vectorOf(text string) []float32 {
	v := make([]float64, width)
	for _, word := range strings.Fields(strings.ToLower(text)) {
		h := fnv.New64a()
		h.Write([]byte(strings.Trim(word, ".,:?")))
		random := rand.New(rand.NewPCG(h.Sum64(), 1))
		for i := range v {
			v[i] += random.NormFloat64()
		}
	}
	var squares float64
	for _, x := range v {
		squares += x * x
	}
	w := make([]float32, width)
	for i, x := range v {
		w[i] = float32(x / max(math.Sqrt(squares), 1e-9))
	}
	return w
}

// A desk is what a presenter in a test works with.
type desk struct {
	*Presenter
	t      *testing.T
	loop   apptest.Loop
	engine *fakeEngine
	dir    string
	model  string

	loads    []string    // the models that were asked to be loaded
	unusable func(error) // told what is wrong with the last one's file
}

func (d *desk) seams() Seams {
	return Seams{
		Engine: d.engine, Home: d.dir, Version: "1.2.3", Kept: filepath.Join(d.dir, "data", "embeddings.json"),
		Load: func(path string, unusable func(error)) {
			d.loads, d.unusable = append(d.loads, path), unusable
		},
	}
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, loop: make(apptest.Loop, 100000), engine: &fakeEngine{}, dir: t.TempDir()}
	d.model = d.write("e5-small.gguf", "no model, but it has a hash")
	d.Presenter = NewPresenter(d.seams(), d.loop.Do, func(State) {})
	t.Cleanup(func() {
		d.Close()
		d.Wait(context.Background())
	})
	return d
}

func (d *desk) models() []library.Model {
	return []library.Model{{Facts: gguf.Facts{Name: "E5 small", Path: d.model}}}
}

func (d *desk) write(name, text string) string {
	d.t.Helper()
	path := filepath.Join(d.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return path
}

func (d *desk) read(path string) string {
	d.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

func (d *desk) ready() engine.State {
	return engine.State{
		Phase: engine.Ready,
		Model: gguf.Facts{Path: d.model, Name: "E5 small", Architecture: "bert", EmbeddingLength: width, ContextTokens: 512, Pooling: "mean"},
		Plan:  plan.Plan{ModelPath: d.model, Purpose: plan.Embeddings, ContextTokens: 512, Slots: 1},
		Build: build.Build{Number: 11669},
	}
}

// notes writes files of three subjects into a folder and adds that.
func (d *desk) notes() string {
	d.t.Helper()
	for i := range 12 {
		d.write(fmt.Sprintf("notes/wall-%02d.txt", i), fmt.Sprintf("The boundary wall number %d is repaired by the owner.", i))
	}
	d.write("notes/bees.md", "# Bees\n\nBees make honey in summer.\n\n# Frost\n\nIce breaks pipes in winter.\n")
	d.write("notes/scan.pdf", "%PDF-1.4\nnothing that is a page")
	folder := filepath.Join(d.dir, "notes")
	d.Add([]string{folder})
	d.until("the files are listed", func() bool { return !d.State().Listing })
	return folder
}

// made is a desk on which the notes were made vectors, and the map is there.
func made(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t)
	d.notes()
	d.SetEngine(d.ready())
	d.Start()
	d.over()
	d.until("the map is made", func() bool { return d.State().Index != "" && !d.State().Mapping })
	return d
}

func (d *desk) over() {
	d.t.Helper()
	d.until("the run ends", func() bool { return !d.State().Runs() })
}

// until runs what is posted until cond holds. The first reading of a PDF and the
// first writing of all formats take their time on a busy machine.
func (d *desk) until(what string, cond func() bool) {
	d.t.Helper()
	deadline := time.After(3 * time.Minute)
	for !cond() {
		select {
		case f := <-d.loop:
			f()
		case <-deadline:
			d.t.Fatal("never happened: " + what)
		}
	}
}
