package app

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/storage"

	"paddock/engine/gguf/gguftest"
	"paddock/words"
)

func write(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestModelsAndFoldersAreToldFromOtherFiles(t *testing.T) {
	dir := t.TempDir()
	named := write(t, filepath.Join(dir, "a.GGUF"), "whatever")
	blob := write(t, filepath.Join(dir, "sha256-1234"), "GGUF\x03\x00")
	text := write(t, filepath.Join(dir, "notes.txt"), "hello")
	short := write(t, filepath.Join(dir, "short"), "GG")
	gone := filepath.Join(dir, "gone.gguf")
	missing := filepath.Join(dir, "picture.png")
	models, others := sortPaths([]string{named, blob, dir, text, short, gone, missing})
	if want := []string{named, blob, dir, gone}; !slices.Equal(models, want) {
		t.Errorf("models are %v, want %v", models, want)
	}
	if want := []string{text, short, missing}; !slices.Equal(others, want) {
		t.Errorf("others are %v, want %v", others, want)
	}
}

func TestWhatIsNoModelIsSaidInASentence(t *testing.T) {
	dir := t.TempDir()
	text := write(t, filepath.Join(dir, "notes.txt"), "hello")
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{nil, ""},
		{[]string{text}, "notes.txt is not a GGUF model"},
		{[]string{text, text, text}, "notes.txt and 2 more are not GGUF models"},
		{[]string{filepath.Join(dir, "from-a-browser.png")}, "from-a-browser.png is not a file on this computer"},
	} {
		if got := notModels(c.paths); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%v: %q", c.paths, got)
		}
	}
}

func TestOnlyFilesCanBeDropped(t *testing.T) {
	web, err := storage.ParseURI("https://example.org/a.gguf")
	if err != nil {
		t.Fatal(err)
	}
	got := paths([]fyne.URI{storage.NewFileURI("/m/my model.gguf"), web})
	if want := []string{"/m/my model.gguf"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestFilesDroppedOnEmbeddingsAreEmbeddedAndModelsAreOpened(t *testing.T) {
	dir := t.TempDir()
	text := write(t, filepath.Join(dir, "notes.txt"), "hello")
	if err := os.Mkdir(filepath.Join(dir, "models"), 0o700); err != nil {
		t.Fatal(err)
	}
	model := write(t, filepath.Join(dir, "models", "a.gguf"), "GGUF")
	plain := t.TempDir()
	texts, others := forVectors([]string{text, model, filepath.Dir(model), plain})
	if !slices.Equal(texts, []string{text, plain}) || !slices.Equal(others, []string{model, filepath.Dir(model)}) {
		t.Errorf("embedded are %v, the others %v", texts, others)
	}
	b, _ := newPairBench(t)
	b.GoTo(pageVectors)
	b.Open([]string{plain, text})
	b.until("they are on the list", func() bool {
		s := b.embeddingsTab().State()
		return len(s.Sources) == 2 && !s.Listing && len(s.Rows) == 1
	})
	if b.current.id != pageVectors {
		t.Errorf("it leads to %s", b.current.id)
	}
}

// The window's goroutine must not wait for a folder that does not answer.
func TestADroppedPathIsLookedAtBesideTheWindow(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone.txt")
	asked := make(chan struct{})
	var once sync.Once
	b := newBench(t, func(o *Options) {
		do := o.Do
		o.Do = func(f func()) {
			do(f)
			if bytes.Contains(debug.Stack(), []byte("(*Window).Open.")) {
				once.Do(func() { close(asked) })
			}
		}
	})
	b.Open([]string{gone})
	<-asked
	if err := os.WriteFile(gone, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := words.T("shell.drop.missing", map[string]any{"File": "gone.txt", "Count": 0})
	b.until("it is said", func() bool { return strings.Contains(b.said(), "gone.txt") })
	if got := b.said(); got != missing {
		t.Errorf("it says %q, want %q", got, missing)
	}
}

func TestPaddockStartedWithAFileSelectsItAndNothingBefore(t *testing.T) {
	dir := t.TempDir()
	guide, wanted := gguftest.Llama(t), filepath.Join(dir, "wanted.gguf")
	data, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	write(t, wanted, string(data))
	picture := write(t, filepath.Join(dir, "notes.txt"), "hello")
	for name, c := range map[string]struct{ file, want string }{
		"a model": {wanted, wanted}, "another file": {picture, guide},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, func(o *Options) { o.Guide, o.Files = guide, []string{c.file} })
			selected := func() string {
				if at := b.modelsTab().State().At; at < 0 {
					return ""
				}
				return b.modelsTab().State().Selected.Path
			}
			b.until("something is selected", func() bool { return selected() != "" })
			if selected() != c.want {
				t.Errorf("first %s is", selected())
			}
		})
	}
}
