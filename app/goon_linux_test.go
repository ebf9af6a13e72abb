package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paddock/app/embeddings"
	"paddock/engine"
	"paddock/engine/build/buildtest"
	"paddock/engine/embed"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

func TestOnePressLoadsTheModelOfARunAndGoesOnWithIt(t *testing.T) {
	b := newRealBench(t, buildtest.Engine(t), 0)
	path := gguftest.BERT(t)
	b.setUpModel(path)
	b.loadTab().Load()
	b.until("it is ready", func() bool { return b.vectors.state.Phase == engine.Ready || b.vectors.state.Phase == engine.Failed })
	note := filepath.Join(t.TempDir(), "note.txt")
	if err := os.WriteFile(note, []byte("The sea is deep and cold."), 0o600); err != nil {
		t.Fatal(err)
	}
	tab := b.embeddingsTab()
	tab.SetFolder(t.TempDir())
	tab.Add([]string{note})
	b.until("the note is listed", func() bool { return tab.State().Startable() })
	tab.Start()
	tab.Cancel()
	b.until("the run is over", func() bool { return !tab.State().Runs() })
	b.vectors.Unload()
	b.until("it is unloaded", func() bool { return b.vectors.state.Phase == engine.NotLoaded })
	if s := tab.State(); s.Offer != embeddings.GoOn || !s.Loadable() {
		t.Fatalf("%q, %v", s.Offer, s.Problem)
	}

	b.GoTo(pageVectors)
	tab.Start()
	b.until("the run is done", func() bool { return tab.State().Job.Phase == embed.Done || tab.State().Problem != nil })
	if s := tab.State(); s.Problem != nil || s.Job.ChunksDone != 1 || b.vectors.state.Model.Path != path || b.vectors.state.Plan.Purpose != plan.Embeddings {
		t.Errorf("%v, %d chunks", s.Problem, s.Job.ChunksDone)
	}
	b.until("Embeddings is on view again", func() bool { return b.current.id == pageVectors })

	// Its file is gone.
	tab.Add([]string{filepath.Dir(note)})
	b.until("the note is listed again", func() bool { return tab.State().Startable() })
	tab.Start()
	tab.Cancel()
	b.until("the run is over", func() bool { return !tab.State().Runs() })
	b.vectors.Unload()
	b.until("it is unloaded", func() bool { return b.vectors.state.Phase == engine.NotLoaded })
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	tab.Start()
	b.until("it is said", func() bool { return tab.State().Problem != nil })
	if s := tab.State(); s.Loading || !strings.Contains(s.Problem.Error(), filepath.Base(path)) || b.current.id != pageVectors {
		t.Errorf("%v, loading %t, on %s", s.Problem, s.Loading, b.current.id)
	}
}
