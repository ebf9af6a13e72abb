package app

import (
	"os"
	"path/filepath"
	"testing"

	"paddock/config"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/library"
)

// folderWith has copies of files, and is not a folder of models.
func folderWith(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestAModelOpenedByItselfIsSetUpWithWhatIsInItsFolder(t *testing.T) {
	dir := folderWith(t, gguftest.Gemma3(t), gguftest.Projector(t))
	path := filepath.Join(dir, filepath.Base(gguftest.Gemma3(t)))
	b := newBench(t, nil)
	b.setUp(library.One(path))
	b.until("the projector is chosen", func() bool {
		s := b.loadTab().State()
		return !s.Preparing && s.Plan.Projector() == filepath.Join(dir, filepath.Base(gguftest.Projector(t)))
	})
}

func TestChoicesAreWrittenBeforeTheWindowIsGone(t *testing.T) {
	b := newBench(t, nil)
	m := library.One(gguftest.Llama(t))
	b.setUp(m)
	b.until("the engine has answered", func() bool { return !b.loadTab().State().Preparing })
	b.loadTab().SetContext(512)
	b.Close()
	<-b.stopped
	if _, ok := config.OpenSetups(b.options.Config.Folders().Config).Get(m.Facts.Path, m.Facts.SizeBytes); !ok {
		t.Error("the choice is not remembered")
	}
}

func TestBestSettingsOpenTheScreenWithThem(t *testing.T) {
	b := newBench(t, nil)
	b.setUpBest(library.One(gguftest.Llama(t)))
	if b.current.id != pageLoad {
		t.Errorf("it shows %s", b.current.id)
	}
	b.until("the settings are found", func() bool {
		s := b.loadTab().State()
		return !s.Preparing && !s.Finding && (s.Applied != "" || s.Notice.Text != "")
	})
}
