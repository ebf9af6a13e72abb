package embeddings

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"paddock/app/apptest"
	"paddock/engine"
	"paddock/engine/build/buildtest"
	"paddock/engine/embed"
	"paddock/engine/embed/document/documenttest"
	"paddock/engine/embed/embedtest"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
	"paddock/engine/server"
)

// A realEngine is a supervisor with a tiny model. Before one of its requests for
// vectors, counted from 1 with that of the check, it can do something.
type realEngine struct {
	*engine.Supervisor
	t    *testing.T
	load func()

	asked atomic.Int64
	at    int64
	then  func()
}

func newRealEngine(t *testing.T) *realEngine {
	t.Helper()
	facts, err := gguf.Read(gguftest.BERT(t))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "emb") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	s := engine.New(engine.Options{RuntimeDir: filepath.Join(dir, "r"), LogDir: dir})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
		os.RemoveAll(dir)
	})
	given := plan.Given{Model: facts}
	p, _ := plan.Complete(embed.PlanFor(facts, embed.FamilyOf(facts), 0, 2), given)
	build := buildtest.Engine(t)
	e := &realEngine{Supervisor: s, t: t}
	e.load = func() {
		t.Helper()
		if err := s.Load(t.Context(), p, given, build); err != nil {
			t.Fatal(err)
		}
	}
	e.load()
	return e
}

// before has something done before a request of the next run.
func (e *realEngine) before(request int64, then func()) {
	e.asked.Store(0)
	e.at, e.then = request, then
}

func (e *realEngine) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if e.asked.Add(1) == e.at {
		e.then()
	}
	return e.Supervisor.Embed(ctx, texts)
}

// kill ends the engine's process as the system would.
func (e *realEngine) kill() {
	model := e.State().Model.Path
	status, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		e.t.Error(err)
	}
	killed := 0
	for _, path := range status {
		text, _ := os.ReadFile(path) // a process may be gone by now
		if !strings.Contains(string(text), "\nPPid:\t"+strconv.Itoa(os.Getpid())+"\n") {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && bytes.Contains(line, []byte(model)) {
			syscall.Kill(pid, syscall.SIGKILL)
			killed++
		}
	}
	if killed != 1 {
		e.t.Errorf("%d engines were killed", killed)
	}
}

// open is a presenter as at the start of the program, with its files in a folder.
func (e *realEngine) open(t *testing.T, dir string) *desk {
	d := &desk{t: t, loop: make(apptest.Loop, 100000), dir: dir}
	d.Presenter = NewPresenter(Seams{
		Engine: e, Load: func(string, func(error)) { e.load() }, Home: dir, Version: "1.2.3", Kept: filepath.Join(dir, "data", "embeddings.json"),
	}, d.loop.Do, func(State) {})
	d.SetEngine(e.State())
	t.Cleanup(d.shut)
	return d
}

// shut is the end of the program.
func (d *desk) shut() {
	d.Close()
	d.Wait(context.Background())
}

// chooseAll sets all formats and everything else by hand, and adds a folder.
func chooseAll(d *desk, folder string) {
	for _, f := range embed.Formats() {
		d.SetFormat(f, true)
	}
	d.SetTokens(200, 10)
	d.SetPrefixes("passage: ", "query: ")
	d.SetName("all")
	d.Add([]string{folder})
	d.until("the files are listed", func() bool { return !d.State().Listing })
}

// outcomes are what became of every file, in words.
func outcomes(s State) map[string]string {
	all := map[string]string{}
	for _, r := range s.Rows {
		text := fmt.Sprint(r.Phase == embed.FileFailed, r.Chunks, r.ChunksFailed)
		if r.Err != nil {
			text += sentence(r.Err)
		}
		all[r.Name] = text
	}
	return all
}

// TestAFolderOfEverythingInterruptedThreeWaysGivesWhatOneRunGives is with a real
// engine: that is killed, Paddock is closed and started again, and the run is paused
// and gone on with. Vectors are equal but for the rounding that comes of what is
// computed together; all else is to the byte.
func TestAFolderOfEverythingInterruptedThreeWaysGivesWhatOneRunGives(t *testing.T) {
	folder := t.TempDir()
	if n := len(documenttest.Tree(t, folder)); n < 60 {
		t.Fatalf("only %d files", n)
	}
	e := newRealEngine(t)
	once := e.open(t, t.TempDir())
	chooseAll(once, folder)
	e.before(0, nil)
	once.Start()
	once.over()
	whole := once.State()
	if whole.Job.Phase != embed.Done || len(whole.Rows) < 60 || whole.Job.ChunksFailed != 0 || len(whole.Job.Outputs) != len(embed.Formats()) {
		t.Fatalf("%s, %v, %d files, %d chunks failed", whole.Job.Phase, whole.Problem, len(whole.Rows), whole.Job.ChunksFailed)
	}

	dir := t.TempDir()
	d := e.open(t, dir)
	chooseAll(d, folder)
	// The engine is killed.
	e.before(8, e.kill)
	d.Start()
	d.over()
	var ended *server.Failure
	s := d.State()
	if !errors.As(s.Problem, &ended) || ended.Signal == "" || s.Offer != GoOn || s.Job.ChunksDone == 0 || s.Job.ChunksDone >= whole.Job.ChunksDone {
		t.Fatalf("killed: %v, %q, %d chunks", s.Problem, s.Offer, s.Job.ChunksDone)
	}
	for _, r := range s.Rows {
		if r.Err != nil && ofEngine(r.Err) {
			t.Errorf("%s was given up for the engine: %v", r.Name, r.Err)
		}
	}
	d.SetEngine(e.State())
	if d.State().Startable() || !d.State().Loadable() {
		t.Error("it can't be gone on with by loading the engine again")
	}

	// Paddock is closed in the middle of the run, and started again.
	first := s.Job.ChunksDone
	reached, hold := make(chan struct{}), make(chan struct{})
	e.before(6, func() { close(reached); <-hold })
	d.Start() // which loads
	d.SetEngine(e.State())
	d.until("it goes on", func() bool { return isClosed(reached) || !d.State().Runs() })
	go func() { close(hold) }()
	d.shut()
	d = e.open(t, dir)
	d.until("the run is offered again", func() bool { return d.State().Offer == GoOn })
	if s := d.State(); s.Job.ChunksDone < first || !strings.Contains(totals(s), "chunks are kept") {
		t.Errorf("it says %q, with %d chunks", totals(s), s.Job.ChunksDone)
	}
	if s := d.State(); s.Choices.Name != "all" || s.Choices.Strategy.Tokens != 200 || s.Choices.Settings.Prefix != "passage: " || len(s.Rows) != len(whole.Rows) {
		t.Fatalf("after the restart: %+v with %d files", s.Choices, len(s.Rows))
	}

	// Paused, and gone on with.
	reached, hold = make(chan struct{}), make(chan struct{})
	e.before(6, func() { close(reached); <-hold })
	d.Start()
	d.until("it goes on", func() bool { return isClosed(reached) && d.job != nil || !d.State().Runs() })
	d.Pause()
	close(hold)
	d.until("it is paused", func() bool { return d.State().Job.Phase == embed.Paused || !d.State().Runs() })
	if s := d.State(); s.Run != Paused || s.Job.ChunksDone < first || s.Job.ChunksDone >= whole.Job.ChunksDone {
		t.Errorf("paused: %s with %d chunks of %d, %v", s.Run, s.Job.ChunksDone, whole.Job.ChunksDone, s.Problem)
	}
	d.Pause()
	d.over()
	s = d.State()
	if s.Job.Phase != embed.Done || s.Problem != nil || s.Job.ChunksDone != whole.Job.ChunksDone {
		t.Fatalf("at the end: %s, %v, %d chunks", s.Job.Phase, s.Problem, s.Job.ChunksDone)
	}
	if got, want := outcomes(s), outcomes(whole); !maps.Equal(got, want) {
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%s: %q, in one run %q", name, got[name], want[name])
			}
		}
	}
	wantSameOutputs(t, dir, once.dir)
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// wantSameOutputs holds what runs into two folders wrote against each other.
func wantSameOutputs(t *testing.T, gotDir, wantDir string) {
	t.Helper()
	in := func(dir, name string) string { return filepath.Join(dir, "vectors", name) }
	for _, name := range []string{"all.jsonl.meta.json", "all.csv.meta.json", "all.npy.meta.json", "all.npy.jsonl"} {
		got, err := os.ReadFile(in(gotDir, name))
		want, wantErr := os.ReadFile(in(wantDir, name))
		if err != nil || wantErr != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is another, or is not there: %v, %v", name, err, wantErr)
		}
	}
	want := embedtest.Rows(t, in(wantDir, "all.jsonl"))
	embedtest.Same(t, embedtest.Rows(t, in(gotDir, "all.jsonl")), want)
	for _, dir := range []string{gotDir, wantDir} {
		x, err := embed.OpenIndex(in(dir, "all.sqlite"))
		if err != nil {
			t.Fatal(err)
		}
		files, err := x.Files(t.Context())
		rows := 0
		for _, f := range files {
			rows += f.Chunks
		}
		if x.Close(); err != nil || rows != len(want) || !slices.ContainsFunc(files, func(f embed.IndexFile) bool { return strings.HasSuffix(f.Path, ".pdf") }) {
			t.Errorf("the index has %d rows of %d files, %v", rows, len(files), err)
		}
	}
}
