package images

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"paddock/app/apptest"
	"paddock/app/widgets"
	"paddock/engine"
	"paddock/engine/client"
	"paddock/engine/gguf"
	job "paddock/engine/images"
	"paddock/engine/library"
	"paddock/engine/picture/picturetest"
	"paddock/engine/plan"
)

// A fakeEngine answers with a text, once its gate is open.
type fakeEngine struct {
	*apptest.Watched
	mu    sync.Mutex
	text  string
	gate  chan struct{} // an answer ends with each value; nil for at once
	err   error
	twice bool // it says that it was asked for the answer twice
	asked []client.Request
}

func (f *fakeEngine) Chat(ctx context.Context, r client.Request, each func(client.Delta)) (client.Answer, error) {
	f.mu.Lock()
	f.asked = append(f.asked, r)
	text, gate, err, twice := f.text, f.gate, f.err, f.twice
	f.mu.Unlock()
	if err != nil {
		return client.Answer{}, err
	}
	each(client.Delta{Text: "so far"})
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return client.Answer{Text: "so far", Stop: client.StopCancelled}, nil
		}
	}
	return client.Answer{Text: text, Stop: client.StopEnd, Repeated: twice}, nil
}

func (f *fakeEngine) say(text string) { f.mu.Lock(); f.text = text; f.mu.Unlock() }

func (f *fakeEngine) requests() int { f.mu.Lock(); defer f.mu.Unlock(); return len(f.asked) }

func seeing() engine.State {
	return engine.State{
		Phase: engine.Ready, Model: gguf.Facts{Name: "Seer", Path: "/m/seer.gguf"},
		Plan: plan.Plan{ModelPath: "/m/seer.gguf", ProjectorPath: "/m/mmproj.gguf", Slots: 1},
	}
}

// A bench is a presenter with a real set in a temporary folder.
type bench struct {
	*Presenter
	t      *testing.T
	loop   apptest.Loop
	engine *fakeEngine
	seams  Seams
	copied string
	setUp  string
	paste  []byte
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, loop: apptest.NewLoop(), engine: &fakeEngine{Watched: apptest.NewWatched(seeing()), text: "A cat."}}
	b.seams = Seams{
		Engine:     b.engine,
		Folder:     filepath.Join(t.TempDir(), "set"),
		Seers:      func() []library.Model { return nil },
		SetUp:      func(m library.Model) { b.setUp = m.Facts.Name },
		Copy:       func(text string) { b.copied = text },
		Thumbs:     job.NewThumbnails(t.TempDir(), 1<<20),
		PasteImage: func() ([]byte, bool) { return b.paste, b.paste != nil },
	}
	b.open()
	return b
}

func (b *bench) open() {
	b.t.Helper()
	b.Presenter = NewPresenter(b.seams, b.loop.Do, func(State) {})
	p := b.Presenter
	b.t.Cleanup(func() { shut(b.t, p) })
	b.Begin()
	b.until("it is open", func() bool { return !b.State().Opening })
}

// shut closes a presenter and waits until all is on the disk.
func shut(t *testing.T, p *Presenter) {
	t.Helper()
	p.Close()
	p.Wait(context.Background())
}

func (b *bench) until(what string, cond func() bool) { b.t.Helper(); b.loop.Until(b.t, what, cond) }

// folder has so many good pictures.
func folder(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		put(t, filepath.Join(dir, fmt.Sprintf("%02d.png", i)), picturetest.Encode(t, "png", picturetest.Quadrants(40+i, 40)))
	}
	return dir
}

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

// readIf is what is in a file, nothing when there is none.
func readIf(path string) string {
	data, _ := os.ReadFile(path)
	return string(data)
}

// add adds a folder and waits until it is there.
func (b *bench) add(dir string, n int) {
	b.t.Helper()
	b.Add(true, dir)
	b.until("they are added", func() bool { return len(b.State().Items) == n && b.State().Busy == "" })
}

// runAll runs to the end.
func (b *bench) runAll() {
	b.t.Helper()
	b.Press()
	b.ends()
}

func (b *bench) ends() {
	b.t.Helper()
	b.until("it ends", func() bool { return !b.State().Run.On && b.State().Counts.Waiting+b.State().Counts.Running == 0 })
}

func (b *bench) wantNote(kind widgets.ReasonKind, part string) {
	b.t.Helper()
	if n := b.State().Note; n.Kind != kind || !strings.Contains(n.Text, part) {
		b.t.Errorf("the note is %+v, without %q", n, part)
	}
}
