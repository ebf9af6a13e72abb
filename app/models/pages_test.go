package models

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"paddock/app/apptest"
	"paddock/engine/gguf"
)

func TestThePagesOfTheDetailPane(t *testing.T) {
	s := typical(t, apptest.Wide)
	for _, c := range []struct {
		page string
		want []string
	}{
		{"Facts", []string{"llama · 32 layers", "32 · 8 KV · size 128", "151,936 · gpt2 / qwen", "Q4_K 4.0"}},
		{"Tensors", []string{"Q4_K", "80.0 %", "120", "5.0"}},
		{"Template", []string{"Copy template"}},
		{"Files", []string{"alpha.gguf", "Copy path"}},
	} {
		test.Tap(s.press(t, c.page))
		for _, want := range c.want {
			if !strings.Contains(s.shown(), want) {
				t.Errorf("%s does not say %q:\n%s", c.page, want, s.shown())
			}
		}
	}
	test.Tap(s.button(t, "Copy path"))
	test.Tap(s.press(t, "Template"))
	test.Tap(s.button(t, "Copy template"))
	want := []string{"/m/alpha.gguf", s.State().Selected.Model.Facts.ChatTemplate}
	if !slices.Equal(s.copied, want) {
		t.Errorf("copied %q", s.copied)
	}
}

func TestALongOrHostileTemplateIsCutAndEscaped(t *testing.T) {
	text, cut := cutTemplate(strings.Repeat("line\n", 1000))
	if cut != templateLines || strings.Count(text, "\n") != templateLines-1 {
		t.Errorf("%d lines shown, cut at %d", strings.Count(text, "\n")+1, cut)
	}
	text, cut = cutTemplate("a\x1b[2J\n\tb\r\n" + strings.Repeat("x", 100000))
	if strings.ContainsAny(text, "\x1b\t\r") || cut != 0 || len(text) > 3000 {
		t.Errorf("%d bytes: %.40q", len(text), text)
	}
}

func TestFirstStartOffersAFileAndAFolder(t *testing.T) {
	for _, size := range []fyne.Size{apptest.Wide, apptest.Narrow} {
		dir := t.TempDir()
		s := newScreen(t, size, newStore(t), scripted(model(filepath.Join(dir, "a.gguf"), 1)))
		text := s.shown()
		for _, want := range []string{"No models yet", "Open file…", "Add a folder", "drop a .gguf file anywhere"} {
			if !strings.Contains(text, want) {
				t.Errorf("the first page does not say %q:\n%s", want, text)
			}
		}
		if list := s.squeezed(); len(list) > 0 {
			t.Errorf("no room for %q", list)
		}
		if strings.Contains(text, "starter") || strings.Contains(text, "Ollama") {
			t.Error("the first page promises what does not exist yet")
		}
		s.options.PickFolder = func(done func(string, error)) { done(dir, nil) }
		test.Tap(s.button(t, "Add folder…"))
		s.loop.Until(t, "the folder's model is there", func() bool { return len(s.State().Rows) == 1 })
		if strings.Contains(s.shown(), "No models yet") {
			t.Error("the first page stays")
		}
	}
}

func TestEmptyPagesSayWhatToDo(t *testing.T) {
	s := newScreen(t, apptest.Narrow, newStore(t, "/m"), scripted())
	if text := s.shown(); !strings.Contains(text, "No GGUF files found") || !strings.Contains(text, "/m") {
		t.Errorf("the screen says\n%s", text)
	}
	s = typical(t, apptest.Narrow)
	s.SetFilter("no such model")
	if !strings.Contains(s.shown(), "4 are hidden by the filter.") {
		t.Errorf("the screen says\n%s", s.shown())
	}
	test.Tap(s.button(t, "Clear the filter"))
	if len(s.State().Rows) != 4 || strings.Contains(s.shown(), "No model matches") {
		t.Error("the filter can't be cleared")
	}
}

func TestWhatCannotBeLoadedSaysWhyInTheDetailPane(t *testing.T) {
	s := typical(t, apptest.Wide)
	for path, want := range map[string]string{
		"/m/projector.gguf":          "is a projector",
		"/m/cut.gguf":                "Finish the download",
		"/m/big-00001-of-00004.gguf": "Put all parts into one folder",
	} {
		at := slices.IndexFunc(s.State().Rows, func(r *Row) bool { return r.Path == path })
		s.Select(at)
		if !s.button(t, "Set up and load").Disabled() {
			t.Errorf("%s can be loaded", path)
		}
		if !strings.Contains(s.shown(), want) {
			t.Errorf("%s: the screen does not say %q:\n%s", path, want, s.shown())
		}
		s.typeKey(fyne.KeyReturn)
	}
	if len(s.setUp) != 0 {
		t.Errorf("Enter set up %v", s.setUp)
	}
}

func TestTheFirstPageSetsTheGuideUp(t *testing.T) {
	const path = "/cache/starter/guide.gguf"
	for name, press := range map[string]func(*screen){
		"by its button": func(s *screen) { test.Tap(s.button(t, "Set up the Guide")) },
		"by Enter":      func(s *screen) { s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn}) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newScreen(t, apptest.Wide, newStore(t), scripted(model(path, 1)), func(o *Options) { o.Guide = path })
			s.loop.Until(t, "the Guide is found", func() bool { return len(s.State().Rows) == 1 && !s.State().Scanning })
			if !strings.Contains(s.shown(), "Try the built-in Guide") {
				t.Fatalf("the first page shows\n%s", s.shown())
			}
			press(s)
			if len(s.setUp) != 1 || s.setUp[0] != path {
				t.Errorf("set up: %v", s.setUp)
			}
			if row := s.State().Selected; row.Source != sourceBuiltIn || row.Where != "Built in" {
				t.Errorf("its row is %+v", row)
			}
			if text := s.shown(); !strings.Contains(text, "Not a general assistant") {
				t.Errorf("nothing says what it is:\n%s", text)
			}
		})
	}
}

func TestTheFirstPageSaysWhatCouldNotBeOpened(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone.gguf")
	s := newScreen(t, apptest.Wide, newStore(t), scripted(model(gone, 0, problemOf(gguf.Missing))))
	s.Open([]string{gone})
	s.loop.Until(t, "there is a notice", func() bool { return s.State().Notice != "" })
	if text := s.shown(); !strings.Contains(text, "gone.gguf") || !strings.Contains(text, "choose the file again") || !strings.Contains(text, "No models yet") {
		t.Errorf("the page shows\n%s", text)
	}
}
